// A scene for tests of the boundary: a tree on disk, a session in its `ws`, a guard that records. Ids and time come from the scene,
// so that whole values can be compared. Removed when the test (or the file, if made outside a test) is over.

import { execFileSync } from "node:child_process";
import { accessSync, constants, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { isMainThread } from "node:worker_threads";
import { afterAll, afterEach, expect, onTestFinished } from "vitest";
import type { Operation } from "../src/core/access.ts";
import type { AuditEvent } from "../src/core/audit.ts";
import type { Decision } from "../src/core/guard/decision.ts";
import { createGuard, type Guard, type GuardPorts } from "../src/core/guard/guard.ts";
import { callId } from "../src/core/names.ts";
import { combinePolicies } from "../src/core/policy/combine.ts";
import { type CompiledPolicy, compilePolicy } from "../src/core/policy/compile.ts";
import { parsePolicy } from "../src/core/policy/parse.ts";
import { openSession, type Session, type SessionPlan } from "../src/core/session/session.ts";
import { tree, type Tree } from "./tree.ts";

export const NOW = 1_700_000_000_000;

export interface Scene extends Tree {
  readonly session: Session;
  readonly guard: Guard;
  readonly events: AuditEvent[];
  /** Judge as the scene's guard does, and let go of the pass. */
  judge(operation: Operation, path: string, session?: Session, call?: string): Decision;
  /** The same in two words: `allow in-workspace`. */
  words(operation: Operation, path: string, session?: Session): string;
}

export interface ScenePlan extends Partial<Omit<SessionPlan, "policy" | "workspace">> {
  readonly workspace?: string;
  /** The operator's policy, as it would stand in a file; `$ROOT` and `$OUT` are put in. */
  readonly policy?: object;
  readonly ports?: GuardPorts;
}

// Hundreds of trees grow and go: files that never reach a disk, where the machine has such a place. The attack table, the races and
// everything that runs the program by itself use the temp directory.
export const inMemory: string = canWrite("/dev/shm") ? "/dev/shm" : tmpdir();

function canWrite(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Grows the tree and opens a session in `ws`; home is `home`, the ceiling is the whole tree. All plan paths may be in the tree language. */
export function scene(spec: readonly string[], { policy, ports = {}, ...plan }: ScenePlan = {}): Scene {
  const grown = grow(["ws/", "home/", ...spec]);
  const home = grown.path(plan.home ?? "home");
  const opened = openSession({
    ...plan,
    workspace: grown.path(plan.workspace ?? "ws"),
    home,
    mounts: (plan.mounts ?? []).map(({ path, mode }) => ({ path: grown.path(path), mode })),
    projects: (plan.projects ?? []).map(grown.path),
    ceilings: (plan.ceilings ?? [grown.root]).map(grown.path),
    policy: policy === undefined ? (balanced ??= policyOf({}, home)) : policyOf(placed(policy, grown), home),
  });
  if (!opened.ok) throw new Error(opened.message);
  const events: AuditEvent[] = [];
  const guard = createGuard({ audit: (event) => void events.push(event), clock: () => NOW, ids: counter(), ...ports });
  const judge: Scene["judge"] = (operation, path, session = opened.session, call = "call-1") => {
    const decision = guard.judge({ call: callId(call), tool: "test", operation, path }, session);
    if (decision.verdict === "allow") decision.pass.close();
    return decision;
  };
  return {
    ...grown,
    session: opened.session,
    guard,
    events,
    judge,
    words: (operation, path, session) => {
      const { verdict, reason } = judge(operation, path, session);
      return `${verdict} ${reason}`;
    },
  };
}

/** The policy without a word in it, which names no place: compiled once. */
let balanced: CompiledPolicy | undefined;

function placed(policy: object, { root, out }: Tree): object {
  return JSON.parse(JSON.stringify(policy).replaceAll("$ROOT", root).replaceAll("$OUT", out)) as object;
}

/** A tree that is removed by itself. */
export function grow(spec: readonly string[]): Tree {
  const grown = tree(spec, inMemory);
  try {
    onTestFinished(grown.remove);
  } catch {
    afterAll(grown.remove);
  }
  return grown;
}

export function policyOf(policy: object, home: string): CompiledPolicy {
  const parsed = parsePolicy(policy, { author: "operator", home });
  if (!parsed.ok) throw new Error(parsed.errors.map(({ message }) => message).join("; "));
  return compilePolicy(combinePolicies([parsed.part]), home);
}

export function counter(): () => string {
  let count = 0;
  return () => `id-${(count += 1)}`;
}

/** What this process holds without having opened it: every pin, by its kernel name. */
export function pins(): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1] ?? "0";
      return (Number.parseInt(flags, 8) & 0o10000000) === 0 ? [] : [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      return []; // the descriptor that listed them
    }
  });
}

/** Everything this process holds open below a directory, pinned or opened. */
export function openBelow(directory: string): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const place = readlinkSync(`/proc/self/fd/${descriptor}`);
      return place.startsWith(directory) ? [place] : [];
    } catch {
      return [];
    }
  });
}

/** After each test of the file: no pin was left behind. */
export function nothingStaysPinned(): void {
  afterEach(() => expect(pins()).toEqual([]));
}

export const mkfifo = (path: string): void => void execFileSync("mkfifo", [path]);

/** Is this run as root, who may mount? */
export const isRoot = process.geteuid?.() === 0;
/** May it become somebody whom the system refuses things? Within a thread, as under Stryker, nobody may. */
export const canBecomeNobody = isRoot && isMainThread;

/** Do something as an ordinary user, for what root is never refused. Synchronous; only where `canBecomeNobody`. */
export function asNobody<T>(act: () => T): T {
  process.setegid?.(65534);
  process.seteuid?.(65534);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
