// Programs a project is built, tested and looked after with. They run what the workspace holds, which no text tells; what is known of
// them is which of their words are free text, and which give them a program or a command line, which is not read.

export interface Program {
  /** Options whose value is free text: a message, the name of a test. */
  readonly texts?: string;
  /** Options and first words that give a program, a command line, or settings that run one. */
  readonly runs?: string;
  /** Options whose value is a file that is run; `-` is none. */
  readonly scripts?: string;
}

const TESTS = "-t --testNamePattern --test-name-pattern --grep -g --fgrep";
const node: Program = { texts: TESTS };
const packages: Program = {
  texts: `${TESTS} -m --message`,
  runs: "-c --call --script-shell --shell --node-options config c set explore edit set-script run-script-shell pkg dlx",
};
const compiler: Program = { texts: "-D", runs: "-wrapper -B -specs --specs -fplugin -Xclang -load" };
const plain: Program = {};

const plainNames =
  "tsc vite vitest jest ava tap playwright eslint prettier biome oxlint oxfmt stylelint turbo nx lerna next nuxt astro webpack rollup esbuild swc babel tsup parcel " +
  "svelte-check vue-tsc knip depcheck husky lint-staged changeset rustc rustfmt rustup gofmt goimports golangci-lint staticcheck govulncheck ruff black isort flake8 mypy pyright " +
  "pylint bandit pip-audit coverage tox nox pre-commit virtualenv cmake ninja meson ctest javac java xcodebuild swiftlint swiftformat " +
  "ar nm objdump otool size strip rspec rubocop composer phpunit phpstan pint dune opam zig shellcheck shfmt hadolint yamllint markdownlint actionlint " +
  "tflint protoc buf sqlc alembic prisma drizzle-kit typeorm knex uvicorn gunicorn flask mkdocs sphinx-build jupytext nbstripout cloc tokei scc " +
  "lsof ss netstat ping dig nslookup host";

const special: Readonly<Record<string, Program>> = {
  npm: packages,
  pnpm: packages,
  yarn: packages,
  bun: { ...packages, runs: `${packages.runs ?? ""} -e --eval -p --print exec repl -` },
  deno: { texts: "--filter", runs: "eval repl - jupyter" },
  mocha: node,
  cypress: { texts: "--spec", runs: "-c --config" },
  cargo: { texts: "--message-format --features -F", runs: "--config" },
  go: { texts: "-run -bench -f -tags -ldflags -skip", runs: "-exec -toolexec -vettool -gccgoflags -gcflags -modfile -overlay -w tool" },
  pytest: { texts: "-k -m --deselect", runs: "-p --override-ini -o" },
  pip: { runs: "config --global-option --install-option --config-settings -C" },
  pip3: { runs: "config --global-option --install-option --config-settings -C" },
  uv: { runs: "tool --config-setting -C --config-file" },
  poetry: { texts: "-m --message", runs: "config self" },
  pdm: { runs: "config self" },
  pipenv: plain,
  hatch: { runs: "config shell" },
  conda: { runs: "run config init" },
  make: { runs: "--eval -E", scripts: "-f --file --makefile -I --include-dir" },
  gmake: { runs: "--eval -E", scripts: "-f --file --makefile -I --include-dir" },
  just: { runs: "-c --command --shell --shell-arg", scripts: "-f --justfile" },
  bazel: { runs: "--run_under --config", texts: "--test_filter" },
  gradle: { texts: "--tests", runs: "-I --init-script" },
  mvn: { runs: "exec:exec exec:java -Dexec.executable" },
  bundle: { runs: "config" },
  gem: { runs: "--config-file" },
  rake: { runs: "-e -p -E --execute --execute-print --execute-continue", scripts: "-f --rakefile" },
  rails: { runs: "runner r console c dbconsole" },
  gcc: compiler,
  "g++": compiler,
  cc: compiler,
  "c++": compiler,
  clang: compiler,
  "clang++": compiler,
  ghc: { runs: "-e -pgmF -F" },
  gh: {
    texts: "-t --title -b --body --search -S -q --jq --template -R --repo --json -n --notes -l --label -c --comment -m --message",
    runs: "alias extension config codespace secret auth api ssh-key gpg-key",
  },
  kotlinc: { runs: "-e -expression -script" },
  dotnet: { texts: "--filter", runs: "script fsi exec" },
  swift: { texts: "--filter", runs: "-e -i repl" },
  mix: { runs: "-e --eval eval run" },
  nvm: { runs: "exec run" },
  fnm: { runs: "exec" },
  pyenv: { runs: "exec shell" },
  volta: { runs: "run" },
  terraform: { runs: "console", texts: "-target" },
};

/** Undefined: no program that is known here. */
export function programNamed(name: string): Program | undefined {
  if (Object.hasOwn(special, name)) return special[name];
  return plainNames.split(" ").includes(name) ? plain : undefined;
}

/** Any option of any program whose name says that its value is run. */
export const isRunningOption = (name: string): boolean =>
  /exec|command|cmd|shell|eval|pager|editor|wrapper|rsh|rsync-path|askpass|checkpoint|compress-program|use-program|preprocess|to-command|run-under/iu.test(
    name,
  );

/** Could a word be a command line, or hold something that a shell further in would expand? */
export const mayBeCommandLine = (text: string): boolean => /[\s;|&$`<>()\\]|^[{!]/u.test(text);
