// What happens while a person is being asked: the card, the record and the next access agree about it afterwards.

import { mkdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { WireError } from "../../src/wire/client.ts";
import { routes } from "../../src/wire/http.ts";
import type { WireAsk, WireChat } from "../../src/wire/values.ts";
import { choose, eventsOf, expected, type Verdicts, verdictsIn } from "./accesses.ts";
import { promiseOf } from "./promise.ts";
import { type WalkStage, walkStage } from "./stage.ts";
import { lastCalls, openAsk, rest, said, say, shownOf, type Wanted } from "./walker.ts";

const reads = (path: string): Wanted => ({ name: "read_file", input: { path } });

async function asks(stage: WalkStage, chat: WireChat, wanted: Wanted): Promise<WireAsk> {
  await say(stage.client, chat.id, said(wanted));
  return openAsk(stage.client, chat);
}

/** The kinds of the events that tell of an ask, in their order. */
const toldOf = async (stage: WalkStage, session: string, ask: WireAsk): Promise<readonly string[]> =>
  (await eventsOf(stage, session)).flatMap((event) =>
    "ask" in event && event.ask === ask.id && event.kind !== "decision" ? [event.kind] : [],
  );

const cardNow = ({ client }: WalkStage, { id }: WireAsk): Promise<WireAsk> => client.send(routes.ask, { id });

/** What another answer is told, and the card it is shown. */
async function refusal(answering: Promise<unknown>): Promise<WireError> {
  const error = await answering.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof WireError)) throw new Error("the answer was taken");
  return error;
}

const outcomeOf = async (stage: WalkStage, chat: WireChat) => {
  const [call] = await lastCalls(stage.client, chat.id);
  return call?.state.at === "done" ? call.state.outcome : null;
};

const plain = {};

test.each<[string, (stage: WalkStage) => void]>([
  [
    "another directory stands in its place",
    ({ world }) => {
      renameSync(world.code("api"), world.code("was-api"));
      mkdirSync(world.code("api/.git"), { recursive: true });
      writeFileSync(world.code("api/go.mod"), "another");
    },
  ],
  ["it is part of a nearer repository by then", ({ world }) => writeFileSync(world.code("api/src/package.json"), "{}")],
  [
    "the policy denies it by then",
    ({ world }) => writeFileSync(world.path("home/.config/hallpass/policy.json"), '{"read":{"~/code/api/**":"deny"}}'),
  ],
])("what a yes would grant changes while it is asked: %s", async (_how, change) => {
  const stage = await walkStage();
  const chat = await stage.chat();
  const ask = await asks(stage, chat, reads(stage.world.code("api/src/server.go")));
  change(stage);
  const before = await verdictsIn(stage, (await stage.chat()).session);
  const error = await refusal(choose(stage, chat, ask, "Allow reading api for this session"));
  expect(error.code).toBe("grant-changed");
  expect(await cardNow(stage, ask)).toMatchObject({
    state: "answered",
    answer: { verdict: "allow" },
    grant: null,
    refused: "grant-changed",
  });
  expect(await toldOf(stage, chat.session, ask)).toEqual(["answer", "grant-refused"]);
  expect(await verdictsIn(stage, chat.session)).toEqual(before);
  await rest(stage.client, chat.id);
  expect(await outcomeOf(stage, chat)).toMatchObject({ ok: false, code: "grant-changed" });
});

test("another yes opens it while it is asked: the card is closed as not needed, the call goes on, and nothing is granted twice", async () => {
  const stage = await walkStage();
  const chat = await stage.chat();
  const second = await stage.client.send(routes.addChat, { body: { session: chat.session } });
  const first = await asks(stage, chat, reads(stage.world.code("mono/packages/ui/docs/guide.md")));
  await say(stage.client, second.id, said(reads(stage.world.code("mono/packages/core/index.ts"))));
  const open = await stage.client.send(routes.listAsks, { query: { session: chat.session, state: "open" } });
  const other = open.find(({ chat: of }) => of === second.id)!;
  const before = await verdictsIn(stage, (await stage.chat()).session);
  const all = "Allow reading all of mono (9 files) for this session";
  const promised = promiseOf(shownOf(first), all);
  await choose(stage, chat, first, all);
  await rest(stage.client, second.id);
  expect(await cardNow(stage, other)).toMatchObject({ state: "closed", closed: "covered", answer: null, grant: null });
  expect(await toldOf(stage, chat.session, other)).toEqual(["ask-closed"]);
  expect(await outcomeOf(stage, second)).toMatchObject({ ok: true });
  expect(await verdictsIn(stage, chat.session)).toEqual(expected(stage, plain, before, promised));
  expect((await refusal(choose(stage, second, other, "Allow reading core for this session"))).code).toBe("request-closed");
  expect(await verdictsIn(stage, chat.session)).toEqual(expected(stage, plain, before, promised));
});

test("a grant is revoked while something else is asked: the yes opens what its card said, and what was revoked stays shut", async () => {
  const stage = await walkStage();
  const chat = await stage.chat();
  const before = await verdictsIn(stage, chat.session);
  const { grant } = await choose(
    stage,
    chat,
    await asks(stage, chat, reads(stage.world.code("api/go.mod"))),
    "Allow reading api for this session",
  );
  const ask = await asks(stage, chat, reads(stage.world.code("neighbour/n.txt")));
  await stage.client.send(routes.revoke, { id: grant?.id ?? "" });
  expect(await verdictsIn(stage, chat.session)).toEqual(before);
  expect(await cardNow(stage, ask)).toMatchObject({ state: "open", digest: ask.digest });
  const yes = "Allow reading neighbour for this session";
  await choose(stage, chat, ask, yes);
  expect(await verdictsIn(stage, chat.session)).toEqual(expected(stage, plain, before, promiseOf(shownOf(ask), yes)));
  const events = await eventsOf(stage, chat.session);
  expect(events.flatMap((event) => (event.kind === "grant" ? [event.path] : event.kind === "revocation" ? [event.grant] : []))).toEqual([
    stage.world.code("api"),
    grant?.id,
    stage.world.code("neighbour"),
  ]);
});

test("everything is revoked before a yes for once is used: it is gone, and the record says so", async () => {
  const stage = await walkStage();
  const chat = await stage.chat();
  const file = stage.world.code("api/go.mod");
  const ask = await asks(stage, chat, { name: "request_read_access", input: { path: file, reason: "to compare" } });
  await choose(stage, chat, ask, "Allow only go.mod, once");
  expect(await stage.client.send(routes.revokeAll, { id: chat.session })).toMatchObject({ revoked: 1 });
  expect((await eventsOf(stage, chat.session)).at(-1)).toMatchObject({ kind: "revocation", grant: ask.id, by: "person (test)" });
  const again = await asks(stage, chat, reads(file));
  expect(again.id).not.toBe(ask.id);
});

test("reading is revoked while an agent there is asked for: a yes starts the agent, and opens nothing to whoever asked", async () => {
  const stage = await walkStage();
  const chat = await stage.chat();
  const before = await verdictsIn(stage, chat.session);
  const { grant } = await choose(
    stage,
    chat,
    await asks(stage, chat, reads(stage.world.code("api/go.mod"))),
    "Allow reading api for this session",
  );
  const ask = await asks(stage, chat, { name: "spawn_agent", input: { path: stage.world.code("api"), task: "[]" } });
  await stage.client.send(routes.revoke, { id: grant?.id ?? "" });
  await choose(stage, chat, ask, "Start an agent in api");
  expect(await outcomeOf(stage, chat)).toMatchObject({ ok: true });
  expect(await toldOf(stage, chat.session, ask)).toEqual(["answer"]);
  expect(await verdictsIn(stage, chat.session)).toEqual(before);
});

test("the file changes while its change is asked for: a yes to what was shown is refused, and the card shows the new one", async () => {
  const stage = await walkStage();
  const chat = await stage.chat();
  const before = await verdictsIn(stage, chat.session);
  const file = stage.world.code("shop/asked/plan.md");
  const ask = await asks(stage, chat, { name: "edit_file", input: { path: file, old: "two", new: "2" } });
  writeFileSync(file, "one\ntwo\nfour\n");
  const error = await refusal(choose(stage, chat, ask, "Allow writing plan.md, once"));
  const shown = error.problem?.ask;
  expect([error.code, shown?.state, shown?.diff?.includes(" four\n"), ask.diff?.includes(" four\n")]).toEqual([
    "grant-changed",
    "open",
    true,
    false,
  ]);
  expect([await toldOf(stage, chat.session, ask), readFileSync(file, "utf8")]).toEqual([[], "one\ntwo\nfour\n"]);
  await choose(stage, chat, shown!, "Allow writing plan.md, once");
  expect(readFileSync(file, "utf8")).toBe("one\n2\nfour\n");
  expect(await toldOf(stage, chat.session, ask)).toEqual(["answer"]);
  expect(await verdictsIn(stage, chat.session)).toEqual(before);
});

test("the file becomes a link to another while reading it is asked for: a yes for once reads neither", async () => {
  const stage = await walkStage();
  const chat = await stage.chat();
  const before = await verdictsIn(stage, chat.session);
  const file = stage.world.code("api/go.mod");
  const ask = await asks(stage, chat, reads(file));
  unlinkSync(file);
  symlinkSync(stage.world.code("neighbour/n.txt"), file);
  await choose(stage, chat, ask, "Allow only go.mod, once");
  const again = await openAsk(stage.client, chat);
  expect([again.id === ask.id, again.path]).toEqual([false, stage.world.code("neighbour/n.txt")]);
  await say(stage.client, chat.id, said());
  const held: Verdicts = {
    ...before,
    [`read ${file.slice(stage.world.root.length)}`]: "ask",
    [`replace ${file.slice(stage.world.root.length)}`]: "deny",
  };
  expect(await verdictsIn(stage, chat.session)).toEqual(held);
});

test("two devices answer at once: one answer stands, on both cards, in the record and for the next access", async () => {
  const stage = await walkStage();
  const answers = [
    "Allow reading ui for this session",
    "Allow reading only the folder src for one hour",
    "Allow only button.ts, once",
    "Deny",
  ];
  const before = await verdictsIn(stage, (await stage.chat()).session);
  for (const one of answers)
    for (const other of answers) {
      const chat = await stage.chat();
      const ask = await asks(stage, chat, reads(stage.world.code("mono/packages/ui/src/button.ts")));
      const [phone, hostSession] = [stage.device("phone"), stage.device("hostSession")];
      const given = await Promise.allSettled([
        choose({ ...stage, client: phone }, chat, ask, one),
        choose({ ...stage, client: hostSession }, chat, ask, other),
      ]);
      const taken = given.findIndex(({ status }) => status === "fulfilled");
      const lost = given[1 - taken];
      if (lost?.status !== "rejected" || !(lost.reason instanceof WireError)) throw new Error("there was not one winner");
      const settled = await cardNow(stage, ask);
      expect(lost.reason).toMatchObject({
        code: "request-closed",
        status: 409,
        problem: { ask: { answer: settled.answer, grant: settled.grant } },
      });
      expect(settled.answer?.by).toBe(`person (${taken === 0 ? "phone" : "hostSession"})`);
      const promised = promiseOf(shownOf(ask), taken === 0 ? one : other);
      expect(await toldOf(stage, chat.session, ask)).toEqual(promised.what === "reading" ? ["answer", "grant"] : ["answer"]);
      await rest(stage.client, chat.id);
      expect(await verdictsIn(stage, chat.session)).toEqual(expected(stage, plain, before, promised));
    }
});

test("kept, and revoked: every later session of the workspace, and no other, until it is taken back", async () => {
  const stage = await walkStage();
  const chat = await stage.chat();
  const before = await verdictsIn(stage, chat.session);
  const elsewhere = await verdictsIn(stage, (await stage.chat(stage.world.code("second"))).session);
  const ask = await asks(stage, chat, reads(stage.world.code("mono/packages/ui/src/button.ts")));
  const yes = "Allow reading ui for this session";
  const promised = promiseOf(shownOf(ask), yes);
  const { grant } = await choose(stage, chat, ask, yes);
  const kept = await stage.client.send(routes.keepGrant, { id: grant?.id ?? "" });
  const later = await stage.chat();
  expect(await verdictsIn(stage, later.session)).toEqual(expected(stage, plain, before, promised));
  expect(await verdictsIn(stage, chat.session)).toEqual(expected(stage, plain, before, promised));
  expect(await verdictsIn(stage, (await stage.chat(stage.world.code("second"))).session)).toEqual(elsewhere);
  await say(stage.client, later.id, said(reads(stage.world.code("mono/packages/ui/docs/guide.md"))));
  expect(await outcomeOf(stage, later)).toMatchObject({ ok: true });

  const revoked = await stage.client.send(routes.revoke, { id: grant?.id ?? "" });
  expect(revoked).toMatchObject({ live: false, allowedBy: null });
  for (const { session } of [chat, later, await stage.chat()]) expect(await verdictsIn(stage, session)).toEqual(before);
  expect(await verdictsIn(stage, (await stage.chat(stage.world.code("second"))).session)).toEqual(elsewhere);
  const { records } = await stage.client.send(routes.audit, { query: {} });
  const events = records.map(({ event }) => event).toReversed();
  expect(
    events.flatMap((event) => (["grant", "rule-kept", "policy-changed", "revocation"].includes(event.kind) ? [event] : [])),
  ).toMatchObject([
    { kind: "grant", path: promised.what === "reading" ? promised.dir : "" },
    { kind: "rule-kept", grant: grant?.id, file: kept.file, line: kept.line },
    { kind: "policy-changed" },
    { kind: "policy-changed" },
    { kind: "revocation", grant: grant?.id },
  ]);
});

test("the session ends while somebody is asked: closed as such, recorded as such, and no answer opens anything any more", async () => {
  const stage = await walkStage();
  const chat = await stage.chat();
  const before = await verdictsIn(stage, chat.session);
  const ask = await asks(stage, chat, reads(stage.world.code("api/go.mod")));
  await stage.client.send(routes.archiveSession, { id: chat.session });
  expect(await cardNow(stage, ask)).toMatchObject({ state: "closed", closed: "session-ended", answer: null, grant: null });
  for (const choice of shownOf(ask).choices) {
    const error = await refusal(choose(stage, chat, ask, choice));
    expect([choice, error.code, error.problem?.ask?.closed]).toEqual([choice, "request-closed", "session-ended"]);
  }
  expect(await toldOf(stage, chat.session, ask)).toEqual([]);
  expect((await eventsOf(stage, chat.session)).filter(({ kind }) => kind === "session-ended")).toMatchObject([
    { by: "person (test)", why: "person" },
  ]);
  await expect(verdictsIn(stage, chat.session)).rejects.toMatchObject({ code: "session-closed" });
  expect(await outcomeOf(stage, chat)).toMatchObject({ ok: false });
  expect(await verdictsIn(stage, (await stage.chat()).session)).toEqual(before);
});
