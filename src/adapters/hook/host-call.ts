// What every host's hook has in common: one tool call as input, one answer as output, and the exact output for the host. Hosts differ only
// in their decoder, their table of tools and their encoder.

import type { Operation } from "../../core/access.ts";
import { isRecord, parseJson } from "../../core/record.ts";
import type { HostName } from "./host-table.ts";

export { isRecord };

/** The session and the call that a canary names: somebody only looks whether the hook is armed. */
export const CANARY = "hallpass-canary";

/** One tool call as the host tells it. Everything in `input`, and `cwd`, may be the model's own choice. */
export interface HostCall {
  readonly event: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The host's name for this run of the agent; empty where it gives none. */
  readonly sessionId: string;
  /** The host's name for the call; null where it gives none. */
  readonly callId: string | null;
  /** The agent below the session's first one that makes the call. */
  readonly agentId: string | null;
  readonly agentType: string | null;
  readonly cwd: string | null;
  /** Can the host's own dialog be answered by a person, as far as the payload tells? */
  readonly attended: boolean;
}

export type DecodeResult = { readonly ok: true; readonly call: HostCall } | { readonly ok: false; readonly why: string };

/**
 * What is to happen. `pass` says nothing, so that the host's own rules go on; `allow` is for reading under a grant; `ask` is the
 * host's own question to its person.
 */
export interface HookAnswer {
  readonly verdict: "pass" | "allow" | "ask" | "deny";
  /** For the model, or for the person where the host asks. Never empty but for `pass`. */
  readonly reason: string;
  /** The scope alert, where the call pointed outside scope. */
  readonly alert: string | null;
  /** What a person has answered since, for the model; only for hosts that can be told beside any answer. */
  readonly news?: string;
}

/** Exit 0 with a text on stdout, or exit 2 with one on stderr, which blocks in every host. There is no third way to end. */
export type Words = { readonly exit: 0; readonly stdout: string } | { readonly exit: 2; readonly stderr: string };

/** How a tool uses its arguments. Keys that are not named anywhere are still looked into for what has the shape of a path. */
export interface ToolUse {
  /** Arguments that are a path, or a list of paths, and what is done there. */
  readonly paths?: Readonly<Record<string, Operation>>;
  /** What is done to the current directory where none of `paths` is given. */
  readonly here?: Operation;
  /** Arguments that are file patterns, which may carry a path of their own (`../x/*`). */
  readonly patterns?: readonly string[];
  /** Those of them that stand for files whose contents are shown, not their names alone. */
  readonly shown?: readonly string[];
  /** The arguments that say which directories the patterns and the command start from. */
  readonly base?: readonly string[];
  /** The argument that is a shell command. */
  readonly command?: string;
  /** A command in a language that is not read here: it cannot be told what it touches. */
  readonly opaque?: true;
  /** Arguments that may be a patch in the `*** Update File:` form; one of them must be. */
  readonly patch?: readonly string[];
  /** Arguments that are text of some other kind: contents, prompts, expressions. */
  readonly texts?: readonly string[];
  /** Those of them in which the host takes `@path` for a file that goes along. */
  readonly mentions?: readonly string[];
  /** Where what it writes stands in the input, for the person's card. Missing where that cannot be told. */
  readonly content?: WrittenContent;
  /** Does what it gives back hold lines of files that it found by itself? */
  readonly finds?: true;
  /** Does it only read? Then a grant for reading may be honoured by an explicit allow. */
  readonly reads?: true;
}

/** The key of all that will be in the file, of several the first that is there; or the keys of a piece of text that is exchanged. */
export type WrittenContent =
  | { readonly whole: readonly string[] }
  | {
      readonly old: string;
      readonly new: string;
      /** Every place, where this is true, or a number above one. */
      readonly all?: string;
      /** The list that such pieces stand in. */
      readonly list?: string;
      /** The path of each piece's own file. */
      readonly path?: string;
    };

export type ToolTable = Readonly<Record<string, ToolUse>>;

export interface HookHost {
  readonly name: HostName;
  /** The payload, parsed, is any object. */
  decode(payload: Readonly<Record<string, unknown>>): DecodeResult;
  /** The session that has ended, by the host's name for it, where the payload says so and is no call; missing where the host never does. */
  ended?(payload: Readonly<Record<string, unknown>>): string | null;
  /** The session in which a person has spoken, where the payload says so and is no call; missing where we are not told. */
  prompted?(payload: Readonly<Record<string, unknown>>): { readonly sessionId: string; readonly event: string } | null;
  /** `news` reach the model beside any answer. */
  readonly tellsLate?: true;
  /** False where the host does not take the time from the file that we write: it stops waiting early, and lets the call go. */
  waits?(call: HostCall): boolean;
  /** What a tool has given back, where the payload says so and is no call; missing where the host does not tell, or takes no other. */
  output?(payload: Readonly<Record<string, unknown>>): ToolOutput | null;
  /** `start`: the line that goes before the command of a call that is let go; null where none does. */
  encode(answer: HookAnswer, call: HostCall, start?: string | null): Words;
  /** Has the host a word for asking its person about this call, and is somebody there? */
  canAsk(call: HostCall): boolean;
  /** Its tools; of two tables with the same name the first counts. Each is made when it is looked into: a hook is a process a call. */
  readonly tools: readonly (() => ToolTable)[];
  /** Would these words stop the call? As measured on the real programs. */
  blocks(end: ProcessEnd): boolean;
  /** A payload for a call of the host's own reading tool (or its shell), as the host would send it. */
  sample(call: { readonly path: string; readonly cwd: string }): Readonly<Record<string, unknown>>;
}

/** What a tool has given back, before the model has it. */
export interface ToolOutput {
  readonly call: HostCall;
  /** The parts in which lines of files may stand. */
  readonly texts: readonly string[];
  /** What the host's search says where it found nothing. */
  readonly nothing: string;
  /** The words that put these texts in the place of the others. */
  replaced(texts: readonly string[]): Words;
}

/** How a hook's process ended, whoever wrote it. Null: it was ended by a signal, or did not start. */
export interface ProcessEnd {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The one answer to a fault of any kind. Exit 2 with a text blocks in every host, whatever else was printed. */
export function blocked(why: string): Words {
  return { exit: 2, stderr: `hallpass: hook-failed: ${why}; what cannot be judged is denied\n` };
}

/** A text, or null for everything else. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The object a text is JSON of; null where it is none. */
export function parseRecord(text: string): Readonly<Record<string, unknown>> | null {
  const value = parseJson(text);
  return isRecord(value) ? value : null;
}

/** A string argument that may itself be JSON, as some hosts send it. */
export function inputOf(value: unknown): Readonly<Record<string, unknown>> | null {
  if (isRecord(value)) return value;
  return typeof value === "string" ? parseRecord(value) : null;
}

export const json = (value: unknown): string => `${JSON.stringify(value)}\n`;
/** Hosts cut long texts, or refuse them. */
export const cut = (text: string, length = 9_000): string => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);
