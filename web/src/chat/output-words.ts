// The output of a tool as a person reads it: the text, the lines, the names; and the small facts beside it. Tools answer in JSON for
// the model's sake. Pure; what is not known is shown as it came, so that nothing is left out.

import { isRecord, parseJson } from "../../../src/core/record.ts";

export interface OutputWords {
  readonly text: string;
  /** What else was said: numbers and short words, each with its name. */
  readonly facts: readonly string[];
}

export function outputWords(output: string): OutputWords {
  const value = parseJson(output);
  if (!isRecord(value)) return { text: output, facts: [] };
  const { content, stdout, stderr, entries, files, matches, ...rest } = value;
  const parts = [content, stdout, stderr].filter((part) => part !== undefined);
  const lists = [linesOf(entries, entryLine), linesOf(files, fileLine), linesOf(matches, matchLine)];
  const small = Object.values(rest).every((one) => one === null || ["string", "number", "boolean"].includes(typeof one));
  if (!small || lists.includes(null) || !parts.every((part) => typeof part === "string"))
    return { text: JSON.stringify(value, null, 2), facts: [] };
  return {
    text: [...parts, ...lists].filter((part) => part !== "").join("\n"),
    facts: Object.entries(rest).map(([name, one]) => `${name.replaceAll("_", " ")}: ${String(one)}`),
  };
}

/** The lines of a list; empty if there is none, null if one of them is not known. */
function linesOf(list: unknown, line: (one: unknown) => string | null): string | null {
  if (list === undefined) return "";
  if (!Array.isArray(list)) return null;
  const lines = list.map(line);
  return lines.includes(null) ? null : lines.join("\n");
}

const fileLine = (one: unknown): string | null => (typeof one === "string" ? one : null);

function entryLine(one: unknown): string | null {
  if (!isRecord(one) || typeof one["name"] !== "string") return null;
  return one["kind"] === "dir" ? `${one["name"]}/` : one["name"];
}

function matchLine(one: unknown): string | null {
  if (!isRecord(one) || typeof one["file"] !== "string" || typeof one["text"] !== "string") return null;
  return `${one["file"]}:${String(one["line"])}: ${one["text"]}`;
}
