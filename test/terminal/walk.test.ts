// The walk in a real terminal, by keys: every kind of ask and every answer on its card, and what the agent is let do then.

import { expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { walkHappenings } from "../walk/face-happenings.ts";
import { type Face, faceStage, lastLineOf, type Row, rows, walkFace } from "../walk/faces.ts";
import type { Shown } from "../walk/promise.ts";
import type { WalkStage } from "../walk/stage.ts";
import { lastCalls, rest, said } from "../walk/walker.ts";
import { say } from "./chatting.ts";
import { keys, startTerminal, type Terminal } from "./terminal.ts";

const PATIENCE = 30_000;
/** The lines of the card that is up. */
function cardOn(terminal: Terminal): readonly string[] {
  const lines = terminal.screen();
  return lines.slice(lines.findLastIndex((line) => line.startsWith("── Let ")));
}

/** The options on the screen: the digit of each, by its words. */
const optionsOn = (terminal: Terminal): ReadonlyMap<string, string> =>
  new Map(
    cardOn(terminal)
      .flatMap((line) => /^ {2}[› ] (\d) (.+)$/u.exec(line)?.slice(1) ?? [])
      .reduce<[string, string][]>(inPairs, []),
  );
const inPairs = (pairs: [string, string][], word: string, at: number, all: readonly string[]): [string, string][] =>
  at % 2 === 0 ? [...pairs, [all[at + 1] ?? "", word]] : pairs;

async function isArmed(terminal: Terminal): Promise<void> {
  await terminal.sees(/to move · Enter/u, PATIENCE);
  await terminal.loses("one moment: keys typed before", PATIENCE);
}

/** Press the digit of an option, and wait until the options are others. */
async function turnTo(terminal: Terminal, option: "More…" | "Back"): Promise<void> {
  await isArmed(terminal);
  const before = [...optionsOn(terminal).keys()].join();
  terminal.type(optionsOn(terminal).get(option) ?? "");
  await expect.poll(() => [...optionsOn(terminal).keys()].join(), { timeout: PATIENCE }).not.toBe(before);
  await isArmed(terminal);
}

/** Every fact as a line: a sentence goes on in the lines below that have no label. */
function factsOn(terminal: Terminal): readonly string[] {
  const facts: string[] = [];
  const [, ...lines] = cardOn(terminal);
  const column = lines.flatMap((line) => /^ {2}Who asks +/u.exec(line) ?? [])[0]?.length ?? 0;
  for (const line of lines) {
    const [label, sentence] = [line.slice(2, column).trim(), line.slice(column)];
    if (/^ {2}[› ] \d /u.test(line)) break;
    if (label !== "" && sentence !== "") facts.push(`${label}: ${sentence}`);
    else if (label === "" && sentence !== "") facts.push(`${facts.pop() ?? ""} ${sentence}`);
  }
  return facts;
}

/** A terminal with its person, at a server of its own. */
async function inTerminal(walk: (stage: WalkStage, face: Face) => Promise<void>): Promise<void> {
  const stage = await faceStage();
  const { world, client, door } = stage;
  const terminal = startTerminal(["chat"], { cwd: world.workspace, home: world.home, cols: 240, rows: 60, env: door?.env ?? {} });
  try {
    await terminal.sees("it asks before it reads elsewhere", PATIENCE);
    const chats = () => client.send(routes.listChats, { query: {} });
    await expect.poll(async () => (await chats()).length, { timeout: PATIENCE }).toBe(1);
    const [chat] = await chats();
    if (chat === undefined) throw new Error("there is no chat");
    const face: Face = {
      session: chat.session,
      async does(wanted) {
        const typed = (): number => terminal.all().split('› [{"name"').length;
        const before = typed();
        terminal.type(`${keys.pasteStart}${said(wanted)}${keys.pasteEnd}`);
        await expect.poll(typed, { timeout: PATIENCE }).toBe(before + 1);
        terminal.type(keys.enter);
      },
      async shows({ card, diff }): Promise<Shown> {
        await expect.poll(() => cardOn(terminal)[0], { timeout: PATIENCE }).toContain(`── ${card.title} ──`);
        // The change as it is now.
        if (diff !== null) await expect.poll(() => cardOn(terminal).join("\n"), { timeout: PATIENCE }).toContain(lastLineOf(diff));
        await isArmed(terminal);
        const lines = [card.title, ...factsOn(terminal)];
        const first = [...optionsOn(terminal).keys()];
        await turnTo(terminal, "More…");
        const more = [...optionsOn(terminal).keys()];
        return { lines, choices: [...new Set([...first, ...more].map((option) => option.replace(/…$/u, "")))] };
      },
      async choose(choice) {
        const digitOf = (words: string): string | undefined => [...optionsOn(terminal)].find(([label]) => label.startsWith(words))?.[1];
        // What opens more than was proposed has a second step.
        if (optionsOn(terminal).has(`${choice}…`)) {
          terminal.type(digitOf(`${choice}…`) ?? "");
          await expect.poll(() => digitOf(`${choice}. `), { timeout: PATIENCE }).toBeDefined();
          await isArmed(terminal);
          return terminal.type(digitOf(`${choice}. `) ?? "");
        }
        if (!optionsOn(terminal).has(choice)) await turnTo(terminal, "Back");
        terminal.type(optionsOn(terminal).get(choice) ?? "");
      },
      ends: {
        "Deny, with a word": async () => {
          terminal.type("n");
          await terminal.sees("Deny, and tell the agent:", PATIENCE);
          await say(terminal, "use ours");
        },
        stopped: async () => terminal.type(keys.interrupt),
      },
      async over() {
        // A card that a note is written on says other keys.
        await terminal.loses(/to move · Enter|Enter sends/u, PATIENCE);
        await rest(client, chat.id);
        const [call] = await lastCalls(client, chat.id);
        return call?.state.at === "done" && call.state.outcome.ok;
      },
    };
    await walk(stage, face);
  } finally {
    await terminal.close();
    await stage.close();
  }
}

test("what a card said in the terminal is what the next accesses are let do", { timeout: 600_000 }, () =>
  inTerminal((stage, face) =>
    // While a card is up nobody can speak here.
    walkFace(
      stage,
      face,
      rows.map(([kind, end]): Row => [kind, end === "withdrawn" ? "Deny" : end]),
    ),
  ),
);

test("whatever happens while a card is up: card, record and next access agree", { timeout: 600_000 }, () => inTerminal(walkHappenings));
