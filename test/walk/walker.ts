// An agent that makes the calls that the person says, and what came of each. So that every screen can set it going, what is said is the
// calls themselves, as JSON.

import { setTimeout as pause } from "node:timers/promises";
import { scriptedModel } from "../../src/agent/models/scripted.ts";
import { cardLines } from "../../src/core/guard/card.ts";
import type { Client } from "../../src/wire/client.ts";
import { routes } from "../../src/wire/http.ts";
import type { WireAsk, WireChat, WireMessage } from "../../src/wire/values.ts";
import type { Shown } from "./promise.ts";
import type { Probe } from "./world.ts";

export interface Wanted {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Makes the calls that were said last, and then has nothing more to do. */
export const walker = scriptedModel(async (transcript) => {
  const at = transcript.findLastIndex(({ role }) => role === "person");
  const said = transcript[at];
  if (said?.role !== "person" || transcript.slice(at).some((message) => message.role === "agent")) return "That is all.";
  const calls = callsIn(said.text);
  return calls.length === 0 ? "Nothing to do." : { calls };
}, "scripted/walker");

function callsIn(text: string): readonly Wanted[] {
  try {
    return JSON.parse(text) as readonly Wanted[];
  } catch {
    return [];
  }
}

export const said = (...calls: readonly Wanted[]): string => JSON.stringify(calls);

/** What became of a call: done, refused with this code, or put to a person. */
export type Came = "allow" | "ask" | `deny ${string}`;

/** Everything a chat does until it rests or waits. */
export async function rest(client: Client, chat: string): Promise<void> {
  for (;;) {
    const { status } = await client.send(routes.chat, { id: chat });
    const { messages } = await client.send(routes.messages, { id: chat, query: { limit: 3 } });
    const heard = messages.at(-1)?.role !== "person";
    if (heard && status !== "running") return;
    await pause(2);
  }
}

/** Say it, and wait until the chat rests or waits for its person. */
export async function say(client: Client, chat: string, text: string): Promise<void> {
  await client.send(routes.say, { id: chat, body: { text } });
  await rest(client, chat);
}

/** What became of the calls of the agent's last turn that had some. */
export async function lastCalls(client: Client, chat: string) {
  const { messages } = await client.send(routes.messages, { id: chat, query: {} });
  const last = messages.findLast((message: WireMessage) => message.role === "agent" && message.calls.length > 0);
  return last?.role === "agent" ? last.calls : [];
}

/** Codes that tell what is in a file, not whether it may be touched. */
const DONE = new Set(["bad-request"]);

/** Make each access for itself, by the tools, and say what came of it. What is asked on the way is withdrawn again. */
export async function probe(client: Client, chat: string, probes: readonly Probe[]): Promise<readonly Came[]> {
  await say(client, chat, said(...probes.map(callOf)));
  const came = (await lastCalls(client, chat)).map(({ state }): Came => {
    if (state.at === "waiting") return "ask";
    if (state.at !== "done") throw new Error(`a call is still ${state.at}`);
    const { outcome } = state;
    return outcome.ok || DONE.has(outcome.code) ? "allow" : `deny ${outcome.code}`;
  });
  await say(client, chat, said());
  return came;
}

/** A write that fits no file: it is judged, and changes nothing. */
function callOf({ operation, path }: Probe): Wanted {
  if (operation === "read") return { name: "read_file", input: { path } };
  if (operation === "list") return { name: "list_dir", input: { path } };
  return { name: "edit_file", input: { path, old: "\u0001 is in no file", new: "x" } };
}

/** A card as the interface gives it, as lines. */
export const shownOf = ({ card }: WireAsk): Shown => ({ lines: cardLines(card), choices: card.choices.map(({ label }) => label) });

/** The one open ask of a session. */
export async function openAsk(client: Client, { session }: Pick<WireChat, "session">): Promise<WireAsk> {
  const asks = await client.send(routes.listAsks, { query: { session, state: "open" } });
  const [ask] = asks;
  if (ask === undefined || asks.length > 1) throw new Error(`${asks.length} asks are open`);
  return ask;
}
