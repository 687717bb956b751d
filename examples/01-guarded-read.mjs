// A guarded read: three paths, one guard. The workspace is read, the secret in it is not, and what lies next door is asked about.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

const { workspace, ceilings, home } = plant();

// readme: begin
import { callId, createGuard, hint, openSession } from "hallpass";

const opened = openSession({ workspace, ceilings, home });
if (!opened.ok) throw new Error(opened.message);
const guard = createGuard();

async function read(path) {
  const access = { call: callId("call-1"), tool: "read", operation: "read", path };
  const used = await guard.use(access, opened.session, (file) => file.bytes(1_048_576));
  if (used.verdict !== "allow") return `${used.verdict}, ${used.reason}: ${hint(used)}`;
  const bytes = used.done.ok ? used.done.value : used.done; // it was opened, then read: either may fail
  return bytes.ok ? new TextDecoder().decode(bytes.value) : bytes.code;
}
// readme: end

try {
  const [own, secret, next] = [await read("main.ts"), await read(".env"), await read("../library/go.mod")];
  console.log(`main.ts: ${own.trimEnd()}\n.env: ${secret}\n../library/go.mod: ${next}`);
  assert.equal(own, "export {};\n");
  assert.match(secret, /^deny, secret-file: `\.env` is on the list of secrets/);
  assert.match(next, /^ask, out-of-scope: .*request_read_access/s);
} finally {
  rmSync(ceilings[0], { recursive: true });
}

/** A fresh directory: a workspace with a secret in it, and a repository next to it. */
function plant() {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-example-")));
  for (const [path, text] of [
    ["app/main.ts", "export {};\n"],
    ["app/.env", "TOKEN=1\n"],
    ["library/go.mod", "module library\n"],
  ]) {
    mkdirSync(join(place, path, ".."), { recursive: true });
    writeFileSync(join(place, path), text);
  }
  return { workspace: join(place, "app"), ceilings: [place], home: homedir() };
}
