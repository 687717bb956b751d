// The directories that a policy allows by their plain names, as roots of a command. The file tools judge each path there by the rules; a
// command cannot be judged path by path, so it sees a directory only where the rules allow all of it.

import type { Right } from "../core/access.ts";
import { resolveDir } from "../core/fs/resolve.ts";
import { child, isInside, parent } from "../core/path/contain.ts";
import type { CompiledLayer } from "../core/policy/compile.ts";
import { firstMatch } from "../core/policy/evaluate.ts";
import { NONE } from "../core/policy/index-of-rules.ts";
import { addRoot, listRoots, type Session } from "../core/session/session.ts";

/** The session with what its rules allow as mounts: to be read, or to be written too. What is denied or asked about in it stays shut. */
export function withAllowedDirs(session: Session): Session {
  const { policy, home } = session;
  const roots = listRoots(session);
  let withRoots = session;
  for (const dir of new Set(policy.layers.flatMap((layer) => treesOf(layer, home)))) {
    // A root decides for all that is in it. What lies at the top of the machine is too much, and commands have a `/tmp` of their own.
    if (parent(dir) === "/" || isInside(dir, session.workspace.dir) || roots.some((root) => isInside(root.dir, dir))) continue;
    if (!isWhollyAllowed(session, dir, "read") || policy.secrets.find(dir) !== null) continue;
    // Rules are matched on real paths: one that names a link allows nothing.
    const resolved = resolveDir(dir);
    if (!resolved.ok || resolved.dir !== dir) continue;
    const added = addRoot(withRoots, dir, isWhollyAllowed(session, dir, "write") ? "extend" : "read_only");
    if (added.ok) withRoots = added.session;
  }
  return withRoots;
}

/** The directories that a layer's rules allow to be read with all that is in them. */
function treesOf({ layer }: CompiledLayer, home: string): readonly string[] {
  if (layer.name === "project") return [];
  return layer.rules.flatMap(({ right, verdict, glob }) => (right === "read" && verdict === "allow" ? (treeOf(glob, home) ?? []) : []));
}

/**
 * Does every author who speaks of it allow the whole of it? By a rule for all of the directory, or by a last word. One that allows
 * only some of it would open the rest here, where no last word is heard any more.
 */
function isWhollyAllowed({ policy, home }: Session, dir: string, right: Right): boolean {
  let allowed = false;
  const place = { root: null, outsideWorkspace: true, outsideScope: true };
  for (const compiled of policy.layers) {
    const order = firstMatch(compiled[right], child(dir, PROBE), place);
    const rule = order === NONE ? undefined : compiled.layer.rules[order];
    if (rule === undefined) {
      const last = compiled.layer.defaults[right]?.verdict ?? null;
      if (last !== null && last !== "allow") return false;
      allowed ||= last === "allow";
      continue;
    }
    const tree = rule.verdict === "allow" ? treeOf(rule.glob, home) : null;
    if (tree === null || !isInside(tree, dir)) return false;
    allowed = true;
  }
  return allowed;
}

/** Any name: what is asked is whether the rules speak of all names alike. */
const PROBE = "hallpass-any-name";

/** `~/reference/**` → the directory; null for every other kind of pattern. */
function treeOf(glob: string, home: string): string | null {
  if (!glob.endsWith("/**")) return null;
  const named = glob.slice(0, -"/**".length);
  if (/[*?]/u.test(named)) return null;
  if (named.startsWith("~/")) return `${home}${named.slice(1)}`;
  return named.startsWith("/") ? named : null;
}
