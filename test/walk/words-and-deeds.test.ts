// The words of a card and the deeds that follow: for every kind of ask and every answer to it, what the card said is compared with what the
// next accesses are let do, on every path of a whole machine: nothing more and nothing less. And with the record.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { sessionId } from "../../src/core/names.ts";
import { routes } from "../../src/wire/http.ts";
import type { WireAsk, WireChat } from "../../src/wire/values.ts";
import { accessesIn, choose, eventsOf, expected, keyOf, recordedAccesses, type Verdicts, verdictsIn } from "./accesses.ts";
import { changedSince, contentsOn } from "./faces.ts";
import { changesIn, contentsOf, type Promised, promiseOf, type Shown } from "./promise.ts";
import { type WalkStage, walkStage } from "./stage.ts";
import { type Kind, kinds, noes } from "./table.ts";
import { lastCalls, openAsk, rest, said, say, shownOf } from "./walker.ts";
import { isSecret } from "./world.ts";

const HOUR = 60 * 60_000;
const ASK_LIFE = 24 * HOUR;

/** What is done with an ask besides taking one of its choices, and how its card must then say that it ended. */
const ends: Readonly<Record<string, (stage: WalkStage, chat: WireChat, ask: WireAsk) => Promise<unknown>>> = {
  "Deny, with a word": (stage, _chat, { id }) => stage.client.send(routes.answer, { id, body: { decision: "deny", note: "use ours" } }),
  withdrawn: (stage, chat) => say(stage.client, chat.id, said()),
  stopped: (stage, chat) => stage.client.send(routes.cancel, { id: chat.id }),
  expired: async (stage, _chat, { id }) => {
    stage.pass(ASK_LIFE + 1);
    await expect(stage.client.send(routes.answer, { id, body: { decision: "allow_once" } })).rejects.toMatchObject({
      code: "grant-expired",
    });
  },
  "session-ended": (stage, { session }) => stage.client.send(routes.archiveSession, { id: session }),
};

interface Asked {
  readonly stage: WalkStage;
  readonly chat: WireChat;
  readonly ask: WireAsk;
  readonly shown: Shown;
  readonly files: Readonly<Record<string, string>>;
}

async function staged(kind: Kind): Promise<WalkStage> {
  const stage = await walkStage({ askLife: ASK_LIFE, ...(kind.policy === undefined ? {} : { policy: kind.policy }) });
  stage.confine(kind.confined === true);
  if (kind.project !== undefined) await stage.client.send(routes.addProject, { body: { path: stage.world.code(kind.project) } });
  return stage;
}

async function asked(kind: Kind, given: WalkStage | null = null): Promise<Asked> {
  const stage = given ?? (await staged(kind));
  const chat = await stage.chat();
  const files = contentsOn(stage.world);
  await say(stage.client, chat.id, said(kind.wants(stage.world)));
  if (kind.first !== undefined) await choose(stage, chat, await openAsk(stage.client, chat), kind.first);
  const ask = await openAsk(stage.client, chat);
  return { stage, chat, ask, shown: shownOf(ask), files };
}

/** The record tells of the answer, and of a grant where one was promised and nowhere else. */
async function recorded({ stage, chat, ask }: Asked, verdict: "allow" | "deny" | null, promised: Promised): Promise<void> {
  const events = await eventsOf(stage, chat.session);
  expect(events.flatMap((event) => (event.kind === "answer" && event.ask === ask.id ? [[event.verdict, event.until]] : []))).toEqual(
    verdict === null ? [] : [[verdict, verdict === "deny" ? null : lasting(promised)]],
  );
  expect(events.flatMap((event) => (event.kind === "grant" ? [[event.ask, event.until, event.path]] : []))).toEqual(
    grantedBy(promised).map((path) => [ask.id, lasting(promised) === "time" ? "time" : "session", path]),
  );
  expect(events.filter(({ kind }) => kind === "grant-refused")).toEqual([]);
}

/** For how long the record must say that a yes was given. */
function lasting(promised: Promised): string {
  if (!("until" in promised)) return "call";
  return promised.until === "hour" ? "time" : promised.until;
}

/** What the record must name as granted. */
const grantedBy = (promised: Promised): readonly string[] =>
  promised.what === "reading" ? [promised.dir] : promised.what === "network" && promised.until !== "call" ? ["network"] : [];

const outcomeOf = async ({ stage, chat }: Asked) => {
  const [call] = await lastCalls(stage.client, chat.id);
  return call?.state.at === "done" ? call.state.outcome : null;
};

/** Do it once more: somebody is asked again. */
async function asksAgain({ stage, chat, ask }: Asked, kind: Kind): Promise<void> {
  await say(stage.client, chat.id, said(kind.wants(stage.world)));
  const again = await openAsk(stage.client, chat);
  expect(again.id).not.toBe(ask.id);
  if (kind.first === undefined) expect(again.card.title).toBe(ask.card.title);
  await say(stage.client, chat.id, said());
}

const walked = new Map<string, Set<string>>();

for (const [name, kind] of Object.entries(kinds))
  describe(name, () => {
    let known: Promise<Verdicts> | null = null;
    /** What held before anything was answered; the same each time, since each time the machine is. */
    const before = ({ stage }: Asked): Promise<Verdicts> => (known ??= stage.chat().then(({ session }) => verdictsIn(stage, session)));
    const tick = (choice: string): void => void walked.set(name, (walked.get(name) ?? new Set()).add(choice));

    test("offers what it is known to offer, and says truly what is in it", async () => {
      const it = await asked(kind);
      expect(it.shown.choices.toSorted()).toEqual([...kind.offers, ...noes].toSorted());
      const held = await before(it);
      for (const [key, verdict] of Object.entries(held)) if (isSecret(key)) expect([key, verdict]).toEqual([key, "deny"]);
      // While it is asked nothing is open that was not.
      expect(await verdictsIn(it.stage, it.chat.session)).toEqual(held);
    });

    for (const choice of [...kind.offers, ...noes])
      test(choice, async () => {
        const it = await asked(kind);
        const { stage, chat, ask, shown, files } = it;
        const { world, client } = stage;
        const promised = promiseOf(shown, choice);
        const held = await before(it);
        const isKept = "until" in promised && promised.until === "always";
        const elsewhere = (await stage.chat(world.code("second"))).session;
        const heldElsewhere = await verdictsIn(stage, elsewhere);
        const { grant } = await choose(stage, chat, ask, choice);
        tick(choice);

        const settled = await client.send(routes.ask, { id: ask.id });
        expect(settled).toMatchObject({ state: "answered", answer: { verdict: promised.what === "nothing" ? "deny" : "allow" } });
        await recorded(it, promised.what === "nothing" ? "deny" : "allow", promised);
        // The call that asked has been done, or has been refused in the person's name.
        expect(await outcomeOf(it)).toMatchObject(promised.what === "nothing" ? { ok: false, code: "person-declined" } : { ok: true });
        // On the disk everything has changed that the card told of, and nothing else.
        const told =
          promised.what === "once" && promised.right === "write" ? changesIn(shown).map((path) => resolve(world.workspace, path)) : [];
        const byCommand = promised.what === "command" ? [world.code("shop/asked/by-command.txt")] : [];
        const byNetwork = promised.what === "network" ? [world.code("shop/by-network.txt")] : [];
        const byRule = isKept ? [world.path("home/.config/hallpass/policy.json")] : [];
        expect(changedSince(world, files)).toEqual([...told, ...byCommand, ...byNetwork, ...byRule].toSorted());
        if (promised.what === "once" && promised.right === "write") expect(told).toEqual(expect.arrayContaining([...promised.paths]));
        if (promised.what === "command") expect(promised.command).toBe(kind.wants(world).input["command"]);
        if (promised.what === "agent") await walksAgent(it, promised.workspace);

        if (promised.what === "once") await showsOnce(it, promised);
        // From now on: here, in another session of the same workspace, and in one of another.
        expect(await accessesIn(stage, chat.session)).toEqual(expected(stage, kind, held, promised));
        expect(await recordedAccesses(stage, chat.session)).toEqual(expected(stage, kind, held, promised));
        const later = (await stage.chat()).session;
        expect(await verdictsIn(stage, later)).toEqual(isKept ? expected(stage, kind, held, promised) : held);
        expect(await verdictsIn(stage, elsewhere)).toEqual(heldElsewhere);
        const isOpen = promised.what === "network" && promised.until !== "call";
        if (kind.confined === true)
          expect(await connecting(stage, chat.session, later, elsewhere)).toEqual([isOpen, isOpen && isKept, false]);

        if (promised.what === "reading" || isOpen) {
          if (promised.what === "reading" && promised.dir === ask.proposal?.dir)
            tellsContents(it, await verdictsIn(stage, chat.session), promised.dir);
          if (promised.until === "hour") {
            expect([settled.answer, grant]).toMatchObject([{ expires: grant?.expires }, { live: true }]);
            stage.pass(HOUR - 60_000);
            expect(await verdictsIn(stage, chat.session)).toEqual(expected(stage, kind, held, promised));
            if (isOpen) expect(await stage.connects(chat.session)).toBe(true);
            stage.pass(60_000);
          } else {
            stage.pass(30 * 24 * HOUR);
            expect(await verdictsIn(stage, chat.session)).toEqual(expected(stage, kind, held, promised));
            if (isOpen && isKept) await revokesRule(it, later, kind);
            else await client.send(routes.revoke, { id: grant?.id ?? "" });
          }
          for (const session of [chat.session, later]) expect(await verdictsIn(stage, session)).toEqual(held);
          if (isOpen) expect(await connecting(stage, chat.session, later)).toEqual([false, false]);
          expect((await client.send(routes.listGrants, { query: { session: chat.session } })).filter(({ live }) => live)).toEqual([]);
        } else if (promised.what !== "nothing") await asksAgain(it, kind);
      });

    test("not answered with a yes: nothing is opened, and card and record say how it ended", async () => {
      const stage = await staged(kind);
      for (const [how, end] of Object.entries(ends)) {
        const it = await asked(kind, stage);
        const { chat, ask, files } = it;
        const held = await before(it);
        await end(stage, chat, ask);
        await rest(stage.client, chat.id);
        tick(how);
        const settled = await stage.client.send(routes.ask, { id: ask.id });
        const isDenied = how.startsWith("Deny");
        expect(settled, how).toMatchObject(
          isDenied ? { state: "answered", answer: { verdict: "deny", note: "use ours" } } : { state: "closed", answer: null, closed: how },
        );
        await recorded(it, isDenied ? "deny" : null, { what: "nothing" });
        expect(changedSince(stage.world, files)).toEqual([]);
        if (how === "session-ended") await expect(verdictsIn(stage, chat.session)).rejects.toMatchObject({ code: "session-closed" });
        else expect(await verdictsIn(stage, chat.session)).toEqual(held);
        if (kind.confined === true && how !== "session-ended") expect(await stage.connects(chat.session)).toBe(false);
      }
    });
  });

/** What a yes for once to a read has shown: what the card said, nothing more and nothing less. */
async function showsOnce(it: Asked, { paths, shows }: Extract<Promised, { what: "once" }>): Promise<void> {
  const { stage, chat, ask } = it;
  const [path = ""] = paths;
  const isDirectory = existsSync(path) && statSync(path).isDirectory();
  // Asked for beforehand, once is the next read, of a directory its names; what lies below it is asked about.
  if (ask.tool === "request_read_access") {
    const next = async (operation: "read" | "list" | "search") =>
      (await stage.inside.agent.hosted.decide(sessionId(chat.session), { call: `next ${operation}`, tool: "walk", operation, path }))
        .verdict;
    expect(shows).toBe("either");
    if (isDirectory) expect(await next("search")).toBe("ask");
    expect(await next(isDirectory ? "list" : "read")).toBe("allow");
  }
  // Every file has its name in it, and not every text is searched for.
  if ((shows !== "names" && shows !== "below") || ask.tool === "grep") return;
  const outcome = await outcomeOf(it);
  const told = JSON.parse(outcome?.ok === true ? outcome.output : "{}") as {
    entries?: readonly { name: string }[];
    files?: readonly string[];
  };
  const there = readdirSync(path, { recursive: shows === "below", withFileTypes: true })
    .filter((entry) => (shows === "names" || entry.isFile()) && !isSecret(`/${entry.name}`))
    .map(({ parentPath, name }) => (shows === "names" ? name : join(parentPath, name)));
  expect((shows === "names" ? told.entries?.map(({ name }) => name) : told.files)?.toSorted()).toEqual(there.toSorted());
}

/** Which of these sessions' commands have the network. */
async function connecting(stage: WalkStage, ...sessions: readonly string[]): Promise<readonly boolean[]> {
  const found: boolean[] = [];
  for (const session of sessions) found.push(await stage.connects(session));
  return found;
}

/** What is kept of the network is listed as a rule with what used it; revoking the rule shuts it, and so does revoking the grant that was kept. */
async function revokesRule({ stage, chat, ask }: Asked, later: string, kind: Kind): Promise<void> {
  const { client, world } = stage;
  const listed = () => client.send(routes.listKeptRules, {});
  const [rule] = await listed();
  expect(rule).toMatchObject({ path: "network", workspace: world.workspace, kept: { by: "person (test)" } });
  expect(await client.send(routes.revokeKeptRule, { id: rule?.id ?? "" })).toMatchObject({ revoked: 1, allowedBy: null });
  expect(await connecting(stage, chat.session, later)).toEqual([false, false]);
  await say(client, chat.id, said(kind.wants(world)));
  const again = await openAsk(client, chat);
  expect(again.card.title).toBe(ask.card.title);
  const { grant, kept } = await choose(stage, chat, again, "Always allow the network in shop");
  expect([kept?.file, (await listed()).length]).toEqual([world.path("home/.config/hallpass/policy.json"), 1]);
  expect(await client.send(routes.revoke, { id: grant?.id ?? "" })).toMatchObject({ live: false, allowedBy: null });
  expect(await listed()).toEqual([]);
}

/** The agent that was started has that workspace: what is in it may be read and written, but for its secrets, and for the rest it is any session. */
async function walksAgent({ stage, chat }: Asked, workspace: string): Promise<void> {
  const sessions = await stage.client.send(routes.listSessions, { query: {} });
  const started = sessions.find(({ parent }) => parent === chat.session);
  expect(started?.workspace).toBe(workspace);
  const any = await verdictsIn(stage, (await stage.chat(workspace)).session);
  // Until that agent has done its task: it has, so nothing is open to it any more.
  await expect(verdictsIn(stage, started?.id ?? "")).rejects.toMatchObject({ code: "session-closed" });
  for (const one of stage.probes)
    if (one.path.startsWith(`${workspace}/`))
      expect([one, any[keyOf(stage.world, one)]]).toEqual([one, isSecret(one.path) ? "deny" : "allow"]);
}

/** What the card counts is what can be read, what it says is withheld is, and what it says is asked about is. */
function tellsContents({ shown, stage: { probes, world } }: Asked, now: Verdicts, dir: string): void {
  const inIt = probes.filter(({ path }) => path.startsWith(`${dir}/`));
  const reads = inIt.filter(({ operation }) => operation === "read");
  const countOf = (verdict: string, secret: boolean): number =>
    reads.filter((one) => now[keyOf(world, one)] === verdict && isSecret(one.path) === secret).length;
  const repositories = inIt.filter(({ operation, path }) => operation === "list" && existsSync(join(path, ".git"))).length;
  const [files, secrets, shut, asks] = [countOf("allow", false), countOf("deny", true), countOf("deny", false), countOf("ask", false)];
  expect(contentsOf(shown)).toEqual({ files, secrets, shut, asked: asks, repositories });
}

test("a question of the agent's: the answer goes to it as text, and grants nothing, as its card says", async () => {
  const stage = await walkStage();
  const chat = await stage.chat();
  const held = await verdictsIn(stage, chat.session);
  const question = { name: "ask_user_input", input: { question: "May I read everything?", options: ["yes", "no"] } };
  await say(stage.client, chat.id, said(question));
  const ask = await openAsk(stage.client, chat);
  expect(shownOf(ask)).toMatchObject({
    choices: [],
    lines: expect.arrayContaining(["Your answer: goes to the agent as text. It grants nothing."]),
  });
  await stage.client.send(routes.answer, { id: ask.id, body: { decision: "reply", digest: ask.digest, text: "yes" } });
  await rest(stage.client, chat.id);
  const [call] = await lastCalls(stage.client, chat.id);
  expect(call?.state).toMatchObject({ at: "done", outcome: { ok: true, output: "yes" } });
  expect(await verdictsIn(stage, chat.session)).toEqual(held);
  expect((await eventsOf(stage, chat.session)).filter(({ kind }) => kind === "grant")).toEqual([]);
});

afterAll(() => {
  // Not where only some of them were run.
  if ([...walked.keys()].length < Object.keys(kinds).length) return;
  for (const [name, kind] of Object.entries(kinds))
    expect([name, [...(walked.get(name) ?? [])].toSorted()]).toEqual([name, [...kind.offers, ...noes, ...Object.keys(ends)].toSorted()]);
});
