// The walk on a real screen or in a real client: of every kind of ask one, and of every answer one, so that each is taken there once. The
// card is read where a person reads it, the choice is taken by its words, and the next accesses are judged on every path.

import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { routes } from "../../src/wire/http.ts";
import type { WireAsk } from "../../src/wire/values.ts";
import { eventsOf, expected, type Verdicts, verdictsIn } from "./accesses.ts";
import { changesIn, opens, promiseOf, type Promised, saysHowLong, type Shown } from "./promise.ts";
import { canConfine, type WalkPlan, walkStage, type WalkStage } from "./stage.ts";
import { kinds } from "./table.ts";
import type { Wanted } from "./walker.ts";
import { isSecret, type Probe, rules, type World } from "./world.ts";

const HOUR = 3_600_000;

export interface Face {
  readonly session: string;
  /** Have the agent do it; nobody waits until it is done. */
  does(wanted: Wanted): Promise<void>;
  /** The card of this ask, as it is shown. */
  shows(ask: WireAsk): Promise<Shown>;
  choose(choice: string): Promise<void>;
  /** The other ways to end an ask that there are here, by the name of how the card then says that it ended. */
  readonly ends: Readonly<Record<string, () => Promise<void>>>;
  /** Until what was asked about is over; was it done? */
  over(): Promise<boolean>;
  /** Where another process judges than the server's: is this read, or written? Nobody is asked about it. */
  readonly tries?: (probe: Probe) => Promise<boolean>;
}

/** Of which kind, and what is done with it: one of the card's choices, or one of the face's ends. */
export type Row = readonly [kind: keyof typeof kinds, answer: string];

const network: readonly Row[] = [
  ["a command that needs the network", "Allow the network for this session"],
  ["a command that needs the network", "Allow the network for this command, once"],
];

/** Every kind, and every answer. What differs by the policy alone, or needs a second card, is walked without a screen. */
export const rows: readonly Row[] = [
  ["a file of a package in a monorepo", "Allow reading ui for this session"],
  ["a file of a package in a monorepo", "Allow reading all of mono (9 files) for this session"],
  ["a folder of a package in a monorepo", "Allow reading only the folder deep for one hour"],
  ["a folder of a package in a monorepo", "Allow reading all of mono (9 files) for one hour"],
  ["a file of a repository, by request", "Allow only server.go, once"],
  ["a file at the top of a repository", "Allow reading api for one hour"],
  ["a file of a repository, through a link", "Allow reading only the folder src for this session"],
  ["a search of a repository", "Deny"],
  ["a file of a linked worktree", "Deny and stop the agent"],
  ["a file of a submodule", "Deny, with a word"],
  ["a file of a registered project", "Allow reading group for this session"],
  ["a file of no repository that the policy asks about", "Allow reading letter.txt, once"],
  ["a file of the workspace that the policy asks about", "withdrawn"],
  ["a new file", "Allow writing new.md, once"],
  ["a file to be overwritten", "stopped"],
  ["a change of a file", "Allow writing plan.md, once"],
  ["a patch of a file that is asked about and of one that is not", "Allow writing plan.md, once"],
  ["a write outside the workspace that the policy asks about", "Deny"],
  ["another agent", "Start an agent in api"],
  ["a command that nothing confines", "Run this command without a sandbox, once"],
  ...(canConfine ? network : []),
];

/** A server for a face, with everything in its world that the rows need. */
export async function faceStage(pages: WalkPlan["listens"] = { pages: null }): Promise<WalkStage> {
  const policy = { ...rules, read: { ...rules.read, "~/code/shop/src/**": "ask" } };
  const stage = await walkStage({ policy, listens: pages });
  await stage.client.send(routes.addProject, { body: { path: stage.world.code("group") } });
  return stage;
}

/** Take these rows one after the other, and after each put everything back. */
export async function walkFace(stage: WalkStage, face: Face, taken: readonly Row[]): Promise<void> {
  const held = await verdictsIn(stage, face.session);
  for (const row of taken) {
    const before = contentsOn(stage.world);
    try {
      await walkRow(stage, face, held, before, row);
    } catch (error) {
      throw new Error(`${row.join(" → ")}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
    await stage.client.send(routes.revokeAll, { id: face.session });
    expect([row, await verdictsIn(stage, face.session)]).toEqual([row, held]);
    putBack(stage.world, before);
  }
}

async function walkRow(stage: WalkStage, face: Face, held: Verdicts, files: Contents, [name, answer]: Row): Promise<void> {
  const kind = kinds[name];
  if (kind === undefined) throw new Error("there is no such kind");
  stage.confine(kind.confined === true);
  await face.does(kind.wants(stage.world));
  const ask = await askOf(stage, face.session);
  const shown = await face.shows(ask);
  expect(saysHowLong(shown)).toBe(true);
  const end = face.ends[answer];
  const promised: Promised = end === undefined ? promiseOf(shown, answer) : { what: "nothing" };
  await (end === undefined ? face.choose(answer) : end());
  const isDone = await face.over();
  expect(isDone).toBe(promised.what !== "nothing");

  const settled = await stage.client.send(routes.ask, { id: ask.id });
  const isOpen = promised.what === "network" && promised.until !== "call";
  const isAnswered = end === undefined || answer.startsWith("Deny");
  expect([settled.state, settled.answer?.verdict ?? settled.closed]).toEqual(
    isAnswered ? ["answered", promised.what === "nothing" ? "deny" : "allow"] : ["closed", answer],
  );
  const events = (await eventsOf(stage, face.session)).filter(
    (event) => "ask" in event && event.ask === ask.id && event.kind !== "decision",
  );
  expect(events.map((event) => (event.kind === "grant" ? event.path : event.kind))).toEqual([
    ...(isAnswered ? ["answer"] : answer === "session-ended" || answer === "agent-left" ? [] : ["ask-closed"]),
    ...(promised.what === "reading" ? [promised.dir] : isOpen ? ["network"] : []),
  ]);

  // Where the call is another program's its card names the file, and nobody knows what will be in it.
  const told = promised.what === "once" && promised.right === "write" ? [...promised.paths, ...changesIn(shown)] : [];
  const written = [...new Set(told.map((path) => resolve(stage.world.workspace, path)))];
  const byCommand = promised.what === "command" ? [stage.world.code("shop/asked/by-command.txt")] : [];
  const byNetwork = promised.what === "network" ? [stage.world.code("shop/by-network.txt")] : [];
  expect(changedSince(stage.world, files)).toEqual([...written, ...byCommand, ...byNetwork].toSorted());
  if (kind.confined === true) expect(await stage.connects(face.session)).toBe(isOpen);
  expect(await verdictsIn(stage, face.session)).toEqual(expected(stage, kind, held, promised));
  if (promised.what === "reading" && face.tries !== undefined)
    for (const one of stage.probes.filter(({ operation, path }) => operation !== "list" && path.startsWith(`${promised.dir}/`)))
      expect([one, await face.tries(one)]).toEqual([one, opens(promised, one, isSecret(one.path))]);
  if (promised.what === "reading" && promised.until === "hour") {
    const [grant] = await stage.client.send(routes.listGrants, { query: { session: face.session } });
    expect(Math.abs((grant?.expires ?? 0) - (grant?.at ?? 0) - HOUR)).toBeLessThan(10);
    stage.pass(HOUR);
    expect(await verdictsIn(stage, face.session)).toEqual(held);
    // The very access that was let before: the person is asked again, here, and may say the same again.
    await face.does(kind.wants(stage.world));
    const again = await askOf(stage, face.session);
    expect(again.id).not.toBe(ask.id);
    const shownAgain = await face.shows(again);
    expect(shownAgain.lines[0]).toBe(shown.lines[0]);
    expect(promiseOf(shownAgain, answer)).toEqual(promised);
    await face.choose(answer);
    expect(await face.over()).toBe(true);
    expect(await verdictsIn(stage, face.session)).toEqual(expected(stage, kind, held, promised));
  }
}

/** The last line of a difference, without its mark. */
export const lastLineOf = (diff: string): string => diff.trimEnd().split("\n").at(-1)?.slice(1) ?? "";

/** The one open ask of a session, as soon as it is there. */
export async function askOf({ client }: WalkStage, session: string): Promise<WireAsk> {
  for (;;) {
    const [ask] = await client.send(routes.listAsks, { query: { session, state: "open" } });
    if (ask !== undefined) return ask;
    await pause(10);
  }
}

type Contents = Readonly<Record<string, string>>;

/** Every file of the machine, with what is in it. */
export function contentsOn({ home }: World): Contents {
  const all = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(all.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "utf8")]));
}

/** What is new or another since then, in order. */
export const changedSince = (world: World, before: Contents): readonly string[] =>
  Object.entries(contentsOn(world))
    .flatMap(([path, text]) => (before[path] === text ? [] : [path]))
    .toSorted();

function putBack(world: World, before: Contents): void {
  for (const path of changedSince(world, before)) {
    const text = before[path];
    if (text === undefined) rmSync(path);
    else writeFileSync(path, text);
  }
}
