// The line protocol: one process, JSON lines in, JSON lines out, in order. This is how a program in another language uses the
// guard. docs/line-protocol.md has every field, and the same in Python.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-example-")));
for (const path of ["app/main.ts", "app/.env", "library/go.mod"]) {
  mkdirSync(join(place, path, ".."), { recursive: true });
  writeFileSync(join(place, path), "");
}

const program = fileURLToPath(new URL("../bin/hallpass.js", import.meta.url));
const hallpass = spawn(process.execPath, [program, "check", "--stdin"], { stdio: ["pipe", "pipe", "inherit"] });
const answers = createInterface({ input: hallpass.stdout })[Symbol.asyncIterator]();

/** Ask one line and wait for its answer. */
async function ask(line) {
  hallpass.stdin.write(`${JSON.stringify(line)}\n`);
  return JSON.parse((await answers.next()).value);
}

try {
  const here = { workspace: join(place, "app"), ceilings: [place] };
  const inside = await ask({ id: 1, ...here, operation: "read", path: "main.ts" });
  assert.deepEqual([inside.id, inside.verdict, inside.reason], [1, "allow", "in-workspace"]);

  const secret = await ask({ id: 2, ...here, operation: "read", path: ".env" });
  assert.deepEqual([secret.id, secret.verdict, secret.reason], [2, "deny", "secret-file"]);

  const next = await ask({ id: 3, ...here, operation: "read", path: "../library/go.mod" });
  assert.deepEqual([next.verdict, next.proposal, next.offers], ["ask", join(place, "library"), "session"]);

  // The program keeps no grants: after a yes, they come with the line.
  const granted = await ask({ id: 4, ...here, grants: [next.proposal], operation: "read", path: "../library/go.mod" });
  assert.deepEqual([granted.verdict, granted.reason], ["allow", "in-grant"]);

  // A line with a mistake is answered with what is wrong, and the next one is served.
  const wrong = await ask({ id: 5, ...here, operation: "read", path: "main.ts", polcy: {} });
  assert.equal(wrong.error.code, "bad-request");
  const after = await ask({ id: 6, ...here, operation: "list", path: "." });
  assert.equal(after.verdict, "allow");

  for (const { id, verdict, reason, error } of [inside, secret, next, granted, wrong, after]) {
    console.log(`${id}: ${error === undefined ? `${verdict}, ${reason}` : `error, ${error.message.split(";")[0]}`}`);
  }
  hallpass.stdin.end();
  const [code] = await once(hallpass, "exit");
  assert.equal(code, 0);
} finally {
  hallpass.kill();
  rmSync(place, { recursive: true });
}
