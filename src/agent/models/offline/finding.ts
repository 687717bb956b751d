// What a tool said, read back into plain values. Outputs are JSON where the tool is ours, cut off where they were too long, and may be
// any text at all; whatever cannot be read is told as it stands. Refusals are told apart by their code, never by their words, but
// for what only words carry: near names, a person's note, the path to ask with.

import type { Code } from "../../../core/errors.ts";
import { unshow } from "../../../core/path/show.ts";
import type { Outcome } from "../../transcript.ts";

export type Finding =
  | {
      readonly kind: "file";
      readonly text: string;
      /** The first line that was read, counted from 1. */
      readonly from: number;
      /** How many lines the file has. */
      readonly total: number;
      readonly bytes: number;
      readonly whole: boolean;
    }
  | {
      readonly kind: "listing";
      readonly entries: readonly { readonly name: string; readonly directory: boolean }[];
      readonly total: number;
      readonly withheld: number;
    }
  | { readonly kind: "files"; readonly files: readonly string[]; readonly withheld: number; readonly more: boolean }
  | {
      readonly kind: "matches";
      readonly matches: readonly { readonly file: string; readonly line: number; readonly text: string }[];
      readonly withheld: number;
      readonly more: boolean;
    }
  | { readonly kind: "written"; readonly bytes: number; readonly created: boolean }
  | { readonly kind: "edited"; readonly replaced: number }
  | { readonly kind: "ran"; readonly exit: number; readonly stdout: string; readonly stderr: string; readonly notes: readonly string[] }
  | { readonly kind: "access"; readonly roots: readonly { readonly path: string; readonly from: string; readonly mode: string }[] }
  | { readonly kind: "granted"; readonly root: string }
  | { readonly kind: "told"; readonly text: string }
  | { readonly kind: "denied"; readonly note: string | null; readonly before: boolean }
  | { readonly kind: "missing"; readonly near: readonly string[] }
  | { readonly kind: "refused"; readonly code: Code; readonly hint: string }
  | { readonly kind: "no-tool"; readonly tool: string };

/** The output of a tool that did its work. */
export function foundBy(tool: string, output: string): Finding {
  const told: Finding = { kind: "told", text: output };
  const value = parsed(output);
  if (value === null) return told;
  switch (tool) {
    case "read_file":
    case "view_file":
      return file(value) ?? told;
    case "list_dir":
      return listing(value) ?? told;
    case "find_files": {
      const files = list(value["files"]).filter((one) => typeof one === "string");
      return { kind: "files", files, withheld: number(value["withheld"]), more: isCut(value) };
    }
    case "grep": {
      const matches = list(value["matches"]).map((one) => ({
        file: text(one, "file"),
        line: number(field(one, "line")),
        text: text(one, "text"),
      }));
      return { kind: "matches", matches, withheld: number(value["withheld"]), more: isCut(value) };
    }
    case "write_file":
      return { kind: "written", bytes: number(value["bytes_written"]), created: value["created"] === true };
    case "edit_file":
      return { kind: "edited", replaced: number(value["replaced"]) };
    case "bash":
      return "exit_code" in value
        ? {
            kind: "ran",
            exit: number(value["exit_code"]),
            stdout: text(value, "stdout"),
            stderr: text(value, "stderr"),
            notes: list(value["notes"]).filter((one) => typeof one === "string"),
          }
        : told;
    case "list_access":
      return {
        kind: "access",
        roots: list(value["roots"]).map((one) => ({ path: text(one, "path"), from: text(one, "from"), mode: text(one, "mode") })),
      };
    default:
      return told;
  }
}

function file(value: Values): Finding | null {
  const content = value["content"];
  if (typeof content !== "string") return null;
  const windowed = typeof value["total_lines"] === "number";
  const total = windowed ? number(value["total_lines"]) : linesIn(content);
  const from = windowed ? number(value["from"]) : 1;
  return {
    kind: "file",
    text: content,
    from,
    total,
    bytes: number(value["bytes_read"]),
    whole: !isCut(value) && (!windowed || (from <= 1 && linesIn(content) >= total)),
  };
}

function listing(value: Values): Finding {
  const entries = list(value["entries"]).map((one) => ({ name: text(one, "name"), directory: text(one, "kind") === "dir" }));
  return { kind: "listing", entries, total: Math.max(number(value["total"]), entries.length), withheld: number(value["withheld"]) };
}

export const linesIn = (content: string): number => (content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0));

/** Was the output too long to be shown whole? Then it ends with how to see the rest. */
export const wasCut = (output: string): boolean => /\n… \(\d+ more characters: view_truncated_output\(/.test(output.slice(-300));

/** The path an output is about, as its tool resolved it. */
export function pathIn(output: string): string | null {
  const path = parsed(output)?.["path"];
  return typeof path === "string" ? path : null;
}

// ── What only words carry ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Names near to one that is not there. */
export function nearIn(hint: string): readonly string[] {
  const names = /Did you mean (`.+`)\?/.exec(hint)?.[1];
  return names === undefined
    ? []
    : names
        .slice(1, -1)
        .split("`, `")
        .flatMap((name) => unshow(name) ?? []);
}

/** The path a hint says to ask with; null where it does not say to ask. */
export function askIn(hint: string): string | null {
  const input = /\brequest_read_access\((\{.*\})\)/.exec(hint)?.[1];
  const path = input === undefined ? undefined : parsed(input)?.["path"];
  return typeof path === "string" ? path : null;
}

/** What a request for access came to: what was granted, or what the person said, or why nobody was asked. */
export function answerIn(outcome: Outcome): Extract<Finding, { kind: "granted" | "denied" | "refused" }> {
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
  const plain = note
    ?.split("\n")[0]
    ?.trim()
    .replace(/^"(.*)"$/s, "$1");
  return plain === undefined || plain === "" ? null : plain;
}

// ── Reading values ────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Values = Readonly<Record<string, unknown>>;

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

function object(json: string): Values | null {
  if (!json.trimStart().startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
const text = (value: unknown, name: string): string => {
  const found = field(value, name);
  return typeof found === "string" ? found : "";
};
const number = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isCut = (value: Values): boolean => value["truncated"] === true;
