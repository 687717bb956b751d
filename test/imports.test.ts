// Importing the boundary is light: nothing from node_modules, no part of Node but the file system.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { repository } from "./line-process.ts";

const built = (file: string): string => pathToFileURL(join(repository, "dist", file)).href;
const asModule = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;

// Tells every module that is loaded, one address a line, on the error output.
const teller = asModule(`
  import { writeSync } from "node:fs";
  export async function load(url, context, next) {
    writeSync(2, url + "\\n");
    return next(url, context);
  }
`);
const withTeller = asModule(`import { register } from "node:module"; register(${JSON.stringify(teller)});`);

interface Loaded {
  /** Modules beside Node's own, by address. */
  readonly files: readonly string[];
  /** Modules of Node's that are imported by name. */
  readonly node: readonly string[];
  /** Modules of Node's that it had not loaded for itself before. */
  readonly fresh: readonly string[];
}

/** What a fresh process loads when it imports one built file. */
function loadedBy(file: string): Loaded {
  // Node loads more of itself when its file system is first imported; that is not ours to count.
  const script = `await import("node:fs"); const before = new Set(process.moduleLoadList); await import(${JSON.stringify(built(file))}); console.log(JSON.stringify(process.moduleLoadList.filter((one) => !before.has(one))));`;
  const told = spawnSync(process.execPath, ["--import", withTeller, "--input-type=module", "-e", script], { encoding: "utf8", cwd: "/" });
  const plain = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", cwd: "/" });
  if (told.status !== 0 || plain.status !== 0) throw new Error(told.stderr + plain.stderr);
  const urls = told.stderr.split("\n").filter((line) => /^[a-z]+:/.test(line) && !line.startsWith("data:"));
  return {
    files: urls.filter((url) => url.startsWith("file:")),
    node: [...new Set(urls.filter((url) => url.startsWith("node:")))].toSorted(),
    fresh: JSON.parse(plain.stdout) as readonly string[],
  };
}

test("importing hallpass loads our own files, `node:fs`, and nothing else", () => {
  const { files, node, fresh } = loadedBy("index.js");
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !file.startsWith(built("")))).toEqual([]);
  expect(node).toEqual(["node:fs"]);
  expect(fresh.filter((one) => !/^(NativeModule internal\/|Internal Binding )/.test(one))).toEqual([]);
});

test("none of these files brings a package along: what the bundle holds comes from src/core and src/library", async () => {
  const { build } = await import("esbuild");
  const { metafile } = await build({
    absWorkingDir: repository,
    entryPoints: ["src/library/index.ts"],
    // What `open` loads when it is called.
    external: ["../config/*"],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
  });
  expect(Object.keys(metafile.inputs).filter((file) => !/^src\/(core|library)\//.test(file))).toEqual([]);
  const outside = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external, kind }) => external === true && kind === "import-statement").map(({ path }) => path),
  );
  expect([...new Set(outside)]).toEqual(["node:fs"]);
});

test("starting the program loads nothing but our own files", () => {
  const { files } = loadedBy("cli.js");
  expect(files.filter((file) => !file.startsWith(built("")))).toEqual([]);
});
