// What a tool wants, exactly as the model wrote it. Untrusted until resolved.

import type { CallId } from "./names.ts";

/** What an operation needs and what a root gives. */
export type Right = "read" | "write";

/** Which right each operation needs. Discovery needs read, exactly like reading. */
export const needs = {
  read: "read",
  list: "read",
  search: "read",
  create: "write",
  replace: "write",
  remove: "write",
} as const satisfies Record<string, Right>;

/** What a tool wants to do with a path. */
export type Operation = keyof typeof needs;

/** One operation a tool wants on one path. */
export interface Access<O extends Operation = Operation> {
  readonly call: CallId;
  readonly tool: string;
  readonly operation: O;
  readonly path: string;
}

/** What stands in an ask, a grant and the record in the place of a path where the network of commands is meant. It is none: every path begins with `/`. */
export const NETWORK = "network";

/** A longer command would not be shown whole, and what is not shown whole is not asked about. */
export const LONGEST_COMMAND = 4096;

/**
 * The tools under which a running command's own lookups are judged: of our chat, and of programs that run commands themselves. A yes shows such a
 * command a directory, and never one file.
 */
export const lookupTool = { ofChat: "running-command", ofHost: "run" } as const;

export const isLookupTool = (tool: string): boolean => tool === lookupTool.ofChat || tool === lookupTool.ofHost;

/** The tool with which a model asks for access. A yes to it opens nothing by itself: it is good for the next call that reads the path. */
export const REQUEST_TOOL = "request_read_access";

/** Is this the name of an operation? */
export function isOperation(word: unknown): word is Operation {
  return typeof word === "string" && Object.hasOwn(needs, word);
}

/**
 * What a call would make of files, as far as its input tells: for the card, which compares it with what is there. `loose`: the program that
 * does it looks for the place less strictly than we do, so that what does not fit here may still be done there.
 */
export type PlannedWrite =
  /** All of the file. */
  | { readonly what: "whole"; readonly path: string; readonly content: string }
  /** Pieces of text, exchanged one after the other. An empty `old`: the file is made, or added to at its end. */
  | { readonly what: "edits"; readonly path: string; readonly edits: readonly PlannedEdit[]; readonly loose: boolean }
  /** Lines, each looked for after the one before: a patch in the `*** Update File` form. */
  | { readonly what: "sections"; readonly path: string; readonly sections: readonly PlannedSection[]; readonly loose: boolean }
  /** A unified diff, of one file or several. */
  | { readonly what: "patch"; readonly patch: string }
  | { readonly what: "removal"; readonly path: string }
  /** It is written, and what will be in it is not told, or is too much to be shown. */
  | { readonly what: "untold"; readonly path: string; readonly why: "not-told" | "too-large" };

export interface PlannedEdit {
  readonly old: string;
  readonly new: string;
  readonly all: boolean;
}

export interface PlannedSection {
  /** Lines to go past first. */
  readonly after: readonly string[];
  readonly old: readonly string[];
  readonly new: readonly string[];
}

/** Characters of JSON. Nobody reads so much on a card. */
const LONGEST_PLAN = 400_000;

/** The same, if they are short enough to be sent and shown; else only that `path` is written. */
export function shortEnough(planned: readonly PlannedWrite[], path: string): readonly PlannedWrite[] {
  return JSON.stringify(planned).length <= LONGEST_PLAN ? planned : [{ what: "untold", path, why: "too-large" }];
}
