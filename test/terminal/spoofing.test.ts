// Every prompt-spoofing row of the attack table, on the card of a chat and in the inbox: real files with such names, an agent that asks
// for them, and the bytes that reach the terminal looked at one by one.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { show } from "../../src/core/path/show.ts";
import { say } from "./chatting.ts";
import { type RunningDaemon, startDaemonAt } from "./daemon.ts";
import { type ModelService, startModel } from "./model-service.ts";
import { keys, makePlace, type Place, startTerminal, type Terminal } from "./terminal.ts";

interface Row {
  readonly id: string;
  readonly title: string;
  readonly path: string;
  readonly args?: { readonly reason?: string };
  readonly must_not_contain_raw?: readonly string[];
}
const corpus = JSON.parse(readFileSync(join(import.meta.dirname, "..", "corpus.json"), "utf8")) as { rows?: Row[] } | Row[];
const rows = (Array.isArray(corpus) ? corpus : (corpus.rows ?? [])).filter(({ id }) => id.startsWith("UIS-"));

/** A file with the row's name in a repository of its own, whose root has as much of the name as can be. */
function build(at: Place, { id, path }: Row): string {
  const base = join(at.home, "code", id.toLowerCase());
  const wanted = base + path;
  mkdirSync(dirname(wanted), { recursive: true });
  mkdirSync(join(dirname(wanted), ".git"), { recursive: true });
  if (id === "UIS-15") {
    const real = join(base, "elsewhere", "secret-plans.txt");
    mkdirSync(join(base, "elsewhere", ".git"), { recursive: true });
    writeFileSync(real, "x");
    symlinkSync(real, wanted);
  } else writeFileSync(wanted, "x");
  return wanted;
}

/** What is ours: colours, moving about, wiping, modes, notifications, ends of lines. */
const OURS =
  /\u001b\[[0-9;]*m|\u001b\[\d*[AGKJH]|\u001b\[\?(?:25|2004|1004|2026)[hl]|\u0007?\u001b\]9;an agent is waiting for an answer\u0007|\u001b\]777;notify;Hallpass;an agent is waiting for an answer\u0007|\r\n/gu;

/** Control characters of an agent's text never reach the terminal: neither as what is left over, nor with their neighbours. */
function expectHarmless(raw: string, row: Row, wanted: string): void {
  expect(raw.replaceAll(OURS, "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u);
  for (const text of [wanted, row.args?.reason ?? ""]) {
    for (const found of text.matchAll(/[\s\S]{0,4}[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069][\s\S]{0,4}/gu))
      expect(raw).not.toContain(found[0]);
  }
  for (const text of row.must_not_contain_raw ?? [])
    if (text !== "\u001b" && text !== "\u0007" && text !== "\r") expect(raw).not.toContain(text);
}

const flat = (lines: readonly string[]): string =>
  lines
    .map((text) => text.replace(/^ {21}/u, ""))
    .join("")
    .replaceAll(/\s+/gu, "");

describe("prompt spoofing", () => {
  let at: Place;
  let paths: Map<string, string>;
  beforeAll(() => {
    at = makePlace();
    paths = new Map(rows.map((row) => [row.id, build(at, row)]));
  });
  afterAll(() => at.remove());

  const reasonOf = (row: Row): string => (row.args?.reason ?? "ok").slice(0, 500);

  test("all eleven rows are there", () => {
    expect(rows.length).toBeGreaterThanOrEqual(11);
  });

  test("in a chat: each card is harmless byte for byte, shows what really opens, and Esc denies", async () => {
    const model: ModelService = await startModel(
      rows.flatMap((row) => [
        { calls: [{ name: "request_read_access", input: { path: paths.get(row.id), reason: reasonOf(row) } }] },
        { text: `done with ${row.id}` },
      ]),
    );
    const terminal = startTerminal(["chat", "--model", model.name], {
      cwd: at.workspace,
      home: at.home,
      cols: 100,
      rows: 45,
      env: model.env,
    });
    try {
      await terminal.sees("this process");
      for (const row of rows) {
        const from = terminal.raw.length;
        await say(terminal, "go");
        await terminal.sees("── Let ");
        await terminal.loses("write to the agent");
        expectCard(terminal, row);
        terminal.type(keys.escape);
        await terminal.sees(`done with ${row.id}`);
        await terminal.loses("── Let ");
        expectHarmless(terminal.raw.slice(from), row, paths.get(row.id) ?? "");
        expect(terminal.all()).not.toMatch(/Granted|Allowed/u);
      }
    } finally {
      await terminal.close();
      await model.close();
    }
  });

  test("in the inbox: the same, from the agent of another program", async () => {
    const daemon: RunningDaemon = await startDaemonAt(at);
    const terminal = startTerminal(["inbox"], { cwd: at.workspace, home: at.home, cols: 100, rows: 45 });
    try {
      await terminal.sees("nobody is waiting");
      for (const row of rows) {
        const from = terminal.raw.length;
        await daemon.ask(paths.get(row.id) ?? "", reasonOf(row), row.path.slice(0, 100));
        await terminal.sees("── Let ");
        await terminal.loses("nobody is waiting");
        expectCard(terminal, row);
        expect(terminal.raw.slice(from)).toContain("\u001b]777;notify;Hallpass;an agent is waiting for an answer\u0007");
        terminal.type(keys.escape);
        await terminal.sees("nobody is waiting");
        await terminal.loses("── Let ");
        expectHarmless(terminal.raw.slice(from), row, paths.get(row.id) ?? "");
      }
      expect(terminal.all()).not.toMatch(/Granted|Allowed/u);
    } finally {
      await terminal.close();
      await daemon.stop();
    }
  });

  function expectCard(terminal: Terminal, row: Row): void {
    const screen = terminal.screen();
    const text = flat(screen);
    expect(screen.filter((one) => /^ {2}› 3 Deny$/u.test(one))).toHaveLength(1);
    expect(screen.join("\n")).toContain("The agent says (unverified):");
    if (row.id === "UIS-15") {
      expect(text).toContain(flat([`Actual location    ${join(at.home, "code", "uis-15", "elsewhere", "secret-plans.txt")}`]));
      expect(text).toContain(flat([`A yes lets it read ${join(at.home, "code", "uis-15", "elsewhere")}`]));
    } else if (row.id !== "UIS-13") {
      expect(text).toContain(flat([`A yes lets it read ${show(dirname(paths.get(row.id) ?? ""))}`]));
    }
    if (row.id === "UIS-09") expect(screen.join("\n")).toContain("Check closely");
  }
});
