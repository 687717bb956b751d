// The attack table (corpus.json): its words, how a row's scene is built on disk and taken
// down again, how a row becomes a tool call, and when an outcome passes.

import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { Answer } from "./line-process.ts";

export type Word = "allow" | "ask" | "deny" | "error";

export type Step =
  | { readonly mkdir: string }
  | { readonly file: string; readonly content?: string; readonly size?: number; readonly mode?: string }
  | { readonly symlink: string; readonly to: string }
  | { readonly hardlink: string; readonly to: string }
  | { readonly junction: string; readonly to: string }
  | { readonly fifo: string }
  | { readonly socket: string }
  | { readonly device: string; readonly type: string; readonly major: number; readonly minor: number }
  | { readonly mount: string; readonly type?: string }
  | { readonly bind: string; readonly from: string }
  | { readonly sparse: string; readonly size: number }
  | { readonly rawfile: string; readonly hex: string; readonly content: string }
  | { readonly repository: string }
  | { readonly many: string; readonly count: number }
  | { readonly deep: string; readonly depth: number };

export interface Row {
  readonly id: string;
  readonly category: string;
  readonly title: string;
  readonly runner: string;
  readonly setup: readonly Step[];
  readonly workspace: string;
  readonly grants: readonly string[];
  readonly policy: object | null;
  readonly op: string;
  readonly path: unknown;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly expect: string;
  readonly code?: string;
  readonly alt?: readonly string[];
  readonly leak?: string | null;
  readonly must_contain?: string;
  readonly must_not_contain?: string;
  readonly must_not_exist?: string;
  readonly unchanged?: string;
  readonly timeout_ms?: number;
  readonly platform?: string;
  readonly needs?: readonly string[];
  readonly whitelist?: readonly string[];
  readonly projects?: readonly string[];
  readonly home?: string;
  readonly prompts?: number;
  readonly grant_root?: string;
  readonly flags?: readonly string[];
  readonly then?: { readonly op: string; readonly path: string; readonly expect: string };
  readonly attempts?: number;
}

export function loadCorpus(): readonly Row[] {
  return JSON.parse(fs.readFileSync(join(import.meta.dirname, "corpus.json"), "utf8")) as readonly Row[];
}

const isRoot = process.getuid?.() === 0;

/** Why a row cannot run on this machine, or null. */
export function unfit(row: Row): string | null {
  if (row.platform !== undefined && row.platform !== process.platform) return `for ${row.platform}`;
  if (row.needs?.includes("root") === true && !isRoot) return "needs root";
  return null;
}

/** The user a row must be run as: nobody, where it needs an ordinary user and we are root. */
export function userFor(row: Row): { readonly uid: number; readonly gid: number } | null {
  return isRoot && row.needs?.includes("non-root") === true ? { uid: 65534, gid: 65534 } : null;
}

// ── The scene ──

export interface Scene {
  /** The row with `$ROOT` put in. */
  readonly row: Row;
  readonly root: string;
  remove(): void;
}

/** Builds a row's files in a fresh directory under `soil`. */
export async function build(row: Row, soil: string = tmpdir()): Promise<Scene> {
  const root = fs.realpathSync(fs.mkdtempSync(join(soil, "hallpass-")));
  const undo: (() => void)[] = [];
  const remove = () => {
    for (const step of undo.reverse()) step();
    execFileSync("chmod", ["-R", "u+rwX", root]);
    execFileSync("rm", ["-rf", "--one-file-system", root]);
  };
  try {
    const placed = substitute(row, root);
    for (const step of placed.setup) {
      const back = await make(step);
      if (back !== null) undo.push(back);
    }
    if (placed.workspace.startsWith(root)) fs.mkdirSync(placed.workspace, { recursive: true });
    const user = userFor(row);
    if (user !== null) execFileSync("chown", ["-hR", `${user.uid}:${user.gid}`, root]);
    return { row: placed, root, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** `$ROOT` in every string, keys and nested values included. */
export function substitute<T>(value: T, root: string): T {
  const put = (one: unknown): unknown => {
    if (typeof one === "string") return one.replaceAll("$ROOT", root);
    if (Array.isArray(one)) return one.map(put);
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [put(key), put(inner)]));
  };
  return put(value) as T;
}

/** One set-up verb. Gives what must be undone before the files can be removed. */
async function make(step: Step): Promise<(() => void) | null> {
  if ("mkdir" in step) fs.mkdirSync(step.mkdir, { recursive: true });
  else if ("file" in step) makeFile(step);
  else if ("symlink" in step) fs.symlinkSync(step.to, step.symlink);
  else if ("junction" in step) fs.symlinkSync(step.to, step.junction, "junction");
  else if ("hardlink" in step) fs.linkSync(step.to, step.hardlink);
  else if ("repository" in step) makeRepository(step.repository);
  else if ("fifo" in step) execFileSync("mkfifo", [step.fifo]);
  else if ("device" in step) execFileSync("mknod", [step.device, step.type, `${step.major}`, `${step.minor}`]);
  else if ("sparse" in step) {
    fs.writeFileSync(step.sparse, "");
    fs.truncateSync(step.sparse, step.size);
  } else if ("rawfile" in step) {
    fs.writeFileSync(Buffer.concat([Buffer.from(step.rawfile), Buffer.from(step.hex, "hex")]), step.content);
  } else if ("many" in step) {
    fs.mkdirSync(step.many, { recursive: true });
    for (let i = 0; i < step.count; i++) fs.writeFileSync(join(step.many, `f${i}`), "");
  } else if ("deep" in step) {
    // Deeper than PATH_MAX, so one step at a time.
    fs.mkdirSync(step.deep, { recursive: true });
    execFileSync("sh", [
      "-c",
      `cd "$1"; i=0; while [ $i -lt ${step.depth} ]; do mkdir d && cd -P d || exit 1; i=$((i+1)); done`,
      "sh",
      step.deep,
    ]);
  } else if ("mount" in step) {
    fs.mkdirSync(step.mount, { recursive: true });
    execFileSync("mount", ["-t", step.type ?? "tmpfs", "none", step.mount]);
    return () => execFileSync("umount", ["-l", step.mount]);
  } else if ("bind" in step) {
    execFileSync("mount", ["--bind", step.from, step.bind]);
    return () => execFileSync("umount", ["-l", step.bind]);
  } else if ("socket" in step) {
    const server = createServer();
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(step.socket, resolve));
    server.unref();
    return () => void server.close();
  } else throw new Error(`no such set-up verb: ${JSON.stringify(step satisfies never)}`);
  return null;
}

function makeFile(step: Extract<Step, { file: string }>): void {
  fs.mkdirSync(dirname(step.file), { recursive: true });
  fs.writeFileSync(step.file, step.content ?? Buffer.alloc(step.size ?? 0, "x"));
  if (step.mode !== undefined) fs.chmodSync(step.file, Number.parseInt(step.mode, 8));
}

/** A git repository that keeps everything in the directory. */
function makeRepository(directory: string): void {
  const who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
  for (const words of [
    ["init", "-q", "--template="],
    ["add", "-A"],
    ["commit", "-qm", "all"],
  ])
    execFileSync("git", [...who, ...words], { cwd: directory, stdio: "pipe" });
}

// ── The call ──

export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The session a row is about, as both commands take it. */
export function setting(row: Row): object {
  return {
    workspace: row.workspace,
    grants: row.grants,
    attended: true,
    ...(row.policy === null ? {} : { policy: row.policy }),
    ...(row.whitelist === undefined ? {} : { ceilings: row.whitelist }),
    ...(row.projects === undefined ? {} : { projects: row.projects }),
    ...(row.home === undefined ? {} : { home: row.home }),
  };
}

/** The row's operation as a tool call. */
export function callOf({ op, path, args = {}, workspace }: Pick<Row, "op" | "path" | "args" | "workspace">): Call {
  const content = args["content"] ?? "x";
  switch (op) {
    case "read":
      return { tool: "read_file", input: { path } };
    case "list":
      return { tool: "list_dir", input: { path } };
    case "grep":
      return { tool: "grep", input: { pattern: args["pattern"], path } };
    case "find":
      return { tool: "find_files", input: { pattern: args["glob"], path } };
    case "write":
      return { tool: "write_file", input: { path, content } };
    case "edit":
      return { tool: "edit_file", input: { path, old: contentNow(workspace, path) ?? "inside", new: content } };
    case "request_access":
      return { tool: "request_read_access", input: { path, reason: args["reason"] ?? "" } };
    default:
      throw new Error(`no tool does ${op}`);
  }
}

/** The row's operation in the words of `hallpass check`. */
export function operationOf({ op, path, workspace }: Row): string {
  if (op === "grep" || op === "find") return "search";
  if (op === "edit") return "replace";
  if (op !== "write") return op;
  return typeof path === "string" && fs.existsSync(at(workspace, path)) ? "replace" : "create";
}

function at(workspace: string, path: string): string {
  return isAbsolute(path) ? path : `${workspace}/${path}`; // the kernel's meaning of `..`, not path.join's
}

function contentNow(workspace: string, path: unknown): string | null {
  try {
    return typeof path === "string" ? fs.readFileSync(at(workspace, path), "utf8") : null;
  } catch {
    return null;
  }
}

// ── The verdict ──

const errors = new Set(
  "invalid-path not-found is-directory not-directory symlink-loop os-denied io-error too-large binary-file timeout invalid-policy".split(
    " ",
  ),
);

/** A tool's answer in the table's four words. */
export function decisionOf(answer: Answer): Word {
  if (answer.ok === true) return "allow";
  if (answer.verdict === "ask") return "ask";
  const code = answer.code ?? answer.error?.code ?? "";
  if (errors.has(code)) return "error";
  return code === "root-too-broad" && (answer.verdict ?? null) === null ? "error" : "deny";
}

/** Whether a decision is one the row accepts. A deny always satisfies an ask. */
export function accepts(row: Row, decision: Word): boolean {
  const wanted = [row.expect, ...(row.alt ?? [])];
  return wanted.includes(decision) || (decision === "deny" && wanted.includes("ask"));
}

/** What harm was done, whatever the answer said: bytes shown, a file made, a file changed. */
export function harm(row: Row, text: string, before: Before): string[] {
  const done: string[] = [];
  // The path as asked may be repeated to whoever asked.
  const said = typeof row.path === "string" && row.path !== "" ? text.replaceAll(JSON.stringify(row.path).slice(1, -1), "") : text;
  if (typeof row.leak === "string" && said.includes(row.leak)) done.push(`leaked ${row.leak}`);
  if (row.must_not_exist !== undefined && mayExist(row.must_not_exist)) done.push(`made ${row.must_not_exist}`);
  if (row.unchanged !== undefined && contentNow("", row.unchanged) !== before.content) done.push(`changed ${row.unchanged}`);
  return done;
}

/** What cannot be looked at may be there. */
function mayExist(path: string): boolean {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

export interface Before {
  readonly content: string | null;
}

/** What must be remembered before the call to see afterwards what it did. */
export function remember(row: Row): Before {
  return { content: row.unchanged === undefined ? null : contentNow("", row.unchanged) };
}

export interface Outcome {
  readonly answer: Answer;
  readonly text: string;
  readonly ms: number;
}

/** Everything wrong with an outcome, as sentences; none when the row passes. Never quotes what was returned. */
export function faults(row: Row, outcome: Outcome, before: Before): string[] {
  const { answer, text, ms } = outcome;
  const decision = decisionOf(answer);
  const code = answer.code ?? answer.error?.code ?? "none";
  const wrong = harm(row, text, before);
  const wanted = [row.expect, ...(row.alt ?? [])].join(" or ");
  if (!accepts(row, decision)) wrong.push(`expected ${wanted}, got ${decision} (code ${code})`);
  const wantedCode = row.code?.toLowerCase().replaceAll("_", "-");
  if (decision === row.expect && wantedCode !== undefined && code !== wantedCode) wrong.push(`expected code ${wantedCode}, got ${code}`);
  if (decision === "allow" && row.must_contain !== undefined && !text.includes(row.must_contain)) wrong.push(`lacks ${row.must_contain}`);
  if (row.must_not_contain !== undefined && text.includes(row.must_not_contain)) wrong.push(`contains ${row.must_not_contain}`);
  if (row.timeout_ms !== undefined && ms > row.timeout_ms) wrong.push(`took ${Math.round(ms)} ms, limit ${row.timeout_ms}`);
  return wrong;
}
