// What `hallpass --help` says: the commands, an example each, and where to read on.

export const help = `hallpass: the file boundary for AI coding agents

  hallpass chat                  talk to an agent in the terminal; what lies outside the workspace is asked for
  hallpass inbox                 answer the asks of every agent on this machine
  hallpass grants                what agents may read besides: list, revoke ID, revoke-all
  hallpass sessions              every session of every agent
  hallpass audit                 the record: tail, query, verify, export
  hallpass doctor                is everything in place that the boundary stands on?
  hallpass completion SHELL      a script for bash, zsh or fish

  hallpass explain <path>        say in words what an agent may do with a path, and why
  hallpass check <path>          the same as one JSON object; exit 0 allow, 10 ask, 20 deny
  hallpass check --stdin         JSON lines in, JSON lines out
  hallpass tool --stdin          guarded tools over JSON lines: judged and done
  hallpass policy lint [FILE]    likely mistakes in a policy
  hallpass policy print [FILE]   the policy in force
  hallpass policy schema         its JSON Schema
  hallpass policy try <path>     what would be done with a path; --with FILE compares with another policy
  hallpass policy keep GRANT     a grant kept for good, as a rule in your own policy file
  hallpass mcp                   the guarded tools as an MCP server; --workspace, --http [PORT], --name, --ask, --wait, --inbox, --alone
  hallpass acp                   our agent in an ACP editor; with -- COMMAND a guard between the editor and another agent
  hallpass hook HOST             the guard before another agent's tools: its JSON in, its words out; --canary HOST says whether it is armed
  hallpass install HOST          our hook and our tools in claude-code, codex, gemini, copilot, cursor, opencode or zed; uninstall takes them back
  hallpass sync HOST             the policy in the words of claude-code, codex or opencode; --remove takes it out
  hallpass run -- COMMAND        start any agent inside the sandbox: of your files the workspace and its grants, nothing else
  hallpass                       start the daemon and open its page; the same as hallpass serve
  hallpass serve                 the daemon: one inbox for every agent; --port, --host, --model, --data, --database, --no-open
  hallpass status                where the daemon is and whether anybody waits; --link shows its page with the token, --json
  hallpass service install       run the daemon whenever you are logged in (systemd, launchd); uninstall, status
  hallpass stop                  stop the daemon; chats wait until it is back
  hallpass store export [FILE]   everything in the store as JSON lines; store import FILE puts it into an empty one
  hallpass backup DIR|FILE       a copy of the store while it is in use; restore FILE puts it back
  hallpass version               which version this is; also --version and -v
  hallpass tour                  a short tour of the boundary in a temporary directory

hallpass COMMAND --help says more about one of them.

flags of explain and check
  -o, --operation OP     read (default), list, search, create, replace, remove
  -w, --workspace DIR    where the agent works (default: here)
      --grant DIR        a directory granted for reading; may be repeated
      --mount DIR:MODE   a mounted directory: read_only, extend, sandboxed; may be repeated
      --project DIR      a registered project; may be repeated
      --ceiling DIR      nothing is granted at or above it; may be repeated
      --policy FILE      the operator's policy, instead of the one in the configuration directory
      --unattended       nobody is there to ask
      --json             the decision as one JSON object, for programs; check always gives it

examples
  hallpass explain ../other/go.mod
  hallpass check .env; echo $?
  echo '{"workspace":"/srv/app","operation":"read","path":"/etc/passwd"}' | hallpass check --stdin
`;
