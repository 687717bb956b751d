// A guard whose process has hardly a descriptor left: what it cannot look at it does not allow.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "./line-process.ts";
import { tree } from "./tree.ts";

/** Judges with so many descriptors free, from none to eight, and prints the verdicts as JSON. */
const judging = `
import { closeSync, openSync } from "node:fs";
const { callId, createGuard, openSession } = await import(process.argv[1]);
const { session } = openSession({ workspace: process.argv[2], home: process.argv[3] });
const guard = createGuard();
const judge = (operation, path) => {
  const decision = guard.judge({ call: callId("c"), tool: "t", operation, path }, session);
  if (decision.verdict === "allow") decision.pass.close();
  return decision.verdict;
};
judge("read", ".env");
const held = [];
try { for (;;) held.push(openSync("/dev/null")); } catch {}
const seen = [];
for (let free = 0; free < 9; free += 1) {
  seen.push([judge("read", ".env"), judge("replace", ".vscode/tasks.json"), judge("read", "plain")]);
  closeSync(held.pop());
}
for (const one of held) closeSync(one);
process.stdout.write(JSON.stringify(seen));
`;

test("a link of a secret's name, and one of a name that executes later, stay shut however few there are", () => {
  const { path, remove } = tree(["ws/plain: text", "ws/docs/", "ws/.env => plain", "ws/.vscode => docs", "home/"]);
  try {
    const words = ["--input-type=module", "-e", judging, join(repository, "dist", "index.js"), path("ws"), path("home")];
    const command = ["ulimit -n 64", `exec "$0" "$@"`].join(" && ");
    const seen: string[][] = JSON.parse(execFileSync("sh", ["-c", command, process.execPath, ...words], { encoding: "utf8" }));
    expect(seen).toHaveLength(9);
    for (const [secret, executed] of seen) expect([secret, executed]).toEqual(["deny", "deny"]);
    // With enough of them what is open is open again.
    expect([seen[0]?.[2], seen[8]?.[2]]).toEqual(["deny", "allow"]);
  } finally {
    remove();
  }
});
