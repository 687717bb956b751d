// The doctor on a bare machine, on one with everything, and with each part broken in turn: the sentence fits the fault.

import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type Finding } from "../../src/cli/doctor/finding.ts";
import { checkNode, checkProc, checkRipgrep, checkSandbox } from "../../src/cli/doctor/machine-checks.ts";
import { startDaemonAt } from "./daemon.ts";
import { makePlace, type Place, program } from "./terminal.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
const place = (): Place => {
  const made = makePlace();
  cleanups.push(() => made.remove());
  return made;
};

interface Examined {
  readonly code: number;
  readonly out: string;
  part(name: string): Finding | undefined;
}
const examine = (at: Place, ...words: readonly string[]): Promise<Examined> =>
  new Promise((resolve) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: at.home };
    execFile(process.execPath, [program, "doctor", "--json", ...words], { cwd: at.workspace, env, timeout: 50_000 }, (error, out) => {
      const { findings } = JSON.parse(out) as { findings: readonly Finding[] };
      resolve({
        code: typeof error?.code === "number" ? error.code : 0,
        out,
        part: (name) => findings.find(({ part }) => part === name),
      });
    });
  });

const data = (at: Place): string => join(at.home, ".local/share/hallpass");

describe("the doctor", () => {
  test("on a bare machine nothing is wrong, and what is missing is named with what to do", async () => {
    const { code, part } = await examine(place());
    expect(code).toBe(0);
    expect(part("node")?.state).toBe("well");
    expect(part("/proc")?.state).toBe("well");
    expect(part("daemon")).toMatchObject({ state: "note", says: "does not run" });
    expect(part("daemon")?.remedy).toContain("hallpass serve");
    expect(part("policy (operator)")?.says).toContain("none at");
    expect(part("agents")?.state).toBe("note");
  });

  test("with a daemon, a policy and an armed hook all is well", async () => {
    const at = place();
    at.file("home/.config/hallpass/policy.json", '{ "read": { "~/notes/**": "allow" } }');
    const hook = `${JSON.stringify(process.execPath)} ${JSON.stringify(program)} hook claude-code`;
    at.file(
      "home/.claude/settings.json",
      JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Read", hooks: [{ type: "command", command: hook }] }] } }),
    );
    const daemon = await startDaemonAt(at);
    cleanups.push(() => daemon.stop());
    const { code, part, out } = await examine(at);
    expect(part("daemon")).toMatchObject({ state: "well" });
    expect(part("lock")).toMatchObject({ state: "well", says: "held by the daemon" });
    expect(part("database")).toMatchObject({ state: "well" });
    expect(part("policy (operator)")?.says).toMatch(/by .+, 1 rule/u);
    expect(part("Claude Code"), out).toMatchObject({ state: "well" });
    expect(part("Claude Code")?.says).toMatch(/^armed: .* It cannot see files named with @/u);
    expect(code).toBe(0);
    await daemon.stop();

    // The same with the daemon killed while its file says that it runs.
    writeFileSync(
      join(data(at), "daemon.json"),
      JSON.stringify({ address: "http://127.0.0.1:9", socket: null, pid: 1, version: "0", started: 0 }),
      { mode: 0o600 },
    );
    const dead = await examine(at, "--no-canary");
    expect(dead.code).toBe(1);
    expect(dead.part("daemon")?.says).toContain("should answer at http://127.0.0.1:9 and does not");
    expect(dead.part("lock")).toMatchObject({ state: "well", says: "free" });
    expect(dead.part("Claude Code")?.says).toContain("not tried");
  }, 40_000);

  test.each<readonly [string, string, (at: Place) => void, string, RegExp, RegExp]>([
    [
      "a data directory others may write to",
      "data directory",
      (at) => {
        mkdirSync(data(at), { recursive: true });
        chmodSync(data(at), 0o777);
      },
      "wrong",
      /others may write/u,
      /chmod go-w/u,
    ],
    [
      "a file in its place",
      "data directory",
      (at) => void at.file("home/.local/share/hallpass", "x"),
      "wrong",
      /is no directory/u,
      /HALLPASS_DATA/u,
    ],
    [
      "a database that is none",
      "database",
      (at) => {
        at.file("home/.local/share/hallpass/hallpass.db", "this is no database at all, only text that goes on and on".repeat(50));
        chmodSync(data(at), 0o700);
      },
      "wrong",
      /cannot be opened/u,
      /move .* aside/u,
    ],
    [
      "a malformed policy",
      "policy (operator)",
      (at) => void at.file("home/.config/hallpass/policy.json", '{ "reed": {} }'),
      "wrong",
      /policy\.json:1:3: unknown key `reed`/u,
      /everything is denied/u,
    ],
    [
      "a repository's policy that claims too much",
      "policy (project)",
      (at) => void at.file("home/code/app/.hallpass/policy.json", '{ "read": { "~/x/**": "allow" } }'),
      "note",
      /by /u,
      /policy lint/u,
    ],
    [
      "a hook that lets everything go",
      "Claude Code",
      (at) =>
        void at.file(
          "home/.claude/settings.json",
          JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "true # hallpass hook claude-code" }] }] } }),
        ),
      "wrong",
      /^not armed: reading a secret was not stopped/u,
      /hallpass install claude-code/u,
    ],
    [
      "a hook whose program is gone",
      "Codex",
      (at) =>
        void at.file(
          "home/.codex/hooks.json",
          JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "/nowhere/hallpass hook codex" }] }] } }),
        ),
      "wrong",
      /^not armed/u,
      /hallpass install codex/u,
    ],
    [
      "settings that cannot be read",
      "Gemini CLI",
      (at) => void at.file("home/.gemini/settings.json", '{ "hooks": '),
      "wrong",
      /cannot be read as JSON/u,
      /mend it/u,
    ],
    [
      "an agent without our hook",
      "Cursor",
      (at) => void mkdirSync(join(at.home, ".cursor"), { recursive: true }),
      "note",
      /no hook of ours/u,
      /hallpass install cursor/u,
    ],
  ])("%s", async (_name, part, breakIt, state, says, remedy) => {
    const at = place();
    breakIt(at);
    const found = await examine(at);
    expect(found.part(part), found.out).toMatchObject({ state });
    expect(found.part(part)?.says).toMatch(says);
    expect(found.part(part)?.remedy).toMatch(remedy);
    expect(found.code).toBe(state === "wrong" ? 1 : 0);
  });

  test("an old Node", () => {
    expect(checkNode("v18.20.0")).toMatchObject({ state: "wrong", says: "v18.20.0 is too old" });
    expect(checkNode("v20.18.3").state).toBe("wrong");
    expect(checkNode("v20.19.0").state).toBe("well");
    expect(checkNode("v24.1.0").state).toBe("well");
  });

  test("no /proc", () => {
    expect(checkProc(() => "O_PATH or /proc/self/fd does not work here")).toMatchObject({ state: "wrong" });
    expect(checkProc().state).toBe("well");
  });

  test("no bubblewrap, one that does not work, and one that cannot mount by descriptor", async () => {
    if (process.platform !== "linux") return;
    const at = place();
    expect(await checkSandbox({ bwrap: "/nowhere/bwrap" })).toMatchObject([{ part: "bubblewrap", state: "wrong" }]);
    const broken = at.file("bwrap", '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n');
    chmodSync(broken, 0o755);
    const [finding] = await checkSandbox({ bwrap: broken });
    expect(finding).toMatchObject({ part: "user namespaces", state: "wrong" });
    expect(finding?.says).toContain("Permission denied");
    expect(finding?.remedy).toContain("user namespaces");
    const older = await checkSandbox({ byDescriptor: false });
    const works = older.find(({ part }) => part === "bubblewrap")?.state === "well";
    if (works) expect(older.find(({ part }) => part === "--bind-fd")).toMatchObject({ state: "note" });
  });

  test("no ripgrep is worth no more than a word", async () => {
    expect(await checkRipgrep("/nowhere/rg")).toMatchObject({ state: "note", remedy: null });
  });

  test("for people it is a list with marks, one remedy each, and a last word", async () => {
    const at = place();
    at.file("home/.config/hallpass/policy.json", "{");
    const text = await new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        [program, "doctor"],
        { cwd: at.workspace, env: { PATH: process.env["PATH"] ?? "", HOME: at.home } },
        (_error, out) => resolve(out),
      );
    });
    expect(text).toMatch(/^✓ node /mu);
    expect(text).toMatch(/^– daemon /mu);
    expect(text).toMatch(/^✗ policy \(operator\)[\s\S]*→ mend it/mu);
    expect(text).toMatch(/1 thing is wrong\n$/u);
    expect(text).not.toContain("\u001b");
  });
});
