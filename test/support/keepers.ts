// The keepers that this process has started and that live, as the kernel tells.

import { readFileSync } from "node:fs";

export function keepers(): readonly number[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
  return children.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("keeper.js");
    } catch {
      return false;
    }
  });
}
