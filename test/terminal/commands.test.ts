// The commands around a daemon, as programs and people call them: sessions, grants, the record, keeping, resuming, the inbox of many.

import { execFile, execFileSync, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { routes } from "../../src/wire/http.ts";
import { say } from "./chatting.ts";
import { type RunningDaemon, startDaemonAt } from "./daemon.ts";
import { keys, makePlace, type Place, program, startTerminal, type Terminal } from "./terminal.ts";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let at: Place;
const run = (...words: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: at.home };
    execFile(process.execPath, [program, ...words], { cwd: at.workspace, env, timeout: 120_000 }, (error, out, err) => {
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
    expect(await run("grants")).toMatchObject({
      code: 0,
      out: "nothing is granted: agents read their workspaces, what is mounted and what rules of the policy allow\n",
    });
    expect(JSON.parse((await run("grants", "--json")).out)).toEqual([]);
    expect(JSON.parse((await run("sessions", "--json")).out)).toEqual([]);
    for (const words of [["grants"], ["sessions"], ["audit"]])
      expect((await run(...words)).err).toContain("no daemon is running; there is no store at ");
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
    expect((await run("policy", "lnit")).err).toContain("did you mean lint?");
    expect((await run("completion", "fsh")).err).toContain("did you mean fish?");
    expect((await run("audit", "tail", "--kind", "grnat")).err).toContain("did you mean grant?");
    expect((await run("doctor", "--jsno")).err).toContain("did you mean --json?");
    expect((await run("inbox", "--jsno")).err).toContain("did you mean --json?");
    expect((await run("sessions", "--al")).err).toContain("did you mean --all?");
    expect((await run("grants", "--nonsense")).code).toBe(2);
    // Nothing is near to it: nothing is suggested.
    expect((await run("completely-else")).err).not.toContain("did you mean");
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

  test("what is wrong with a policy is told to programs too", async () => {
    const file = join(at.root, "odd.json");
    writeFileSync(file, '{ "reed": {} }');
    const wrong = await run("policy", "lint", file, "--json");
    expect(wrong.code).toBe(2);
    expect(JSON.parse(wrong.out)).toMatchObject({ ok: false, findings: [expect.stringContaining("unknown key `reed`")] });
    writeFileSync(file, "{}");
    expect(JSON.parse((await run("policy", "lint", file, "--json")).out)).toEqual({ ok: true, findings: [] });
    expect(JSON.parse((await run("policy", "print")).out)).toHaveProperty("layers");
    expect(JSON.parse((await run("policy", "try", "notes.txt", "--json")).out)).toMatchObject({ now: { verdict: "allow" }, with: null });
  });

  test.each(["bash", "zsh", "fish"])("completion for %s names every command", async (shell) => {
    const { out } = await run("completion", shell);
    for (const name of Object.keys(commandTable)) expect(out, name).toContain(name);
  });
});

describe("completion in a shell", () => {
  const completed = async (...words: readonly string[]): Promise<readonly string[]> => {
    const file = join(at.root, "completion.bash");
    writeFileSync(file, (await run("completion", "bash")).out);
    const typed = words.map((word) => `'${word}'`).join(" ");
    const script = `source '${file}'; COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _hallpass; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", script], { encoding: "utf8" }).trimEnd().split("\n");
  };

  test("commands, their words and their flags", async () => {
    expect(await completed("hallpass", "gr")).toEqual(["grants"]);
    expect(await completed("hallpass", "grants", "rev")).toEqual(["revoke", "revoke-all"]);
    expect(await completed("hallpass", "audit", "--fo")).toEqual(["--follow"]);
    expect(await completed("hallpass", "doctor", "--")).toEqual(["--json", "--no-canary", "--help"]);
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
    await terminal.sees("nobody is waiting");
    await daemon.ask(join(at.home, "code/api/a.txt"), "for the api", "one");
    await terminal.sees("Let one read api?");
    const second = await daemon.ask(join(at.home, "code/web/a.txt"), null, "two");
    await terminal.sees("1 of 2");
    terminal.type("\t");
    await terminal.sees("Let two read web?");
    // Answered from somewhere else: the card goes, and the first is there again.
    await daemon.client.send(routes.answer, { id: second, body: { decision: "deny" } });
    await terminal.sees("✗ Denied");
    await terminal.sees("Let one read api?");
    await terminal.loses("one moment: keys typed before");
    terminal.type("1");
    await terminal.sees(/Granted: read .*code\/api/u);
    await terminal.sees(/hallpass\s+grants revoke [0-9a-f]{8}/u);
    terminal.type(keys.interrupt);
    expect(await terminal.ended).toBe(0);
  });

  test("grants, sessions and the record are tables for people and JSON for programs", async () => {
    const { out } = await run("grants");
    expect(out).toContain("\nWhat commands in the sandbox read is not counted.\n");
    expect(out).toMatch(/^ID +OPENS +WHO +GIVEN +BY +ENDS +USED/u);
    expect(out).toContain("code/api");
    const [grant] = JSON.parse((await run("grants", "--json")).out) as { id: string; path: string }[];
    expect(grant?.path).toBe(join(at.home, "code/api"));
    expect((await run("sessions")).out).toMatch(/one +.*code\/app/u);
    expect((await run("audit", "query", "--kind", "grant")).out).toContain("code/api");
    expect((await run("audit", "query", "--kind", "answer")).out).toMatch(/answer: allow +allowed by .*he session +one /u);
    const line = JSON.parse((await run("audit", "tail", "-n", "1", "--json")).out.trim()) as { event: { kind: string } };
    expect(line.event.kind).toBeTypeOf("string");

    expect(grant?.id).toBeTypeOf("string");
    expect((await run("grants", "revoke", "zzzz")).code).toBe(2);
    expect((await run("grants", "revoke", grant?.id.slice(0, 8) ?? "")).out).toContain("is shut again");
    expect((await run("grants")).out).toContain("nothing is granted");
  });

  test("every table has its JSON", async () => {
    await daemon.ask(join(at.home, "code/lib/a.txt"), null, "three");
    const one = (out: string): Record<string, unknown> => (JSON.parse(out) as Record<string, unknown>[])[0] ?? {};
    const asks = await run("inbox", "--json");
    expect(one(asks.out)).toMatchObject({ state: "open", tool: "request_read_access" });
    expect((await run("inbox")).out).toMatch(/^ID +AGENT +TOOL +ASKS FOR +SINCE\n\S{8} +three/u);
    expect(one((await run("sessions", "--json")).out)).toHaveProperty("workspace", at.workspace);
    expect(one((await run("grants", "--all", "--json")).out)).toMatchObject({ revokedAt: expect.any(Number) });
    expect(JSON.parse((await run("audit", "verify", "--json")).out)).toMatchObject({ broken: null });
    for (const words of [["tail"], ["query", "--verdict", "ask"], ["query", "--since", "1h"], ["query", "--path", "code/lib"]]) {
      const { code, out } = await run("audit", ...words, "--json");
      expect(code).toBe(0);
      const lines = out.trimEnd().split("\n");
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(JSON.parse(line)).toHaveProperty("event.kind");
    }
    const [ask] = await daemon.client.send(routes.listAsks, { query: { state: "open" } });
    const { grant } = await daemon.client.send(routes.answer, { id: ask?.id ?? "", body: { decision: "allow" } });
    const revoked = await run("grants", "revoke", grant?.id ?? "", "--json");
    expect(one(revoked.out)).toMatchObject({ id: grant?.id, revokedAt: expect.any(Number) });
    expect(JSON.parse((await run("grants", "revoke-all", "--json")).out)).toEqual([]);
  });

  test("a grant is kept for its workspace by a rule, which goes with it; and only one that is there", async () => {
    const id = await daemon.ask(join(at.home, "code/web/a.txt"), null, "four");
    const { grant } = await daemon.client.send(routes.answer, { id, body: { decision: "allow" } });
    const wanted = grant?.id.slice(0, 8) ?? "";
    expect((await run("check", "../web/a.txt")).code).toBe(10);
    expect(await run("policy", "keep", "zzzz")).toMatchObject({ code: 2, err: expect.stringContaining("no grant's id begins with zzzz") });
    expect((await run("policy", "keep")).code).toBe(2);
    const kept = await run("policy", "keep", wanted);
    const told = /code\/web may be read from now on by every agent in the same workspace: .*policy\.json:\d+\nRevoke the grant, or take/u;
    expect(kept.out).toMatch(told);
    const file = join(at.home, ".config/hallpass/policy.json");
    expect(readFileSync(file, "utf8")).toContain("code/web/**");
    expect((await run("check", "../web/a.txt")).code).toBe(0);
    expect((await run("check", "-o", "replace", "../web/a.txt")).code).toBe(20);
    // The grant and the rule stand in one list; the rule says where it is written and who may read by it.
    const listed = (await run("grants")).out;
    expect(listed).toMatch(/\n[0-9a-f]{8} .*policy\.json:\d+ +0×/u);
    const rows = JSON.parse((await run("grants", "--json")).out) as { kind: string; path: string; at: unknown }[];
    expect(rows).toMatchObject([
      { kind: "grant", id: grant?.id, label: "four" },
      { kind: "rule", path: `${join(at.home, "code/web")}/**`, at: { file, line: expect.any(Number) } },
    ]);
    await run("grants", "revoke", wanted);
    expect((await run("check", "../web/a.txt")).code).toBe(10);
    expect(readFileSync(file, "utf8")).not.toContain("code/web/**");
    rmSync(file);

    const again = await daemon.ask(join(at.home, "code/web/a.txt"), null, "five");
    const second = await daemon.client.send(routes.answer, { id: again, body: { decision: "allow" } });
    const json = await run("policy", "keep", second.grant?.id ?? "", "--json");
    expect(JSON.parse(json.out)).toMatchObject({ file, line: expect.any(Number) });
    await run("grants", "revoke-all");
    expect(JSON.parse((await run("grants", "--json")).out)).toEqual([]);
    rmSync(file);
  });

  test("a revoke says which rule still allows the read, with its file and line; a kept rule is revoked by its id", async () => {
    const file = join(at.home, ".config/hallpass/policy.json");
    const id = await daemon.ask(join(at.home, "code/web/a.txt"), null, "still");
    const { grant } = await daemon.client.send(routes.answer, { id, body: { decision: "allow" } });
    const dir = join(at.home, "code/web");
    writeFileSync(
      file,
      `{\n  "workspaces": { "${at.workspace}": { "read": {\n    "${dir}/*.txt": "allow",\n    "${dir}/**": "allow"\n  } } },\n  "read": {\n    "${dir}/**": "allow"\n  }\n}\n`,
    );
    const ended = await run("grants", "revoke", grant?.id ?? "");
    expect(ended.out).toContain("can still be read");
    expect(ended.out).toContain(`${file}:6`);
    const [rule] = JSON.parse((await run("grants", "--json")).out) as { id: string; path: string }[];
    expect(rule?.path).toBe(`${dir}/*.txt`);
    expect((await run("grants", "revoke", rule?.id.slice(0, 8) ?? "")).code).toBe(0);
    expect((await run("grants")).out).toContain("nothing is granted");
    rmSync(file);
  });

  test("the inbox rings the bell and sends a notification, once for each ask", async () => {
    const terminal = inTerminal(["inbox"]);
    await terminal.sees("nobody is waiting");
    const ids = [await daemon.ask(join(at.home, "code/lib/a.txt"), null, "six")];
    await terminal.sees("Let six read lib?");
    ids.push(await daemon.ask(join(at.home, "code/lib/a.txt"), "with \u0007 and \u001b]9;mine\u0007 in it", "seven"));
    await terminal.sees("1 of 2");
    const notification =
      "\u0007\u001b]9;an agent is waiting for an answer\u0007\u001b]777;notify;Hallpass;an agent is waiting for an answer\u0007";
    expect(terminal.raw.split(notification)).toHaveLength(3);
    // No bell but ours, and no notification in an agent's words.
    expect(terminal.raw.replaceAll(notification, "")).not.toContain("\u0007");
    for (const id of ids) await daemon.client.send(routes.answer, { id, body: { decision: "deny" } });
    await terminal.sees("nobody is waiting");
    terminal.type(keys.interrupt);
    expect(await terminal.ended).toBe(0);
  });

  test("the record is followed: what is new comes below, in the same columns, until Ctrl-C", async () => {
    const terminal = inTerminal(["audit", "tail", "-f", "-n", "3"]);
    await terminal.sees(/^NO +WHEN +WHAT/mu);
    const before = terminal.all();
    const old = before.match(/^\d+ /gmu) ?? [];
    expect(old).toHaveLength(3);
    const last = Number(old.at(-1));
    const id = await daemon.ask(join(at.home, "code/lib/a.txt"), null, "eight");
    await daemon.client.send(routes.answer, { id, body: { decision: "deny" } });
    await terminal.sees(new RegExp(`^${last + 1} `, "mu"));
    const rows = terminal.all().match(/^\d+ .*$/gmu) ?? [];
    const numbers = rows.map((row) => Number.parseInt(row, 10));
    expect(rows.length).toBeGreaterThan(3);
    // In order, each once, under one head.
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
    expect(terminal.all().match(/^NO +WHEN/gmu)).toHaveLength(1);
    terminal.type(keys.interrupt);
    await terminal.ended;
  });

  test("the record is followed as JSON lines, with a filter, and through a pipe that ends", async () => {
    const child = spawn(process.execPath, [program, "audit", "tail", "-f", "--json", "--kind", "answer"], {
      cwd: at.workspace,
      env: { PATH: process.env["PATH"] ?? "", HOME: at.home },
    });
    let [out, err] = ["", ""];
    child.stderr.on("data", (text: Buffer) => (err += text.toString()));
    child.stdout.on("data", (text: Buffer) => (out += text.toString()));
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // First what is there already.
    const known = (await run("audit", "tail", "--json", "--kind", "answer")).out;
    expect(known).toContain("\n");
    await expect.poll(() => out).toBe(known);
    const lines = (): string[] => out.trimEnd().split("\n");
    const before = lines().length;
    const answered = async (label: string): Promise<void> => {
      const id = await daemon.ask(join(at.home, "code/lib/a.txt"), null, label);
      await daemon.client.send(routes.answer, { id, body: { decision: "deny" } });
    };
    await answered("nine");
    await expect.poll(lines).toHaveLength(before + 1);
    for (const line of lines()) expect(JSON.parse(line)).toMatchObject({ event: { kind: "answer" } });
    // Nobody reads any more: at the next record it ends by itself, without a word.
    child.stdout.destroy();
    await answered("ten");
    expect(await ended).toBe(0);
    expect(err).toBe("");
  });

  test("tables have colour at a terminal, none with NO_COLOR, on a dumb terminal or through a pipe, and fit the window", async () => {
    const words = [["grants", "--all"], ["sessions"], ["audit", "tail"]];
    for (const command of words) {
      expect((await run(...command)).out).not.toContain("\u001b");
      for (const env of [{}, { NO_COLOR: "1" }, { TERM: "dumb" }]) {
        const terminal = startTerminal(command, { cwd: at.workspace, home: at.home, cols: 90, rows: 40, env });
        terminals.push(terminal);
        expect(await terminal.ended).toBe(0);
        await terminal.sees(/^(?:ID|NO) /mu);
        expect(/\u001b\[\d+m/u.test(terminal.raw), JSON.stringify([command, env])).toBe(Object.keys(env).length === 0);
        const buffer = terminal.buffer.active;
        for (let row = 0; row < 40; row += 1) expect(buffer.getLine(row)?.isWrapped ?? false).toBe(false);
      }
    }
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
    await say(first, "read ../lib/a.txt");
    await first.sees("Let the agent read");
    first.type("\u0004");
    await first.close();
    const again = inTerminal(["chat", "--resume"]);
    await again.sees("Let the agent read");
    await again.loses("one moment: keys typed before");
    again.type("2");
    await again.sees("the text of lib");
    await say(again, "/scope");
    await again.sees("for anything else you are asked");
    await say(again, "/quit");
    expect(await again.ended).toBe(0);
    expect(again.all()).toMatch(/continue with: hallpass chat --resume [0-9a-f]{8}/u);
  });
});

describe("after the daemon", () => {
  test("its store is read where it lies", async () => {
    expect((await run("audit", "verify")).out).toMatch(/✓ [1-9]\d* records/u);
    expect((await run("sessions")).out).toContain("code/app");
  });
});
