// The built-in agent in the real loop, on real files, with a person who answers: the seed's smoke plan.

import { expect, test } from "vitest";
import { grow, policyOf } from "../../../test/scene.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { createAgent } from "../agent.ts";
import type { GivenAnswer } from "../answering.ts";
import { offlineModel } from "./offline.ts";

/** A chat in `ws`, beside a repository `lib`; every ask is answered in turn. */
async function talk(messages: readonly string[], answers: readonly GivenAnswer[], asking: "by-model" | "by-guard" = "by-model") {
  const { root, path } = grow([
    "home/ws/.git/",
    "home/ws/a.txt: hello\n",
    "home/ws/src/x.ts: // TODO one\n",
    "home/lib/.git/",
    "home/lib/go.mod: module lib\n",
    "home/lib/README.md: # Lib\n",
    "home/lib/.env: SECRET=1\n",
  ]);
  const store = createMemoryStore();
  const home = path("home");
  const policy = policyOf({}, home);
  const agent = createAgent({ store, model: offlineModel(), home, policyFor: () => policy });
  const session = await agent.newSession({ workspace: path("home/ws"), asking });
  const chat = await agent.newChat(session.id);
  const left = [...answers];
  const said: string[] = [];
  for (const message of messages) {
    await agent.say(chat.id, message.replaceAll("$HOME", home));
    await agent.settled();
    for (let [ask] = await store.asks({ state: "open" }); ask !== undefined; [ask] = await store.asks({ state: "open" })) {
      const answer = left.shift();
      if (answer === undefined) throw new Error(`nobody answers ${ask.requested.join(", ")}`);
      expect((await agent.answer(ask.id, answer)).ok).toBe(true);
      await agent.settled();
    }
    const last = (await store.transcript(chat.id)).findLast(({ role }) => role === "agent");
    said.push((last?.text ?? "").replaceAll(root, "$ROOT"));
    expect((await store.chat(chat.id))?.status).toBe("idle");
  }
  const asks = await store.asks({});
  await agent.close();
  const requested = asks.flatMap((ask) => ask.requested).map((one) => one.replaceAll(root, "$ROOT"));
  return { said, asked: asks.length, requested, unused: left.length };
}

const allow: GivenAnswer = { verdict: "allow", until: "session", by: "me" };
const once: GivenAnswer = { verdict: "allow", until: "call", by: "me" };
const deny = (note?: string): GivenAnswer => ({ verdict: "deny", by: "me", ...(note === undefined ? {} : { note }) });

test("what lies beside the workspace is asked for by its own name, without dots", async () => {
  const { requested } = await talk(["read ../lib/go.mod"], [allow], "by-model");
  expect(requested).toEqual(["$ROOT/home/lib/go.mod"]);
});

for (const asking of ["by-model", "by-guard"] as const) {
  test(`${asking}: one yes opens the repository for reading, and no more is asked`, async () => {
    const { said, asked } = await talk(["read $HOME/lib/go.mod", "and its README", "list ../lib", "read ../lib/.env"], [allow], asking);
    expect(said).toEqual([
      "`$ROOT/home/lib/go.mod` (1 line, 11 bytes):\n\n```\nmodule lib\n```",
      "`$ROOT/home/lib/README.md` (1 line, 6 bytes):\n\n```\n# Lib\n```",
      "`../lib` holds 3 entries: `.git/`, `README.md` and `go.mod`. 1 more is withheld.",
      "`../lib/.env` is on the list of secrets, which stay hidden everywhere. I leave it at that and look for no other way.",
    ]);
    expect(asked).toBe(1);
  });

  test(`${asking}: a no is taken, with its note`, async () => {
    const { said, asked } = await talk(["read ../lib/go.mod", "try again"], [deny("read a.txt instead"), deny()], asking);
    expect(said).toEqual([
      "You said no to `../lib/go.mod`, so I leave it alone. You wrote: “read a.txt instead”. `a.txt` (1 line, 6 bytes):\n\n```\nhello\n```",
      "You said no to `../lib/go.mod`, so I leave it alone.",
    ]);
    expect(asked).toBe(2);
  });

  test(`${asking}: two files of one repository are one question`, async () => {
    const { said, asked } = await talk(["compare ../lib/go.mod with $HOME/lib/README.md"], [allow], asking);
    expect(said[0]).toContain("-module lib\n+# Lib");
    expect(asked).toBe(1);
  });

  test(`${asking}: a yes for once reads once`, async () => {
    const { said } = await talk(["read $HOME/lib/go.mod"], [once], asking);
    expect(said[0]).toContain("module lib");
  });
}

test("what cannot be granted is refused without asking; what is in the workspace needs no asking", async () => {
  const { said, asked } = await talk(
    ["read /etc/passwd", "read a.txt, then search for TODO", "what can you see?", 'write "x" to ../lib/new.txt'],
    [],
  );
  expect(said[0]).toMatch(/cannot ask you for it/);
  expect(said[1]).toContain("src/x.ts:1: // TODO one");
  expect(said[2]).toContain("`$ROOT/home/ws`: read and write (the workspace)");
  expect(said[3]).toMatch(/nothing is written there/);
  expect(asked).toBe(0);
});

test("an agent it starts elsewhere is another of its kind", async () => {
  const { said } = await talk(["spawn an agent in ../lib to read go.mod"], [once]);
  expect(said[0]).toContain("The agent in `../lib` says:");
  expect(said[0]).toContain("module lib");
});
