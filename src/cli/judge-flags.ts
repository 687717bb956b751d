// The flags that say where something is judged or run (`check`, `explain`, `run`), and the one access that two of them judge.

import { resolve } from "node:path";
import { type Access, isOperation, needs, type Operation } from "../core/access.ts";
import { randomIds, systemClock } from "../core/clock.ts";
import { callId } from "../core/names.ts";
import { show } from "../core/path/show.ts";
import { type CompiledPolicy, compilePolicy } from "../core/policy/compile.ts";
import { reopenGrants } from "../core/session/grant.ts";
import { type MountMode, mountModes } from "../core/session/root.ts";
import { openSession, realHome, type Session } from "../core/session/session.ts";
import type { ConfigContext } from "../config/locations.ts";
import type { Call } from "./flags.ts";
import { type Host, UsageError } from "./host.ts";
import type { AgentFiles } from "./agent-files.ts";

export interface Flags {
  readonly stdin: boolean;
  readonly access: Access | null;
  readonly session: Session | null;
  /** No operation was named; read is assumed. */
  readonly byDefault: boolean;
  /** The decision for programs, not for people. */
  readonly json: boolean;
}

/** Where: the workspace, the other roots, the policy. */
export type PlaceFlags = Pick<Call<"check">["values"], "workspace" | "grant" | "mount" | "project" | "ceiling" | "policy" | "unattended">;

/** Read the flags and open the session they describe. Throws a UsageError that says what to do. */
export async function readFlags({ values, words: [path] }: Call<"check">, host: Host): Promise<Flags> {
  if (values.stdin === true) {
    if (path !== undefined || Object.keys(values).length > 1)
      throw new UsageError("with --stdin everything comes as lines; no other flags or words");
    return { stdin: true, access: null, session: null, byDefault: false, json: true };
  }
  if (path === undefined) throw new UsageError("give one path");
  const operation = operationOf(values.operation);
  const session = await openPlace(values, host);
  const access = { call: callId("cli"), tool: "hallpass", operation, path };
  return { stdin: false, access, session, byDefault: values.operation === undefined, json: values.json === true };
}

/** The operation that was named; reading where none was. */
export function operationOf(word = "read"): Operation {
  if (isOperation(word)) return word;
  throw new UsageError(`--operation must be one of ${Object.keys(needs).join(", ")}; found ${show(word)}`);
}

/**
 * For a program that is run as a whole: what was mounted for writing may be written though its name is protected, since who typed the mount
 * meant it. An administrator's policy is not lifted by that.
 */
export interface RunPlace {
  /** What a known agent keeps of its own. */
  readonly own: AgentFiles | null;
}

/** The session that the flags describe. Throws a UsageError that says what to do. */
export async function openPlace(values: PlaceFlags, host: Host, run: RunPlace | null = null): Promise<Session> {
  const workspace = resolve(host.cwd, values.workspace ?? ".");
  const mounts = [...mountsOf(values, host), ...(run?.own?.mounts ?? [])];
  const runExceptions =
    run === null ? null : { dirs: mounts.filter(({ mode }) => mode !== "read_only").map(({ path }) => path), own: run.own };
  const opened = openSession({
    workspace,
    mounts,
    projects: (values.project ?? []).map((dir) => resolve(host.cwd, dir)),
    ...(values.ceiling === undefined ? {} : { ceilings: values.ceiling.map((dir) => resolve(host.cwd, dir)) }),
    home: host.home,
    policy: await policyOf(values.policy, { workspace, mounts }, host, runExceptions),
    attended: values.unattended !== true,
  });
  if (!opened.ok) throw new UsageError(`${opened.code}: ${opened.message}`);
  const { session, lost } = reopenGrants(
    opened.session,
    (values.grant ?? []).map((dir) => resolve(host.cwd, dir)),
    { clock: systemClock, ids: randomIds },
  );
  if (lost[0] !== undefined) throw new UsageError(`--grant ${show(lost[0])}: there is no such directory`);
  return session;
}

/** What was mounted by flags. */
export const mountsOf = ({ mount = [] }: PlaceFlags, { cwd }: Host) => mount.map((text) => mountOf(text, cwd));

function mountOf(text: string, cwd: string): { readonly path: string; readonly mode: MountMode } {
  const colon = text.lastIndexOf(":");
  const mode = mountModes.find((one) => one === text.slice(colon + 1));
  if (colon <= 0 || mode === undefined)
    throw new UsageError(`--mount takes DIR:mode, its mode one of ${mountModes.join(", ")}; found ${show(text)}`);
  return { path: resolve(cwd, text.slice(0, colon)), mode };
}

/** The policy of this machine, operator and repository, or of one file. Malformed: an error for whoever typed the command. */
async function policyOf(
  file: string | undefined,
  roots: Pick<ConfigContext, "workspace" | "mounts">,
  { home, env, platform, cwd }: Host,
  runExceptions: { readonly dirs: readonly string[]; readonly own: AgentFiles | null } | null,
): Promise<CompiledPolicy> {
  const { findingLine, loadPolicy } = await import("../config/load.ts");
  const { keepingOwn, ownFilesOf } = await import("../config/own-files.ts");
  const surroundings = { home, env, platform, ...roots, ...(file === undefined ? {} : { operatorFile: resolve(cwd, file) }) };
  const loaded = loadPolicy(surroundings);
  if (loaded.ok) {
    const { policy, parts } = loaded;
    const { dirs, own } =
      runExceptions === null || parts.some(({ author }) => author === "administrator") ? { dirs: [], own: null } : runExceptions;
    const except = [...policy.protect.except, ...dirs.flatMap((dir) => [dir, `${dir}/**`])];
    const protect = { ...policy.protect, except, kept: own?.executes ?? [] };
    const secrets = { ...policy.secrets, except: [...policy.secrets.except, ...(own?.login ?? [])] };
    // Who mounts a directory for writing does not mean our own files in it.
    return compilePolicy(keepingOwn({ ...policy, protect, secrets }, ownFilesOf(surroundings)), realHome(home));
  }
  throw new UsageError(`invalid-policy: every request is denied until this is fixed\n${loaded.errors.map(findingLine).join("\n")}`);
}
