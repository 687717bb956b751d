// A chat as a program in a terminal: what it draws first, what it does to the window and to the shell it was started from, and how it tells
// a person who looks elsewhere.

import { describe, expect, onTestFinished, test } from "vitest";
import { asked, chatting, read, say } from "./chatting.ts";
import { keys, pause, program, startTerminal } from "./terminal.ts";

const { place, scripted, open } = chatting({
  "home/code/api/.git/HEAD": "ref: refs/heads/main\n",
  "home/code/api/go.mod": "module example.com/api\n",
});
const NOTIFICATION =
  "\u0007\u001b]9;an agent is waiting for an answer\u0007\u001b]777;notify;Hallpass;an agent is waiting for an answer\u0007";
const countOf = (text: string, what: string): number => text.split(what).length - 1;

describe("telling a person who looks elsewhere", () => {
  test("the bell rings and a notification is sent once for each ask, and never in between", async () => {
    const terminal = await scripted(place(), [
      read("../api/go.mod"),
      { text: "the first" },
      { text: "the second" },
      read("../api/go.mod"),
      { text: "three" },
    ]);
    await say(terminal, "go");
    await terminal.sees("Let the agent read api?");
    await terminal.loses("one moment: keys typed before");
    expect(countOf(terminal.raw, NOTIFICATION)).toBe(1);
    terminal.type(keys.escape);
    await terminal.sees("the first");
    await say(terminal, "and now");
    await terminal.sees("the second");
    expect(countOf(terminal.raw, "\u0007")).toBe(3);
    await say(terminal, "again");
    await terminal.sees(/Before +denied/u);
    await terminal.loses("one moment: keys typed before");
    expect(countOf(terminal.raw, NOTIFICATION)).toBe(2);
  });
});

describe("the window", () => {
  test("three lines: what is written is seen, a card says what can be done, and takes no yes", async () => {
    const terminal = await scripted(place(), [read("../api/go.mod"), { text: "over" }], { cols: 60, rows: 3 });
    terminal.type("hello there");
    await terminal.sees("› hello there▏");
    expect(terminal.screen()[0]).toBe("› hello there▏");
    terminal.type(keys.enter);
    await terminal.sees("too small to allow; Esc denies");
    // Only a larger window shows when the card takes keys.
    terminal.resize(60, 30);
    await asked(terminal);
    terminal.resize(60, 3);
    await terminal.shows("too small to allow; Esc denies");
    // Nothing is drawn that is higher than the window: it would scroll away, again and again.
    expect(countOf(terminal.all(), "too small to allow")).toBe(1);
    // The digit is a key of its own, even when Esc comes together with it. Once Esc has denied, the digit has done nothing.
    terminal.type("1");
    terminal.type(keys.escape);
    await terminal.sees("✗ Denied");
    await terminal.sees("over");
    expect(terminal.all()).not.toMatch(/Granted|Allowed/u);
  });

  test("dragged about for a while: one card, whole, and little left behind in what scrolled away", async () => {
    const at = place();
    const terminal = await scripted(at, [read("../api/go.mod"), { text: "over" }]);
    await say(terminal, "go");
    await terminal.sees("Let the agent read api?");
    const before = terminal.raw.length;
    for (let step = 0; step < 60; step += 1) {
      terminal.resize(30 + ((step * 37) % 120), 8 + ((step * 13) % 40));
      await pause(5);
    }
    terminal.resize(90, 30);
    const settled = (): boolean => terminal.screen().some((text) => text.startsWith("── Let the agent read api?") && text.length === 89);
    await expect.poll(settled).toBe(true);
    const screen = terminal.screen().join("\n");
    expect(countOf(screen, "Let the agent read api?")).toBe(1);
    expect(countOf(screen, "› 3 Deny")).toBe(1);
    expect(screen).toMatch(new RegExp(`A yes lets it read +${at.home}/code/api$`, "mu"));
    // Drawn some times, not once for each of the sixty.
    expect(countOf(terminal.raw.slice(before), "\u001b[2J")).toBeLessThan(30);
    terminal.type(keys.escape);
    await terminal.sees("over");
  });

  test("Ctrl-L draws everything again over what another program wrote there", async () => {
    const terminal = await scripted(place(), [{ text: "heard" }]);
    await say(terminal, "hello");
    await terminal.sees("heard");
    const wiped = countOf(terminal.raw, "\u001b[2J");
    terminal.type(keys.redraw);
    await expect.poll(() => countOf(terminal.raw, "\u001b[2J")).not.toBe(wiped);
    expect(countOf(terminal.raw, "\u001b[2J")).toBe(wiped + 1);
    await terminal.sees(/› hello\n\nheard\n\n› ▏write to the agent/u);
    expect(countOf(terminal.all(), "heard")).toBe(1);
  });

  test.each([40, 80, 200])("%i columns: no line is broken by the terminal, and the workspace is in the first", async (cols) => {
    const terminal = await scripted(place(), [{ text: "a word ".repeat(60) }], { cols, rows: 30 });
    await say(terminal, "hello");
    await terminal.sees("a word a word");
    const buffer = terminal.buffer.active;
    for (let at = 0; at < buffer.baseY + 30; at += 1) expect(buffer.getLine(at)?.isWrapped ?? false).toBe(false);
    expect(terminal.all()).toMatch(/^hallpass chat · \S*app · .*\/help$/mu);
  });
});

describe("writing", () => {
  test("200 lines pasted, with the marks of a paste and without, are one message, and nothing is sent before Enter", async () => {
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at + 1} of the paste`).join("\r");
    for (const pasted of [`${keys.pasteStart}${lines}${keys.pasteEnd}`, lines]) {
      const terminal = await scripted(place(), [{ text: "heard it" }]);
      terminal.type(pasted);
      await terminal.sees(/… 192 more lines above\n {2}line 193 of the paste/u);
      await terminal.sees("line 200 of the paste▏");
      // It is all still there, to be changed.
      terminal.type("!");
      await terminal.sees("line 200 of the paste!▏");
      expect(terminal.all()).not.toMatch(/heard it|Ctrl-C stops/u);
      terminal.type(keys.enter);
      await terminal.sees("heard it");
      expect(countOf(terminal.all(), "heard it")).toBe(1);
      expect(terminal.all()).not.toContain("nothing left to do");
      expect(terminal.all()).toMatch(/› line 1 of the paste\n {2}line 2 of the paste\n/u);
      await terminal.close();
    }
  });

  test("↑ and ↓ go through what was said, and back to what was being written", async () => {
    const terminal = await scripted(place(), [{ text: "one" }, { text: "two" }]);
    await say(terminal, "the first thing");
    await terminal.sees("one");
    await say(terminal, "the second thing");
    await terminal.sees("two");
    terminal.type("a draft");
    await terminal.sees("› a draft▏");
    terminal.type(keys.up);
    await terminal.sees("› the second thing▏");
    terminal.type(keys.up);
    await terminal.sees("› the first thing▏");
    terminal.type(keys.down);
    await terminal.sees("› the second thing▏");
    terminal.type(keys.down);
    await terminal.sees("› a draft▏");
    await terminal.loses("› the first thing▏");
  });

  test("Ctrl-C throws away what is written and says how to leave, Ctrl-D leaves an empty line, and the terminal is as it was", async () => {
    const terminal = await scripted(place(), []);
    terminal.type("not this");
    await terminal.sees("› not this▏");
    // What is typed after it is still taken.
    terminal.type(keys.endOfInput);
    terminal.type("!");
    await terminal.sees("› not this!▏");
    terminal.type(keys.interrupt);
    await terminal.sees("Ctrl-C again quits");
    expect(terminal.screen().join("\n")).not.toContain("not this");
    terminal.type(keys.endOfInput);
    expect(await terminal.ended).toBe(0);
    // Bracketed paste and focus are off again, the cursor is back, and nothing live is left on the screen.
    expect(terminal.raw).toMatch(/\u001b\[\?2004l\u001b\[\?1004l\u001b\[\?25h/u);
    expect(terminal.screen().join("\n")).not.toContain("write to the agent");
  });
});

describe("the shell it was started from", () => {
  test("Ctrl-Z gives the terminal back to it, and fg goes on with what was being written", async () => {
    const at = place();
    const terminal = startTerminal([], {
      cwd: at.workspace,
      home: at.home,
      rows: 30,
      env: { PS1: "shell$ ", BASH_SILENCE_DEPRECATION_WARNING: "1" },
      command: ["bash", "--norc", "--noprofile", "-i"],
    });
    onTestFinished(() => terminal.close());
    await terminal.sees("shell$");
    terminal.type(`'${process.execPath}' '${program}' chat\r`);
    await terminal.sees("this process");
    terminal.type("half a sentence");
    await terminal.sees("› half a sentence▏");
    terminal.type(keys.suspend);
    await terminal.sees(/Stopped/u);
    await terminal.loses("half a sentence");
    // It is the shell that hears the keys now, and shows them.
    terminal.type("echo $((6 * 7))\r");
    await terminal.sees(/^42$/mu);
    terminal.type("fg\r");
    await terminal.sees("› half a sentence▏");
    terminal.type(" and the rest");
    await terminal.sees("› half a sentence and the rest▏");
    terminal.type(keys.interrupt);
    await terminal.sees("Ctrl-C again quits");
    terminal.type(keys.interrupt);
    await terminal.sees(/shell\$\s*$/u);
    terminal.type("echo code $?\r");
    await terminal.sees(/^code 0$/mu);
  });

  test("words that are not understood are answered in the shell, and nothing was drawn", async () => {
    const at = place();
    const terminal = open(at, ["--modell", "x"]);
    expect(await terminal.ended).toBe(2);
    await terminal.sees("unknown flag --modell; did you mean --model?");
    expect(terminal.raw).not.toContain("\u001b[?2004h");
  });

  test("a chat that cannot be opened leaves the terminal as it was, with the reason", async () => {
    const at = place();
    const terminal = open(at, ["--workspace", `${at.root}/nowhere`]);
    expect(await terminal.ended).toBe(1);
    await terminal.sees(/hallpass: [a-z-]+: .*nowher/u);
    expect(terminal.raw).toContain("\u001b[?2004l");
  });
});
