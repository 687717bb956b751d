// What links of protected names lead to. A link `.mcp.json` is not written, but whoever reads it reads the file behind it, so that is not
// written either. Looked for at the top of a root and in the protected directories there, where programs look; deeper ones cannot be
// searched at every write. Asked only about writing.

import { entriesIn } from "../fs/at.ts";
import { type Pin, pin, pinEntry } from "../fs/pin.ts";
import { resolveTarget } from "../fs/resolve.ts";
import { child, isInside } from "../path/contain.ts";
import type { NameList } from "../policy/compile.ts";
import { Names } from "./looked-through.ts";

/**
 * The path of a link of a protected name that leads to `path` (real) or to a directory around it; null if there is none. Throws `TooManyNames`
 * where there are more names than are looked through, and the system's error.
 */
export function protectedLinkTo(path: string, root: string, protect: NameList): string | null {
  const at = pin(root);
  try {
    return at.kind === "dir" ? linkIn(at, root, { path, protect, root, names: new Names() }) : null;
  } finally {
    at.close();
  }
}

interface LinkCheck {
  readonly path: string;
  readonly protect: NameList;
  readonly root: string;
  readonly names: Names;
}

function linkIn(at: Pin, dir: string, look: LinkCheck): string | null {
  const { path, protect, root, names } = look;
  const [links, dirs]: [string[], string[]] = [[], []];
  for (const entry of entriesIn(at)) {
    names.count();
    if (entry === null) continue;
    const { name, kind } = entry;
    // What git runs is told by `git-runs.ts`, which follows more than links. Asked name by name: most are passed over by a look.
    if ((kind !== "link" && kind !== "dir") || name === ".git" || protect.find(child(dir, name)) === null) continue;
    (kind === "link" ? links : dirs).push(name);
  }
  names.countDear(links.length + (dir === root ? dirs.length : 0));
  for (const name of links) {
    const link = child(dir, name);
    const { target } = resolveTarget(link);
    target.pin?.close();
    // One that leads to the root or around it says nothing about a single file.
    if (target.state !== "unreachable" && !isInside(target.path, root) && isInside(target.path, path)) return link;
  }
  if (dir !== root) return null;
  for (const name of dirs) {
    const inner = pinEntry(at, name);
    try {
      const link = inner.kind === "dir" ? linkIn(inner, child(dir, name), look) : null;
      if (link !== null) return link;
    } finally {
      inner.close();
    }
  }
  return null;
}
