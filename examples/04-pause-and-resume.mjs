// Pause and resume: the agent asks, its loop stops, and the process that ran it ends. Another process, perhaps days later, shows the
// ask, takes the answer and goes on. Everything between them is in one SQLite file.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { compilePolicy, emptyPolicy } from "hallpass";
import { createAgent, scriptedModel } from "hallpass/agent";
import { openSqliteStore } from "hallpass/store";

const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-example-")));
for (const [path, text] of Object.entries({ "app/main.ts": "", "library/.git/HEAD": "", "library/go.mod": "module library\n" })) {
  mkdirSync(join(place, path, ".."), { recursive: true });
  writeFileSync(join(place, path), text);
}
const goMod = join(place, "library/go.mod");
const policy = compilePolicy({ ...emptyPolicy, ceilings: [place] }, homedir());

// A script stands in for a model: it reads, is refused with a hint, asks as the hint says, and reads again.
const model = scriptedModel([
  { calls: [{ name: "read_file", input: { path: goMod } }] },
  { calls: [{ name: "request_read_access", input: { path: goMod, reason: "to see which version the app builds against" } }] },
  { calls: [{ name: "read_file", input: { path: goMod } }] },
  "The library's module is called library.",
]);

/** One process's life: open the store, do something, close everything. */
async function life(doing) {
  const store = await openSqliteStore({ file: join(place, "hallpass.db") });
  const agent = createAgent({ store, model, home: homedir(), policyFor: () => policy });
  try {
    return await doing(agent, store);
  } finally {
    await agent.close();
    await store.close();
  }
}

try {
  const chat = await life(async (agent, store) => {
    const session = await agent.newSession({ workspace: join(place, "app") });
    const { id } = await agent.newChat(session.id);
    await agent.say(id, "Which library does the app build against?");
    assert.equal((await store.chat(id)).status, "waiting_for_input");
    return id;
  });
  console.log("the agent waits for an answer; its process has ended");

  await life(async (agent, store) => {
    const [ask] = await store.asks({ chat, state: "open" });
    console.log(
      `asked for: ${ask.requested[0].replace(place, "~")}, because "${ask.words}"; a yes opens ${ask.proposal.dir.replace(place, "~")}`,
    );
    const answered = await agent.answer(ask.id, { verdict: "allow", until: "session", by: "ada" });
    assert(answered.ok);
    await agent.settled();
    const transcript = await store.transcript(chat);
    assert.equal((await store.chat(chat)).status, "idle");
    console.log(`the agent says: ${transcript.at(-1).text}`);
    assert.equal(await store.verifyAudit(), null);
    assert.deepEqual((await store.session(ask.session)).allowedReadPaths, [join(place, "library")]);
  });
} finally {
  rmSync(place, { recursive: true, force: true });
}
