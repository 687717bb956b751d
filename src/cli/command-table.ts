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
  begin: "to begin with",
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
  mount: values("DIR:MODE", "a mounted directory: read_only, extend, sandboxed"),
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
      "tls-cert": value("FILE", "its certificate"),
      "tls-key": value("FILE", "the key of it"),
      "insecure-bind": flag("another address without TLS: anyone in between can read it"),
      name: values("HOST", "a further name clients may use for it, for a proxy in front"),
      model: value("NAME", "provider/model, or offline, which needs no key (default)"),
      asking: value("HOW", "by-model or by-guard, for sessions that do not say"),
      "ask-life": value("MINUTES", "how long an ask can be answered (default: for ever)"),
      "asks-per-minute": value("N", "of one session"),
      push: value(
        "CONTACT",
        "push notices to browsers that ask for them; CONTACT (mailto:… or https://…) is told to their makers' services",
      ),
      notify: flag("a notice on this machine's desktop for each ask that opens (notify-send, or osascript on macOS)"),
      data,
      database: value("URL", "PostgreSQL, for several instances (default: SQLite in the data directory)"),
      machine: value("NAME", "what this one is called among several"),
      keep: value("90d|500MB", "with --archive: how much of the record stays in the store, by age or size"),
      archive: value("DIR", "where the rest of it goes, once an hour"),
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
    summary: "guard the agents that are found here, or one of them",
    choices: installHosts,
    takes: [0, 1],
    flags: { ...installFlags, shared: sharedFlag },
    notes: `Puts our hook and our tools into the agent's own configuration.
Shows every change, asks once, keeps a backup beside each file, writes, and then fires each canary: armed, or not. Comments and order stay.
A malformed file is refused with its place, and nothing is changed. What we add holds paths of this machine: git is told not to share a new file of a
project (.git/info/exclude), and a host whose file git shares already is set up in your own settings instead. With --shared it goes into the
project's files without such paths, for everybody who has hallpass in their PATH; for whoever has not, the hook denies every call.`,
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
      preset: value("strict", "a yes is for one read and never for a session; what git ignores stays shut"),
      resume: optional(
        "CHAT",
        /^[0-9a-f][0-9a-f-]{7,}$/iu,
        "continue the newest chat of this workspace, or one by its id (needs the daemon)",
      ),
    },
    notes: `With the daemon where one runs; otherwise in this process, and then grants end with it. Without a terminal the words, or what comes in
on standard input, are said once and the answer is printed; nobody is there, so that what would be asked is denied.

keys      Enter sends · Alt-Enter, Ctrl-J or \\ Enter: new line · ↑ what was said before · Ctrl-C stops, twice leaves
a card    ↑/↓, j/k or a digit · Enter chooses · Esc denies · n adds a note; for half a second it takes nothing but Esc
commands  /help lists them`,
    examples: ["hallpass chat", "hallpass chat --model anthropic/claude-sonnet-5-5 -w ~/code/app", 'echo "list src" | hallpass chat'],
    exits: "exit codes: 0 done, 1 the agent failed, 2 usage error, 10 an ask waits for somebody else",
    load: async (): CommandLoad => (await import("./commands/chat.ts")).chat,
  },
  chats: {
    group: "chats",
    usage: "[list | search TEXT | export ID | rename ID TITLE | archive ID | restore ID | delete ID]",
    summary: "the chats with agents: find them, keep them as files, put them away, delete them",
    forms: {
      list: "those whose session has not ended, newest first",
      "search TEXT": "by a part of a title or of a message; in titles first",
      "export ID": "as Markdown, with what was asked, answered and granted; with --json everything, also what was rewound",
      "rename ID TITLE": "another title",
      "archive ID": "put it out of the lists; nothing in it ends",
      "restore ID": "put it back",
      "delete ID": "remove its messages for good; grants and the audit record stay",
    },
    takes: [0, ANY],
    flags: {
      archived: flag("list: those that were archived"),
      output: value("FILE", "export: write there instead of standard output; a file that is there is not written over", "o"),
      yes: flag("delete: do not ask", "y"),
      json: flag("list, search and export: for programs"),
    },
    notes: "The first characters of an id will do.",
    examples: ['hallpass chats search "release notes"', "hallpass chats export 3f2a -o notes.md", "hallpass chats delete 3f2a"],
    exits: "exit codes: 0 done, 1 nothing was deleted, 2 usage error",
    load: async (): CommandLoad => (await import("./commands/chats.ts")).chats,
  },
  models: {
    group: "chats",
    usage: "[list | add PROVIDER | test PROVIDER | remove PROVIDER | use MODEL]",
    summary: "the models an agent can have: providers, keys, and which model chats get",
    forms: {
      list: "what is set up, and what runs on this machine",
      "add PROVIDER": "enter a key (it is asked for, or read from standard input), test it and keep it",
      "test PROVIDER": "one cheap request with the key that is kept",
      "remove PROVIDER": "remove what was entered",
      "use MODEL": "the model of new chats: provider/model, or offline",
    },
    takes: [0, 2],
    flags: { url: value("ADDRESS", "another address, for add and test (needed for openai-compatible)"), json },
    notes: `Keys go into the system's keyring where there is one, else into a file that no agent can read. A key in the environment (ANTHROPIC_API_KEY …)
stands before one that was entered. This machine's ports are looked at only when this command or the page Models is opened.`,
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
    flags: { json: flag("the open asks as JSON, and leave") },
    notes:
      "Rings and notifies (OSC 9 and 777) when one comes. Tab shows the next one. Leaving answers nothing. Needs the daemon: hallpass serve.",
    examples: ["hallpass inbox", "hallpass inbox --json | jq -r '.[].requested[]'"],
    exits: "exit codes: 0 done, 1 no daemon runs, 2 usage error",
    load: async (): CommandLoad => (await import("./commands/inbox.ts")).inbox,
  },
  grants: {
    group: "access",
    usage: "[list | revoke ID… | revoke-all]",
    summary: "what agents may read besides their workspaces",
    forms: { list: "every grant and every rule that keeps one", "revoke ID…": "end them", "revoke-all": "end all of them" },
    takes: [0, ANY],
    flags: {
      all: flag("also those that have ended", "a"),
      session: value("ID", "of one session; the beginning of its id will do", "s"),
      json,
    },
    notes: `Every grant of every agent, and every rule of your policy that keeps one for a workspace, with its file and line, and how many reads were
counted under it: those of tools. Commands in the sandbox can read what is granted too; what they read is not counted. After a revoke the next
read is refused; where something else still allows it, you are told what.`,
    examples: ["hallpass grants", "hallpass grants revoke 3f2a91c0", "hallpass grants revoke-all"],
    load: async (): CommandLoad => (await import("./commands/grants.ts")).grants,
  },
  sessions: {
    group: "access",
    usage: "[end ID] [--all] [--json]",
    summary: "every session of every agent, with where it works",
    forms: { "end ID": "end one: its commands are stopped, its asks closed, its grants end; the first characters of the id will do" },
    takes: [0, 2],
    flags: { all: flag("also those that have ended", "a"), json },
    examples: ["hallpass sessions end 3f2a", "hallpass sessions --json | jq -r '.[].workspace'"],
    load: async (): CommandLoad => (await import("./commands/sessions.ts")).sessions,
  },
  browsers: {
    group: "signIn",
    usage: "[sign-out ID…] [--json]",
    summary: "the browsers that are signed in, and the end of one's access",
    forms: { "sign-out ID…": "sign them out: at once, and for good; the first characters of the id will do" },
    takes: [0, ANY],
    flags: { json },
    notes: "Each browser has a credential of its own. Needs the daemon: hallpass serve.",
    examples: ["hallpass browsers", "hallpass browsers sign-out 3f2a"],
    load: async (): CommandLoad => (await import("./commands/browsers.ts")).browsers,
  },
  pair: {
    group: "signIn",
    usage: "[--json]",
    summary: "a code that signs one browser in, and a QR code of it for a phone",
    flags: { json },
    notes:
      "The code is good once, for five minutes. A phone needs an address that it can reach: hallpass serve --host, --name, --tls-cert, --tls-key.",
    examples: ["hallpass pair"],
    exits: "exit codes: 0 done, 1 no daemon runs, 2 usage error",
    load: async (): CommandLoad => (await import("./commands/pair.ts")).pair,
  },
  audit: {
    group: "access",
    usage: "[tail | query | verify [FILE] | export]",
    summary: "the record of decisions, answers, grants and what ended them",
    forms: {
      tail: "the newest records",
      query: "what matches, the newest last",
      "verify [FILE]": "follow the chain of hashes, of the record or of an exported file",
      export: "all of it, a line each",
    },
    takes: [0, 2],
    flags: {
      lines: value("N", "how many (default 20)", "n"),
      follow: flag("tail: keep printing what is added", "f"),
      session: value("ID", "of one session", "s"),
      kind: value("KIND", `one of ${auditKinds.join(", ")}`, "k"),
      verdict: value("WORD", "allow, ask, deny", "v"),
      since: value("TIME", "30min, 2h, 3d, or a date"),
      path: value("TEXT", "whose path contains this", "p"),
      checkpoint: flag("verify: begin where the record was last found whole"),
      output: value("FILE", "export: write there instead of standard output", "o"),
      json: flag("one JSON object a line"),
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
    summary: "check everything that the boundary depends on",
    flags: { json, "no-canary": flag("do not start the installed hooks; say only what is configured") },
    notes: `Node, data directory and lock, daemon, database, bubblewrap, ripgrep, /proc, policy files and who wrote them, and the hooks installed in
agents: each is fired once with a call it must stop and once with one it must not.`,
    exits: "exit codes: 0 all is well, 1 something is wrong (✗), 2 usage error",
    load: async (): CommandLoad => (await import("./commands/doctor.ts")).doctor,
  },
  completion: {
    group: "other",
    usage: "SHELL",
    summary: "a script that completes commands and flags, for bash, zsh or fish",
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
    summary: "say in words what an agent may do with a path, and why",
    flags: judgingFlags,
    takes: [0, 1],
    examples: ["hallpass explain ../other/go.mod"],
    load: async (): CommandLoad => (await import("./commands/explain.ts")).explain,
  },
  check: {
    group: "programs",
    usage: "<path> | --stdin",
    summary: "what explain says, as one JSON object or as JSON lines; exit 0 allow, 10 ask, 20 deny",
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
    summary: "guarded tools over JSON lines: judged and done",
    flags: { stdin: flag("the calls come as lines") },
    load: async (): CommandLoad => (await import("./commands/tool.ts")).tool,
  },
  policy: {
    group: "access",
    usage: "print | lint | schema | try | keep",
    summary: "the rules that hold, and what they do",
    forms: {
      "lint [FILE]": "likely mistakes in a policy; exit 0 nothing to say, 1 something to look at, 2 malformed",
      "print [FILE]": "the policy in force, as JSON",
      schema: "its JSON Schema",
      "try <path>": "what would be done with a path; exit 0 allow, 10 ask, 20 deny",
      "keep GRANT": "a grant kept for good, as a rule in your own policy file",
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
    summary: "the guarded tools for an MCP client, on standard streams or a port",
    flags: {
      workspace: value("DIR", "where the agent works (default: what the client says, else here)", "w"),
      http: optional("PORT", /^\d+$/u, "on a port of this machine instead, with a token"),
      name: value("NAME", "the same name has the same session again, with its grants (with a daemon)"),
      ask: value("HOW", "by-model: a refused read says how to ask (default); by-guard: the read itself waits"),
      wait: value("SECONDS", "how long a call waits for a person"),
      inbox: flag("no answers from the client's dialogs"),
      start: flag("start the daemon where none runs"),
      alone,
    },
    examples: ["hallpass mcp -w ~/code/app", "hallpass mcp --http 7778"],
    load: async (): CommandLoad => (await import("./commands/mcp.ts")).mcp,
  },
  acp: {
    group: "agents",
    usage: "[flags] [-- COMMAND]",
    summary: "our agent in an ACP editor, or a guard between the editor and another agent",
    passes: true,
    flags: {
      model: value("NAME", "a model for this process (default: the daemon's, else offline)", "m"),
      ask: value("HOW", "by-guard (default) or by-model"),
      alone,
      confine: flag("with -- COMMAND: the agent itself runs in the sandbox"),
      network: value("HOW", "with -- COMMAND: none (default) or host, for the commands it runs"),
      "no-tools": flag("with -- COMMAND: do not offer our tools to it"),
    },
    examples: ["hallpass acp", "hallpass acp -- gemini --experimental-acp"],
    load: async (): CommandLoad => (await import("./commands/acp.ts")).acp,
  },
  hook: {
    group: "programs",
    usage: "HOST [flags] | --canary HOST",
    summary: "the guard before another agent's tools: its JSON in, its words out",
    choices: hostNames,
    raw: true,
    flags: {
      canary: flag("say whether the hook of this host is armed"),
      workspace: value("DIR", "the workspace (default: what the host says, else here)"),
      policy: value("FILE", "the operator's policy, as an absolute path"),
      let: values("TOOL", "a tool that touches no files, by name or by a beginning of it with *"),
      ask: flag("open an ask in the daemon's inbox for what may be granted, and wait for the answer a while"),
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
    summary: "a host's command in the sandbox, in the session of its hook; started by the host's shell",
    passes: true,
    flags: { configured: { type: "boolean", help: "say with exit code 0 that it is a line of the host's own settings, and run nothing" } },
    notes:
      "`hallpass install` leads a host's shell here where it can. It reports the command to the daemon, so that the session is verified.",
    load: async (): CommandLoad => (await import("./commands/shell.ts")).shell,
  },
  uninstall: {
    group: "agents",
    usage: "[HOST] [flags]",
    summary: "undo install, for all agents or for one: every file is restored byte for byte",
    choices: installHosts,
    takes: [0, 1],
    flags: { ...installFlags, shared: sharedFlag },
    notes: "Where somebody changed a file since, only our part is taken out, and you are told.",
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
    notes: "Only what stands between our marks is replaced. Nothing is ever opened by it; what the host's words cannot say is listed.",
    examples: ["hallpass sync codex --user", "hallpass sync claude-code --remove"],
    load: async (): CommandLoad => (await import("./commands/sync.ts")).sync,
  },
  run: {
    group: "agents",
    usage: "[flags] -- COMMAND",
    summary: "any program inside the sandbox: of your files the workspace, its mounts and grants, nothing else",
    takes: [0, ANY],
    passes: true,
    flags: {
      ...place,
      cwd: value("DIR", "where it starts, in what it may change"),
      env: values("NAME", "a variable it is given"),
      network: value("HOW", "host (default) or none"),
      "no-ask": flag(
        "nobody is asked. Otherwise, with a daemon and /dev/fuse, it waits for your answer when it reaches for another repository",
      ),
      ask: flag("start nothing where that does not work"),
      "no-own": flag("an agent that Hallpass knows finds nothing of its own settings and login"),
      quiet: flag("do not say first what it reaches", "q"),
      // The directory and the command in one word, as `hallpass acp` hands them to an editor.
      given: { type: "string" },
    },
    notes: `The network is open unless you say --network none: then the program also reaches the services of this machine.
Sockets without a file are shut where the kernel can (Linux 6.12, with perl). Elsewhere, where X11 or D-Bus listens on one, it may type into
your windows or start programs outside; a warning says so.`,
    examples: ["hallpass run -- claude", "hallpass run --mount ~/.aider:extend --env OPENAI_API_KEY -- aider"],
    exits: "exit code: the command's own; 1 where it was stopped or could not be confined, 2 usage error",
    load: async (): CommandLoad => (await import("./commands/run.ts")).run,
  },
  status: {
    group: "daemon",
    usage: "[--link] [--json]",
    summary: "where the daemon is, and whether anybody waits for an answer",
    flags: { link: flag("the address with the token, to open its pages"), json, data },
    load: async (): CommandLoad => (await import("./commands/status.ts")).status,
  },
  service: {
    group: "daemon",
    usage: "install | uninstall | status [--dry-run] [-- FLAGS OF SERVE]",
    summary: "the daemon whenever you are logged in, kept by systemd or launchd",
    forms: {
      install: "run the daemon whenever you are logged in (systemd, launchd)",
      uninstall: "no longer",
      status: "is it installed, and does it run?",
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
    summary: "stop the daemon; chats that wait go on waiting",
    flags: { data },
    load: async (): CommandLoad => (await import("./commands/stop.ts")).stop,
  },
  store: {
    group: "daemon",
    usage: "export [FILE] | import FILE | stats | archive DIR | vacuum",
    summary: "everything in the store as JSON lines, and back; how much it is; old records into files",
    forms: {
      "export [FILE]": "everything in the store as JSON lines",
      "import FILE": "read it into an empty store",
      stats: "how many rows and bytes each table has, and how old its oldest row is",
      "archive DIR": "write the oldest part of the record to a file that verifies by itself, and delete it here",
      vacuum: "give the room of what was deleted back to the disk; with the daemon stopped",
    },
    takes: [1, 2],
    flags: {
      data: { ...data, help: "another data directory; HALLPASS_DATABASE_URL names PostgreSQL" },
      json: flag("stats as JSON"),
      "older-than": { type: "string", value: "AGE", help: "archive what is older than that: 90d, 12h" },
      "larger-than": { type: "string", value: "SIZE", help: "archive until the record takes no more than that: 500MB, 2GB" },
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
    summary: "a whole copy of the store, while it is in use",
    takes: [1, 1],
    flags: { data },
    load: async (): CommandLoad => (await import("./commands/backup.ts")).backup,
  },
  restore: {
    group: "daemon",
    usage: "FILE",
    summary: "put such a copy back; what was there is kept beside it",
    takes: [1, 1],
    flags: { data },
    load: async (): CommandLoad => (await import("./commands/backup.ts")).restore,
  },
  version: {
    group: "other",
    usage: "",
    summary: "which version this is; also --version and -v",
    load: async (): CommandLoad => (await import("./commands/version.ts")).version,
  },
  tour: {
    group: "other",
    usage: "",
    summary: "a short tour of the boundary in a temporary directory",
    load: async (): CommandLoad => (await import("./commands/tour.ts")).tour,
  },
} as const satisfies Readonly<Record<string, CommandRow>>;

export type CommandName = keyof typeof commandTable;

export const isCommandName = (word: string): word is CommandName => Object.hasOwn(commandTable, word);
