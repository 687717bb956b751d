// What a card is made from, and the words that its facts and its choices share. Pure.

import { type Operation, REQUEST_TOOL, type Right } from "../access.ts";
import { basename } from "../path/contain.ts";
import { shorten, show } from "../path/show.ts";
import type { AskSubject } from "../session/ask.ts";
import type { Survey } from "../session/survey.ts";

/** What a write would make of one file. */
export interface FileChange {
  readonly path: string;
  readonly does: "creates" | "overwrites" | "changes" | "removes" | "unknown";
  /** What stands in the place of a difference where none can be shown. */
  readonly unshown: "too-large" | "not-text" | "not-readable" | "does-not-fit" | "not-told" | "elsewhere" | null;
}

/** What a card is made from. */
export interface CardAsk {
  readonly kind: "pending_grant" | "pending_question";
  readonly asker: {
    readonly host: string | null;
    readonly label: string | null;
    readonly parents: readonly string[];
    readonly machine: string | null;
  };
  readonly workspace: string;
  readonly tool: string;
  readonly requested: readonly string[];
  readonly path: string | null;
  readonly links: readonly string[];
  /** `path` is no part of what is asked for: only a directory that the asked path leaves again by `..`. */
  readonly onTheWay: boolean;
  readonly right: Right;
  /** Of the first path; null for a question. */
  readonly operation: Operation | null;
  readonly offers: "once" | "session";
  readonly proposal: { readonly dir: string; readonly because: string } | null;
  readonly survey: Survey | null;
  /** What else may be opened. */
  readonly folder: string | null;
  readonly repository: { readonly dir: string; readonly because: string; readonly survey: Survey | null } | null;
  readonly about: AskSubject | null;
  readonly reason: string;
  readonly words: string | null;
  readonly changes: readonly FileChange[];
  readonly question: string | null;
  readonly options: readonly string[];
  readonly expires: number | null;
  /** A yes that waits for the machine with the files. */
  readonly waiting: { readonly by: string; readonly at: number; readonly machine: string; readonly isThere: boolean } | null;
  readonly earlier: readonly { readonly verdict: "allow" | "deny"; readonly by: string; readonly at: number }[];
}

const LONGEST_NAME = 36;
export const called = (name: string): string => shorten(show(name), LONGEST_NAME);

const CHANGING: ReadonlySet<string> = new Set(["edit_file", "apply_patch"]);

type AskedAction = Pick<CardAsk, "tool" | "right" | "operation">;

/** What is to be done with the path. */
export function verbOf({ tool, right, operation }: AskedAction): "read" | "list" | "search" | "write" | "change" {
  if (right === "write") return CHANGING.has(tool) ? "change" : "write";
  return operation === "list" || operation === "search" ? operation : "read";
}

/** The same, as something that is being done: the right, or less of it. */
export function doingOf(ask: AskedAction): string {
  return { read: "reading", list: "listing", search: "searching", write: "writing", change: "writing" }[verbOf(ask)];
}

/** What of its path a yes for once to a read opens: said behind the path. */
export function reachOf(ask: AskedAction): string {
  const verb = verbOf(ask);
  if (verb === "list") return ": the names in it, except secrets and what the policy denies, and nothing else";
  if (verb === "search") return " and all below it, except secrets and what the policy denies, in this one search";
  // Whether it is a file or a directory is not told: the ask is the same for what is not there.
  return ask.tool === REQUEST_TOOL ? ", or the names in it if it is a directory, and nothing else" : " and nothing else";
}

/** The last name of a path, to call it by. */
export function lastName(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end -= 1;
  return called(basename(path.slice(0, end)) || path);
}

export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`;
