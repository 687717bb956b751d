// The table of commands: arguments, flags, their meaning, examples. Parsing, `--help` and completion use it. The code of a command is in its
// file under commands/ and is loaded only when the command is run, so that quick commands stay quick.

import { hostNames, installHosts, syncHosts } from "../adapters/hook/host-table.ts";
import { auditKinds } from "../core/audit.ts";
import type { Host } from "./host.ts";

export interface FlagRow {
  readonly type: "string" | "boolean";
  readonly short?: string | undefined;
  readonly multiple?: boolean;
  /** What its value is called. */
  readonly value?: string;
  /** Its value is optional: the next argument, if it matches. */
  readonly optional?: RegExp;
  /** Missing where it is for other programs alone. */
  readonly help?: string;
}

/** The parts of the help, in its order. What a newcomer needs comes first, with a line for each command. */
export const commandGroups = {
  begin: "start here",
  access: "what agents may do",
  agents: "guarding agents",
  chats: "chats and models",
  signIn: "browsers and phones",
  daemon: "the daemon",
  programs: "for programs",
  other: "other",
} as const;
type CommandGroup = keyof typeof commandGroups;

export interface CommandRow {
  readonly group: CommandGroup;
  /** The arguments after its name. */
  readonly usage: string;
  readonly summary: string;
  /** Its first words where it has several, with what follows them, and what each does. */
  readonly forms?: Readonly<Record<string, string>>;
  /** The allowed first arguments, where only a few are. */
  readonly choices?: readonly string[];
  readonly flags?: Readonly<Record<string, FlagRow>>;
  /** How many plain words it takes, at least and at most; none where it is missing. */
  readonly takes?: readonly [number, number];
  /** What follows `--` is another program's. */
  readonly passes?: true;
  /** It reads its words itself. */
  readonly raw?: true;
  /** What else is to know. */
  readonly notes?: string;
  readonly examples?: readonly string[];
  readonly exits?: string;
  readonly load: () => CommandLoad;
}

/** A command to run, of any type of flags. */
export type AnyCommand = { run(call: AnyCall, host: Host): Promise<number> }["run"];
type CommandLoad = Promise<AnyCommand>;
interface AnyCall {
  readonly values: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
  readonly rest: readonly string[] | null;
}

const flag = (help: string, short?: string) => ({ type: "boolean", help, short }) as const;
const value = (name: string, help: string, short?: string) => ({ type: "string", value: name, help, short }) as const;
const values = (name: string, help: string) => ({ type: "string", multiple: true, value: name, help: `${help}; may be repeated` }) as const;
const optional = (name: string, fits: RegExp, help: string) => ({ type: "string", value: `[${name}]`, optional: fits, help }) as const;

const ANY = Infinity;
const json = flag("for programs");
const data = value("DIR", "another data directory");
const alone = flag("without the daemon");

/** Where something is judged or run: the workspace, the other roots, the policy. */
const place = {
  workspace: value("DIR", "where the agent works (default: here)", "w"),
  grant: values("DIR", "a directory granted for reading"),
  mount: values("DIR:MODE", "a directory to mount: read_only, extend or sandboxed"),
  project: values("DIR", "a registered project"),
  ceiling: values("DIR", "nothing is granted at or above it"),
  policy: value("FILE", "the operator's policy, instead of the one in the configuration directory"),
  unattended: flag("nobody is there to ask"),
} as const;

const judgingFlags = {
  operation: value("OP", "read (default), list, search, create, replace, remove", "o"),
  ...place,
  json: flag("the decision as one JSON object, for programs; check always gives it"),
  stdin: flag("check alone: JSON lines in, JSON lines out"),
} as const;

/** Of install, uninstall and sync. */
const installFlags = {
  project: flag("for the project in this directory (default)"),
  user: flag("for all of your projects"),
  "dry-run": flag("show what would change, and change nothing"),
  yes: flag("do not ask before writing", "y"),
} as const;

const sharedFlag = flag("in the project's files that a team shares, without paths of this machine");

export const commandTable = {
  serve: {
    group: "begin",
    usage: "[flags]",
    summary: "start the daemon and its pages; so does hallpass alone",
    flags: {
      port: value("N", "the port (default 7777, or the next that is free)"),
      host: value("ADDRESS", "an address other than 127.0.0.1; needs TLS, or --insecure-bind"),
      "tls-cert": value("FILE", "the TLS certificate"),
      "tls-key": value("FILE", "the key of the certificate"),
      "insecure-bind": flag("another address without TLS: anyone in between can read it"),
      name: values("HOST", "another host name that clients may use, for a proxy in front"),
      model: value("NAME", "provider/model, or offline, which needs no key (default)"),
      asking: value("HOW", "by-model or by-guard, for sessions that do not say"),
      "ask-life": value("MINUTES", "how long an ask can be answered (default: no limit)"),
      "asks-per-minute": value("N", "how many asks one session may open in a minute"),
      push: value("CONTACT", "push notices to browsers that ask for them; CONTACT (mailto:… or https://…) is sent to the push services"),
      notify: flag("a notice on this machine's desktop for each ask that opens (notify-send, or osascript on macOS)"),
      data,
      database: value("URL", "PostgreSQL, for several instances (default: SQLite in the data directory)"),
      machine: value("NAME", "the name of this instance among several"),
      keep: value("90d|500MB", "with --archive: how much of the record stays in the store, by age or size"),
      archive: value("DIR", "where older records are moved, once an hour"),
      link: flag("print the address with the token even when the output is piped"),
      "no-open": flag("do not open the browser"),
    },
    notes: "One inbox, one set of grants and one record for every agent on this machine. It runs until Ctrl-C or hallpass stop.",
    examples: [
      "hallpass serve",
      "hallpass serve --model anthropic/claude-sonnet-5-5 --no-open",
      "HALLPASS_DATABASE_URL=postgres://… hallpass serve --machine web-1",
    ],
    load: async (): CommandLoad => (await import("./commands/serve.ts")).serve,
  },
  install: {
    group: "begin",
    usage: "[HOST] [flags]",
    summary: "guard the agents found here, or one of them",
    choices: installHosts,
    takes: [0, 1],
    flags: { ...installFlags, shared: sharedFlag },
    notes: `Adds our hook and our tools to the agent's own configuration.
Shows every change, asks once, keeps a backup beside each file, writes, and then tries each hook: armed, or not armed. Comments and order are
kept. If a file is malformed, you are told where, and nothing is changed. What we add contains paths of this machine. So git is told to ignore a
new file of a project (.git/info/exclude), and an agent whose file git already tracks is set up in your own settings instead. With --shared it
goes into the project's files without such paths, for everyone who has hallpass in their PATH; for anyone else, the hook denies every call.`,
    examples: ["hallpass install", "hallpass install claude-code", "hallpass install --shared", "hallpass install codex --user --dry-run"],
    load: async (): CommandLoad => (await import("./commands/install.ts")).install,
  },
  chat: {
    group: "begin",
    usage: "[flags] [words]",
    summary: "talk to an agent; it asks before it reads elsewhere",
    takes: [0, ANY],
    flags: {
      workspace: value("DIR", "where the agent works (default: here)", "w"),
      model: value("NAME", "provider/model, or offline, which needs no key (default: the daemon's, else offline)", "m"),
      ask: value("HOW", "by-guard: a read waits and then goes on (default); by-model: the agent must ask, with a reason"),
      preset: value("strict", "each yes is for one read, never for a session; what git ignores is denied"),
      resume: optional(
        "CHAT",
        /^[0-9a-f][0-9a-f-]{7,}$/iu,
        "continue the newest chat of this workspace, or one by its id (needs the daemon)",
      ),
    },
    notes: `Uses the daemon if one is running. Otherwise the chat runs in this process, and its grants end with it. Without a terminal, the words or
standard input are sent as one message and the answer is printed. Nobody can be asked then, so what would need an ask is denied.

keys      Enter sends · Alt-Enter, Ctrl-J or \\ Enter: new line · ↑ earlier messages · Ctrl-C stops, twice quits
a card    ↑/↓, j/k or a digit · Enter chooses · Esc denies · n adds a note; for the first half second only Esc works
commands  /help lists them`,
    examples: ["hallpass chat", "hallpass chat --model anthropic/claude-sonnet-5-5 -w ~/code/app", 'echo "list src" | hallpass chat'],
    exits: "exit codes: 0 done, 1 the agent failed, 2 usage error, 10 an ask waits for somebody else",
    load: async (): CommandLoad => (await import("./commands/chat.ts")).chat,
  },
  chats: {
    group: "chats",
    usage: "[list | search TEXT | export ID | rename ID TITLE | archive ID | restore ID | delete ID]",
    summary: "find, export, rename, archive and delete chats",
    forms: {
      list: "chats whose session has not ended, newest first",
      "search TEXT": "find chats by part of a title or message; titles first",
      "export ID": "print a chat as Markdown, with asks, answers and grants; with --json all of it, also what was rewound",
      "rename ID TITLE": "give a chat another title",
      "archive ID": "take a chat out of the lists; nothing in it stops",
      "restore ID": "put a chat back into the lists",
      "delete ID": "delete a chat's messages for good; grants and the audit record stay",
    },
    takes: [0, ANY],
    flags: {
      archived: flag("list: archived chats"),
      output: value("FILE", "export: write there instead of standard output; an existing file is not overwritten", "o"),
      yes: flag("delete: do not ask", "y"),
      json: flag("list, search and export: for programs"),
    },
    notes: "The first characters of an id are enough.",
    examples: ['hallpass chats search "release notes"', "hallpass chats export 3f2a -o notes.md", "hallpass chats delete 3f2a"],
    exits: "exit codes: 0 done, 1 nothing was deleted, 2 usage error",
    load: async (): CommandLoad => (await import("./commands/chats.ts")).chats,
  },
  models: {
    group: "chats",
    usage: "[list | add PROVIDER | test PROVIDER | remove PROVIDER | use MODEL]",
    summary: "set up providers and keys, and choose the model of new chats",
    forms: {
      list: "what is set up, and which model servers run on this machine",
      "add PROVIDER": "enter a key (at a prompt, or on standard input), test it and save it",
      "test PROVIDER": "send one cheap request with the saved key",
      "remove PROVIDER": "remove the saved key and address",
      "use MODEL": "choose the model of new chats: provider/model, or offline",
    },
    takes: [0, 2],
    flags: { url: value("ADDRESS", "another address, for add and test (needed for openai-compatible)"), json },
    notes: `Keys go into the system's keyring where there is one, else into a file that no agent can read. A key in the environment (ANTHROPIC_API_KEY …)
takes precedence over a saved one. Model servers on this machine are looked for only when you run this command or open the page Models.`,
    examples: [
      "hallpass models",
      "hallpass models add anthropic",
      "hallpass models use anthropic/claude-sonnet-5-5",
      "hallpass models add openai-compatible --url http://127.0.0.1:9000/v1",
    ],
    load: async (): CommandLoad => (await import("./commands/models.ts")).models,
  },
  inbox: {
    group: "begin",
    usage: "[--json]",
    summary: "answer the asks of every agent on this machine",
    flags: { json: flag("print the open asks as JSON and exit") },
    notes:
      "Rings and notifies (OSC 9 and 777) when an ask comes. Tab shows the next one. Quitting answers nothing. Needs the daemon: hallpass serve.",
    examples: ["hallpass inbox", "hallpass inbox --json | jq -r '.[].requested[]'"],
    exits: "exit codes: 0 done, 1 no daemon is running, 2 usage error",
    load: async (): CommandLoad => (await import("./commands/inbox.ts")).inbox,
  },
  grants: {
    group: "access",
    usage: "[list | revoke ID… | revoke-all]",
    summary: "list and revoke what agents may read besides their workspaces",
    forms: { list: "every grant and every rule that keeps one", "revoke ID…": "end these grants", "revoke-all": "end all grants" },
    takes: [0, ANY],
    flags: {
      all: flag("also grants that have ended", "a"),
      session: value("ID", "of one session; the first characters of its id are enough", "s"),
      json,
    },
    notes: `Lists every grant of every agent, and every policy rule that keeps one for a workspace, with its file and line, and how many times tools read
under it. Commands in the sandbox can read what is granted too; their reads are not counted. After a revoke the next read is refused; if something
else still allows it, you are told what.`,
    examples: ["hallpass grants", "hallpass grants revoke 3f2a91c0", "hallpass grants revoke-all"],
    load: async (): CommandLoad => (await import("./commands/grants.ts")).grants,
  },
  sessions: {
    group: "access",
    usage: "[end ID] [--all] [--json]",
    summary: "list the sessions of all agents, with where they work, or end one",
    forms: { "end ID": "end one: this stops its commands, closes its asks and ends its grants; the first characters of the id are enough" },
    takes: [0, 2],
    flags: { all: flag("also sessions that have ended", "a"), json },
    examples: ["hallpass sessions end 3f2a", "hallpass sessions --json | jq -r '.[].workspace'"],
    load: async (): CommandLoad => (await import("./commands/sessions.ts")).sessions,
  },
  browsers: {
    group: "signIn",
    usage: "[sign-out ID…] [--json]",
    summary: "list the browsers that are signed in, and sign one out",
    forms: { "sign-out ID…": "sign them out, at once and for good; the first characters of the id are enough" },
    takes: [0, ANY],
    flags: { json },
    notes: "Each browser has its own credential. Needs the daemon: hallpass serve.",
    examples: ["hallpass browsers", "hallpass browsers sign-out 3f2a"],
    load: async (): CommandLoad => (await import("./commands/browsers.ts")).browsers,
  },
  pair: {
    group: "signIn",
    usage: "[--json]",
    summary: "print a code that signs one browser in, and a QR code for a phone",
    flags: { json },
    notes:
      "The code works once, within five minutes. A phone needs an address that it can reach: hallpass serve --host, --name, --tls-cert, --tls-key.",
    examples: ["hallpass pair"],
    exits: "exit codes: 0 done, 1 no daemon is running, 2 usage error",
    load: async (): CommandLoad => (await import("./commands/pair.ts")).pair,
  },
  audit: {
    group: "access",
    usage: "[tail | query | verify [FILE] | export]",
    summary: "show and verify the record of decisions, answers, grants and what ended them",
    forms: {
      tail: "the newest records",
      query: "the records that match, newest last",
      "verify [FILE]": "check the chain of hashes of the record, or of an exported file",
      export: "the whole record, one JSON object a line",
    },
    takes: [0, 2],
    flags: {
      lines: value("N", "how many (default 20)", "n"),
      follow: flag("tail: keep printing what is added", "f"),
      session: value("ID", "of one session", "s"),
      kind: value("KIND", `one of ${auditKinds.join(", ")}`, "k"),
      verdict: value("WORD", "allow, ask, deny", "v"),
      since: value("TIME", "30min, 2h, 3d, or a date"),
      path: value("TEXT", "records whose path contains this", "p"),
      checkpoint: flag("verify: start where the record was last found whole"),
      output: value("FILE", "export: write there instead of standard output", "o"),
      json: flag("print one JSON object a line"),
    },
    examples: [
      "hallpass audit tail -f",
      "hallpass audit query --verdict deny --since 1d",
      "hallpass audit export -o record.jsonl && hallpass audit verify record.jsonl",
    ],
    exits: "exit codes: 0 done, 1 the chain is broken, 2 usage error",
    load: async (): CommandLoad => (await import("./commands/audit.ts")).audit,
  },
  doctor: {
    group: "begin",
    usage: "[--json] [--no-canary]",
    summary: "check everything the boundary depends on",
    flags: { json, "no-canary": flag("do not try the installed hooks; report only what is configured") },
    notes: `Checks Node, data directory and lock, daemon, database, bubblewrap, ripgrep, /proc, policy files and who wrote them, and the hooks installed in
agents: each hook is tried once with a call it must stop and once with one it must not.`,
    exits: "exit codes: 0 no problems, 1 something is wrong (✗), 2 usage error",
    load: async (): CommandLoad => (await import("./commands/doctor.ts")).doctor,
  },
  completion: {
    group: "other",
    usage: "SHELL",
    summary: "print a script that completes commands and flags, for bash, zsh or fish",
    choices: ["bash", "zsh", "fish"],
    takes: [1, 1],
    notes: `  bash    source <(hallpass completion bash)
  zsh     hallpass completion zsh > ~/.zfunc/_hallpass
  fish    hallpass completion fish > ~/.config/fish/completions/hallpass.fish`,
    load: async (): CommandLoad => (await import("./commands/completion.ts")).completion,
  },
  explain: {
    group: "access",
    usage: "<path>",
    summary: "explain what an agent may do with a path, and why",
    flags: judgingFlags,
    takes: [0, 1],
    examples: ["hallpass explain ../other/go.mod"],
    load: async (): CommandLoad => (await import("./commands/explain.ts")).explain,
  },
  check: {
    group: "programs",
    usage: "<path> | --stdin",
    summary: "the same as explain, as one JSON object or as JSON lines; exit 0 allow, 10 ask, 20 deny",
    flags: judgingFlags,
    takes: [0, 1],
    examples: [
      "hallpass check .env; echo $?",
      `echo '{"workspace":"/srv/app","operation":"read","path":"/etc/passwd"}' | hallpass check --stdin`,
    ],
    exits: "exit codes: 0 allow, 10 ask, 20 deny, 1 something is wrong, 2 usage error",
    load: async (): CommandLoad => (await import("./commands/check.ts")).check,
  },
  tool: {
    group: "programs",
    usage: "--stdin",
    summary: "run the guarded tools over JSON lines",
    flags: { stdin: flag("read the calls from standard input, one a line") },
    load: async (): CommandLoad => (await import("./commands/tool.ts")).tool,
  },
  policy: {
    group: "access",
    usage: "print | lint | schema | try | keep",
    summary: "print, check and try the rules in force",
    forms: {
      "lint [FILE]": "find likely mistakes in a policy; exit 0 none, 1 something to look at, 2 malformed",
      "print [FILE]": "print the policy in force, as JSON",
      schema: "print the JSON Schema of a policy",
      "try <path>": "show what would happen with a path; exit 0 allow, 10 ask, 20 deny",
      "keep GRANT": "keep a grant for good, as a rule in your own policy file",
    },
    takes: [1, 2],
    flags: {
      json,
      with: value("FILE", "try: compare with another policy"),
      operation: { ...judgingFlags.operation, help: `try: ${judgingFlags.operation.help}` },
      ...place,
    },
    examples: ["hallpass policy try ../other/go.mod --with new-policy.json", "hallpass policy keep 3f2a91c0"],
    load: async (): CommandLoad => (await import("./commands/policy.ts")).policy,
  },
  mcp: {
    group: "agents",
    usage: "[flags]",
    summary: "serve the guarded tools to an MCP client, on standard streams or a port",
    flags: {
      workspace: value("DIR", "where the agent works (default: what the client says, else here)", "w"),
      http: optional("PORT", /^\d+$/u, "listen on a port of this machine instead, with a token"),
      name: value("NAME", "the same name gets the same session again, with its grants (needs the daemon)"),
      ask: value("HOW", "by-model: a refused read says how to ask (default); by-guard: the read itself waits"),
      wait: value("SECONDS", "how long a call waits for a person"),
      inbox: flag("take no answers from the client's dialogs"),
      start: flag("start the daemon if none is running"),
      alone,
    },
    examples: ["hallpass mcp -w ~/code/app", "hallpass mcp --http 7778"],
    load: async (): CommandLoad => (await import("./commands/mcp.ts")).mcp,
  },
  acp: {
    group: "agents",
    usage: "[flags] [-- COMMAND]",
    summary: "run our agent in an ACP editor, or guard another agent there",
    passes: true,
    flags: {
      model: value("NAME", "a model for this process (default: the daemon's, else offline)", "m"),
      ask: value("HOW", "by-guard (default) or by-model"),
      alone,
      confine: flag("with -- COMMAND: run the agent itself in the sandbox"),
      network: value("HOW", "with -- COMMAND: none (default) or host, for the commands it runs"),
      "no-tools": flag("with -- COMMAND: do not offer our tools to it"),
    },
    examples: ["hallpass acp", "hallpass acp -- gemini --experimental-acp"],
    load: async (): CommandLoad => (await import("./commands/acp.ts")).acp,
  },
  hook: {
    group: "programs",
    usage: "HOST [flags] | --canary HOST",
    summary: "judge another agent's tool call: its JSON in, its own answer format out",
    choices: hostNames,
    raw: true,
    flags: {
      canary: flag("say whether the hook of this host is armed"),
      workspace: value("DIR", "the workspace (default: what the host says, else here)"),
      policy: value("FILE", "the operator's policy, as an absolute path"),
      let: values("TOOL", "a tool that touches no files, by name or by the start of a name and *"),
      ask: flag("open an ask in the daemon's inbox for what may be granted, and wait a while for the answer"),
      unattended: flag("nobody is there to ask"),
      deadline: value("MS", "how long it may take (default 5000)"),
    },
    // The program's start goes to the hook's own bundle; this is for those who start it otherwise.
    load: async (): CommandLoad => {
      const { hookMain } = await import("./hook-main.ts");
      return async ({ words }) => (await hookMain(words), 0);
    },
  },
  shell: {
    group: "programs",
    usage: "[--configured] -- COMMAND",
    summary: "run a host's command in the sandbox, in its hook's session; the host's shell starts it",
    passes: true,
    flags: { configured: { type: "boolean", help: "exit with 0 if it is a line of the host's own settings, and run nothing" } },
    notes:
      "`hallpass install` leads a host's shell here where it can. It reports the command to the daemon, so that the session is verified.",
    load: async (): CommandLoad => (await import("./commands/shell.ts")).shell,
  },
  uninstall: {
    group: "agents",
    usage: "[HOST] [flags]",
    summary: "undo install, for all agents or one: every file is restored byte for byte",
    choices: installHosts,
    takes: [0, 1],
    flags: { ...installFlags, shared: sharedFlag },
    notes: "If a file was changed since, only our part is taken out, and you are told.",
    examples: ["hallpass uninstall claude-code"],
    load: async (): CommandLoad => (await import("./commands/install.ts")).uninstall,
  },
  sync: {
    group: "agents",
    usage: "HOST [flags]",
    summary: "write what the policy denies as the host's own rules, for what no hook sees",
    choices: syncHosts,
    takes: [1, 1],
    flags: { ...installFlags, remove: flag("remove what was generated") },
    notes: "Only the text between our marks is replaced. It never opens anything; what the host's rules cannot express is listed.",
    examples: ["hallpass sync codex --user", "hallpass sync claude-code --remove"],
    load: async (): CommandLoad => (await import("./commands/sync.ts")).sync,
  },
  run: {
    group: "agents",
    usage: "[flags] -- COMMAND",
    summary: "run any program in the sandbox: of your files it sees the workspace, mounts and grants",
    takes: [0, ANY],
    passes: true,
    flags: {
      ...place,
      cwd: value("DIR", "the directory it starts in, one that it may change"),
      env: values("NAME", "an environment variable to pass on"),
      network: value("HOW", "host (default) or none"),
      "no-ask": flag("ask nobody. Otherwise, with a daemon and /dev/fuse, it waits for your answer when it reaches for another repository"),
      ask: flag("start nothing where asking does not work"),
      "no-own": flag("leave out the settings and login of an agent that Hallpass knows"),
      quiet: flag("do not print first what it can reach", "q"),
      // The directory and the command in one word, as `hallpass acp` hands them to an editor.
      given: { type: "string" },
    },
    notes: `The network is open unless you say --network none. While it is open, the program also reaches the services of this machine.
Abstract sockets (those without a file) are blocked where the kernel can do that (Linux 6.12, with perl). Elsewhere, if X11 or D-Bus listens
on one, the program may type into your windows or start programs outside; a warning says so.`,
    examples: ["hallpass run -- claude", "hallpass run --mount ~/.aider:extend --env OPENAI_API_KEY -- aider"],
    exits: "exit code: the command's own; 1 where it was stopped or could not be confined, 2 usage error",
    load: async (): CommandLoad => (await import("./commands/run.ts")).run,
  },
  status: {
    group: "daemon",
    usage: "[--link] [--json]",
    summary: "show where the daemon is, and how many asks are open",
    flags: { link: flag("print the address with the token, to open its pages"), json, data },
    load: async (): CommandLoad => (await import("./commands/status.ts")).status,
  },
  service: {
    group: "daemon",
    usage: "install | uninstall | status [--dry-run] [-- FLAGS OF SERVE]",
    summary: "run the daemon whenever you are logged in, with systemd or launchd",
    forms: {
      install: "run the daemon whenever you are logged in (systemd, launchd)",
      uninstall: "stop doing that",
      status: "show whether it is installed and running",
    },
    takes: [1, 1],
    passes: true,
    flags: { "dry-run": flag("show the file that would be written for systemd or launchd, and change nothing") },
    examples: ["hallpass service install", "hallpass service install -- --model anthropic/claude-sonnet-5-5"],
    load: async (): CommandLoad => (await import("./commands/service.ts")).service,
  },
  stop: {
    group: "daemon",
    usage: "",
    summary: "stop the daemon; waiting chats keep waiting",
    flags: { data },
    load: async (): CommandLoad => (await import("./commands/stop.ts")).stop,
  },
  store: {
    group: "daemon",
    usage: "export [FILE] | import FILE | stats | archive DIR | vacuum",
    summary: "export, import, measure and archive the store",
    forms: {
      "export [FILE]": "write everything in the store as JSON lines",
      "import FILE": "read an export into an empty store",
      stats: "how many rows and bytes each table has, and how old its oldest row is",
      "archive DIR": "write the oldest part of the record to a file that verifies by itself, and delete it here",
      vacuum: "give the space of deleted rows back to the disk; stop the daemon first",
    },
    takes: [1, 2],
    flags: {
      data: { ...data, help: "another data directory; HALLPASS_DATABASE_URL names PostgreSQL" },
      json: flag("stats as JSON"),
      "older-than": { type: "string", value: "AGE", help: "archive what is older: 90d, 12h" },
      "larger-than": { type: "string", value: "SIZE", help: "archive until the record is no larger: 500MB, 2GB" },
    },
    examples: [
      "hallpass store export everything.jsonl",
      "hallpass store stats",
      "hallpass store archive ~/archive --older-than 90d",
      "HALLPASS_DATABASE_URL=postgres://… hallpass store import everything.jsonl",
    ],
    load: async (): CommandLoad => (await import("./commands/store.ts")).store,
  },
  backup: {
    group: "daemon",
    usage: "DIR|FILE",
    summary: "copy the whole store, even while it is in use",
    takes: [1, 1],
    flags: { data },
    load: async (): CommandLoad => (await import("./commands/backup.ts")).backup,
  },
  restore: {
    group: "daemon",
    usage: "FILE",
    summary: "restore a backup; the previous store is kept beside it",
    takes: [1, 1],
    flags: { data },
    load: async (): CommandLoad => (await import("./commands/backup.ts")).restore,
  },
  version: {
    group: "other",
    usage: "",
    summary: "print the version; also --version and -v",
    load: async (): CommandLoad => (await import("./commands/version.ts")).version,
  },
  tour: {
    group: "other",
    usage: "",
    summary: "take a short tour of the boundary in a temporary directory",
    load: async (): CommandLoad => (await import("./commands/tour.ts")).tour,
  },
} as const satisfies Readonly<Record<string, CommandRow>>;

export type CommandName = keyof typeof commandTable;

export const isCommandName = (word: string): word is CommandName => Object.hasOwn(commandTable, word);
