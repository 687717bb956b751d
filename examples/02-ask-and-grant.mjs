// Ask and grant: a read next door is asked about, a yes for the session opens that one repository for reading, and a revocation
// closes it again. A yes for one call covers one path, once.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { callId, createGuard, explain, listRoots, openSession } from "hallpass";

const place = plant({ "app/main.ts": "", "library/.git/HEAD": "", "library/go.mod": "module library\n", "library/.env": "TOKEN=1\n" });
try {
  const guard = createGuard();
  const opened = openSession({ workspace: join(place, "app"), ceilings: [place], home: homedir() });
  assert(opened.ok);
  const { session } = opened;

  /** Judge one access and let go of the pass: this story looks at verdicts only. */
  const judge = (within, path, { operation = "read", call = "call-1" } = {}) => {
    const decision = guard.judge({ call: callId(call), tool: "story", operation, path }, within);
    if (decision.verdict === "allow") decision.pass.close();
    return decision;
  };

  // The ask is plain data: it can be stored, shown on any screen and answered later, in another process.
  const asked = judge(session, "../library/go.mod");
  assert.equal(asked.verdict, "ask");
  const ask = JSON.parse(JSON.stringify(asked.ask));
  assert.equal(ask.proposal.dir, join(place, "library"));
  for (const line of explain(asked).next) console.log(line.replaceAll(place, "~"));

  // A yes makes a grant and opens nothing itself. The access is judged again, in the session that holds the grant.
  const settled = guard.answer(session, ask, { verdict: "allow", until: "session", by: "ada" });
  assert(settled.ok);
  const granted = settled.session;
  const verdicts = {
    "read go.mod": judge(granted, "../library/go.mod"),
    "write go.mod": judge(granted, "../library/go.mod", { operation: "replace" }),
    "read .env": judge(granted, "../library/.env"),
  };
  for (const [what, { verdict, reason }] of Object.entries(verdicts)) console.log(`${what}: ${verdict}, ${reason}`);
  assert.deepEqual(
    Object.values(verdicts).map(({ reason }) => reason),
    ["in-grant", "read-only-grant", "secret-file"],
  );
  assert.deepEqual(
    listRoots(granted).map(({ from }) => from),
    ["workspace", "grant"],
  );

  // Sessions never change, so the one before the yes still asks; and so does the one after the revocation.
  const revoked = guard.revoke(granted, settled.grant.id, "ada");
  assert.equal(judge(session, "../library/go.mod").verdict, "ask");
  assert.equal(judge(revoked, "../library/go.mod").verdict, "ask");
  console.log("revoked: the next read asks again");

  // A yes for this call: this path, this call, and nothing beside it.
  const once = guard.answer(session, ask, { verdict: "allow", until: "call", by: "ada" });
  assert(once.ok);
  assert.equal(judge(once.session, "../library/go.mod").reason, "answered");
  assert.equal(judge(once.session, "../library/go.mod", { call: "call-2" }).verdict, "ask");

  // What is granted is what was shown. Another directory in its place is not.
  plantIn(place, { "other/.git/HEAD": "", "other/go.mod": "module other\n" });
  renameSync(join(place, "library"), join(place, "away"));
  renameSync(join(place, "other"), join(place, "library"));
  const late = guard.answer(session, ask, { verdict: "allow", until: "session", by: "ada" });
  assert.equal(late.ok, false);
  assert.equal(late.code, "grant-changed");
  console.log(`the directory was replaced before the yes: ${late.code}`);
} finally {
  rmSync(place, { recursive: true });
}

/** A fresh directory with these files in it. */
function plant(files) {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-example-")));
  plantIn(made, files);
  return made;
}

function plantIn(made, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(made, path, ".."), { recursive: true });
    writeFileSync(join(made, path), text);
  }
}
