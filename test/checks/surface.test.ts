// The public surface: every exported name of each entry point with its signature, pinned, and a doc comment on each. Changing surface.txt is a
// reviewed act: `UPDATE_SURFACE=1 npx vitest run --project check test/checks/surface.test.ts`.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
};
/** The declarations of each entry point, below `dist/types`. */
const entryPoints = Object.entries(manifest.exports).flatMap(([name, files]) =>
  typeof files === "string" ? [] : [[name.replace(/^\./, "hallpass"), files.types.slice("./dist/types/".length)] as const],
);
const pinned = join(root, "test/checks/surface.txt");

/** A declaration, or where it is re-exported from. */
type Declaration = { readonly documented: boolean; readonly text: readonly string[] } | { readonly from: string };

let types = "";
beforeAll(() => {
  types = mkdtempSync(join(tmpdir(), "hallpass-surface-"));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", types], { cwd: root });
}, 600_000);
afterAll(() => rmSync(types, { recursive: true, force: true }));

test("the entry points export exactly what surface.txt says", () => {
  const now = entryPoints
    .map(
      ([name, file]) =>
        `${name}\n${[...declarationsIn(join(types, file)).keys()]
          .toSorted()
          .map((one) => signature(file, one))
          .join("\n")}\n`,
    )
    .join("\n");
  if (process.env["UPDATE_SURFACE"] === "1") writeFileSync(pinned, now);
  expect(now, "the public surface changed; if that is meant, update test/checks/surface.txt").toBe(readFileSync(pinned, "utf8"));
});

test.each(entryPoints)("every name of %s has a doc comment", (_, file) => {
  const bare = [...declarationsIn(join(types, file)).keys()].filter((name) => !declarationOf(join(types, file), name).documented);
  expect(bare).toEqual([]);
});

test.each(entryPoints)("%s lists its names one by one", (_, file) => {
  expect(readFileSync(join(types, file), "utf8")).not.toMatch(/export\s*\*/);
});

function signature(file: string, name: string): string {
  const text = declarationOf(join(types, file), name).text.join("\n");
  // Schemas are pinned by openapi.json.
  const shown = text.startsWith("export declare const") && text.includes("z.Zod") ? `${text.slice(0, text.indexOf(name))}${name}: …` : text;
  return shown.trimEnd().replaceAll(/^/gm, "  ");
}

function declarationOf(file: string, name: string): Extract<Declaration, { readonly text: readonly string[] }> {
  const found = declarationsIn(file).get(name);
  if (found === undefined) throw new Error(`${file} does not declare ${name}`);
  return "from" in found ? declarationOf(found.from, name) : found;
}

/** What a declaration file exports. The compiler writes each declaration from the first column on, after its doc comment. */
function declarationsIn(file: string): ReadonlyMap<string, Declaration> {
  const found = new Map<string, Declaration>();
  let documented = false;
  let text: string[] | null = null;
  // Only the comment directly above a declaration begins in the first column.
  const lines = readFileSync(file, "utf8")
    .replaceAll(/^( +)\/\*\*[\s\S]*?\*\/\s+/gm, "$1")
    .split("\n");
  for (const line of lines) {
    const names = /^export (?:type )?\{([^}]*)\} from "(.*)"/.exec(line);
    const declared = /^export (?:declare )?(?:abstract )?(?:interface|type|function|const|class) (\w+)/.exec(line)?.[1];
    if (names !== null) {
      const from = resolve(dirname(file), (names[2] ?? "").replace(/\.[jt]s$/, ".d.ts"));
      for (const name of (names[1] ?? "").match(/\w+(?=\s*(?:,|$))/g) ?? []) found.set(name, { from });
      text = null;
    } else if (declared !== undefined) {
      const overloads = found.get(declared);
      text = overloads !== undefined && "text" in overloads ? [...overloads.text, line] : [line];
      found.set(declared, { documented, text });
    } else if (/^[^\s\])}]/.test(line) && !line.startsWith("/**")) text = null;
    else if (!line.startsWith("/**") && !line.startsWith(" *")) text?.push(line);
    documented = line.startsWith("/**") || (documented && line.startsWith(" *"));
  }
  return found;
}
