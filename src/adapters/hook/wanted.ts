// One tool call → everything it would touch, by the host's table of tools: the arguments that are paths, patterns, commands and patches,
// and every other string in the input that looks like a path, at any depth. What cannot be determined is reported as a doubt.

import { needs, type Operation } from "../../core/access.ts";
import { show } from "../../core/path/show.ts";
import {
  alternatives,
  climbs,
  fixedPart,
  isAddress,
  isPathKey,
  isPathShaped,
  patchPaths,
  pathOfAddress,
  patternReadings,
} from "./file-pattern.ts";
import { isRecord, type HookHost, type HostCall, type ToolUse } from "./host-call.ts";
import { quoteForShell } from "./shell-quote.ts";

/** One access to judge. `path` is as the model wrote it, seen from `from`; null: from the workspace. */
export interface WantedAccess {
  readonly operation: Operation;
  readonly path: string;
  readonly from: string | null;
  /** In a place that is not the workspace it must be writable too: the command may write there, and nobody can tell. */
  readonly mayWrite?: true;
  /** Found in a part of a command that is not understood: it may be no path at all. */
  readonly isUnsure?: true;
}

export interface AccessPlan {
  readonly accesses: readonly WantedAccess[];
  /** Why it cannot be told what the call touches; empty where it can. */
  readonly doubts: readonly string[];
  /** What of a command's text is not understood: doubts too, but where the command is confined. */
  readonly unread: readonly string[];
  /** Only reads, by a tool of the host's own: a grant may be honoured by an explicit allow. */
  readonly reads: boolean;
  /** Was a command read as text? Then a yes to it is no promise. */
  readonly command: boolean;
}

/** More than any call needs; a call with more is not looked at further. */
const MAX_ACCESSES = 400;

export interface HookEnvironment {
  /** Absolute. */
  readonly workspace: string;
  readonly home: string;
  /** Tools the operator says touch no files, by name or by a beginning of it with `*`; and commands, as `command NAME`. */
  readonly lets: readonly string[];
}

const COMMAND = "command ";

export async function planAccesses(call: HostCall, { tools }: Pick<HookHost, "tools">, environment: HookEnvironment): Promise<AccessPlan> {
  const use = toolIn(tools, call.tool);
  const list = new WantList(call, use ?? {}, environment);
  await list.collect();
  if (use === undefined && !environment.lets.some((name) => matchesName(name, call.tool)))
    list.doubts.push(`\`${show(call.tool)}\` is no tool this hook knows, so it cannot be told what it touches`);
  return {
    accesses: list.accesses.slice(0, MAX_ACCESSES),
    doubts: list.accesses.length > MAX_ACCESSES ? [...list.doubts, "the call names more paths than are looked at"] : list.doubts,
    unread: list.unread,
    reads: use?.reads === true && list.accesses.every(({ operation }) => needs[operation] === "read"),
    command: use?.command !== undefined || use?.opaque === true,
  };
}

/** How a host's tool uses its arguments; undefined where the host's tables do not have it. */
export function toolIn(tools: HookHost["tools"], name: string): ToolUse | undefined {
  for (const made of tools) {
    const table = made();
    if (Object.hasOwn(table, name)) return table[name];
  }
  return undefined;
}

/** The host's tool that runs commands, and its argument for one. */
export function shellToolOf(tools: HookHost["tools"]): readonly [tool: string, argument: string] {
  const entries = tools.flatMap((made) => Object.entries(made()));
  const shellTools = entries.flatMap(([name, { command }]): (readonly [string, string])[] =>
    command === undefined ? [] : [[name, command]],
  );
  return shellTools[0] ?? ["bash", "command"];
}

function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) && pattern.length > 1 : name === pattern;
}

class WantList {
  readonly accesses: WantedAccess[] = [];
  readonly doubts: string[] = [];
  readonly unread: string[] = [];
  readonly #call: HostCall;
  readonly #use: ToolUse;
  /** What is done under keys the table does not name: the strongest thing the tool does, and for an unknown tool writing. */
  readonly #other: Operation;
  readonly #environment: HookEnvironment;
  #from: string | null;

  constructor(call: HostCall, use: ToolUse, environment: HookEnvironment) {
    this.#environment = environment;
    this.#call = call;
    this.#use = use;
    this.#from = call.cwd;
    const operations = Object.values(use.paths ?? {});
    const writes = operations.find((operation) => needs[operation] === "write");
    this.#other = use.reads === true ? "read" : (writes ?? (operations.length > 0 ? "read" : "replace"));
  }

  async collect(): Promise<void> {
    const { input } = this.#call;
    const { paths = {}, here, patterns = [], shown = [], base = [], command, opaque, patch, texts = [], mentions = [] } = this.#use;
    const named = Object.keys(paths).filter((key) => input[key] !== undefined && input[key] !== null);
    for (const key of named) this.#path(input[key], paths[key] ?? this.#other);
    if (here !== undefined && named.length === 0) this.#add(here, ".");
    for (const key of mentions) await this.#mentions(input[key]);
    for (const from of this.#bases(base, named)) {
      this.#from = from;
      for (const key of patterns) await this.#patterns(input[key], shown.includes(key));
    }
    if (command !== undefined) await this.#command(input[command]);
    if (opaque === true) this.doubts.push("commands in this language are not read here, so it cannot be told what this one touches");
    if (patch !== undefined) this.#patch(patch);
    this.#rest(
      new Set([...named, ...patterns, ...texts, ...mentions, ...(patch ?? []), ...(command === undefined ? [] : [command])]),
      new Set(texts),
    );
  }

  /** Where patterns and the command start: in the directories that arguments name, which are judged as such. */
  #bases(keys: readonly string[], named: readonly string[]): readonly (string | null)[] {
    const from = this.#from;
    const bases = keys.flatMap((key) => {
      const value = this.#call.input[key];
      const list: readonly unknown[] = Array.isArray(value) ? value : [value];
      const directories = list.filter((directory) => typeof directory === "string").filter((directory) => directory !== "");
      if (!named.includes(key)) for (const directory of directories) this.#add("list", directory);
      return directories.map((directory) => (isAbsolute(directory) ? directory : `${from ?? "."}/${directory}`));
    });
    return bases.length === 0 ? [from] : bases;
  }

  #path(value: unknown, operation: Operation): void {
    const paths: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const path of paths) {
      if (typeof path === "string") this.#add(operation, path);
      else this.doubts.push("an argument that should be a path is none");
    }
  }

  async #patterns(value: unknown, shown: boolean): Promise<void> {
    if (value === undefined || value === null || value === "") return;
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const pattern of list) {
      // Hosts differ in what a backslash or a bracket around one sign means: every reading is judged.
      for (const reading of typeof pattern === "string" ? patternReadings(pattern) : [null]) {
        const patterns = reading === null ? null : alternatives(reading);
        if (patterns === null) this.doubts.push("a pattern cannot be read");
        else
          for (const alternative of patterns) {
            this.#pattern(alternative);
            if (shown) await this.#shown(alternative);
          }
      }
    }
  }

  #pattern(pattern: string): void {
    if (climbs(pattern)) this.doubts.push(`the pattern \`${show(pattern)}\` climbs out of what it matched`);
    const fixed = fixedPart(pattern);
    if (fixed !== "") this.#add("search", fixed);
  }

  /** What the open part of a pattern says by name (`**\/.ssh/*`) is judged by that name; one that is aimed at secrets may show them. */
  async #shown(pattern: string): Promise<void> {
    const open = pattern.slice(fixedPart(pattern).length);
    for (const name of open.split("/")) if (name !== "" && fixedPart(name) === name && !/^\.{1,2}$/u.test(name)) this.#add("search", name);
    const { mayBeSecret } = await import("./secret-pattern.ts");
    if (open !== "" && mayBeSecret(pattern)) this.doubts.push(`the pattern \`${show(pattern)}\` may stand for a file that is shut`);
  }

  /** Files that the host brings along because a text names them. */
  async #mentions(value: unknown): Promise<void> {
    if (typeof value !== "string" || !value.includes("@")) return;
    const { mentionsIn } = await import("./mentions.ts");
    const paths = mentionsIn(value, this.#environment.workspace);
    if (paths === null) this.doubts.push("a text names more files than are looked at");
    for (const path of paths ?? []) this.#add("read", path);
  }

  async #command(value: unknown): Promise<void> {
    const text = commandText(value);
    if (text === null) return void this.doubts.push("the command is no text");
    // The directory a command runs in must itself be in scope: the model may have chosen it.
    if (this.#from !== null) this.#add("list", ".");
    const { workspace, home } = this.#environment;
    const from = this.#from ?? workspace;
    const base = from.startsWith("~") ? home + from.slice(1) : from.startsWith("/") ? from : `${workspace}/${from}`;
    // Loaded where it is used: most calls are no commands, and a hook starts anew for each.
    const { commandPaths } = await import("./shell/command-paths.ts");
    const lets = this.#environment.lets.flatMap((name) => (name.startsWith(COMMAND) ? [name.slice(COMMAND.length)] : []));
    const { accesses, doubts } = commandPaths(text, { base, home, workspace, lets });
    this.accesses.push(...accesses);
    this.unread.push(...doubts);
    // A host may read a patch out of a command's text (`apply_patch <<EOF`) and apply it itself, whatever the shell would make of it.
    const patched = patchPaths(text);
    for (const { path, operation } of patched) this.#add(operation, path);
    // One patch in the text says nothing of another that comes through a pipe or from a file.
    const elsewhere = patched.length === 0 ? /\bapply_?patch\b/u : /\|&?[\s\\]*[\w/]*apply_?patch\b|\bapply_?patch\b[^\n]*(?<!<)<(?!<)/u;
    if (elsewhere.test(text)) this.doubts.push("`apply_patch` takes its patch from elsewhere");
  }

  #patch(keys: readonly string[]): void {
    const texts = keys.flatMap((key) => commandText(this.#call.input[key]) ?? []);
    const paths = texts.flatMap(patchPaths);
    for (const { path, operation } of paths) this.#add(operation, path);
    if (paths.length === 0) this.doubts.push("the patch names no file in a form this hook reads");
  }

  /**
   * Everything else in the input, at any depth and without recursion: a model may nest as deeply as it likes. The table names what
   * stands at the top; the same name further in is nobody's, save the texts of a list of edits or of parts of a message.
   */
  #rest(known: ReadonlySet<string>, texts: ReadonlySet<string>): void {
    const pending: { readonly value: unknown; readonly key: string; readonly inEdits: boolean }[] = [];
    for (const [key, value] of Object.entries(this.#call.input))
      if (!known.has(key)) pending.push({ value, key, inEdits: EDIT_LISTS.has(key) && Array.isArray(value) });
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { value, key, inEdits } = next;
      if (typeof value === "string" && value !== "" && (isPathShaped(value.trim()) || (isPathKey(key) && !isAddress(value))))
        this.#add(this.#other, value);
      else if (Array.isArray(value)) for (const inner of value) pending.push({ value: inner, key, inEdits });
      else if (isRecord(value))
        for (const [name, inner] of Object.entries(value))
          if (!(inEdits && texts.has(name) && typeof inner === "string")) pending.push({ value: inner, key: name, inEdits: false });
    }
  }

  /** A name in every spelling a host may make of it: as it is, without the blanks around it, as an address. The strictest word stands. */
  #add(operation: Operation, written: string): void {
    for (const spelling of new Set([written, written.trim()])) {
      if (spelling === "" && written !== "") continue;
      const path = pathOfAddress(spelling);
      if (path === null) this.doubts.push(`\`${show(spelling)}\` names no file on this machine`);
      for (const name of new Set([spelling, path ?? spelling])) this.accesses.push({ operation, path: name, from: this.#from });
    }
  }
}

/** Arguments that are a list of changes to one file or several, or of parts of a message; the texts the table names may stand in each of them. */
const EDIT_LISTS: ReadonlySet<string> = new Set(["edits", "replacements", "items"]);

/** A path as the host takes it, seen from where the call is made. */
export const whole = (path: string, from: string | null): string =>
  from === null || path.startsWith("/") || path.startsWith("~") ? path : `${from}/${path}`;

const isAbsolute = (path: string): boolean => path.startsWith("/") || path.startsWith("~");

/** A command as one text: as it is, or the words of `["bash", "-lc", "…"]`. */
export function commandText(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || !value.every((word): word is string => typeof word === "string")) return null;
  const [, flag, script] = value;
  if (
    value.length === 3 &&
    flag !== undefined &&
    script !== undefined &&
    /^-l?c$/u.test(flag) &&
    /(?:^|\/)(?:ba|z|da|k)?sh$/u.test(value[0] ?? "")
  )
    return script;
  return value.map(quoteForShell).join(" ");
}
