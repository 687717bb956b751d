// A guard before foreign tools: every string under a path-shaped key of their arguments is judged, at any depth, before the tool
// runs. For hosts that own their tools; ours go through `guard.use` and need none of this.

import { needs, type Operation } from "../access.ts";
import { HallpassError, waysOn } from "../errors.ts";
import { callId } from "../names.ts";
import { show } from "../path/show.ts";
import { type MountMode, mountModes } from "../session/root.ts";
import type { Session } from "../session/session.ts";
import type { Guard } from "./guard.ts";
import { meanings } from "./meanings.ts";
import { type ScopeAlert, scopeAlert } from "./scope-alert.ts";

/** The seed's keys, and those other hosts use. */
export const defaultArgKeys: readonly string[] = ["path", "destination", "source", "file", "filepath", "file_path", "target"];
/** How the error of a refused call begins. */
export const VIOLATION_PREFIX = "[path_scope_violation] ";

/** How the guard is set. Null, for one option or for all, means the default. */
export interface PathScopeOptions {
  readonly arg_keys?: readonly string[] | null;
  /** `reminder_only` is another word for `reminder`. */
  readonly on_violation?: "deny" | "reminder" | "reminder_only" | null;
  /** Mounts whose modes count as in scope. Default: the writable ones, as in the seed. */
  readonly mount_modes?: readonly MountMode[] | null;
  readonly enabled?: boolean | null;
}

/** May the tool call run? An alert is for the model, whichever it is. */
export type PathScopeAction =
  | { readonly action: "allow"; readonly alert: ScopeAlert | null }
  | { readonly action: "deny"; readonly reason: string; readonly alert: ScopeAlert };

/** The guard in front of tools that take paths as plain strings. */
export interface PathScopeGuard {
  /** Put the guard in, or change it. Unknown keys and wrong values throw `bad-request`; `enabled: false` takes it out. */
  registerPathScopeGuard(options?: PathScopeOptions | null): void;
  clearPathScopeGuard(): void;
  /** Judge a foreign tool's arguments before it runs. No session or no workspace: deny. Not registered: allow. */
  beforeTool(tool: string, args: unknown, session: Session | null, operation?: Operation): PathScopeAction;
}

/** A guard in front of tools that are not ours. It allows everything until it is registered. */
export function createPathScopeGuard(guard: Guard): PathScopeGuard {
  let active: RegisteredOptions | null = null;
  return {
    registerPathScopeGuard(options = null) {
      active = parseOptions(options);
    },
    clearPathScopeGuard() {
      active = null;
    },
    beforeTool(tool, args, session, operation = "replace") {
      if (active === null) return { action: "allow", alert: null };
      const { arg_keys, on_violation, mount_modes } = active;
      const paths = collectPaths(args, arg_keys);
      const violation = (path: string, reason: string, code: string): PathScopeAction => {
        const alert = scopeAlert(tool, path, reason, session, { ways: waysOn(code, needs[operation]), right: needs[operation] });
        return on_violation === "reminder" ? { action: "allow", alert } : { action: "deny", reason: `${VIOLATION_PREFIX}${reason}`, alert };
      };
      if (session === null)
        return paths.length === 0
          ? { action: "allow", alert: null }
          : violation(paths[0] ?? "", "there is no workspace, so nothing is in scope", "");
      const scoped: Session = { ...session, mounts: session.mounts.filter(({ mode }) => mount_modes.includes(mode)) };
      const roots = new Set<string>();
      for (const path of paths) {
        const decision = guard.judge({ call: callId("before-tool"), tool, operation, path }, scoped);
        if (decision.verdict !== "allow") return violation(path, `\`${show(path)}\` ${meanings[decision.reason]}`, decision.reason);
        decision.pass.close();
        roots.add(decision.root?.from === "mount" && decision.root.mode === "sandboxed" ? decision.root.dir : "");
        if (roots.size > 1) return violation(path, `\`${show(path)}\` ${meanings["spans-roots"]}`, "spans-roots");
      }
      return { action: "allow", alert: null };
    },
  };
}

/**
 * The strings under the wanted keys, at any depth, in order; what stands under other keys is looked into for wanted keys of its own.
 * Without recursion: a model may nest its arguments as deeply as it likes.
 */
export function collectPaths(args: unknown, keys: readonly string[]): readonly string[] {
  const paths: string[] = [];
  const pending: { readonly value: unknown; readonly wanted: boolean }[] = [{ value: args, wanted: false }];
  const seen = new Map<object, boolean>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, wanted } = next;
    if (typeof value === "string" && wanted && value !== "") paths.push(value);
    if (typeof value !== "object" || value === null || seen.get(value) === true || seen.get(value) === wanted) continue;
    seen.set(value, wanted);
    for (const [key, inner] of Object.entries(value).toReversed())
      pending.push({ value: inner, wanted: wanted || (!Array.isArray(value) && keys.includes(key)) });
  }
  return paths;
}

const KNOWN = ["arg_keys", "on_violation", "mount_modes", "enabled"];

/** What is registered: every option with its value. */
interface RegisteredOptions {
  readonly arg_keys: readonly string[];
  readonly on_violation: "deny" | "reminder";
  readonly mount_modes: readonly MountMode[];
}

function parseOptions(options: PathScopeOptions | null): RegisteredOptions | null {
  const input: unknown = options ?? {};
  if (typeof input !== "object" || Array.isArray(input)) throw bad("options must be an object");
  for (const key of Object.keys(options ?? {})) {
    if (!KNOWN.includes(key)) throw bad(`unknown option \`${show(key)}\` (known: ${KNOWN.join(", ")})`);
  }
  const enabled = options?.enabled ?? true;
  if (typeof enabled !== "boolean") throw bad("`enabled` must be true or false");
  if (!enabled) return null;
  const arg_keys = options?.arg_keys ?? defaultArgKeys;
  const on_violation = options?.on_violation ?? "deny";
  const mount_modes = options?.mount_modes ?? ["extend", "sandboxed"];
  if (!Array.isArray(arg_keys) || arg_keys.some((key) => typeof key !== "string" || key.trim() === ""))
    throw bad("`arg_keys` must be a list of names, none of them empty");
  if (on_violation !== "deny" && on_violation !== "reminder" && on_violation !== "reminder_only")
    throw bad("`on_violation` must be `deny`, `reminder` or `reminder_only`");
  if (!Array.isArray(mount_modes) || mount_modes.some((mode: unknown) => !mountModes.some((known) => known === mode)))
    throw bad(`\`mount_modes\` must be a list of ${mountModes.join(", ")}`);
  return { arg_keys, on_violation: on_violation === "deny" ? "deny" : "reminder", mount_modes };
}

const bad = (why: string): HallpassError => new HallpassError("bad-request", `registerPathScopeGuard: ${why}`);
