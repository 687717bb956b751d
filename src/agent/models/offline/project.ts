// What is usual in a project: its manifests, its commands, and what a question about it is answered from.

import { pairs, text, type Values, valuesOf } from "./outcome.ts";
import { clip, code, joinWords } from "./words.ts";

/** The usual commands of each kind of project, known by a file: tests, build, linter, installation. */
export const TASKS: readonly (readonly [file: string, test: string, build: string, lint: string, install: string])[] = [
  ["pnpm-lock.yaml", "pnpm test", "pnpm run build", "pnpm run lint", "pnpm install"],
  ["yarn.lock", "yarn test", "yarn build", "yarn lint", "yarn install"],
  ["package.json", "npm test", "npm run build", "npm run lint", "npm install"],
  ["go.mod", "go test ./...", "go build ./...", "go vet ./...", "go mod download"],
  ["Cargo.toml", "cargo test", "cargo build", "cargo clippy", "cargo fetch"],
  ["pyproject.toml", "pytest", "python -m build", "ruff check .", "pip install -e ."],
  ["requirements.txt", "pytest", "python -m build", "ruff check .", "pip install -r requirements.txt"],
  ["Makefile", "make test", "make", "make lint", "make install"],
];

/** A question that is answered from files: a directory is listed, some of its files are read, and perhaps one fact of them is told. */
interface Lookup {
  readonly files: (entries: readonly string[]) => readonly string[];
  /** The answer from a manifest; null where the file itself is the answer. */
  readonly fact?: (manifest: Values, of: string) => string | null;
  /** What is said where no such file is there. */
  readonly nothing: string;
}

const MANIFESTS = ["package.json", "go.mod", "Cargo.toml", "pyproject.toml", "requirements.txt", "composer.json", "Gemfile", "pom.xml"];
const manifestIn = (entries: readonly string[]): readonly string[] => MANIFESTS.filter((name) => entries.includes(name)).slice(0, 1);
const named =
  (pattern: RegExp) =>
  (entries: readonly string[]): readonly string[] =>
    entries.filter((name) => pattern.test(name)).slice(0, 1);
const fromManifest = (fact: Lookup["fact"]): Lookup => ({
  files: manifestIn,
  ...(fact === undefined ? {} : { fact }),
  nothing: "I found no file here that says so: no package.json, go.mod, Cargo.toml or the like.",
});

export const lookups: Readonly<Record<string, Lookup>> = {
  dependencies: fromManifest((manifest) => {
    const [normal = "", dev = ""] = ["dependencies", "devDependencies"].map((kind) => {
      const names = pairs(manifest, kind).map((pair) => code(pair.join(" ")));
      return joinWords(names.slice(0, 40));
    });
    return `It needs ${normal || "nothing"} to run.${dev === "" ? "" : ` For development: ${dev}.`}`;
  }),
  version: fromManifest((manifest, of) => {
    const all = ["dependencies", "devDependencies", "engines"].flatMap((kind) => pairs(manifest, kind));
    const [name, version] = all.find(([one]) => one.toLowerCase() === of.toLowerCase()) ?? [];
    const own = text(manifest, "version");
    if (name !== undefined) return `It uses ${code(name)} ${version ?? ""}.`;
    return own === "" ? null : `${code(text(manifest, "name") || "It")} is version ${own}.`;
  }),
  scripts: fromManifest((manifest) => {
    const lines = pairs(manifest, "scripts").map(([name, value]) => `- ${code(name)}: ${code(clip(value, 100))}`);
    return lines.length === 0 ? null : `Its scripts, each run with \`npm run NAME\`:\n\n${lines.slice(0, 40).join("\n")}`;
  }),
  license: { files: named(/^(?:licen[cs]e|copying)(?:\.\w+)?$/i), nothing: "There is no license file here." },
  overview: {
    files: (entries) => [...named(/^readme(?:\.\w+)?$/i)(entries), ...manifestIn(entries)],
    nothing: "There is no README here, and nothing else that says what it is about.",
  },
  "read all": {
    files: (entries) => entries.filter((name) => !name.endsWith("/")).slice(0, 8),
    nothing: "There are no files in it that I may read.",
  },
};

/** The fact a manifest's text gives; null where it gives none. */
export function factIn({ fact }: Lookup, content: string, of: string): string | null {
  const manifest = valuesOf(content);
  return manifest === null || fact === undefined ? null : fact(manifest, of);
}
