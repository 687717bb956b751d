// Programs a project is built, tested and looked after with. They run what the workspace holds, which no text tells; what is known of
// them is which of their words are free text, and which give them a program or a command line, which is not read.

export interface Program {
  /** Options whose value is free text: a message, the name of a test. */
  readonly texts?: string;
  /** The same of a runner of tests, behind `--` or the name of a script. */
  readonly testTexts?: string;
  /** Options and first words that give a program, a command line, or settings that run one. */
  readonly runs?: string;
  /** Options whose value is a file that is run; `-` is none. */
  readonly scripts?: string;
  /** Options whose value is a Python module that is run. */
  readonly modules?: string;
  /** Options whose value may stand right behind them (`-Idir`) and is a path. */
  readonly joined?: string;
  /** Options whose value is a directory in which it looks names up, right behind them or after them. */
  readonly searched?: string;
  /** Two kinds of options whose values, one put before the other, are such a directory. */
  readonly prefixed?: { readonly prefix: string; readonly rest: string };
  /** Options whose value is a name that it looks up there; with `words` every word may be one. */
  readonly lookedUp?: { readonly options: string; readonly words?: true; readonly endings?: string };
  /** Words, in any place, that give it options, a program or files which are not read. */
  readonly refused?: RegExp;
  /** First words, two of them, after which other files are there. */
  readonly fetches?: RegExp;
  /** Without a word that is no option it takes its program from its input. */
  readonly bare?: true;
}

const TESTS = "-t --testNamePattern --test-name-pattern --grep -g --fgrep";
const packages: Program = {
  texts: "-m --message",
  testTexts: TESTS,
  runs:
    "-c --call --script-shell --shell --node-options --git --viewer --browser --init-module --onload-script --userconfig --globalconfig " +
    "config c set explore edit set-script run-script-shell pkg dlx exec x node env setup plugin",
};
/** A list of further options in a file. */
const LISTS = /^@/u;
const compiler: Program = {
  texts: "-D",
  runs: "-wrapper -B -specs --specs -fplugin -Xclang -load --config",
  searched:
    "-I -iquote -isystem -idirafter -cxx-isystem -isysroot --sysroot -F -iframework -L --include-directory --include-directory-after --library-directory",
  prefixed: {
    prefix: "-iprefix --include-prefix -isysroot --sysroot",
    rest: "-iwithprefix -iwithprefixbefore --include-with-prefix --include-with-prefix-before --include-with-prefix-after -I -isystem -idirafter",
  },
  lookedUp: { options: "-include -imacros --include --imacros -include-pch -T -l --library" },
  joined: "-include -imacros -include-pch -iquote -isystem -idirafter -iprefix -iwithprefix -isysroot -I -L -F -T -MF -MD -o -u --sysroot",
  refused: /^@|^-Wl,(?:.*,)?-+plugin|^-W[pla],(?:.*,)?@|-fuse-ld=|-fpass-plugin/u,
};
const PLAIN =
  "vite ava tap eslint prettier biome oxlint oxfmt stylelint turbo next nuxt astro webpack rollup swc babel tsup parcel " +
  "svelte-check vue-tsc knip depcheck husky lint-staged changeset rustfmt rustup gofmt goimports golangci-lint staticcheck govulncheck ruff black isort flake8 mypy pyright " +
  "pylint bandit pip-audit tox nox virtualenv xcodebuild swiftlint swiftformat " +
  "rubocop phpunit phpstan pint shellcheck shfmt hadolint yamllint markdownlint actionlint " +
  "tflint buf sqlc prisma drizzle-kit typeorm knex uvicorn gunicorn mkdocs sphinx-build nbstripout tokei scc " +
  "lsof ss netstat pipenv ping dig nslookup host";

/** By their names, several in a row. */
const rows: Readonly<Record<string, Program>> = {
  [PLAIN]: {},
  "npm pnpm yarn": packages,
  "tsc nm objdump otool size strip": { refused: LISTS },
  "vitest jest": { texts: "-t --testNamePattern" },
  "nx lerna fnm": { runs: "exec" },
  "pip pip3": { runs: "config --global-option --install-option --config-settings -C" },
  "make gmake": { runs: "--eval -E", scripts: "-f --file --makefile -I --include-dir", refused: /^[\w.]+!=/u },
  "gcc g++ cc c++ clang clang++": compiler,
  bun: { ...packages, runs: `${packages.runs ?? ""} -e --eval -p --print repl -`, refused: /^(?:data|blob|https?):/u },
  deno: { texts: "--filter", runs: "eval repl - jupyter", refused: /^(?:data|blob|https?):/u, bare: true },
  esbuild: { bare: true },
  playwright: { texts: "-g --grep --grep-invert" },
  mocha: { texts: "-g --grep -f --fgrep" },
  cypress: { runs: "-c --config open" },
  cargo: { texts: "--message-format --features -F", runs: "--config -Z watch", refused: /linker|link-arg/u },
  rustc: { refused: /^@|linker|link-arg/u },
  go: {
    texts: "-run -bench -f -tags -ldflags -skip",
    runs: "-exec -toolexec -vettool -gccgoflags -gcflags -modfile -overlay -w tool",
    // An outer linker is a program.
    refused: /(?:^|[\s=])-{1,2}(?:ext|linkmode|plugin)/u,
  },
  pytest: { texts: "-k -m --deselect", runs: "-p --override-ini -o --pdbcls --pastebin" },
  coverage: { modules: "-m" },
  flask: { runs: "shell" },
  alembic: { texts: "-m --message" },
  jupytext: { runs: "--pipe --check --execute" },
  cloc: { runs: "--vcs --extract-with --list-file --diff-list-file --config" },
  "pre-commit": { runs: "try-repo init-templatedir" },
  uv: { runs: "tool --config-setting -C --config-file" },
  poetry: { texts: "-m --message", runs: "config self" },
  pdm: { runs: "config self" },
  hatch: { runs: "config shell" },
  conda: { runs: "run config init" },
  cmake: { runs: "-E --open --debugger", scripts: "-P" },
  ctest: { runs: "-S -SP --script --script-new-process --build-and-test" },
  ninja: { scripts: "-f" },
  meson: { runs: "devenv" },
  just: { runs: "-c --command --shell --shell-arg --choose --chooser --edit -e", scripts: "-f --justfile" },
  bazel: { runs: "--run_under --config", texts: "--test_filter" },
  gradle: { texts: "--tests", runs: "-I --init-script" },
  mvn: { runs: "-Dexec.executable", refused: /(?:^|:)exec(?:-maven-plugin)?:/u },
  java: { refused: /^@|^-XX:(?:On|Flags|VMOptions)|^-(?:javaagent|agentpath|agentlib)/u },
  javac: { refused: /^@|^-J/u },
  bundle: { runs: "config console open plugin" },
  gem: { runs: "--config-file exec" },
  rake: {
    runs: "-e -p -E --execute --execute-print --execute-continue",
    scripts: "-f --rakefile",
    searched: "-I --libdir",
    lookedUp: { options: "-r --require", endings: ".rb" },
  },
  rspec: {
    texts: "-e --example",
    runs: "-O --options",
    scripts: "-r --require",
    searched: "-I",
    lookedUp: { options: "-r --require", endings: ".rb" },
  },
  rails: { runs: "runner r console c dbconsole db" },
  composer: { runs: "exec config global" },
  dune: { runs: "exec utop ocaml" },
  opam: { runs: "exec config" },
  zig: { ...compiler, runs: "ar ld.lld lib dlltool objcopy ranlib" },
  // Taken out, members are called as the archive says; a thin one stands for files elsewhere.
  ar: { refused: /^@|^-?[a-z]*[xpM][a-zA-Z]*$|^--output/u },
  protoc: { runs: "--plugin", refused: LISTS, searched: "-I --proto_path", lookedUp: { options: "", words: true } },
  ghc: { runs: "-e -pgmF -F", refused: LISTS },
  gh: {
    texts: "-t --title -b --body --search -S -q --jq --template -R --repo --json -n --notes -l --label -c --comment -m --message",
    runs: "alias extension config codespace secret auth api ssh-key gpg-key",
    fetches: /^(?:pr (?:checkout|co)|repo (?:clone|sync)|gist clone|run download|release download)$/u,
  },
  kotlinc: { runs: "-e -expression -script", bare: true, refused: LISTS },
  dotnet: { texts: "--filter", runs: "script fsi exec", refused: LISTS },
  swift: { texts: "--filter", runs: "-e -i repl", bare: true, refused: LISTS },
  mix: { runs: "-e --eval eval run" },
  nvm: { runs: "exec run" },
  pyenv: { runs: "exec shell" },
  volta: { runs: "run" },
  terraform: { runs: "console", texts: "-target" },
};

const programs: ReadonlyMap<string, Program> = new Map(
  Object.entries(rows).flatMap(([names, program]) => names.split(" ").map((name) => [name, program] as const)),
);

/** Undefined: no program that is known here. */
export const programNamed = (name: string): Program | undefined => programs.get(name);

/** First words that run the words after them, of any program. */
export const RUNNING_WORDS: ReadonlySet<string> = new Set("exec shell console repl eval devenv".split(" "));

/** Any option of any program whose name says that its value is run. */
export const isRunningOption = (name: string): boolean =>
  /exec|command|cmd|shell|eval|pager|editor|wrapper|rsh|rsync-path|askpass|checkpoint|compress-program|use-program|preprocess|to-command|run-under/iu.test(
    name,
  );

/** Could a word be a command line, or hold something that a shell further in would expand? */
export const mayBeCommandLine = (text: string): boolean => /[\s;|&$`<>()\\]|^[{!]/u.test(text);
