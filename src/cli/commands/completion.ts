// hallpass completion bash|zsh|fish: a script for the shell, of the table of commands.

import { type CommandRow, commandTable } from "../command-table.ts";
import { quoteForShell } from "../../adapters/hook/shell-quote.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Call, oneOf } from "../flags.ts";
import type { Host } from "../host.ts";

export async function completion({ words: [shell = ""] }: Call<"completion">, host: Host): Promise<number> {
  host.output.write({ bash, zsh, fish }[oneOf("completion", shell, ["bash", "zsh", "fish"])]());
  return exitCodes.done;
}

const rows = Object.entries<CommandRow>(commandTable);

/** Its allowed first arguments. */
const wordsOf = ({ choices, forms = {} }: CommandRow): readonly string[] =>
  choices ?? Object.keys(forms).map((form) => form.split(" ")[0] ?? form);
const flagsOf = ({ flags = {} }: CommandRow): readonly string[] =>
  Object.entries(flags).flatMap(([name, { help }]) => (help === undefined ? [] : [`--${name}`]));
const wordsAfter = (row: CommandRow): string => [...wordsOf(row), ...flagsOf(row), "--help"].join(" ");

function bash(): string {
  const cases = rows.map(([name, row]) => `    ${name}) words="${wordsAfter(row)}" ;;`);
  return `_hallpass() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${Object.keys(commandTable).join(" ")} --help" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _hallpass hallpass
`;
}

function zsh(): string {
  const cases = rows.map(([name, row]) => `    ${name}) compadd -- ${wordsAfter(row)}; _files ;;`);
  return `#compdef hallpass
_hallpass() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(${rows.map(([name, { summary }]) => quoteForShell(`${name}:${summary}`)).join(" ")})
    _describe command commands
    return
  fi
  case "$words[2]" in
${cases.join("\n")}
  esac
}
compdef _hallpass hallpass
`;
}

function fish(): string {
  const lines = rows.flatMap(([name, row]) => [
    `complete -c hallpass -n __fish_use_subcommand -a ${name} -d ${quoteForShell(row.summary)}`,
    ...wordsOf(row).map((word) => `complete -c hallpass -n '__fish_seen_subcommand_from ${name}' -a ${word}`),
    ...flagsOf(row).map((flag) => `complete -c hallpass -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`),
  ]);
  return `${lines.join("\n")}\n`;
}
