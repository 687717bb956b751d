// What a tool said, read back into plain values. Outputs are JSON where the tool is ours, cut off where they were too long, and may be
// any text at all. Refusals are told apart by their code, never by their words, but for what only words carry: near names, a
// person's note, the path to ask with.

import { unshow } from "../../../core/path/show.ts";
import { isRecord, parseJson, textAt } from "../../../core/record.ts";
import type { CallOutcome } from "../../transcript.ts";

export type RefusedOutcome = Extract<CallOutcome, { ok: false }>;
export type Values = Readonly<Record<string, unknown>>;

/** One thing to be done: a call of a tool, or what takes several. */
export interface Deed {
  readonly name: string;
  readonly input: Values;
}
export const refusal = (code: RefusedOutcome["code"], hint = ""): RefusedOutcome => ({ ok: false, code, hint });

/** Was the output too long to be shown whole? Then it ends with how to see the rest. */
export const wasCut = (output: string): boolean => /\n… \(\d+ more characters: view_truncated_output\(/.test(output.slice(-300));

/** Names near to one that is not there. */
export function nearIn(outcome: CallOutcome): readonly string[] {
  const hint = !outcome.ok && outcome.code === "not-found" ? outcome.hint : "";
  const names = /Did you mean (`.+`)\?/.exec(hint)?.[1]?.slice(1, -1).split("`, `") ?? [];
  return names.flatMap((name) => unshow(name) ?? []);
}

/** The path a hint says to ask with; null where it does not say to ask. */
export const askIn = (hint: string): string | null =>
  text(valuesIn(/\brequest_read_access\((\{.*\})\)/.exec(hint)?.[1] ?? ""), "path") || null;

/** What asking came to: the directory that was granted, or a refusal. */
export function answerIn(outcome: CallOutcome): { readonly root: string } | RefusedOutcome {
  if (!outcome.ok) return outcome;
  const granted = /^"?granted:?\s*(.*?)(?: \(once\))?"?$/is.exec(outcome.output.trim());
  return granted === null ? refusal("person-declined", outcome.output) : { root: granted[1] ?? "" };
}

/** The person's own words in a denial. */
export function noteIn(hint: string): string | null {
  const trimmed = hint.trim();
  const note =
    /(?:The person says:|The person said:|note:)\s*(.+)$/is.exec(trimmed)?.[1] ??
    /^denied:\s*(?!path outside permitted scope)(.+)$/is.exec(trimmed)?.[1];
  const [line = ""] = note?.split("\n") ?? [];
  return line.trim().replace(/^"(.*)"$/s, "$1") || null;
}

/** The values of a JSON text; none where it is no object. */
function valuesIn(json: string): Values {
  const value = parseJson(json);
  return isRecord(value) ? value : {};
}
/** What a call that went well said. */
export const valuesOf = (outcome: CallOutcome): Values => (outcome.ok ? valuesIn(outcome.output) : {});
/** The value of a file that is JSON itself. */
export const manifestOf = (outcome: CallOutcome): Values => valuesIn(text(valuesOf(outcome), "content"));

const field = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);
export const text = (value: unknown, name: string): string => (isRecord(value) ? textAt(value, name) : "");
export function number(value: unknown, name: string): number {
  const fieldValue = field(value, name);
  return typeof fieldValue === "number" && Number.isFinite(fieldValue) ? fieldValue : 0;
}
export function list(value: unknown, name: string): readonly unknown[] {
  const fieldValue = field(value, name);
  return Array.isArray(fieldValue) ? fieldValue : [];
}
/** The texts of a list. */
export const texts = (value: Values, name: string): readonly string[] => list(value, name).filter((one) => typeof one === "string");
/** The names and texts of an object in an object. */
export const pairs = (value: Values, name: string): readonly (readonly [string, string])[] =>
  Object.entries(value[name] ?? {}).flatMap(([key, one]) => (typeof one === "string" ? [[key, one] as const] : []));
/** The names in a listing; those of directories end with a slash. */
export const entriesIn = (value: Values): readonly string[] =>
  list(value, "entries").map((one) => text(one, "name") + (text(one, "kind") === "dir" ? "/" : ""));
