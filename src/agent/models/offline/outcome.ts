// What a tool said, read back into plain values. Outputs are JSON where the tool is ours, cut off where they were too long, and may be
// any text at all; whatever cannot be read is told as it stands. Refusals are told apart by their code, never by their words, but
// for what only words carry: near names, a person's note, the path to ask with.

import type { Code } from "../../../core/errors.ts";
import { unshow } from "../../../core/path/show.ts";
import type { CallOutcome } from "../../transcript.ts";

export type Finding =
  /** `from`: the first line that was read, counted from 1. `total`: how many lines the file has. */
  | Readonly<{ kind: "file"; text: string; from: number; total: number; bytes: number; whole: boolean }>
  | Readonly<{ kind: "listing"; entries: readonly string[]; total: number; withheld: number }>
  | Readonly<{ kind: "files"; files: readonly string[]; withheld: number; more: boolean }>
  | Readonly<{ kind: "matches"; matches: readonly Values[]; withheld: number; more: boolean }>
  /** A command that ended, a file that was written: what the tool says of it. */
  | Readonly<{ kind: "did"; said: Values }>
  | Readonly<{ kind: "told"; text: string }>
  | Readonly<{ kind: "granted"; root: string }>
  | Readonly<{ kind: "denied"; note: string | null; before: boolean }>
  | Readonly<{ kind: "missing"; near: readonly string[] }>
  | Readonly<{ kind: "refused"; code: Code; hint: string }>
  | Readonly<{ kind: "no-tool"; tool: string }>;

export type OutcomeOf<K extends Finding["kind"]> = Extract<Finding, { kind: K }>;

/** The output of a tool that did its work. */
export function foundBy(tool: string, output: string): Finding {
  const value = parsed(output);
  const found = value === null ? null : readOutput(tool, value);
  return found ?? { kind: "told", text: output };
}

function readOutput(tool: string, value: Values): Finding | null {
  const [withheld, more] = [number(value, "withheld"), value["truncated"] === true];
  switch (tool) {
    case "read_file":
    case "view_file":
      return file(value);
    case "list_dir": {
      const entries = list(value, "entries").map((one) => text(one, "name") + (text(one, "kind") === "dir" ? "/" : ""));
      return { kind: "listing", entries, total: Math.max(number(value, "total"), entries.length), withheld };
    }
    case "find_files":
      return { kind: "files", files: list(value, "files").filter((one) => typeof one === "string"), withheld, more };
    case "grep":
      return { kind: "matches", matches: list(value, "matches").flatMap((one) => (isObject(one) ? [one] : [])), withheld, more };
    case "bash":
      return "exit_code" in value ? { kind: "did", said: value } : null;
    default:
      return tool === "spawn_agent" ? null : { kind: "did", said: value };
  }
}

function file(value: Values): Finding | null {
  const content = value["content"];
  if (typeof content !== "string") return null;
  const windowed = typeof value["total_lines"] === "number";
  const total = windowed ? number(value, "total_lines") : linesIn(content);
  const from = windowed ? number(value, "from") : 1;
  const whole = value["truncated"] !== true && (!windowed || (from <= 1 && linesIn(content) >= total));
  return { kind: "file", text: content, from, total, bytes: number(value, "bytes_read"), whole };
}

export const linesIn = (content: string): number => (content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0));

/** Was the output too long to be shown whole? Then it ends with how to see the rest. */
export const wasCut = (output: string): boolean => /\n… \(\d+ more characters: view_truncated_output\(/.test(output.slice(-300));

/** The real path of the workspace, from a listing of it. */
export function workspaceIn(output: string): string | null {
  const path = parsed(output)?.["path"];
  return typeof path === "string" && path.startsWith("/") ? path : null;
}

// ── What only words carry ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Names near to one that is not there. */
export function nearIn(hint: string): readonly string[] {
  const names = /Did you mean (`.+`)\?/.exec(hint)?.[1]?.slice(1, -1).split("`, `") ?? [];
  return names.flatMap((name) => unshow(name) ?? []);
}

/** The path a hint says to ask with; null where it does not say to ask. */
export function askIn(hint: string): string | null {
  const path = parsed(/\brequest_read_access\((\{.*\})\)/.exec(hint)?.[1] ?? "")?.["path"];
  return typeof path === "string" ? path : null;
}

/** What asking came to: what was granted, or what the person said, or why nobody was asked. */
export function answerIn(outcome: CallOutcome): OutcomeOf<"granted" | "denied" | "refused"> {
  const said = (outcome.ok ? outcome.output : outcome.hint).trim();
  const granted = /^"?granted:?\s*(.*?)(?: \(this file, once\))?"?$/is.exec(said);
  if (outcome.ok && granted !== null) return { kind: "granted", root: granted[1] ?? "" };
  if (outcome.ok || outcome.code === "person-declined" || outcome.code === "recently-denied")
    return { kind: "denied", note: noteIn(said), before: !outcome.ok && outcome.code === "recently-denied" };
  return { kind: "refused", code: outcome.code, hint: outcome.hint };
}

/** The person's own words in a denial. */
export function noteIn(said: string): string | null {
  const note =
    /(?:The person says:|The person said:|note:)\s*(.+)$/is.exec(said)?.[1] ??
    /^denied:\s*(?!path outside permitted scope)(.+)$/is.exec(said)?.[1];
  const [line = ""] = note?.split("\n") ?? [];
  return line.trim().replace(/^"(.*)"$/s, "$1") || null;
}

// ── Reading values ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Values = Readonly<Record<string, unknown>>;

/** JSON, also where it was cut off in the middle of a list. Null where it is no object. */
function parsed(output: string): Values | null {
  const whole = object(output);
  if (whole !== null || !wasCut(output)) return whole;
  const head = output.slice(0, output.lastIndexOf("\n… ("));
  for (const [mark, end] of [
    ["},{", "}]"],
    ['","', '"]'],
  ] as const) {
    const at = head.lastIndexOf(mark);
    const mended = at === -1 ? null : object(`${head.slice(0, at)}${end},"truncated":true}`);
    if (mended !== null) return mended;
  }
  return null;
}

export function object(json: string): Values | null {
  if (!json.trimStart().startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);
const field = (value: unknown, name: string): unknown => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined);
export const text = (value: unknown, name: string): string => {
  const found = field(value, name);
  return typeof found === "string" ? found : "";
};
export const number = (value: unknown, name: string): number => {
  const found = field(value, name);
  return typeof found === "number" && Number.isFinite(found) ? found : 0;
};
export const list = (value: unknown, name: string): readonly unknown[] => {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
};
/** The names and texts of an object in an object. */
export const pairs = (value: unknown, name: string): readonly (readonly [string, string])[] =>
  Object.entries(field(value, name) ?? {}).flatMap(([key, one]) => (typeof one === "string" ? [[key, one] as const] : []));
