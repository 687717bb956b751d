// A policy kept instead of read: the same decisions, always.

import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { tree } from "../../../test/tree.ts";
import { nothingStaysPinned } from "../../../test/scene.ts";
import { loadPolicy } from "../../config/load.ts";
import { policyWords } from "../../config/locations.ts";
import { emptyPolicy } from "../../core/policy/rule.ts";
import { hookHosts } from "./hosts/all.ts";
import { judgeInProcess } from "./in-process.ts";

nothingStaysPinned();

const at = tree([
  "ws/a.txt: 1",
  "ws/src/Main.ts: 1",
  "ws/src/é.ts: 1",
  "ws/docs/a/b.md: 1",
  "ws/link => src",
  "ws/away => ../lib",
  "lib/.git/HEAD: x",
  "lib/src/x.ts: 1",
  "home/notes/n.md: 1",
]);
afterAll(() => at.remove());
const home = at.path("home");

test("no word of the environment is asked for but those that a kept policy is compared by", () => {
  for (const platform of ["linux", "darwin", "win32"] as const) {
    const asked = new Set<string>();
    const env = new Proxy<Record<string, string | undefined>>(
      {},
      {
        get: (_, word) => void asked.add(String(word)),
        has: (_, word) => (asked.add(String(word)), false),
        ownKeys: () => (asked.add("all of them"), []),
      },
    );
    expect(loadPolicy({ workspace: at.path("ws"), home, env, platform, startedBy: "host" }).ok).toBe(true);
    expect(asked.size).toBeGreaterThan(0);
    expect([...asked].filter((word) => !policyWords.some((one) => one === word))).toEqual([]);
  }
});

describe("a policy that is kept", () => {
  const policy = join(home, ".config", "hallpass", "policy.json");
  const kept = join(home, "kept.json");
  const save = (text: string, age = 60_000): void => {
    mkdirSync(join(policy, ".."), { recursive: true });
    writeFileSync(policy, text);
    const when = new Date(Date.now() - age);
    utimesSync(policy, when, when);
  };
  const verdict = async (path = "a.txt", version = "1", env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const decoded = hookHosts["claude-code"].decode({ hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: path } });
    if (!decoded.ok) throw new Error(decoded.why);
    const around = { workspace: at.path("ws"), home, env, platform: process.platform, lets: [], attended: true };
    const answer = await judgeInProcess(hookHosts["claude-code"], decoded.call, {
      ...around,
      kept: { file: kept, version, clock: Date.now },
      isRecorded: false,
    });
    return answer.verdict;
  };
  const isKept = (): boolean => readdirSync(home).includes("kept.json");

  test("gives the same answers as one that is read, and is read anew once a file has changed", async () => {
    save('{"read": {"**/a.txt": "deny", "src/**": "ask"}}');
    expect([await verdict(), isKept(), await verdict(), await verdict("src/Main.ts"), await verdict("docs/a/b.md")]).toEqual([
      "deny",
      true,
      "deny",
      "ask",
      "pass",
    ]);
    save('{"read": {"**/b.txt": "deny"}}');
    expect(await verdict()).toBe("pass");
    mkdirSync(at.path("ws/.hallpass"));
    writeFileSync(at.path("ws/.hallpass/policy.json"), '{"read": {"**/a.txt": "deny"}}');
    expect(await verdict()).toBe("deny");
    rmSync(at.path("ws/.hallpass"), { recursive: true });
    expect(await verdict()).toBe("pass");
    save("{ nonsense");
    await expect(verdict()).rejects.toThrow(/not JSON|should stand/);
    rmSync(policy);
    expect(await verdict()).toBe("pass");
  });

  test("is not used when others could have written it, when it is not whole, or for another program", async () => {
    save('{"read": {"**/a.txt": "deny"}}');
    rmSync(kept, { force: true });
    await verdict();
    const forged = readFileSync(kept, "utf8").replaceAll("deny", "ask");
    const tries: readonly (() => void)[] = [
      () => (writeFileSync(kept, forged), chmodSync(kept, 0o666)),
      () => (rmSync(kept), writeFileSync(kept, forged.slice(0, -20), { mode: 0o600 })),
      () => (rmSync(kept), writeFileSync(kept, "x", { mode: 0o600 })),
      () => (rmSync(kept), writeFileSync(`${kept}.real`, forged, { mode: 0o600 }), symlinkSync(`${kept}.real`, kept)),
    ];
    for (const forge of tries) {
      forge();
      expect(await verdict()).toBe("deny");
    }
    expect(await verdict("a.txt", "2")).toBe("deny");
  });

  test("is not used without one of its parts", async () => {
    save('{"read": {"**/a.txt": "deny"}}');
    rmSync(kept, { force: true });
    await verdict();
    const { stamp, policy: parts } = JSON.parse(readFileSync(kept, "utf8").replaceAll("deny", "ask")) as {
      readonly stamp: string;
      readonly policy: Readonly<Record<string, unknown>>;
    };
    expect(Object.keys(parts).toSorted()).toEqual(Object.keys(emptyPolicy).toSorted());
    for (const name of Object.keys(parts)) {
      writeFileSync(kept, JSON.stringify({ stamp, policy: { ...parts, [name]: undefined } }), { mode: 0o600 });
      expect([name, await verdict()]).toEqual([name, "deny"]);
    }
  });

  test("is not used where the environment leads to other files, or makes other places secret", async () => {
    save('{"read": {"**/a.txt": "deny", "~/docs/**": "allow"}}');
    const other = join(home, "other", "hallpass", "policy.json");
    mkdirSync(join(other, ".."), { recursive: true });
    writeFileSync(other, '{"read": {"**/a.txt": "ask"}}');
    const before = new Date(Date.now() - 60_000);
    utimesSync(other, before, before);
    const said = [];
    for (const env of [{}, { XDG_CONFIG_HOME: join(home, "other") }, {}, {}]) said.push(await verdict("a.txt", "1", env));
    expect(said).toEqual(["deny", "ask", "deny", "deny"]);
    expect([await verdict("docs/a/b.md"), isKept()]).toEqual(["pass", true]);
    const beside = join(home, "docs", "b.md");
    mkdirSync(join(beside, ".."), { recursive: true });
    writeFileSync(beside, "");
    expect(await verdict(beside, "1", { HALLPASS_DATA: join(home, "docs") })).toBe("deny");
    expect(await verdict(beside)).not.toBe("deny");
  });

  test("is not taken from a data directory in the workspace, and neither is a policy", async () => {
    save('{"read": {"**/a.txt": "deny"}}');
    const inside = (): string => at.path("ws/cfg");
    mkdirSync(join(inside(), "hallpass"), { recursive: true });
    writeFileSync(join(inside(), "hallpass", "policy.json"), '{"read": {"**/a.txt": "ask"}}');
    for (const env of [{ HALLPASS_DATA: inside() }, { XDG_DATA_HOME: inside() }, { XDG_CONFIG_HOME: inside() }])
      await expect(verdict("a.txt", "1", env)).rejects.toThrow(/lies in the workspace/u);
    rmSync(inside(), { recursive: true });
    expect(await verdict()).toBe("deny");
  });

  test("holds no descriptor afterwards", async () => {
    save('{"read": {"**/a.txt": "deny"}}');
    await verdict();
    const held = readdirSync("/proc/self/fd").length;
    for (let times = 0; times < 5; times += 1) await verdict();
    expect(readdirSync("/proc/self/fd").length).toBe(held);
  });

  test("is not kept while a file may still change within the same moment, nor where it lies behind a link", async () => {
    rmSync(kept, { force: true });
    save('{"read": {"**/a.txt": "deny"}}', 0);
    expect([await verdict(), isKept()]).toEqual(["deny", false]);
    rmSync(policy);
    writeFileSync(join(home, "elsewhere.json"), '{"read": {"**/a.txt": "ask"}}');
    symlinkSync(join(home, "elsewhere.json"), policy);
    expect([await verdict(), isKept()]).toEqual(["ask", false]);
  });
});
