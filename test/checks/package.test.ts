// What a program finds that installs the package: every declared file is in it, its types compile, one other package comes with it, and
// nothing runs when it is installed.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const tsc = join(root, "node_modules/typescript/bin/tsc");

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;

const run = (words: readonly string[], cwd: string): string => {
  try {
    return execFileSync(process.execPath, [...words], { cwd, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout);
  }
};

test("a program in TypeScript compiles against what the package declares, without an assertion", () => {
  const place = mkdtempSync(join(tmpdir(), "hallpass-consumer-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const installed = join(place, "node_modules/hallpass");
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, "package.json"), readFileSync(join(root, "package.json")));
  // What `npm run build` runs, with its output here: `dist` belongs to the tests that run the program.
  expect(manifest.scripts["prepack"]).toBe("npm run build");
  expect(manifest.scripts["build"]).toContain("tsc -p tsconfig.build.json");
  expect(run([tsc, "-p", "tsconfig.build.json", "--outDir", join(installed, "dist/types")], root)).toBe("");
  // Its dependencies, as a package manager would put them beside it.
  symlinkSync(join(root, "node_modules"), join(installed, "node_modules"));
  symlinkSync(join(root, "node_modules/@types"), join(place, "node_modules/@types"));

  writeFileSync(join(place, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(place, "consumer.ts"),
    [
      'import { createGuard, openSession, parsePolicy, type PolicyDocument } from "hallpass";',
      'import { tools } from "hallpass/tools";',
      'import { routes } from "hallpass/wire";',
      "const policy: PolicyDocument = {",
      '  permission: { external_directory: { read: { "~/reference/**": "allow", "*": { verdict: "ask", why: "mine" } }, write: "deny" } },',
      "};",
      'const parsed = parsePolicy(policy, { author: "operator", home: "/home/me" });',
      'const opened = openSession({ workspace: "/srv/app", home: "/home/me" });',
      "export const facts: readonly boolean[] = [parsed.ok, opened.ok, createGuard() !== null, Object.keys(tools).length > 0];",
      "export const path: string = routes.listAsks.path;",
      "// @ts-expect-error `alow` is no verdict",
      'export const wrong: PolicyDocument = { read: "alow" };',
    ].join("\n"),
  );
  writeFileSync(
    join(place, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: { strict: true, noEmit: true, module: "nodenext", target: "es2023", skipLibCheck: true, types: ["node"] },
      files: ["consumer.ts"],
    }),
  );
  expect(run([tsc, "-p", place], place)).toBe("");
});

test("every door says where its types are, below what is packed", () => {
  const declared = Object.values(manifest.exports).flatMap((door) => (typeof door === "string" ? [] : [door.types]));
  expect(declared.length).toBeGreaterThan(5);
  for (const file of declared) {
    expect(file).toMatch(/^\.\/dist\/types\/.+\/index\.d\.ts$/u);
    const source = file.replace("./dist/types/", "src/").replace(/\.d\.ts$/u, ".ts");
    expect(readFileSync(join(root, "tsconfig.build.json"), "utf8")).toContain(`"${source}"`);
  }
  expect(manifest.files).toContain("dist");
});

test("no source maps, pictures, tests or sources are published", () => {
  const said = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root, encoding: "utf8", stdio: "pipe" });
  const [packed] = JSON.parse(said) as [{ readonly files: readonly { readonly path: string }[] }];
  const files = packed.files.map(({ path }) => path);
  expect(files).toContain("dist/cli.js");
  expect(files).toContain("bin/hallpass.cjs");
  // The icons of the pages as an app on a phone are small, and wanted.
  expect(
    files.filter(
      (file) => !/^dist\/web\/icon-\d+\.png$/.test(file) && /\.map$|\.test\.|^(src|test|web|scripts|bench)\/|\.png$/u.test(file),
    ),
  ).toEqual([]);
});

test("one package comes with it, and nothing runs when it is installed", () => {
  expect(Object.keys(manifest.dependencies)).toEqual(["libsql"]);
  const running = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];
  expect(running.filter((name) => name in manifest.scripts)).toEqual([]);
});
