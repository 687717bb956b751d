// Reports progress on standard error for work that takes longer than a second. Quick work reports nothing.

import type { Host } from "./host.ts";

/** Do it; after a second, and at most once a second from then on, say what is done and how far it is (`say`). */
export async function withProgress<T>(host: Host, what: string, work: (say: (how: string) => void) => Promise<T>): Promise<T> {
  const { errors } = host;
  const isTerminal = errors.isTTY === true;
  let [how, said] = ["", ""];
  const timer = setInterval(() => {
    const line = `${what}${how === "" ? "" : `: ${how}`} …`;
    if (line === said) return;
    said = line;
    errors.write(isTerminal ? `\r\u001b[K${line}` : `${line}\n`);
  }, 1000);
  timer.unref();
  try {
    return await work((now) => {
      how = now;
    });
  } finally {
    clearInterval(timer);
    if (said !== "" && isTerminal) errors.write("\r\u001b[K");
  }
}
