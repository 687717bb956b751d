// What `hallpass --help` says: the commands, an example each, and where to read on.

export const help = `hallpass: the file boundary for AI coding agents

  hallpass explain <path>        say in words what an agent may do with a path, and why
  hallpass check <path>          the same as one JSON object; exit 0 allow, 10 ask, 20 deny
  hallpass check --stdin         JSON lines in, JSON lines out
  hallpass tool --stdin          guarded tools over JSON lines: judged and done
  hallpass policy lint [FILE]    what a policy can hardly mean
  hallpass policy print [FILE]   the policy in force
  hallpass policy schema         its JSON Schema
  hallpass tour                  a short tour of the boundary in a temporary directory

flags of explain and check
  -o, --operation OP     read (default), list, search, create, replace, remove
  -w, --workspace DIR    where the agent works (default: here)
      --grant DIR        a directory granted for reading; may be repeated
      --mount DIR:MODE   a mounted directory: read_only, extend, sandboxed; may be repeated
      --project DIR      a registered project; may be repeated
      --ceiling DIR      nothing is granted at or above it; may be repeated
      --policy FILE      the operator's policy, instead of the one in the configuration directory
      --unattended       nobody is there to ask

examples
  hallpass explain ../other/go.mod
  hallpass check .env; echo $?
  echo '{"workspace":"/srv/app","operation":"read","path":"/etc/passwd"}' | hallpass check --stdin
`;
