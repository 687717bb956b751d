// Programs a project is built, tested and looked after with, and the interpreters of languages. They run what the workspace holds, which no
// text tells; what is known of them is which of their words are free text, and which words make them do something elsewhere.

import { trimEndOf } from "../file-pattern.ts";

export interface Program {
  /** Options whose value is free text: a message, the name of a test. */
  readonly texts?: string;
  /** First words that run the words after them, or set up something outside the workspace. */
  readonly runs?: string;
  /** The option whose value is a Python module that is run. */
  readonly modules?: string;
  /** Options whose value may stand right behind them (`-Idir`) and is a path. */
  readonly joined?: string;
  /** Options whose value is a directory in which it looks names up, right behind them or after them. */
  readonly searched?: string;
  /** Two kinds of options whose values, one put before the other, are such a directory. */
  readonly prefixed?: { readonly prefix: string; readonly rest: string };
  /** Options whose value is a name that it looks up there; with `words` every word may be one. */
  readonly lookedUp?: { readonly options: string; readonly words?: true; readonly endings?: string };
  /** Words, in any place, that bring in more words, a program from elsewhere or files under names that are not told. */
  readonly refused?: RegExp;
  /** First words, two of them, after which other files are there. */
  readonly fetches?: RegExp;
  /** Without a word that is no option it takes its program from its input. */
  readonly bare?: true;
  /** It finds a file without its ending, or in a directory of that name. */
  readonly isNode?: true;
}

const packages: Program = {
  texts: "-m --message",
  runs: "config c set explore edit set-script run-script-shell pkg dlx exec x node env setup plugin",
};
/** A list of further words in a file. */
const LISTS = /^@/u;
const compiler: Program = {
  texts: "-D",
  searched:
    "-I -iquote -isystem -idirafter -cxx-isystem -isysroot --sysroot -F -iframework -L --include-directory --include-directory-after --library-directory",
  prefixed: {
    prefix: "-iprefix --include-prefix -isysroot --sysroot",
    rest: "-iwithprefix -iwithprefixbefore --include-with-prefix --include-with-prefix-before --include-with-prefix-after -I -isystem -idirafter",
  },
  lookedUp: { options: "-include -imacros --include --imacros -include-pch -T -l --library" },
  joined: "-include -imacros -include-pch -iquote -isystem -idirafter -iprefix -iwithprefix -isysroot -I -L -F -T -MF -MD -o -u --sysroot",
  refused: /^@|^-W[pla],(?:.*,)?@/u,
};
const FROM_NETWORK = /^https?:/u;
const PLAIN =
  "vite ava tap eslint prettier biome oxlint oxfmt stylelint turbo next nuxt astro webpack rollup swc babel tsup parcel " +
  "svelte-check vue-tsc knip depcheck husky lint-staged changeset rustfmt rustup gofmt goimports golangci-lint staticcheck govulncheck ruff black isort flake8 mypy pyright " +
  "pylint bandit pip-audit tox nox virtualenv xcodebuild swiftlint swiftformat " +
  "rubocop phpunit phpstan pint shellcheck shfmt hadolint yamllint markdownlint actionlint " +
  "tflint buf sqlc prisma drizzle-kit typeorm knex uvicorn gunicorn mkdocs sphinx-build nbstripout tokei scc " +
  "lsof ss netstat pipenv ping dig nslookup host nx lerna fnm make gmake scons ctest ninja meson mvn gradle just cypress jupytext cloc flask cmake pyenv";

/** By their names, several in a row. */
const rows: Readonly<Record<string, Program>> = {
  [PLAIN]: {},
  "npm pnpm yarn": packages,
  "node nodejs tsx ts-node": { bare: true, isNode: true },
  "python pypy": { modules: "-m", bare: true },
  "ruby perl": { bare: true, searched: "-I", lookedUp: { options: "-r -M --require", endings: ".rb" } },
  "php lua Rscript": { bare: true },
  "tsc nm objdump otool size strip java javac rustc ghc": { refused: LISTS },
  "vitest jest": { texts: "-t --testNamePattern" },
  "gcc g++ cc c++ clang clang++": compiler,
  bun: { ...packages, runs: `${packages.runs ?? ""} repl`, refused: FROM_NETWORK },
  deno: { texts: "--filter", runs: "repl jupyter", refused: FROM_NETWORK, bare: true },
  esbuild: { bare: true },
  playwright: { texts: "-g --grep --grep-invert" },
  mocha: { texts: "-g --grep -f --fgrep" },
  cargo: { texts: "--message-format --features -F", runs: "watch" },
  go: { texts: "-run -bench -f -tags -ldflags -skip", runs: "tool" },
  pytest: { texts: "-k -m --deselect" },
  coverage: { modules: "-m" },
  alembic: { texts: "-m --message" },
  "pip pip3 opam": { runs: "config" },
  "pre-commit": { runs: "try-repo init-templatedir" },
  uv: { runs: "tool" },
  "poetry pdm": { texts: "-m --message", runs: "config self" },
  hatch: { runs: "config" },
  "conda mamba": { runs: "run config init" },
  bazel: { texts: "--test_filter" },
  bundle: { runs: "config open plugin" },
  rake: { searched: "-I --libdir", lookedUp: { options: "-r --require", endings: ".rb" } },
  rspec: { texts: "-e --example", searched: "-I", lookedUp: { options: "-r --require", endings: ".rb" } },
  rails: { runs: "runner r c dbconsole db" },
  composer: { runs: "config global" },
  dune: { runs: "utop ocaml" },
  zig: compiler,
  // Taken out, members are called as the archive says; a thin one stands for files elsewhere.
  ar: { refused: /^@|^-?[a-z]*[xpM][a-zA-Z]*$|^--output/u },
  protoc: { refused: LISTS, searched: "-I --proto_path", lookedUp: { options: "", words: true } },
  gh: {
    texts: "-t --title -b --body --search -S -q --jq --template -R --repo --json -n --notes -l --label -c --comment -m --message",
    runs: "alias extension config codespace secret auth api ssh-key gpg-key",
    fetches: /^(?:pr (?:checkout|co)|repo (?:clone|sync)|gist clone|run download|release download)$/u,
  },
  "kotlinc swift": { texts: "--filter", bare: true, refused: LISTS },
  dotnet: { texts: "--filter", runs: "script fsi", refused: LISTS },
  "mix nvm volta": { runs: "run" },
  terraform: { texts: "-target" },
};

const programs: ReadonlyMap<string, Program> = new Map(
  Object.entries(rows).flatMap(([names, program]) => names.split(" ").map((name) => [name, program] as const)),
);

/** Undefined: no program that is known here. A name may end in a version: `python3.12`, `gcc-13`. */
export const programNamed = (name: string): Program | undefined => programs.get(name) ?? programs.get(trimEndOf(name, "0123456789.-"));

/** First words that run the words after them, of any program. */
export const RUNNING_WORDS: ReadonlySet<string> = new Set("exec shell console repl eval devenv".split(" "));

/** Could a word be a command line, or hold something that a shell further in would expand? */
export const mayBeCommandLine = (text: string): boolean => /[\s;|&$`<>()\\]|^[{!]/u.test(text);
