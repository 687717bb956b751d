// hallpass completion bash|zsh|fish: a script for the shell. Made from one table of commands, words and flags.

import { exitCodes } from "../exit-codes.ts";
import { oneOf } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";

interface Known {
  readonly says: string;
  readonly words?: readonly string[];
  readonly flags?: readonly string[];
}

const place = ["--workspace", "--grant", "--mount", "--project", "--ceiling", "--policy", "--unattended"];

const hosts = ["claude-code", "codex", "gemini", "copilot", "cursor", "opencode"];

/** What can be completed, a command at a time. */
export const completions: Readonly<Record<string, Known>> = {
  chat: { says: "talk to an agent", flags: ["--workspace", "--model", "--ask", "--preset", "--resume"] },
  inbox: { says: "answer the asks of every agent", flags: ["--json"] },
  serve: { says: "start the daemon", flags: ["--port", "--host", "--model", "--data", "--database", "--no-open"] },
  service: { says: "the daemon whenever you are logged in", words: ["install", "uninstall", "status"], flags: ["--dry-run"] },
  stop: { says: "stop the daemon" },
  status: { says: "where the daemon is, and whether anybody waits", flags: ["--link", "--json"] },
  grants: { says: "what may be read besides", words: ["list", "revoke", "revoke-all"], flags: ["--all", "--session", "--json"] },
  sessions: { says: "every session of every agent", words: ["end"], flags: ["--all", "--json"] },
  audit: {
    says: "the record",
    words: ["tail", "query", "verify", "export"],
    flags: ["--lines", "--follow", "--session", "--kind", "--verdict", "--since", "--path", "--output", "--json"],
  },
  policy: { says: "the rules that hold", words: ["print", "lint", "schema", "try", "keep"], flags: ["--with", "--operation", "--json"] },
  explain: { says: "what an agent may do with a path, and why", flags: ["--operation", "--json", ...place] },
  check: { says: "the same as JSON", flags: ["--operation", "--stdin", "--json", ...place] },
  doctor: { says: "is everything in place", flags: ["--json", "--no-canary"] },
  completion: { says: "this", words: ["bash", "zsh", "fish"] },
  version: { says: "which version this is" },
  mcp: { says: "guarded tools for MCP clients", flags: ["--workspace", "--http", "--name", "--ask", "--wait", "--inbox", "--alone"] },
  acp: {
    says: "our agent in an editor, or a guard before another",
    flags: ["--model", "--ask", "--alone", "--confine", "--network", "--no-tools"],
  },
  hook: { says: "the guard before another agent's tools", words: [...hosts], flags: ["--canary", "--workspace", "--ask", "--unattended"] },
  install: { says: "our hook and tools in another agent", words: [...hosts, "zed"], flags: ["--project", "--user", "--dry-run", "--yes"] },
  uninstall: { says: "take them back", words: [...hosts, "zed"], flags: ["--project", "--user", "--dry-run", "--yes"] },
  sync: { says: "the policy in another agent's words", words: ["claude-code", "codex", "opencode"], flags: ["--dry-run", "--remove"] },
  run: { says: "any agent inside the sandbox", flags: ["--ask", "--no-ask", "--cwd", "--env", "--network", "--quiet", ...place] },
  store: { says: "everything as JSON lines, and back", words: ["export", "import", "stats"], flags: ["--data", "--json"] },
  backup: { says: "a copy of the store while it is in use", flags: ["--data"] },
  restore: { says: "put such a copy back", flags: ["--data"] },
  tool: { says: "guarded tools over JSON lines", flags: ["--stdin"] },
  tour: { says: "a short tour" },
};

export async function completion(words: readonly string[], host: Host): Promise<number> {
  const [shell, ...more] = words;
  if (shell === undefined || more.length > 0) throw new UsageError("completion takes one of bash, zsh, fish");
  host.output.write({ bash, zsh, fish }[oneOf("completion", shell, ["bash", "zsh", "fish"])]());
  return exitCodes.done;
}

const of = ({ words = [], flags = [] }: Known): string => [...words, ...flags, "--help"].join(" ");

function bash(): string {
  const cases = Object.entries(completions).map(([name, known]) => `    ${name}) words="${of(known)}" ;;`);
  return `_hallpass() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${Object.keys(completions).join(" ")} --help" -- "$current"))
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
  const cases = Object.entries(completions).map(([name, known]) => `    ${name}) compadd -- ${of(known)}; _files ;;`);
  return `#compdef hallpass
_hallpass() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(${Object.entries(completions)
      .map(([name, { says }]) => `'${name}:${says}'`)
      .join(" ")})
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
  const lines = Object.entries(completions).flatMap(([name, { says, words = [], flags = [] }]) => [
    `complete -c hallpass -n __fish_use_subcommand -a ${name} -d '${says}'`,
    ...words.map((word) => `complete -c hallpass -n '__fish_seen_subcommand_from ${name}' -a ${word}`),
    ...flags.map((flag) => `complete -c hallpass -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`),
  ]);
  return `${lines.join("\n")}\n`;
}
