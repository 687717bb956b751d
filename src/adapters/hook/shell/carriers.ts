// Commands that run the rest of their words as a command: which options they may have before it.

import { type OptionTable, parseOptions } from "./options.ts";
import { ASSIGNMENT } from "./variables.ts";
import type { Word } from "./words.ts";

const carriers: Readonly<Record<string, OptionTable>> = {
  command: "-p",
  builtin: "",
  exec: "",
  nohup: "",
  nice: "-# -n# --adjustment#",
  ionice: "-t -c# -n#",
  time: "-p",
  stdbuf: "-i: -o: -e: --input: --output: --error:",
  setsid: "-cfw --wait --fork",
  env: "-i0v --ignore-environment --null --debug",
  timeout: "-v -s: -k: --signal: --kill-after: --preserve-status --foreground --verbose",
  caffeinate: "-disu -t#",
  npx: "-yq --yes --no --no-install --quiet -p< --package<",
  bunx: "",
  pnpx: "",
  uvx: "",
  "npm exec": "-yq --yes --no -p< --package<",
  "npm x": "-yq --yes --no -p< --package<",
  "pnpm exec": "-r --recursive",
  "pnpm dlx": "",
  "yarn exec": "",
  "yarn dlx": "-q --quiet -p< --package<",
  "bun x": "",
  "bundle exec": "",
  "uv run":
    "-q --quiet --frozen --locked --no-sync --all-extras --dev --extra: --group: --python< -p< --with< --with-editable< --no-project --active --offline --isolated",
  "poetry run": "-q --quiet",
  "pdm run": "-q",
  "pipenv run": "",
  "hatch run": "",
  "rustup run": "--install",
  "cross-env": "",
};

/** Options that may stand before the word that makes it one: `pnpm -r exec`. */
const before: Readonly<Record<string, OptionTable>> = {
  npm: "-sw --silent --workspaces -w: --workspace: --include-workspace-root",
  pnpm: "-rws --recursive --silent --workspace-root --filter: -F:",
  yarn: "-s --silent",
  uv: "-q --quiet --offline",
  poetry: "-q --quiet -n --no-interaction",
};
/** Those that fetch what is not there: a name with a slash is somebody's repository, unless it is a package that is installed. */
const fetches = /^(?:npx|bunx|pnpx|uvx|npm (?:exec|x)|pnpm dlx|yarn dlx|bun x)$/u;

export interface Carried {
  /** The command that is run; empty where there is none. */
  readonly words: readonly Word[];
  /** `NAME=value` words before it. */
  readonly assigned: readonly Word[];
  /** Options that are not understood: what they do to the rest is not known. */
  readonly unknown: readonly Word[];
  /** Paths that its options name. */
  readonly read: readonly Word[];
  /** May the program be one that is fetched, by a name that says nothing? */
  readonly fetches: boolean;
  /** Is it only looked for, not run (`command -v`)? */
  readonly looksUp: boolean;
}

/** Null where the words are no such command. `name` is without its directory. */
export function carriedBy(name: string, all: readonly Word[]): Carried | null {
  const rest = Object.hasOwn(before, name) ? withoutOptions(before[name] ?? "", all) : all;
  const second = rest[0]?.literal === true ? `${name} ${rest[0].text}` : "";
  const two = Object.hasOwn(carriers, second);
  const table = two ? carriers[second] : Object.hasOwn(carriers, name) ? carriers[name] : undefined;
  if (table === undefined) return null;
  const looksUp = name === "command" && /^-[vV]$/u.test(rest[0]?.text ?? "");
  if (looksUp) return { words: rest.slice(1), assigned: [], unknown: [], read: [], fetches: false, looksUp };
  const parsed = parseOptions(table, two ? rest.slice(1) : rest, true);
  let words = parsed.words;
  if (name === "env" && words[0]?.text === "-") words = words.slice(1);
  const first = words.findIndex(({ text }) => !ASSIGNMENT.test(text));
  const takesAssignments = name === "env" || name === "cross-env";
  const assigned = takesAssignments ? words.slice(0, first === -1 ? words.length : first) : [];
  words = words.slice(assigned.length);
  if (name === "timeout" || second === "rustup run") words = words.slice(1);
  // `npx eslint@9`: the version is none of the name.
  const [program, ...more] = words;
  if (program !== undefined && /^[\w.-]+@[\w.^~-]+$/u.test(program.text))
    words = [{ ...program, text: program.text.slice(0, program.text.indexOf("@")) }, ...more];
  const read = parsed.values.flatMap(({ role, word }) => (role === "read" ? [word] : []));
  return { words, assigned, unknown: parsed.unknown, read, fetches: fetches.test(two ? second : name), looksUp };
}

/** The words from the first that is no option on; all of them where an option is not known. */
function withoutOptions(table: OptionTable, words: readonly Word[]): readonly Word[] {
  const parsed = parseOptions(table, words, true);
  return parsed.unknown.length > 0 ? words : parsed.words;
}
