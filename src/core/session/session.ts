// A session: workspace, mounts, grants, policy. Immutable: every change makes a new one, and scope is computed from it, never stored.

import { isLayered, resolveDir } from "../fs/resolve.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { Code } from "../errors.ts";
import { type RealDir, type SessionId, sessionId } from "../names.ts";
import { isInside } from "../path/contain.ts";
import { show } from "../path/show.ts";
import { type CompiledPolicy, compilePolicy } from "../policy/compile.ts";
import { isSystemDirectory, isSystemPlace } from "../policy/system-places.ts";
import { emptyPolicy } from "../policy/rule.ts";
import type { Grant, NetworkGrant } from "./grant.ts";
import type { LastingIdentity, Mount, MountMode, Root, Workspace } from "./root.ts";

/** One agent at work: its workspace, what else is open to it, and the policy that holds. */
export interface Session {
  readonly id: SessionId;
  readonly workspace: Workspace;
  readonly mounts: readonly Mount[];
  readonly grants: readonly Grant[];
  /** What was granted of the network, for commands. */
  readonly network: readonly NetworkGrant[];
  /** Directories registered as projects: what is granted first. */
  readonly projects: readonly RealDir[];
  /** A grant never reaches one of these, nor above. */
  readonly ceilings: readonly RealDir[];
  readonly home: string;
  readonly policy: CompiledPolicy;
  /** Is there a person to ask? False turns every ask into a deny. */
  readonly attended: boolean;
}

/** What a session is opened with. */
export interface SessionPlan {
  readonly id?: string;
  readonly workspace: string;
  readonly mounts?: readonly { readonly path: string; readonly mode: MountMode }[];
  readonly projects?: readonly string[];
  /** Default: the policy's, else the home directory and /opt. */
  readonly ceilings?: readonly string[];
  readonly home: string;
  /** Default: the balanced policy, with nothing said by anyone. A function is asked with the home directory and the workspace by their real names. */
  readonly policy?: CompiledPolicy | ((home: string, workspace: string) => CompiledPolicy);
  readonly attended?: boolean;
}

export interface SessionRefusal {
  readonly ok: false;
  readonly code: Code;
  readonly message: string;
}
export type OpenedSession = { readonly ok: true; readonly session: Session } | SessionRefusal;

/** Open a session on real directories. The workspace and every mount must exist; projects and ceilings that do not are left out. */
export function openSession(plan: SessionPlan): OpenedSession {
  const homes = existing([plan.home]);
  const home = homes[0] ?? plan.home;
  // Before the policy: a policy is looked for in a workspace, so that must be one.
  const workspace = workspaceAt(plan.workspace, home);
  if (!workspace.ok) return workspace;
  const policyOrCompile = plan.policy ?? ((real) => compilePolicy(emptyPolicy, real));
  const compiled = typeof policyOrCompile === "function" ? policyOrCompile(home, workspace.root.dir) : policyOrCompile;
  const { policy } = compiled;
  const ceilings = plan.ceilings ?? policy.ceilings;
  const session: Session = {
    id: sessionId(plan.id ?? "session"),
    workspace: workspace.root,
    mounts: [],
    grants: [],
    network: [],
    projects: existing([...(plan.projects ?? []), ...policy.projects]),
    ceilings: ceilings === null ? [...homes, ...existing(["/opt"])] : existing(ceilings),
    home,
    policy: compiled,
    attended: plan.attended ?? true,
  };
  let opened: OpenedSession = { ok: true, session };
  for (const { path, mode } of plan.mounts ?? []) {
    if (opened.ok) opened = addRoot(opened.session, path, mode);
  }
  return opened;
}

/** Mount a further root, or change the mode of one. The root must exist. Clears what was answered for single calls. */
export function addRoot(session: Session, path: string, mode: MountMode): OpenedSession {
  const resolved = rootAt(path, session.home);
  if (!resolved.ok) return resolved;
  const { dir, dev, ino } = resolved;
  // In a container's layers a directory is born anew when something in it is first written. A grant is asked about again then; a mount
  // would be lost in the middle of allowed work.
  const born = isLayered(dir) ? null : resolved.born;
  const mount: Mount = { from: "mount", mode, dir, dev, ino, born };
  const others = session.mounts.filter((other) => other.dir !== mount.dir);
  return { ok: true, session: withoutCallGrants({ ...session, mounts: [...others, mount] }) };
}

/** Unmount a root. Removing one that is not there is fine. Clears what was answered for single calls. */
export function removeRoot(session: Session, path: string): Session {
  const resolved = resolveDir(path);
  const dir = resolved.ok ? resolved.dir : path;
  return withoutCallGrants({ ...session, mounts: session.mounts.filter((mount) => mount.dir !== dir) });
}

/** Move the workspace. Mounts and session grants stay; what was answered for single calls does not. */
export function reanchor(session: Session, path: string): OpenedSession {
  const workspace = workspaceAt(path, session.home);
  return workspace.ok ? { ok: true, session: withoutCallGrants({ ...session, workspace: workspace.root }) } : workspace;
}

/** Every root of the session, workspace first. Grants whose time is over are left out. */
export function listRoots(session: Session, clock: Clock = systemClock): readonly Root[] {
  const now = clock();
  return [
    session.workspace,
    ...session.mounts,
    ...session.grants.flatMap((grant) => (grant.until !== "call" && (grant.root.expires ?? now + 1) > now ? [grant.root] : [])),
  ];
}

function withoutCallGrants(session: Session): Session {
  return {
    ...session,
    grants: session.grants.filter((grant) => grant.until !== "call"),
    network: session.network.filter(({ call }) => call === null),
  };
}

function workspaceAt(path: string, home: string): { readonly ok: true; readonly root: Workspace } | SessionRefusal {
  const resolved = rootAt(path, home);
  return resolved.ok
    ? { ok: true, root: { from: "workspace", dir: resolved.dir, dev: resolved.dev, ino: resolved.ino, born: resolved.born } }
    : resolved;
}

/** `/`, what holds the home directory, and system places would turn the boundary off. */
export function isTooBroadForRoot(dir: string, home: string): boolean {
  return dir === "/" || (dir !== home && isInside(dir, home)) || isSystemPlace(dir) || isSystemDirectory(dir);
}

/** A directory fit to be a root. */
function rootAt(path: string, home: string): ({ readonly ok: true; readonly dir: RealDir } & LastingIdentity) | SessionRefusal {
  if (typeof path !== "string" || !path.startsWith("/"))
    return refuse("invalid-path", `a root must be an absolute path; found \`${show(String(path))}\``);
  if (path.includes("\0") || !path.isWellFormed()) return refuse("invalid-path", `\`${show(path)}\` is not a path`);
  const resolved = resolveDir(path);
  if (!resolved.ok) return refuse(resolved.reason, wording(`\`${show(path)}\``)[resolved.reason]);
  if (isTooBroadForRoot(resolved.dir, home))
    return refuse("root-too-broad", `\`${show(path)}\` is too broad to be a root; choose a directory inside it`);
  return resolved;
}

/** Made for whoever is refused. */
const wording = (path: string) => ({
  "not-found": `there is no directory ${path}`,
  "not-directory": `${path} is not a directory`,
  "symlink-loop": `${path} cannot be a root: its links form a loop`,
  "os-denied": `${path} cannot be a root: the system denies access to it`,
  "unresolvable-path": `${path} cannot be a root: its path is too long for the system`,
  "invalid-path": `${path} cannot be a root: its name cannot be used`,
  "io-error": `${path} cannot be a root: the system could not read it`,
  "stale-path": `${path} cannot be a root: it keeps being replaced`,
});

/** The home directory by its real name, as far as it has one: what is judged, granted and matched against `~` is real paths. */
export function realHome(home: string): string {
  return existing([home])[0] ?? home;
}

function existing(paths: readonly string[]): readonly RealDir[] {
  return paths.flatMap((path) => {
    const resolved = path.startsWith("/") && !path.includes("\0") ? resolveDir(path) : null;
    return resolved?.ok === true ? [resolved.dir] : [];
  });
}

const refuse = (code: Code, message: string): SessionRefusal => ({ ok: false, code, message });
