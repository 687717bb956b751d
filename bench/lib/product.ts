// Everything the benchmarks need from the product, and nothing else: the suites import no
// product code but this file. Suites are bundled by esbuild (see run.ts); what is imported
// from `dist/` stays outside the bundle and runs as users run it, threads included.

// @ts-ignore What is built has no types beside it; the next lines give it those of its source.
import * as builtCore from "../../dist/index.js";
// @ts-ignore
import * as builtTools from "../../dist/tools.js";
import type * as Core from "../../src/library/index.ts";
import type * as Tools from "../../src/tools/index.ts";
import { parseGlob } from "../../src/core/policy/glob.ts";
import { NONE, RuleIndex } from "../../src/core/policy/index-of-rules.ts";
import { Scope } from "../../src/core/session/scope.ts";
import { decodeText } from "../../src/tools/text.ts";

const { callId, createGuard, openSession }: typeof Core = builtCore;
const { createSearcher }: typeof Tools = builtTools;

export type Verdict = "allow" | "ask" | "deny";

export interface BenchRule {
  readonly glob: string;
  readonly verdict: Verdict;
}

export interface Hit {
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

/**
 * A guarded session on `root`, opened once; the function it gives reads a text file by its
 * absolute path through the whole guard. It must reject for a secret (`.env`) and for a link
 * that leaves `root`; the suite checks both before it times anything.
 */
export function guardedRead(root: string): (path: string) => Promise<string> {
  const guard = createGuard();
  const session = sessionOn(root);
  return async (path) => {
    const used = await guard.use({ call, tool: "bench", operation: "read", path }, session, (file) => file.lend(1_048_576, decodeText));
    if (used.verdict === "allow" && used.done.ok && used.done.value.ok && used.done.value.value !== null) return used.done.value.value;
    throw new Error(`refused: ${used.reason}`);
  };
}

/**
 * Compiles the rules once; the function it gives says the verdict of the first rule, in
 * order, whose glob matches the (already resolved) absolute path, and `none` if there is none.
 */
export function decide(rules: readonly BenchRule[]): (absolutePath: string) => Verdict | "none" {
  const index = new RuleIndex(
    rules.map(({ glob: pattern, verdict }, order) => {
      const parsed = parseGlob(pattern, "/home/somebody");
      if (!parsed.ok) throw new Error(parsed.why);
      const { glob } = parsed;
      return { order, glob, folded: verdict === "deny", below: verdict !== "allow" || glob.subtree };
    }),
  );
  return (path) => {
    const order = index.first(path);
    return order === NONE ? "none" : (rules[order]?.verdict ?? "none");
  };
}

/** Builds the scope of these granted roots once; only looks up whether a path is under one. */
export function underGrant(roots: readonly string[]): (absolutePath: string) => boolean {
  const session = sessionOn("/tmp");
  const scope = new Scope(roots.map((dir) => ({ ...session.workspace, dir: dir as typeof session.workspace.dir })));
  return (path) => scope.find(path, "read", () => true) !== null;
}

/**
 * Every visible file below `root`, hidden ones too, in any order; gitignored files, secrets
 * and `.git` left out, links not followed. Paths relative to `root`, with `/`.
 */
export function listFiles(root: string): Promise<readonly string[]> {
  return findFiles(root, "**/*");
}

/** As `listFiles`, but only what the glob matches. */
export async function findFiles(root: string, pattern: string): Promise<readonly string[]> {
  const used = await guard.use({ call, tool: "bench", operation: "search", path: root }, sessionOn(root), (start) =>
    searcher.search(start, { kind: "find", pattern, ignored: false, most: Number.MAX_SAFE_INTEGER, time: 60_000 }),
  );
  if (used.verdict === "allow" && used.done.ok && used.done.value.ok) return used.done.value.files;
  throw new Error(`refused: ${used.reason}`);
}

/** Every line with the literal in a file that `listFiles` would give and that is text. */
export async function grepFiles(root: string, literal: string): Promise<readonly Hit[]> {
  const query = {
    kind: "grep",
    pattern: literal,
    literal: true,
    ignoreCase: false,
    glob: null,
    ignored: false,
    most: Number.MAX_SAFE_INTEGER - 1,
    time: 60_000,
    fileBytes: 8_388_608,
    lineLength: 500,
  } as const;
  const used = await guard.use({ call, tool: "bench", operation: "search", path: root }, sessionOn(root), (start) =>
    searcher.search(start, query),
  );
  if (used.verdict === "allow" && used.done.ok && used.done.value.ok)
    return used.done.value.matches.map(({ file, line }) => ({ path: file, line }));
  throw new Error(`refused: ${used.reason}`);
}

const call = callId("bench");
const guard = createGuard();
const searcher = createSearcher();

function sessionOn(root: string): Core.Session {
  const opened = openSession({ workspace: root, home: "/home/somebody" });
  if (!opened.ok) throw new Error(opened.message);
  return opened.session;
}
