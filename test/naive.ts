// Guards as most agents have them, and none at all. They do every file operation of the attack table for real, so that
// the table and the races can show they tell good from bad. Nothing here is used by the product.
// Run as a program (`tsx test/naive.ts realpath`) it answers the same lines as `hallpass tool --stdin`.

import * as fs from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { createInterface } from "node:readline";
import picomatch from "picomatch";
import type { Call } from "./corpus.ts";
import type { Answer } from "./line-process.ts";

export interface Roots {
  readonly workspace: string;
  readonly grants?: readonly string[];
}

/** Takes a path as asked and gives the name to use it by, or null for no. */
export type Guard = (path: string, roots: Roots) => string | null;

const under = (path: string, root: string) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
const inRoots = (path: string, { workspace, grants = [] }: Roots) => [workspace, ...grants].some((root) => under(path, root));

export const guards = {
  /** No guard: whatever the kernel makes of the path. */
  none: (path, { workspace }) => (isAbsolute(path) ? path : `${workspace}/${path}`),
  /** path.resolve and a prefix. */
  lexical: (path, roots) => {
    const full = resolve(roots.workspace, path);
    return inRoots(full, roots) ? full : null;
  },
  /** realpath, check, then use by name: the MCP file-system server and most agents. */
  realpath: (path, roots) => {
    const real = realOrNew(resolve(roots.workspace, path));
    const realRoots = { workspace: fs.realpathSync(roots.workspace), grants: (roots.grants ?? []).map((root) => fs.realpathSync(root)) };
    return inRoots(real, realRoots) ? real : null;
  },
  /** Holds the file and asks the kernel for its name, as we do, but believes the name: no look whether it is still true. */
  pinned: (path, roots) => {
    const held = fs.openSync(resolve(roots.workspace, path), 0o10000000);
    try {
      return inRoots(fs.readlinkSync(`/proc/self/fd/${held}`), roots) ? `/proc/self/fd/${held}` : null;
    } finally {
      setImmediate(() => fs.closeSync(held)); // after the use, which is synchronous
    }
  },
} as const satisfies Record<string, Guard>;

/** The guard with a short list of secret names, judged on the name that the guard found. */
export function withSecrets(guard: Guard): Guard {
  return (path, roots) => {
    const use = guard(path, roots);
    if (use === null) return null;
    const name = basename(use.startsWith("/proc/self/fd/") ? fs.readlinkSync(use) : use);
    return /^\.env(\.[\w.]+)?$|\.pem$|^id_rsa$/.test(name) ? null : use;
  };
}

function realOrNew(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return join(fs.realpathSync(dirname(path)), basename(path));
  }
}

/** Does the call behind the guard. */
export function perform(guard: Guard, roots: Roots, { tool, input }: Call): Answer {
  try {
    const output = work(guard, roots, tool, input);
    return output === null ? { ok: false, code: "out-of-scope", verdict: "deny" } : { ok: true, output };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    const known = { ENOENT: "not-found", EISDIR: "is-directory", ELOOP: "symlink-loop", EACCES: "os-denied" }[code];
    return { ok: false, code: known ?? "io-error", verdict: "allow" };
  }
}

function work(guard: Guard, roots: Roots, tool: string, input: Call["input"]): string | null {
  const asked = input["path"] as string;
  const use = guard(asked, roots);
  if (use === null) return null;
  const text = (key: string) => String(input[key]);
  switch (tool) {
    case "read_file":
      return read(use);
    case "list_dir":
      return fs.readdirSync(use).join("\n");
    case "write_file":
      fs.writeFileSync(use, text("content"));
      return "written";
    case "edit_file": {
      const now = read(use);
      if (!now.includes(text("old"))) throw new Error("the old text is not there");
      fs.writeFileSync(
        use,
        now.replace(text("old"), () => text("new")),
      );
      return "edited";
    }
    case "find_files": {
      const { base, glob } = picomatch.scan(text("pattern"));
      const matches = picomatch(glob === "" ? "**" : glob, { dot: true, matchBase: true });
      return [...walk(guard, roots, join(use, base))]
        .filter(({ below }) => matches(below))
        .map(({ below }) => join(base, below))
        .join("\n");
    }
    case "grep": {
      const pattern = new RegExp(text("pattern"));
      const hits = (at: string) =>
        read(at)
          .split("\n")
          .filter((line) => pattern.test(line));
      return [...walk(guard, roots, use)].flatMap(({ at, below }) => hits(at).map((line) => `${below}:${line}`)).join("\n");
    }
    default:
      throw new Error(`no tool ${tool}`);
  }
}

interface Found {
  readonly at: string;
  readonly below: string;
}

/** Files below `dir`, each child asked of the guard, links followed when the guard says yes. */
function* walk(guard: Guard, roots: Roots, dir: string, below = "", depth = 0): Generator<Found> {
  for (const name of fs.readdirSync(dir)) {
    const at = guard(join(dir, name), roots);
    const kind = at === null ? undefined : fs.statSync(at, { throwIfNoEntry: false });
    if (at === null || kind === undefined) continue;
    const path = join(below, name);
    if (kind.isFile()) yield { at, below: path };
    else if (kind.isDirectory() && depth < 16) yield* walk(guard, roots, at, path, depth + 1);
  }
}

/** fs.readFileSync with an end: /dev/zero must not take the machine with it. */
function read(path: string): string {
  const file = fs.openSync(path, "r");
  try {
    const parts: Buffer[] = [];
    for (let total = 0; total < 16 * 1024 * 1024;) {
      const part = Buffer.alloc(64 * 1024);
      const count = fs.readSync(file, part);
      if (count === 0) return Buffer.concat(parts).toString("utf8");
      parts.push(part.subarray(0, count));
      total += count;
    }
    throw new Error("endless");
  } finally {
    fs.closeSync(file);
  }
}

if (process.argv[1] === import.meta.filename) {
  const guard = guards[process.argv[2] as keyof typeof guards];
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, tool, input, ...roots } = JSON.parse(line) as Call & Roots & { readonly id: unknown };
    process.stdout.write(`${JSON.stringify({ id, ...perform(guard, roots, { tool, input }) })}\n`);
  });
}
