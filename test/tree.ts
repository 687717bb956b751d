// The tree language: a few words that become real files in a fresh temp directory.
//   "d/"          a directory            "f"            an empty file
//   "f: text"     a file with content    "a => b"       a symbolic link at a, pointing to b
//   "$OUT/x"      the same, outside: in a directory beside the root. $OUT and $ROOT also work in link targets
// Parents are made. The object form says the same: { "d/": {…}, "f": "text", "a": "=> b" }.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

export interface Branches {
  readonly [name: string]: string | Branches;
}

export interface Tree {
  /** The real path of the directory the tree grew in. */
  readonly root: string;
  /** The real path of the directory beside it, where `$OUT/…` goes. */
  readonly out: string;
  /** The absolute path of a name in the language: `path("d/f")`, `path("$OUT/secret")`. */
  path(name: string): string;
  remove(): void;
}

/** Grows `spec` under `soil` (the system's temp directory unless told otherwise). */
export function tree(spec: readonly string[] | Branches, soil: string = tmpdir()): Tree {
  const base = realpathSync(mkdtempSync(join(soil, "hallpass-")));
  const [root, out] = [join(base, "in"), join(base, "out")];
  const named = (text: string) => text.replaceAll("$OUT", out).replaceAll("$ROOT", root);
  const path = (name: string) => (isAbsolute(named(name)) ? named(name) : join(root, name));
  mkdirSync(root);
  mkdirSync(out);
  for (const line of Array.isArray(spec) ? spec : lines(spec as Branches)) plant(line);
  const clear = (): void => rmSync(base, { recursive: true, force: true });
  return { root, out, path, remove };

  function remove(): void {
    try {
      clear();
    } catch {
      // A test left directories that not even their owner may change.
      execFileSync("chmod", ["-R", "u+rwX", base]);
      clear();
    }
  }

  function plant(line: string): void {
    const [, name = line, verb = "", rest = ""] = /^(.*?)( => |: )(.*)$/s.exec(line) ?? [];
    const at = path(name);
    mkdirSync(dirname(at), { recursive: true });
    if (verb === " => ") symlinkSync(named(rest), at);
    else if (verb === "" && name.endsWith("/")) mkdirSync(at, { recursive: true });
    else writeFileSync(at, rest);
  }
}

function lines(branches: Branches, under = ""): string[] {
  return Object.entries(branches).flatMap(([name, value]) => {
    const at = under + name;
    if (typeof value !== "string") return [at, ...lines(value, at)];
    return [value.startsWith("=> ") ? `${at} ${value}` : `${at}: ${value}`];
  });
}
