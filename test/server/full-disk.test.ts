// A daemon whose disk is full: it goes on running, allows nothing, says why, and does not look well. On a small file system of its own, in
// a mount namespace that nobody else sees.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { detect } from "../../src/sandbox/sandbox.ts";
import { executable } from "./daemon-process.ts";

const { why } = await detect();

const script = `
export HOME=/mnt/home; mkdir -p $HOME/app/.git
"$0" "$1" serve --no-open --port 0 >/mnt/log 2>/mnt/errors & daemon=$!
until grep -q http /mnt/log; do sleep 0.05; done
"$0" "$1" status; echo "before: $?"
cat /dev/zero >/mnt/fill 2>/dev/null
for each in 1 2 3 4 5 6; do
  printf '{"session_id":"%s","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"a"}}' $each |
    CLAUDE_PROJECT_DIR=$HOME/app "$0" "$1" hook claude-code --ask 2>&1
done
"$0" "$1" status; echo "full: $?"
rm /mnt/fill
printf '{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"a"}}' |
  CLAUDE_PROJECT_DIR=$HOME/app "$0" "$1" hook claude-code --ask; echo "hook after: $?"
"$0" "$1" status; echo "after: $?"
kill $daemon; wait $daemon
`;

test.skipIf(why !== null && process.env["CI"] === undefined)(
  "a full disk is named, nothing is allowed, and status says that the daemon is not well until there is room",
  () => {
    const words = ["--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--size", "4000000", "--tmpfs", "/mnt"];
    const { stdout } = spawnSync("bwrap", [...words, "bash", "-c", script, process.execPath, executable], {
      env: { PATH: process.env["PATH"], CI: "1" },
      encoding: "utf8",
      timeout: 120_000,
    });
    expect(stdout).toContain("before: 0");
    expect(stdout).toContain("the disk that the store is on is full: free some space");
    expect(stdout).toMatch(/its store could not keep the last thing it was given.*\nfull: 1\n/);
    expect(stdout).toContain("hook after: 0");
    expect(stdout).toContain("after: 0");
  },
);
