// What a host's call would write, read from its input by the host's table of tools, and a digest that tells whether two calls write the
// same. This is for the person's card only: `wanted.ts` decides which paths are judged.

import { createHash } from "node:crypto";
import type { PlannedEdit, PlannedSection, PlannedWrite } from "../../core/access.ts";
import { trimEndOf } from "./file-pattern.ts";
import { type HookHost, type HostCall, isRecord, textOf, type ToolUse, type WrittenContent } from "./host-call.ts";
import { commandText, toolIn, whole } from "./wanted.ts";

export interface CallPlan {
  /** Empty where it cannot be told. */
  readonly writes: readonly PlannedWrite[];
  readonly content: string;
}

export function plannedBy(call: HostCall, { tools }: Pick<HookHost, "tools">): CallPlan {
  const use = toolIn(tools, call.tool);
  const { input, cwd } = call;
  const patch = use?.patch?.flatMap((key) => commandText(input[key]) ?? []).join("\n");
  const written = patch === undefined ? writesOf(use, call) : patchWrites(patch, cwd);
  // Words about a change (a description, a reason) may be others when it is made again. Of what cannot be told everything must be the same.
  const identity = written.length === 0 ? { input, cwd } : { written, patch };
  return {
    writes: written,
    content: createHash("sha256")
      .update(JSON.stringify([call.tool, identity]))
      .digest("hex"),
  };
}

function writesOf(use: ToolUse | undefined, { input, cwd }: HostCall): readonly PlannedWrite[] {
  const content = use?.content;
  if (use === undefined || content === undefined) return [];
  const names = Object.keys(use.paths ?? {}).flatMap((key) => textOf(input[key]) ?? []);
  const [path, ...more] = names.map((name) => whole(name, cwd));
  // A call that names its file twice, by two keys, is not told.
  if (more.length > 0) return [];
  if ("whole" in content) {
    const text = content.whole.flatMap((key) => textOf(input[key]) ?? [])[0];
    return path === undefined || text === undefined ? [] : [{ what: "whole", path, content: text }];
  }
  const list: readonly unknown[] | null = content.list === undefined ? [input] : listOf(input[content.list]);
  const edits = list?.map((entry) => editOf(entry, content, cwd)) ?? [];
  const byPath = new Map<string, PlannedEdit[]>();
  for (const edit of edits) {
    const at = edit?.path ?? path;
    if (edit === null || at === undefined) return [];
    byPath.set(at, [...(byPath.get(at) ?? []), edit.edit]);
  }
  return [...byPath].map(([at, pathEdits]): PlannedWrite => ({ what: "edits", path: at, edits: pathEdits, loose: true }));
}

const listOf = (value: unknown): readonly unknown[] | null => (Array.isArray(value) ? value : null);

function editOf(
  value: unknown,
  keys: Exclude<WrittenContent, { readonly whole: readonly string[] }>,
  cwd: string | null,
): { readonly path: string | null; readonly edit: PlannedEdit } | null {
  if (!isRecord(value)) return null;
  const [old, now] = [textOf(value[keys.old]), textOf(value[keys.new])];
  if (old === null || now === null) return null;
  const path = keys.path === undefined ? null : textOf(value[keys.path]);
  return {
    path: path === null ? null : whole(path, cwd),
    edit: { old, new: now, all: keys.all !== undefined && value[keys.all] === true },
  };
}

const FILE = /^\*\*\* (Add|Update|Delete) File:(.*)$/u;
const MOVE = /^\*\*\* Move to:(.*)$/u;

/** The files of a patch in the `*** Begin Patch` form, each with what becomes of it; one that is moved is removed and written elsewhere. */
export function patchWrites(patch: string, cwd: string | null): readonly PlannedWrite[] {
  const writes: PlannedWrite[] = [];
  const at = (name: string): string => whole(trimEndOf(name.replace(/^[ \t]+/u, ""), " \t\r"), cwd);
  let file: { readonly path: string; readonly does: string; moved: string | null; readonly lines: string[] } | null = null;
  const end = (): void => {
    if (file === null) return;
    const { path, does, moved, lines } = file;
    file = null;
    if (does === "Delete") return void writes.push({ what: "removal", path });
    if (does === "Add") return void writes.push({ what: "whole", path, content: lines.map((line) => `${line.slice(1)}\n`).join("") });
    if (moved !== null) return void writes.push({ what: "removal", path }, { what: "untold", path: moved, why: "not-told" });
    writes.push({ what: "sections", path, sections: sectionsOf(lines), loose: true });
  };
  for (const line of patch.split("\n")) {
    const [, does, name] = FILE.exec(line) ?? [];
    const [, moved] = MOVE.exec(line) ?? [];
    if (does !== undefined && name !== undefined) {
      end();
      file = { path: at(name), does, moved: null, lines: [] };
    } else if (moved !== undefined && file !== null) file.moved = at(moved);
    else if (line.startsWith("*** End Patch")) end();
    else if (file !== null && !line.startsWith("*** ")) file.lines.push(line);
  }
  end();
  return writes;
}

/** Lines of one file's part: ` ` stays, `-` goes, `+` comes, and `@@` begins a section, perhaps with a line to go past first. */
function sectionsOf(lines: readonly string[]): readonly PlannedSection[] {
  const sections: { after: string[]; old: string[]; new: string[] }[] = [];
  for (const line of lines) {
    const last = sections.at(-1);
    if (line.startsWith("@@")) {
      const anchor = line.slice(3);
      if (last !== undefined && last.old.length === 0 && last.new.length === 0) last.after.push(...(anchor === "" ? [] : [anchor]));
      else sections.push({ after: anchor === "" ? [] : [anchor], old: [], new: [] });
      continue;
    }
    const section = last ?? { after: [], old: [], new: [] };
    if (last === undefined) sections.push(section);
    const [sign, text] = [line[0] ?? " ", line.slice(1)];
    if (sign !== "+") section.old.push(text);
    if (sign !== "-") section.new.push(text);
  }
  return sections;
}
