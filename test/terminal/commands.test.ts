// The commands around a daemon, as programs and people call them: sessions, grants, the record, keeping, resuming, the inbox of many.

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commands } from "../../src/cli/main.ts";
import { routes } from "../../src/wire/http.ts";
import { type RunningDaemon, startDaemonAt } from "./daemon.ts";
import { keys, makePlace, pause, type Place, program, startTerminal, type Terminal } from "./terminal.ts";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let at: Place;
const run = (...words: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: at.home };
    execFile(process.execPath, [program, ...words], { cwd: at.workspace, env, timeout: 20_000 }, (error, out, err) => {
      resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, out, err });
    });
  });

const terminals: Terminal[] = [];
const inTerminal = (words: readonly string[], rows = 30): Terminal => {
  const terminal = startTerminal(words, { cwd: at.workspace, home: at.home, cols: 100, rows });
  terminals.push(terminal);
  return terminal;
};

beforeAll(() => {
  at = makePlace();
  for (const name of ["api", "web", "lib"]) {
    at.file(`home/code/${name}/.git/HEAD`, "x");
    at.file(`home/code/${name}/a.txt`, `the text of ${name}\n`);
  }
  at.file("home/code/app/notes.txt", "notes\n");
});
afterAll(async () => {
  for (const terminal of terminals) await terminal.close();
  at.remove();
});

describe("without a daemon and a store", () => {
  test("there is nothing to see, and nothing is made by looking", async () => {
    expect(await run("grants")).toMatchObject({ code: 0, out: "nothing is granted: agents read their workspaces and no more\n" });
    expect(JSON.parse((await run("grants", "--json")).out)).toEqual([]);
    expect(JSON.parse((await run("sessions", "--json")).out)).toEqual([]);
    expect((await run("audit", "verify")).out).toContain("0 records, every link of the chain holds");
    expect(() => readFileSync(join(at.home, ".local/share/hallpass/hallpass.db"))).toThrow();
  });

  test("the inbox and --resume say how to start a daemon", async () => {
    for (const words of [["inbox"], ["chat", "--resume", "hello"]]) {
      const { code, err } = await run(...words);
      expect(code).toBe(1);
      expect(err).toContain("hallpass serve");
    }
  });

  test("what was nearly meant is suggested, commands, words and flags", async () => {
    expect((await run("grnats")).err).toContain("did you mean grants?");
    expect((await run("grants", "rovoke")).err).toContain("did you mean revoke?");
    expect((await run("audit", "--verdct", "deny")).err).toContain("did you mean --verdict?");
    expect((await run("chat", "--ask", "by-gaurd", "x")).err).toContain("did you mean by-guard?");
    expect((await run("grants", "--nonsense")).code).toBe(2);
  });

  test("every command has its own help, with an example or a word about its exit code", async () => {
    for (const name of ["chat", "inbox", "grants", "sessions", "audit", "policy", "doctor"]) {
      const { code, out } = await run(name, "--help");
      expect(code).toBe(0);
      expect(out).toMatch(new RegExp(`^hallpass ${name}`, "u"));
      expect(out).toMatch(/exit (?:code|0)/u);
    }
  });

  test("a policy is tried before it is saved", async () => {
    writeFileSync(join(at.root, "new.json"), '{ "read": { "~/code/api/**": "allow" } }');
    const { code, out } = await run("policy", "try", "../api/a.txt", "--with", join(at.root, "new.json"));
    expect(code).toBe(0);
    expect(out).toMatch(/^now {3}\? ask[\s\S]*\nwith {2}✓ allow/u);
    expect((await run("policy", "try", "../api/a.txt")).code).toBe(10);
    expect((await run("policy", "try", ".env")).code).toBe(20);
  });

  test.each(["bash", "zsh", "fish"])("completion for %s names every command", async (shell) => {
    const { out } = await run("completion", shell);
    // The hook has a bundle of its own, and is no command of this one.
    for (const name of [...Object.keys(commands), "hook"]) expect(out, name).toContain(name);
  });
});

describe("with a daemon", () => {
  let daemon: RunningDaemon;
  beforeAll(async () => {
    daemon = await startDaemonAt(at);
  });
  afterAll(() => daemon.stop());

  test("an inbox of several: Tab shows the next, an answer elsewhere closes the card, a yes grants and says how to end it", async () => {
    const terminal = inTerminal(["inbox"]);
    await terminal.sees("nobody waits");
    await daemon.ask(join(at.home, "code/api/a.txt"), "for the api", "one");
    await terminal.sees("one (claude-code)");
    const second = await daemon.ask(join(at.home, "code/web/a.txt"), null, "two");
    await terminal.sees("1 of 2");
    terminal.type("\t");
    await terminal.sees("two (claude-code)");
    // Answered from somewhere else: the card goes, and the first is there again.
    await daemon.client.send(routes.answer, { id: second, body: { decision: "deny" } });
    await terminal.sees("✗ Denied");
    await terminal.sees("one (claude-code)");
    await terminal.loses("one moment: keys typed before");
    terminal.type("1");
    await terminal.sees(/Granted: read .*code\/api/u);
    await terminal.sees(/hallpass\s+grants revoke [0-9a-f]{8}/u);
    terminal.type(keys.interrupt);
    expect(await terminal.ended).toBe(0);
  });

  test("grants, sessions and the record are tables for people and JSON for programs", async () => {
    const { out } = await run("grants");
    expect(out).toMatch(/^ID +READS +GIVEN +BY +ENDS +USED/u);
    expect(out).toContain("code/api");
    const [grant] = JSON.parse((await run("grants", "--json")).out) as { id: string; path: string }[];
    expect(grant?.path).toBe(join(at.home, "code/api"));
    expect((await run("sessions")).out).toMatch(/one +.*code\/app/u);
    expect((await run("audit", "query", "--kind", "grant")).out).toContain("code/api");
    const line = JSON.parse((await run("audit", "tail", "-n", "1", "--json")).out.trim()) as { event: { kind: string } };
    expect(line.event.kind).toBeTypeOf("string");

    const kept = await run("policy", "keep", grant?.id.slice(0, 8) ?? "");
    expect(kept.out).toContain("may be read from now on");
    expect(readFileSync(join(at.home, ".config/hallpass/policy.json"), "utf8")).toContain("code/api/**");

    expect((await run("grants", "revoke", "zzzz")).code).toBe(2);
    expect((await run("grants", "revoke", grant?.id.slice(0, 8) ?? "")).out).toContain("is shut again");
    expect((await run("grants")).out).toContain("nothing is granted");
  });

  test("the record holds together, and a record that was changed is found", async () => {
    expect(await run("audit", "verify")).toMatchObject({ code: 0 });
    const file = join(at.root, "record.jsonl");
    expect((await run("audit", "export", "-o", file)).code).toBe(0);
    expect((await run("audit", "verify", file)).code).toBe(0);
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, lines.with(1, lines[1]?.replace(/"at":\d/u, '"at":9') ?? "").join("\n"));
    const broken = await run("audit", "verify", file);
    expect(broken.code).toBe(1);
    expect(broken.out).toContain("the chain breaks at record 2");
    writeFileSync(file, lines.toSpliced(1, 1).join("\n"));
    expect((await run("audit", "verify", file)).code).toBe(1);
  });

  test("a chat outlives its terminal: what waited waits, and is answered after --resume", async () => {
    const first = inTerminal(["chat"]);
    await first.sees("daemon");
    first.type("read ../lib/a.txt");
    await pause(50);
    first.type(keys.enter);
    await first.sees("Allow read_file?");
    first.type("\u0004");
    await first.close();
    const again = inTerminal(["chat", "--resume"]);
    await again.sees("Allow read_file?");
    await again.loses("one moment: keys typed before");
    again.type("2");
    await again.sees("the text of lib");
    again.type("/scope");
    await pause(30);
    again.type(keys.enter);
    await again.sees("everything else is asked for");
    again.type("/quit");
    await pause(30);
    again.type(keys.enter);
    expect(await again.ended).toBe(0);
    expect(again.all()).toMatch(/go on with: hallpass chat --resume [0-9a-f]{8}/u);
  });
});

describe("after the daemon", () => {
  test("its store is read where it lies", async () => {
    expect((await run("audit", "verify")).out).toMatch(/✓ [1-9]\d* records/u);
    expect((await run("sessions")).out).toContain("code/app");
  });
});
