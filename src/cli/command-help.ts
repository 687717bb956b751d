// What `hallpass COMMAND --help` says: how it is called, its flags, examples, and what its exit code means.

const exits = "exit codes: 0 done, 1 something is wrong, 2 called wrongly";

export const commandHelp: Readonly<Record<string, string>> = {
  chat: `hallpass chat [flags] [words]: talk to an agent; what lies outside the workspace is asked for on a card

  -w, --workspace DIR     where the agent works (default: here)
  -m, --model NAME        provider/model, or offline, which needs no key (default: the daemon's, else offline)
      --ask HOW           by-guard: a read waits and then goes on (default); by-model: the agent asks by itself, with a reason
      --preset strict     a yes is for one read and never for a session; what git ignores stays shut
      --resume [CHAT]     go on with the newest chat of this workspace, or with one by its id (needs the daemon)

With the daemon where one runs; otherwise in this process, and then grants end with it. Without a terminal the words, or what comes in
on standard input, are said once and the answer is printed; nobody is there, so that what would be asked is denied.

keys      Enter sends · Alt-Enter, Ctrl-J or \\ Enter: new line · ↑ what was said before · Ctrl-C stops, twice leaves
a card    ↑/↓, j/k or a digit · Enter chooses · Esc denies · n adds a note; for half a second it takes nothing but Esc
commands  /grants /revoke ID /clear_grants /mount DIR [MODE] /scope [PATH] /policy /help /quit

examples
  hallpass chat
  hallpass chat --model anthropic/claude-sonnet-4-5 -w ~/code/app
  echo "list src" | hallpass chat
exit codes: 0 done, 1 the agent failed, 2 called wrongly, 10 an ask waits for somebody else
`,
  install: `hallpass install HOST [flags]: the guard in another agent: its hook and our tools, in the host's own configuration

  HOST             claude-code, codex, gemini, copilot, cursor, opencode, zed
      --project    for the project in this directory (default)
      --user       for all of your projects
      --dry-run    show what would change, and change nothing
  -y, --yes        do not ask before writing

Shows the change, keeps a backup beside each file, writes, and then fires the canary: armed, or not. Comments and order stay. A malformed
file is refused with its place, and nothing is changed.

examples
  hallpass install claude-code
  hallpass install codex --user --dry-run
${exits}
`,
  uninstall: `hallpass uninstall HOST [flags]: the same words as install; every file is byte for byte what it was

Where somebody changed a file since, only our part is taken out, and said.

examples
  hallpass uninstall claude-code
${exits}
`,
  sync: `hallpass sync HOST [flags]: what the policy shuts, written as the host's own rules, for what no hook sees

  HOST             claude-code, codex, opencode
      --project    for the project in this directory (default)
      --user       for all of your projects
      --remove     take out what was generated
      --dry-run    show what would change, and change nothing
  -y, --yes        do not ask before writing

Only what stands between our marks is replaced. Nothing is ever opened by it; what the host's words cannot say is listed.

examples
  hallpass sync codex --user
  hallpass sync claude-code --remove
${exits}
`,
  serve: `hallpass serve [flags]: the daemon: one inbox, one set of grants and one record for every agent, and the pages

      --port N              the port (default 7777, or the next that is free)
      --host ADDRESS        another address than 127.0.0.1; needs TLS, or --insecure-bind
      --tls-cert, --tls-key FILE
      --name HOST           a further name clients may use for it, for a proxy in front; may be repeated
      --model NAME          provider/model, or offline, which needs no key (default)
      --asking HOW          by-model or by-guard, for sessions that do not say
      --ask-life MINUTES    how long an ask can be answered (default: for ever)
      --asks-per-minute N   of one session
      --data DIR            another data directory
      --database URL        PostgreSQL, for several instances (default: SQLite in the data directory)
      --link                say the address with the token where it is piped, too
      --no-open             do not open the browser

examples
  hallpass serve
  hallpass serve --model anthropic/claude-sonnet-4-5 --no-open
  HALLPASS_DATABASE_URL=postgres://… hallpass serve --machine web-1
${exits}
`,
  service: `hallpass service install|uninstall|status [--dry-run] [-- FLAGS OF SERVE]: the daemon whenever you are logged in

      --dry-run    show the file that would be written for systemd or launchd, and change nothing

examples
  hallpass service install
  hallpass service install -- --model anthropic/claude-sonnet-4-5
${exits}
`,
  stop: `hallpass stop: stop the daemon; chats that wait go on waiting
${exits}
`,
  status: `hallpass status [--link] [--json]: where the daemon is, and whether anybody waits for an answer

  --link    the address with the token, to open its pages
${exits}
`,
  mcp: `hallpass mcp [flags]: the guarded tools for an MCP client, on standard streams

  -w, --workspace DIR    where the agent works (default: what the client says, else here)
      --http [PORT]      on a port of this machine instead, with a token
      --name NAME        the same name has the same session again, with its grants (with a daemon)
      --ask HOW          by-model: a refused read says how to ask (default); by-guard: the read itself waits
      --wait SECONDS     how long a call waits for a person
      --inbox            no answers from the client's dialogs
      --alone            without the daemon

examples
  hallpass mcp -w ~/code/app
  hallpass mcp --http 7778
${exits}
`,
  acp: `hallpass acp [flags] [-- COMMAND]: our agent in an ACP editor, or a guard between the editor and another agent

  -m, --model NAME    a model for this process (default: the daemon's, else offline)
      --ask HOW       by-guard (default) or by-model
      --alone         without the daemon
with -- COMMAND
      --confine       the agent itself runs in the sandbox
      --network HOW   none (default) or host, for the commands it runs
      --no-tools      do not offer our tools to it

examples
  hallpass acp
  hallpass acp -- gemini --experimental-acp
${exits}
`,
  run: `hallpass run [flags] -- COMMAND: any program inside the sandbox: of your files the workspace, its mounts and grants, nothing else

  -w, --workspace DIR    what it may change (default: here)
      --grant DIR        what it may read besides; may be repeated
      --mount DIR:MODE   read_only, extend or sandboxed; may be repeated
      --cwd DIR          where it starts, in what it may change
      --env NAME         a variable it is given; may be repeated
      --network HOW      host (default) or none
      --no-ask           nobody is asked. Otherwise, with a daemon and /dev/fuse, a program that reaches for another repository waits
                         while the inbox asks you
      --ask              start nothing where that does not work
  -q, --quiet            do not say first what it reaches

The network is open unless you say --network none: then the program also reaches the services of this machine.
Sockets without a file are shut where the kernel can (Linux 6.12, with perl). Elsewhere, where X11 or D-Bus listens on one, it may type into
your windows or start programs outside; a warning says so.

examples
  hallpass run -- codex
  hallpass run --mount ~/.claude:extend --env ANTHROPIC_API_KEY -- claude
exit code: the command's own; 1 where it was stopped or could not be confined, 2 called wrongly
`,
  store: `hallpass store export [FILE] | import FILE | stats: everything in the store as JSON lines; import takes it into an empty one;
stats says how many rows and bytes each table has, and how old its oldest row is

  --data DIR    another data directory; HALLPASS_DATABASE_URL names PostgreSQL
  --json        stats as JSON

examples
  hallpass store export everything.jsonl
  hallpass store stats
  HALLPASS_DATABASE_URL=postgres://… hallpass store import everything.jsonl
${exits}
`,
  backup: `hallpass backup DIR|FILE: a whole copy of the store, while it is in use

  --data DIR    another data directory
${exits}
`,
  restore: `hallpass restore FILE: put such a copy back; what was there is kept beside it

  --data DIR    another data directory
${exits}
`,
  inbox: `hallpass inbox [--json]: the asks of every agent on this machine, answered in one terminal

Rings and notifies (OSC 9 and 777) when one comes. Tab shows the next one. Leaving answers nothing. Needs the daemon: hallpass serve.

  --json    the open asks as JSON, and leave

examples
  hallpass inbox
  hallpass inbox --json | jq -r '.[].requested[]'
exit codes: 0 done, 1 no daemon runs, 2 called wrongly
`,
  grants: `hallpass grants [list | revoke ID… | revoke-all]: what agents may read besides their workspaces

Every grant of every agent, and every rule of your policy that keeps one for a workspace, with its file and line. After a revoke the next
read is refused; where something else still allows it, you are told what.

  -a, --all           also those that have ended
  -s, --session ID    of one session; the beginning of its id will do
      --json          for programs

examples
  hallpass grants
  hallpass grants revoke 3f2a91c0
  hallpass grants revoke-all
${exits}
`,
  audit: `hallpass audit [tail | query | verify [FILE] | export]: the record of decisions, answers, grants and revocations

  -n, --lines N        how many (default 20)
  -f, --follow         tail: and go on with what comes
  -s, --session ID     of one session
  -k, --kind KIND      decision, open-failed, answer, grant, grant-refused, revocation,
                       session-ended, rule-kept, policy-changed
  -v, --verdict WORD   allow, ask, deny
      --since TIME     30min, 2h, 3d, or a date
  -p, --path TEXT      whose path holds this
  -o, --output FILE    export: write there instead of standard output
      --json           one JSON object a line

verify follows the chain of hashes, of the record or of an exported file.

examples
  hallpass audit tail -f
  hallpass audit query --verdict deny --since 1d
  hallpass audit export -o record.jsonl && hallpass audit verify record.jsonl
exit codes: 0 done, 1 the chain is broken, 2 called wrongly
`,
  sessions: `hallpass sessions [end ID] [--all] [--json]: every session of every agent, with where it works

  end ID        end one: its commands are stopped, its asks closed, its grants end; the first characters of the id will do

  -a, --all     also those that have ended
      --json    for programs

examples
  hallpass sessions end 3f2a
  hallpass sessions --json | jq -r '.[].workspace'
${exits}
`,
  policy: `hallpass policy print | lint | schema | try | keep: the rules that hold, and what they do

  policy print [FILE]     the policy in force, as JSON
  policy lint [FILE]      what a policy can hardly mean; exit 0 nothing to say, 1 something to look at, 2 malformed (--json)
  policy schema           its JSON Schema
  policy try PATH         what would be done with a path; --with FILE compares with another policy; exit 0 allow, 10 ask, 20 deny
                          (-o OPERATION, -w WORKSPACE and --json, and the other flags of check)
  policy keep GRANT       a grant kept for good: a rule in your own policy file

examples
  hallpass policy try ../other/go.mod --with new-policy.json
  hallpass policy keep 3f2a91c0
`,
  doctor: `hallpass doctor [--json] [--no-canary]: is everything in place that the boundary stands on?

Node, data directory and lock, daemon, database, bubblewrap, ripgrep, /proc, policy files and who wrote them, and the hooks installed in
agents: each is fired once with a call it must stop and once with one it must not.

  --json         for programs
  --no-canary    do not start the installed hooks; say only what is configured

exit codes: 0 all is well, 1 something is wrong (✗), 2 called wrongly
`,
  completion: `hallpass completion bash | zsh | fish: a script that completes commands and flags

  bash    source <(hallpass completion bash)
  zsh     hallpass completion zsh > ~/.zfunc/_hallpass
  fish    hallpass completion fish > ~/.config/fish/completions/hallpass.fish
`,
};
