// Programs that people keep in their home directory (pyenv, nvm, cargo, ~/.local/bin …): what of them is on the PATH is shown to a command, read-only, like
// /usr. It is not looked through for secrets, so that a command does not pay for it; therefore only what is known to hold programs is shown, and no
// other entry of the PATH: a directory of scripts may have a secret beside them.

import type { Code } from "../core/errors.ts";
import { createGuard } from "../core/guard/guard.ts";
import { type Pin, pin } from "../core/fs/pin.ts";
import { callId } from "../core/names.ts";
import { isInside } from "../core/path/contain.ts";
import { listRoots, type Session } from "../core/session/session.ts";
import { bytesOf } from "./disk.ts";
import type { SandboxMount } from "./mount-draft.ts";

/** An entry of PATH below the home directory, and what its programs need. `$1` is what the pattern found. */
const KNOWN: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^\.cargo\/bin$/, [".cargo/bin", ".rustup"]],
  [/^\.pyenv\/(?:shims|bin)$/, [".pyenv"]],
  [/^\.rbenv\/(?:shims|bin)$/, [".rbenv"]],
  [/^\.asdf\/(?:shims|bin)$/, [".asdf"]],
  [/^(\.nvm\/versions\/node\/[^/]+)\/bin$/, ["$1/bin", "$1/lib", "$1/include"]],
  [/^\.volta\/bin$/, [".volta/bin", ".volta/tools"]],
  [/^\.local\/share\/mise\/(?:shims|installs\/.+)$/, [".local/share/mise/shims", ".local/share/mise/installs"]],
  [/^\.opencode\/bin$/, [".opencode/bin"]],
  [
    /^\.local\/bin$/,
    [".local/bin", ".local/share/claude/versions", ".local/share/uv/python", ".local/share/uv/tools", ".local/share/pipx/venvs"],
  ],
  [/^\.sdkman\/candidates\/.+$/, [".sdkman/candidates"]],
  [/^\.ghcup\/bin$/, [".ghcup/bin", ".ghcup/ghc", ".ghcup/lib"]],
  [/^\.dotnet$/, [".dotnet"]],
  [/^(\.bun|\.deno|go)\/bin$/, ["$1/bin"]],
  [/^\.npm-global\/bin$/, [".npm-global/bin", ".npm-global/lib"]],
];
/** More entries than this are no longer looked at. */
const MOST = 64;

export interface Toolchains {
  readonly mounts: readonly Extract<SandboxMount, { readonly pin: unknown }>[];
  close(): void;
}

/** What of the PATH lies in the home directory and may be shown. Whoever gets it closes it. */
export function openToolchains(session: Session, path: string | undefined): Toolchains {
  const { home } = session;
  const roots = listRoots(session).map(({ dir }) => String(dir));
  const neededDirs = new Set<string>();
  for (const entry of (path ?? "").split(":").slice(0, MOST)) {
    if (!entry.startsWith(`${home}/`) || entry.includes("/../") || entry.endsWith("/..")) continue;
    for (const dir of neededBy(
      entry
        .slice(home.length + 1)
        .split("/")
        .filter(Boolean)
        .join("/"),
    ))
      neededDirs.add(`${home}/${dir}`);
  }
  const pins: Pin[] = [];
  // Outer ones first; one that lies in another is there already.
  for (const dir of [...neededDirs].toSorted((one, other) => one.length - other.length)) {
    // A root is shown as what it is, with what is hidden in it.
    if (roots.some((root) => isInside(root, dir) || isInside(dir, root))) continue;
    if (pins.some(({ real }) => isInside(real, dir))) continue;
    const at = pinUnlessShut(session, dir);
    if (at !== null) pins.push(at);
  }
  return {
    mounts: pins.map((at) => ({ make: "read-only", path: bytesOf(at.real), pin: at })),
    close: () => {
      for (const at of pins) at.close();
    },
  };
}

function neededBy(entry: string): readonly string[] {
  for (const [pattern, dirs] of KNOWN) {
    const match = pattern.exec(entry);
    if (match !== null) return dirs.map((dir) => dir.replace("$1", match[1] ?? ""));
  }
  return [];
}

/** Held, where it is there under this very name, and neither its name nor a rule shuts it. */
function pinUnlessShut(session: Session, dir: string): Pin | null {
  if (isShut(session, dir)) return null;
  let at: Pin;
  try {
    at = pin(dir);
  } catch {
    return null;
  }
  if (at.kind === "dir" && at.real === dir) return at;
  at.close();
  return null;
}

const SHUT: ReadonlySet<string> = new Set<Code>(["secret-file", "policy-deny", "policy-ask", "virtual-fs", "guard-fault", "invalid-path"]);

function isShut(session: Session, path: string): boolean {
  if (mayShutPart(session, path)) return true;
  const decision = createGuard().judge({ call: callId("lookup"), tool: "lookup", operation: "list", path }, session);
  if (decision.verdict === "allow") decision.pass.close();
  return SHUT.has(decision.reason);
}

/**
 * May a rule shut something in the directory? It is not looked through, so what is in it cannot be covered.
 * INVARIANT: nothing is shown that somebody has denied.
 */
function mayShutPart({ policy: { layers, policy }, home }: Session, dir: string): boolean {
  const rules = layers.flatMap(({ layer }) => layer.rules.filter(({ right, verdict }) => right === "read" && verdict !== "allow"));
  return [...rules.map(({ glob }) => glob), ...policy.secrets.add].some((glob) => {
    const named = glob.startsWith("~/") ? `${home}${glob.slice(1)}` : glob;
    if (!named.startsWith("/")) return true;
    // Up to the first directory with a pattern in it.
    const first = named.search(/[*?[{\\]/u);
    const base = first === -1 ? named : named.slice(0, named.lastIndexOf("/", first));
    return isInside(base === "" ? "/" : base, dir) || isInside(dir, base);
  });
}
