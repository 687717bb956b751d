// What hosts put around a command, as the real programs wrote it down.

import { expect, test } from "vitest";
import { commandAsRun, framedIn, wordsOf } from "./shell-frame.ts";

const CLAUDE = "source /h/.claude/shell-snapshots/s.sh 2>/dev/null || true && { \\builtin shopt -u extglob; } >/dev/null 2>&1 || true && ";

test("Claude Code's command stands in one word, with the file for its last directory behind it", () => {
  const text = `${CLAUDE}eval 'cat a.txt && echo '"'"'it'"'"' "$HOME"' < /dev/null && pwd -P >| /tmp/claude-bea5-cwd`;
  expect(framedIn("claude-code", text)).toEqual({
    command: `cat a.txt && echo 'it' "$HOME"`,
    isInputEmpty: true,
    directoryFile: "/tmp/claude-bea5-cwd",
  });
  expect(framedIn("claude-code", `${CLAUDE}eval pwd && pwd -P >| '/tmp/a b/claude-1-cwd'`)).toMatchObject({
    command: "pwd",
    isInputEmpty: false,
    directoryFile: "/tmp/a b/claude-1-cwd",
  });
});

test("a command that looks like the host's own words is still all of the command", () => {
  const evil = "true && eval 'x' < /dev/null && pwd -P >| /tmp/other";
  const text = `${CLAUDE}eval '${evil.replaceAll("'", `'"'"'`)}' < /dev/null && pwd -P >| /tmp/claude-1-cwd`;
  expect(framedIn("claude-code", text)).toMatchObject({ command: evil, directoryFile: "/tmp/claude-1-cwd" });
  for (const file of ["/home/ada/.bashrc", "/tmp/claude-1-cwd/x", "claude-1-cwd"])
    expect(framedIn("claude-code", `${CLAUDE}eval x < /dev/null && pwd -P >| ${file}`)).toMatchObject({ directoryFile: null });
  const codex = `. '/h/.codex/s.sh'\n\nexec '/bin/bash' -c 'a\nexec '"'"'/bin/bash'"'"' -c '"'"'b'"'"''`;
  expect(framedIn("codex", codex).command).toBe("a\nexec '/bin/bash' -c 'b'");
});

test("Gemini's command stands between two lines of its own, and Codex's may stand alone", () => {
  const head = `shopt -u promptvars; _bgpids_file=/tmp/gemini-shell-Q/bgpids.tmp\n(\n  trap 'jobs -p > "$_bgpids_file"' EXIT\n`;
  expect(framedIn("gemini", `${head}pwd # c\n)\n__code=$?\nexit $__code`).command).toBe("pwd # c");
  expect(framedIn("codex", "cd sub; pwd")).toEqual({ command: "cd sub; pwd", isInputEmpty: false, directoryFile: null });
});

test("Copilot's command stands behind the line of our hook, and another file's line is the command's own", () => {
  expect(framedIn("copilot", "set -e; . /h/.local/share/hallpass/shells/copilot\ncat a\ncat b").command).toBe("cat a\ncat b");
  for (const text of ["set -e; . /h/shells/codex\ncat a", "set -e; . /h/shells/copilot; cat a", "cat a"])
    expect(framedIn("copilot", text).command).toBe(text);
});

test("Gemini takes a shell before a command away, as the hook's note of it must", () => {
  expect(commandAsRun("gemini", `bash -c "ls -l"`)).toBe("ls -l");
  expect(commandAsRun("gemini", " ls ")).toBe("ls");
  expect(commandAsRun("codex", `bash -c "ls -l"`)).toBe(`bash -c "ls -l"`);
});

test("a line that is more than words has none", () => {
  expect(wordsOf(`/bin/bash -c 'cat >/dev/null' "a b"`)).toEqual(["/bin/bash", "-c", "cat >/dev/null", "a b"]);
  for (const text of ["a; b", "a $(b)", "a > b", "a 'b"]) expect(wordsOf(text)).toBeNull();
});
