// What is usual in a project: its manifests, its commands, and what a question about it is answered from.

import { pairs, text, type Values } from "./outcome.ts";
import { clip, code, joinWords } from "./words.ts";

/** The usual commands of each kind of project, which is known by a file of it; "" where there is none. */
const KINDS: readonly (readonly string[])[] = [
  ["", "test", "build", "lint", "install", "start", "dev", "format", "check"],
  [
    "pnpm-lock.yaml",
    "pnpm test",
    "pnpm run build",
    "pnpm run lint",
    "pnpm install",
    "pnpm start",
    "pnpm run dev",
    "pnpm run format",
    "pnpm run typecheck",
  ],
  ["yarn.lock", "yarn test", "yarn build", "yarn lint", "yarn install", "yarn start", "yarn dev", "yarn format", "yarn typecheck"],
  [
    "package.json",
    "npm test",
    "npm run build",
    "npm run lint",
    "npm install",
    "npm start",
    "npm run dev",
    "npm run format",
    "npm run typecheck",
  ],
  ["go.mod", "go test ./...", "go build ./...", "go vet ./...", "go mod download", "go run .", "go run .", "gofmt -w .", "go vet ./..."],
  ["Cargo.toml", "cargo test", "cargo build", "cargo clippy", "cargo fetch", "cargo run", "cargo run", "cargo fmt", "cargo check"],
  ["pyproject.toml", "pytest", "python -m build", "ruff check .", "pip install -e .", "", "", "ruff format .", "mypy ."],
  ["requirements.txt", "pytest", "python -m build", "ruff check .", "pip install -r requirements.txt", "", "", "ruff format .", "mypy ."],
  ["Makefile", "make test", "make", "make lint", "make install", "make run", "make dev", "make format", "make check"],
];

/** The command for a task in a directory with these entries; "" where none is usual. */
export function commandFor(task: string, entries: readonly string[]): string {
  const column = KINDS[0]?.indexOf(task) ?? -1;
  return KINDS.find(([file = ""]) => entries.includes(file))?.[column] ?? "";
}

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
const fromManifest = (fact: NonNullable<Lookup["fact"]>): Lookup => ({
  files: manifestIn,
  fact,
  nothing: "I found no file here that says so: no package.json, go.mod, Cargo.toml or the like.",
});

export const lookups: Readonly<Record<string, Lookup>> = {
  dependencies: fromManifest((manifest) => {
    const [normal = "", dev = ""] = ["dependencies", "devDependencies"].map((kind) =>
      joinWords(
        pairs(manifest, kind)
          .map((pair) => code(pair.join(" ")))
          .slice(0, 40),
      ),
    );
    return `It needs ${normal || "nothing"} to run.${dev === "" ? "" : ` For development: ${dev}.`}`;
  }),
  version: fromManifest((manifest, of) => {
    const packageName = of.toLowerCase();
    const all = ["dependencies", "devDependencies", "engines"].flatMap((kind) => pairs(manifest, kind));
    const [name, version] = all.find(([one]) => one.toLowerCase() === packageName) ?? [];
    const [own, itself] = [text(manifest, "version"), text(manifest, "name")];
    if (name !== undefined) return `It uses ${code(name)} ${version ?? ""}.`;
    if (of !== "" && packageName !== itself.toLowerCase()) return `Its manifest does not name ${code(of)}.`;
    return own === "" ? null : `${code(itself || "It")} is version ${own}.`;
  }),
  scripts: fromManifest((manifest) => {
    const lines = pairs(manifest, "scripts").map(([name, value]) => `- ${code(name)}: ${code(clip(value, 100))}`);
    return lines.length === 0 ? null : `Its scripts, each run with \`npm run NAME\`:\n\n${lines.slice(0, 40).join("\n")}`;
  }),
  license: {
    files: (entries) => entries.filter((name) => /^(?:licen[cs]e|copying)(?:\.\w+)?$/i.test(name)).slice(0, 1),
    nothing: "There is no license file here.",
  },
  changelog: {
    files: (entries) => entries.filter((name) => /^(?:change(?:log|s)|history|news|releases)(?:\.\w+)?$/i.test(name)).slice(0, 1),
    nothing: "There is no changelog here.",
  },
  overview: {
    files: (entries) => [...entries.filter((name) => /^readme(?:\.\w+)?$/i.test(name)).slice(0, 1), ...manifestIn(entries)],
    nothing: "There is no README here, and nothing else that says what it is about.",
  },
};
