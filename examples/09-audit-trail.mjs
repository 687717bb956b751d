// The audit trail: every decision, answer, grant and revocation, once, with the path as asked and the path as it is. The port is a
// function; here it writes JSON lines. What cannot be recorded is not done.

import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { callId, createGuard, openSession } from "hallpass";

const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-example-")));
for (const path of ["app/main.ts", "library/package.json", "library/index.ts"]) {
  mkdirSync(join(place, path, ".."), { recursive: true });
  writeFileSync(join(place, path), "NEVER IN THE RECORD\n");
}
symlinkSync("../library/index.ts", join(place, "app/neighbour.ts"));

try {
  const trail = join(place, "audit.jsonl");
  const guard = createGuard({ audit: (event) => appendFileSync(trail, `${JSON.stringify(event)}\n`) });
  const opened = openSession({ id: "monday", workspace: join(place, "app"), ceilings: [place], home: homedir() });
  assert(opened.ok);

  const read = (session, path, call) =>
    guard.use({ call: callId(call), tool: "read_file", operation: "read", path }, session, (file) => file.bytes(1024));
  await read(opened.session, "main.ts", "call-1");
  const asked = await read(opened.session, "neighbour.ts", "call-2");
  assert.equal(asked.verdict, "ask");
  const settled = guard.answer(opened.session, asked.ask, { verdict: "allow", until: "session", by: "ada" });
  assert(settled.ok);
  await read(settled.session, "neighbour.ts", "call-2");
  guard.revoke(settled.session, settled.grant.id, "ada");

  const text = readFileSync(trail, "utf8");
  const events = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const { kind, verdict, reason, requested, real, path, by } of events) {
    const words = [kind, verdict, reason, requested, real ?? path, by].filter((word) => word !== undefined && word !== null);
    console.log(words.join("  ").replaceAll(place, "~"));
  }
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ["decision", "decision", "answer", "grant", "decision", "revocation"],
  );
  const [, question, answer, grant, use] = events;
  assert.equal(question.requested, "neighbour.ts");
  assert.equal(question.real, join(place, "library/index.ts"));
  assert.equal(answer.ask, question.ask);
  assert.equal(grant.ask, question.ask);
  assert.equal(use.grant, grant.grant); // what was read under which grant
  assert(events.every(({ session }) => session === "monday"));
  assert(!text.includes("NEVER IN THE RECORD"));

  // A record that cannot be written turns an allow into a deny.
  const mute = createGuard({
    audit() {
      throw new Error("the disk is full");
    },
  });
  const refused = mute.judge({ call: callId("call-3"), tool: "read_file", operation: "read", path: "main.ts" }, opened.session);
  assert.deepEqual([refused.verdict, refused.reason], ["deny", "guard-fault"]);
  console.log("what cannot be recorded is not done: deny, guard-fault");
} finally {
  rmSync(place, { recursive: true });
}
