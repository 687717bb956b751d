// What of the conversation so far a new message may refer to, read from the transcript: the wishes of the message before, what was
// looked at, what names were offered, what was granted. Nothing a file says gets in here but the names of files.

import type { Message, ToolCall, Transcript } from "../../transcript.ts";
import { answerIn, foundBy, nearIn } from "./finding.ts";
import { placesOf, understand } from "./understand.ts";
import { type Memory, nothingBefore, type Place } from "./wish.ts";

type Person = Extract<Message, { role: "person" }>;

/** A message of the person's and the turns it led to. */
export interface Exchange {
  readonly person: Person;
  /** The calls of each turn that made any. */
  readonly turns: readonly (readonly ToolCall[])[];
  /** The conversation before it was put in short. */
  readonly afterSummary: boolean;
}

/** So many messages back, and so many places of them. */
const MOST_EXCHANGES = 30;
const MOST_PLACES = 20;

export function exchangesIn(transcript: Transcript): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  let before: Message["role"] | null = null;
  for (const message of transcript) {
    const last = exchanges.at(-1);
    if (message.role === "person") exchanges.push({ person: message, turns: [], afterSummary: before === "summary" });
    else if (message.role === "agent" && last !== undefined && message.calls.length > 0)
      exchanges.splice(-1, 1, { ...last, turns: [...last.turns, message.calls] });
    if (message.role !== "reminder") before = message.role;
  }
  return exchanges.slice(-MOST_EXCHANGES);
}

/** What is remembered after these exchanges. */
export function memoryOf(exchanges: readonly Exchange[]): Memory {
  return exchanges.reduce(after, nothingBefore);
}

function after(memory: Memory, { person, turns }: Exchange): Memory {
  const calls = turns.flat();
  const { wishes, repeats } = understand(person.text, memory);
  const roots = [...new Set([...memory.roots, ...calls.flatMap(grantedBy)])];
  if (wishes.length === 0) return { ...memory, roots };
  const wanted = wishes.flatMap(({ wish }) => placesOf(wish));
  const seen = calls.flatMap(placeSeen);
  const places = [
    ...wanted.map((place) => seen.find(({ path }) => path === place.path) ?? place),
    ...seen.filter(({ path }) => path !== "." && wanted.every((place) => place.path !== path)),
  ];
  return {
    wishes,
    request: repeats ? memory.request : person.text,
    places: distinct(places),
    offered: offeredBy(calls),
    roots,
    unsettled: calls.some(({ state }) => state.at === "done" && !state.outcome.ok),
    earlier: [...memory.places.toReversed(), ...memory.earlier].slice(0, MOST_PLACES),
  };
}

const LOOKING: ReadonlyMap<string, boolean> = new Map([
  ["read_file", false],
  ["view_file", false],
  ["write_file", false],
  ["edit_file", false],
  ["list_dir", true],
  ["find_files", true],
  ["grep", true],
]);

function placeSeen({ name, input, state }: ToolCall): readonly Place[] {
  const directory = LOOKING.get(name);
  const path = pathOf(input);
  return directory === undefined || path === null || state.at !== "done" || !state.outcome.ok ? [] : [{ path, directory }];
}

function grantedBy({ name, state }: ToolCall): readonly string[] {
  if (name !== "request_read_access" || state.at !== "done") return [];
  const answer = answerIn(state.outcome);
  return answer.kind === "granted" && answer.root !== "" ? [answer.root] : [];
}

/** Names a person may choose from: near ones where several were, or what was found. */
function offeredBy(calls: readonly ToolCall[]): readonly string[] {
  return calls.flatMap(({ name, input, state }) => {
    if (state.at !== "done") return [];
    if (!state.outcome.ok) {
      const near = state.outcome.code === "not-found" ? nearIn(state.outcome.hint) : [];
      const path = pathOf(input) ?? "";
      return near.length < 2 ? [] : near.map((one) => path.slice(0, path.lastIndexOf("/") + 1) + one);
    }
    const found = name === "find_files" ? foundBy(name, state.outcome.output) : null;
    return found?.kind === "files" ? found.files.slice(0, MOST_PLACES) : [];
  });
}

function distinct(places: readonly Place[]): readonly Place[] {
  return places.filter(({ path }, at) => places.findIndex((other) => other.path === path) === at);
}

function pathOf(input: unknown): string | null {
  return typeof input === "object" && input !== null && "path" in input && typeof input.path === "string" ? input.path : null;
}
