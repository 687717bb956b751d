// A guarded read: three paths, one guard. The workspace is read, the secret in it is not, and what lies next door is asked about.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { workspace, home } = plant();

// readme: begin
import { open } from "hallpass";

const hallpass = await open({ workspace, home });

async function read(path) {
  const file = await hallpass.read(path);
  return file.verdict === "allow" ? file.text() : `${file.verdict}, ${file.reason}: ${file.hint}`;
}
// readme: end

try {
  const [own, secret, next] = [await read("main.ts"), await read(".env"), await read("../library/go.mod")];
  console.log(`main.ts: ${own.trimEnd()}\n.env: ${secret}\n../library/go.mod: ${next}`);
  assert.equal(own, "export {};\n");
  assert.match(secret, /^deny, secret-file: `\.env` is on the list of secrets/);
  assert.match(next, /^ask, out-of-scope: .*request_read_access/s);

  // A person says yes: the repository is open for reading until the yes is taken back.
  const asked = await hallpass.read("../library/go.mod");
  const answered = await hallpass.answer(asked.ask, { verdict: "allow", until: "session", by: "ada" });
  assert(answered.ok);
  assert.equal(await read("../library/go.mod"), "module library\n");
  await hallpass.revoke(answered.grant.id, "ada");
  assert.match(await read("../library/go.mod"), /^ask/);
} finally {
  rmSync(home, { recursive: true });
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
  return { workspace: join(place, "app"), home: place };
}
