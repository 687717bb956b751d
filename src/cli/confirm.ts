// A question that a person answers with yes. Where nobody is at a terminal the answer is no.

import { createInterface } from "node:readline/promises";
import type { Host } from "./host.ts";

export async function confirm(host: Host, question: string): Promise<boolean> {
  if (host.input.isTTY !== true || host.output.isTTY !== true) return false;
  const lines = createInterface({ input: host.input, output: host.output });
  try {
    return /^y(?:es)?$/iu.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
