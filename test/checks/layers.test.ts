// Who may import whom. The table is the architecture; a failure says which line of it was crossed.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const src = resolve(import.meta.dirname, "../../src");

interface Row {
  readonly folders: readonly string[];
  readonly packages: readonly string[];
}

/** The table in ARCHITECTURE.md: what each folder may import, folders of ours and packages. */
const table: Readonly<Record<string, Row>> = Object.fromEntries(
  [...readFileSync(resolve(src, "../ARCHITECTURE.md"), "utf8").matchAll(/^\| `([\w/-]+)` \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm)].map(
    ([, folder = "", folders = "", packages = ""]) => [folder, { folders: wordsIn(folders), packages: wordsIn(packages) }],
  ),
);

function wordsIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}

/** Names that give authority, and the only files that may import them. */
const guarded: Readonly<Record<string, readonly string[]>> = {
  mintPass: ["core/guard/judge.ts"],
  spendPass: ["core/guard/open.ts"],
  heldBy: ["core/fs/at.ts", "core/fs/read.ts", "core/fs/walk.ts"],
  takeOver: ["tools/search/search-worker.ts"],
  descriptorOf: ["sandbox/bubblewrap.ts", "sandbox/disk.ts"],
};

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => file.replaceAll("\\", "/"));

for (const file of files) {
  test(`${file} imports what its folder may`, () => {
    const folder = dirname(file);
    const row = table[folder];
    expect(row, `${folder} has no row in the import table`).toBeDefined();
    const text = readFileSync(join(src, file), "utf8");
    const crossed = importsOf(text)
      .map(({ from, names }) => fault(file, folder, row ?? { folders: [], packages: [] }, from, names))
      .filter((one) => one !== null);
    expect(crossed).toEqual([]);
  });
}

test("every folder has a row, and nothing stands in a row that its folder does not import", () => {
  expect(Object.keys(table).toSorted()).toEqual([...new Set(files.map(dirname))].toSorted());
  for (const [folder, { folders, packages }] of Object.entries(table)) {
    const imported = files
      .filter((file) => dirname(file) === folder)
      .flatMap((file) => importsOf(readFileSync(join(src, file), "utf8")))
      .map(({ from }) => (from.startsWith(".") ? targetOf(folder, from) : from));
    expect(
      [...folders, ...packages].filter((word) => !imported.includes(word)),
      folder,
    ).toEqual([]);
  }
});

test("nothing but core/fs in core touches the disk, and core takes no package", () => {
  const disk = files.filter(
    (file) =>
      file.startsWith("core/") &&
      !file.startsWith("core/fs/") &&
      importsOf(readFileSync(join(src, file), "utf8")).some(({ from }) => !from.startsWith(".")),
  );
  expect(disk).toEqual([]);
});

test("no file is called after nothing in particular", () => {
  expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|types|constants|misc)\.ts$/.test(file))).toEqual([]);
});

function fault(file: string, folder: string, row: Row, from: string, names: string): string | null {
  for (const [name, owners] of Object.entries(guarded)) {
    if (new RegExp(`\\b${name}\\b`).test(names) && !owners.includes(file)) return `${name} is for ${owners.join(", ")} alone`;
  }
  if (!from.startsWith(".")) return row.packages.includes(from) ? null : `${folder} may not import ${from}`;
  const target = targetOf(folder, from);
  return target === folder || row.folders.includes(target) ? null : `${folder} may not import ${target} (${from})`;
}

const targetOf = (folder: string, from: string): string => dirname(relative(src, resolve(src, folder, from)).replaceAll("\\", "/"));

function importsOf(text: string): readonly { readonly names: string; readonly from: string }[] {
  const found: { names: string; from: string }[] = [];
  for (const match of text.matchAll(/^(?:import|export)\s+(?:type\s+)?([^;"']*?)\s*from\s*["']([^"']+)["']/gm))
    found.push({ names: match[1] ?? "", from: match[2] ?? "" });
  for (const match of text.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g)) found.push({ names: "", from: match[1] ?? "" });
  for (const match of text.matchAll(/^import\s+["']([^"']+)["']/gm)) found.push({ names: "", from: match[1] ?? "" });
  return found;
}
