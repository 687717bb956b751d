// A model for tests and examples: a list of turns, or a function of the transcript. It keeps no count of its own: which turn comes
// next is told from the transcript, so that a chat taken up by another process goes on where it was.

import { type Model, ModelFault, type ModelPrompt, type ModelTurn } from "../ports.ts";
import type { Transcript, Usage } from "../transcript.ts";
import { idAfter } from "./call-ids.ts";

/** A text alone, a text and calls, or an error to throw. Calls without an id get one that is new in the chat. */
export type ScriptedTurn =
  | string
  | Error
  | {
      readonly text?: string;
      readonly calls?: readonly { readonly id?: string; readonly name: string; readonly input: unknown }[];
      readonly usage?: Usage;
    };

/** The turns of a scripted model: a list, or a function that makes each. `signal` aborts when the turn is cancelled. */
export type Script =
  | readonly ScriptedTurn[]
  | ((transcript: Transcript, prompt: ModelPrompt, signal: AbortSignal) => Promise<ScriptedTurn>);

/** A model that says what a script says, for tests and examples. Throws a ModelFault past the end of a list. */
export function scriptedModel(script: Script, name = "scripted/list"): Model {
  return {
    name,
    async turn(prompt, { signal, delta }) {
      signal.throwIfAborted();
      const turnIndex = prompt.transcript.filter(({ role }) => role === "agent").length;
      const turn = typeof script === "function" ? await script(prompt.transcript, prompt, signal) : script[turnIndex];
      signal.throwIfAborted();
      if (turn === undefined) throw new ModelFault(`the script has no turn ${turnIndex + 1}`);
      if (turn instanceof Error) throw turn;
      const whole = complete(typeof turn === "string" ? { text: turn } : turn, prompt.transcript);
      for (const piece of whole.text.match(/\S*\s*/g) ?? []) if (piece !== "") delta(piece);
      return whole;
    },
  };
}

function complete({ text = "", calls = [], usage }: Exclude<ScriptedTurn, string | Error>, transcript: Transcript): ModelTurn {
  return {
    text,
    calls: calls.map(({ id, name, input }, at) => ({ id: id ?? idAfter(transcript, at), name, input })),
    usage: usage ?? null,
  };
}
