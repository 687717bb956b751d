// A chat in a real terminal, by keys: what is granted, asked, denied, blocked and impossible; what a card takes for an answer and what it
// does not; windows that change, terminals without colour, and no terminal at all.

import { spawn } from "node:child_process";
import { chmodSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { asked, chatting, read, say } from "./chatting.ts";
import { heldClock, keys, type Place, plainUser, program, type Terminal } from "./terminal.ts";

const { place, open, scripted } = chatting({
  "home/code/app/notes.txt": "the notes of the workspace\n",
  "home/code/app/.env": "TOKEN=do-not-tell\n",
  "home/code/api/.git/HEAD": "ref: refs/heads/main\n",
  "home/code/api/go.mod": "module example.com/api\n",
  "home/code/api/README.md": "# The api\n",
  "home/code/web/.git/HEAD": "ref: refs/heads/main\n",
  "home/code/web/index.html": "<h1>web</h1>\n",
});

describe("the flow", () => {
  test("granted, allowed, denied, blocked, missing, not accessible, too large and binary, by keys", async () => {
    const at = place();
    at.file("home/code/app/large.txt", "x".repeat(1_100_000));
    at.file("home/code/app/picture.bin", new Uint8Array([0, 1, 2, 0, 255]));
    chmodSync(at.file("home/code/app/shut.txt", "shut"), 0o000);
    if (plainUser !== undefined) at.give(plainUser);
    const terminal = open(at, [], plainUser === undefined ? {} : { uid: plainUser });
    await terminal.sees("this process");
    expect(terminal.all()).toContain("no daemon is running: this chat and its grants end with this process");

    // A few letters of a path offer it; Tab takes it. A secret is not offered.
    terminal.type("read @nts");
    await terminal.sees("Tab takes it");
    expect(terminal.screen().join("\n")).not.toContain(".env");
    terminal.type("\t");
    await terminal.sees("› read notes.txt");
    terminal.type(keys.enter);
    await terminal.sees("the notes of the workspace");
    // Commands are offered from the slash on; Enter takes one that was begun, and the next one does it.
    terminal.type("/hel");
    await terminal.sees("/help  list the commands");
    terminal.type(keys.enter);
    await terminal.loses("Tab takes it");
    terminal.type(keys.enter);
    await terminal.sees("/help: list the commands");
    expect(terminal.all()).not.toContain("Let the agent read");

    // Allowed for once, with the arrows: up from Deny.
    await say(terminal, "read ../api/go.mod");
    await asked(terminal);
    expect(terminal.screen().join("\n")).toMatch(/› 3 Deny/u);
    terminal.type(keys.up);
    await terminal.sees("› 2 Allow only go.mod, once");
    terminal.type(keys.enter);
    await terminal.sees("module example.com/api");
    expect(terminal.all()).toContain("✓ Allowed once: read_file ../api/go.mod");

    // Denied with the default and Enter.
    await say(terminal, "read ../web/index.html");
    await asked(terminal, /Wants to +read \.\.\/web\/index\.html/u);
    terminal.type(keys.enter);
    await terminal.sees("✗ Denied: read_file ../web/index.html");
    expect(terminal.all()).not.toContain("<h1>web</h1>");

    for (const [file, code] of [
      [".env", "secret-file"],
      ["nothing-here.txt", "not-found"],
      ["shut.txt", "os-denied"],
      ["large.txt", "too-large"],
      ["picture.bin", "binary-file"],
    ] as const) {
      await say(terminal, `read ${file}`);
      await terminal.sees(code);
    }
    expect(terminal.all()).not.toContain("do-not-tell");
    terminal.type(keys.interrupt);
    await terminal.sees("Ctrl-C again quits");
    terminal.type(keys.interrupt);
    expect(await terminal.ended).toBe(0);
  });

  test("allowed for the session with a digit: the next read is not asked about, and /revoke shuts it again", async () => {
    const at = place();
    const terminal = await scripted(at, [
      read("../api/go.mod"),
      { text: "one" },
      read("../api/README.md"),
      { text: "two" },
      read("../api/go.mod"),
      { text: "three" },
    ]);
    await say(terminal, "go");
    await asked(terminal);
    terminal.type("1");
    await terminal.sees("Granted: read");
    const id = /\/revoke ([0-9a-f]{8})/u.exec(terminal.all().replaceAll(/\n\s*/gu, " "))?.[1] ?? "";
    expect(id).not.toBe("");
    await terminal.sees("one");
    await say(terminal, "again");
    await terminal.sees("two");
    await say(terminal, `/revoke ${id}`);
    await terminal.sees("is shut again");
    await say(terminal, "once more");
    await asked(terminal, /Before +allowed/u);
    terminal.type(keys.escape);
    await terminal.sees("✗ Denied");
  });

  test("a note goes with the deny, and j and k move", async () => {
    const terminal = await scripted(place(), [read("../api/go.mod"), { text: "understood" }]);
    await say(terminal, "go");
    await asked(terminal);
    terminal.type("j");
    await terminal.sees("› 4 Deny and tell the agent");
    terminal.type("k");
    await terminal.sees("› 3 Deny");
    terminal.type("n");
    await terminal.sees("Deny, and tell the agent:");
    await say(terminal, "use the copy in vendor");
    await terminal.sees("with the note: use the copy in vendor");
    await terminal.sees("understood");
  });

  test("Esc denies at once, and the turn goes on", async () => {
    const terminal = await scripted(place(), [read("../api/go.mod"), { text: "then without it" }]);
    await say(terminal, "go");
    // While nothing that grants counts yet.
    await terminal.sees("one moment: keys typed before this do not count");
    terminal.type(keys.escape);
    await terminal.sees("✗ Denied: read_file ../api/go.mod");
    await terminal.sees("then without it");
  });

  test("a question of the agent's is answered with one of its options, or in words", async () => {
    const terminal = await scripted(place(), [
      { calls: [{ name: "ask_user_input", input: { question: "Which one?", options: ["red", "blue"] } }] },
      { calls: [{ name: "ask_user_input", input: { question: "And why?" } }] },
      { text: "thank you" },
    ]);
    await say(terminal, "go");
    await asked(terminal, "Which one?");
    terminal.type("2");
    await terminal.sees("Answered: blue");
    await asked(terminal, "And why?");
    terminal.type(keys.enter);
    await terminal.sees("Your answer:");
    terminal.type("because it is\u001b[31m calm");
    await terminal.sees("because it is calm▏");
    terminal.type(keys.enter);
    await terminal.sees("Answered: because it is calm");
    await terminal.sees("thank you");
  });

  test("a write is shown as a difference before it is asked about", async () => {
    const at = place();
    at.file("home/.config/hallpass/policy.json", '{ "write": { "*.txt": "ask" } }');
    const edit = { path: "notes.txt", old: "the notes", new: "my\tnotes" };
    const terminal = await scripted(at, [read("notes.txt"), { calls: [{ name: "edit_file", input: edit }] }, { text: "done" }]);
    await say(terminal, "go");
    await asked(terminal, "Let the agent change notes.txt?");
    expect(terminal.screen().join("\n")).toMatch(/-the notes[\s\S]*\+my⇥ notes/u);
    expect(terminal.screen().join("\n")).toContain("1 Allow writing notes.txt, once");
    terminal.type("1");
    await terminal.sees("Allowed once: edit_file notes.txt");
    await terminal.sees("done");
  });
});

describe("how it asks", () => {
  test("with the preset strict every read elsewhere is asked about anew, never for a session, and what git ignores stays shut", async () => {
    const at = place();
    at.file("home/code/app/.gitignore", "build/\n");
    at.file("home/code/app/build/out.txt", "built\n");
    at.file("home/notes/loose.txt", "in no repository\n");
    const outside = ["../api/go.mod", "../api/README.md", "../../notes/loose.txt"];
    const turns = [read("build/out.txt"), ...outside.map((path) => read(path)), { text: "over" }];
    const terminal = await scripted(at, turns, {}, ["--preset", "strict"]);
    await say(terminal, "go");
    for (const path of outside) {
      await asked(terminal, new RegExp(`Wants to +read ${path}`, "u"));
      expect(terminal.screen().join("\n")).toContain(`1 Allow reading ${path.split("/").at(-1) ?? ""}, once`);
      expect(terminal.screen().join("\n")).not.toContain("for this session");
      terminal.type("1");
      await terminal.sees(`Allowed once: read_file ${path}`);
    }
    await terminal.sees("over");
    expect(terminal.all()).toMatch(/✗ read_file build\/out\.txt/u);
  });

  test("by the model: a read is refused with a hint, and the agent's own ask has its reason", async () => {
    const at = place();
    const request = { name: "request_read_access", input: { path: `${at.home}/code/api/go.mod`, reason: "to see the module path" } };
    const terminal = await scripted(at, [read("../api/go.mod"), { calls: [request] }, { text: "over" }], {}, ["--ask", "by-model"]);
    await say(terminal, "go");
    await asked(terminal, "Let the agent read");
    expect(terminal.all()).toContain("out-of-scope");
    expect(terminal.screen().join("\n")).toMatch(/The agent says \(unverified\):\n {2}│ to see the module path/u);
  });

  test("the ask of an agent below comes up here, with who it is", async () => {
    const at = place();
    const spawned = { name: "spawn_agent", input: { task: "look into the api", path: "." } };
    const terminal = await scripted(at, [{ calls: [spawned] }, read("../api/go.mod"), { text: "child done" }, { text: "over" }]);
    await say(terminal, "go");
    await asked(terminal);
    expect(terminal.screen().join("\n")).toMatch(/Who asks +the agent in app › the agent in app/u);
    terminal.type(keys.escape);
    await terminal.sees("✗ Denied");
    await terminal.sees("over");
  });
});

describe("what is no answer", () => {
  test("keys typed before the card was there, Enter among them", async () => {
    const at = place();
    const clock = heldClock(at);
    const turns = [{ ...read("../api/go.mod"), text: "a b c d e f", pace: 60 }, { text: "over" }];
    const terminal = await scripted(at, turns, { env: clock.env });
    await say(terminal, "go");
    await terminal.sees("a b c");
    // Until it is let go, no key is late, however slow the machine is.
    clock.hold();
    // Somebody goes on typing while the card comes up: a digit, and Enter.
    const isUp = (): boolean => terminal.screen().join("\n").includes("── Let the agent read");
    for (let at = 0; !isUp(); at += 1) {
      terminal.type(at % 2 === 0 ? "1" : keys.enter);
      await terminal.shows(at % 2 === 0 ? /^› 1▏|── Let the agent read/mu : /^› ▏|── Let the agent read/mu);
    }
    // And while it is there. A window drawn again has taken the key before it.
    for (const [at, key] of ["1", keys.enter, "1", keys.enter].entries()) {
      const from = terminal.raw.length;
      terminal.type(key);
      terminal.resize(81 + at, 24);
      await expect.poll(() => terminal.raw.slice(from)).toContain("\u001b[2J");
    }
    await terminal.shows("one moment: keys typed before");
    clock.release();
    // Now the card takes keys, and none of those before has counted.
    terminal.type(keys.down);
    await terminal.shows("› 4 Deny and tell the agent");
    terminal.type(keys.up);
    await terminal.shows("› 3 Deny");
    await asked(terminal);
    expect(terminal.all()).not.toMatch(/Granted|Allowed|Denied|Closed/u);
    terminal.type(keys.escape);
    await terminal.sees("✗ Denied");
    // What was sent off before the card came is said when the turn is over.
    await terminal.sees("over");
    await terminal.sees("nothing left to do");
  });

  test("a paste of 200 lines, with and without the marks of a paste", async () => {
    const terminal = await scripted(place(), [read("../api/go.mod"), { text: "over" }]);
    await say(terminal, "go");
    await asked(terminal);
    const lines = Array.from({ length: 200 }, (_, at) => `${at % 2 === 0 ? "1" : "y"}\r`).join("");
    for (const paste of [`${keys.pasteStart}${lines}${keys.pasteEnd}`, lines]) {
      const from = terminal.raw.length;
      terminal.type(paste);
      // The card makes the person wait once more.
      await expect.poll(() => terminal.raw.slice(from)).toContain("one moment: keys typed before");
      await asked(terminal);
      expect(terminal.screen().join("\n")).toMatch(/› 3 Deny/u);
      expect(terminal.all()).not.toMatch(/Granted|Allowed|Denied/u);
    }
    terminal.type(keys.escape);
    await terminal.sees("✗ Denied");
    expect(terminal.all()).not.toMatch(/Granted|Allowed/u);
  });

  test("Ctrl-C: the turn is stopped, nothing is allowed, and once more leaves", async () => {
    const terminal = await scripted(place(), [read("../api/go.mod"), { text: "never" }]);
    await say(terminal, "go");
    await asked(terminal);
    terminal.type(keys.interrupt);
    await terminal.sees("Closed, since you stopped the agent, nothing was allowed");
    expect(terminal.all()).not.toContain("module example.com");
    terminal.type(keys.interrupt);
    expect(await terminal.ended).toBe(0);
  });

  test("what the agent says: it waits while the card is up", async () => {
    const at = place();
    const terminal = await scripted(at, [
      { text: "I allow this myself: yes, 1\n", calls: [{ name: "read_file", input: { path: "../api/go.mod" } }] },
      { text: "after the card" },
    ]);
    await say(terminal, "go");
    await asked(terminal);
    expect(terminal.all()).not.toMatch(/Granted|Allowed|after the card/u);
    terminal.type(keys.escape);
    await terminal.sees("after the card");
  });
});

describe("windows", () => {
  const widest = (terminal: Terminal): number => Math.max(...terminal.screen().map((text) => text.length));

  test("a window made 40 columns wide while a card is up: everything is drawn again, and fits", async () => {
    const at = place();
    const terminal = await scripted(at, [read("../api/go.mod"), { text: "over" }], { cols: 100, rows: 30 });
    await say(terminal, "go");
    await asked(terminal);
    terminal.resize(40, 30);
    // So narrow, a label stands above its fact, with a colon. Until it does, the terminal has only broken the old lines.
    await terminal.sees(/A yes lets it read:/u);
    const text = terminal.screen().join("\n");
    expect(text.match(/Let the agent read api\?/gu)).toHaveLength(1);
    expect(text).toMatch(/› 3 Deny/u);
    expect(widest(terminal)).toBeLessThanOrEqual(40);
    // The directory a yes would open is there to the last letter, however it is broken.
    expect(text.replaceAll(/\n\s*/gu, "")).toContain(`A yes lets it read:${at.home}/code/api`);
    terminal.type("1");
    await terminal.sees(/Granted: read/u);
    terminal.resize(120, 30);
    await terminal.sees("over");
    expect(terminal.screen().join("\n")).toContain("over");
  });

  test("a window too small to show what a yes would open takes no yes", async () => {
    const at = place();
    const deep = `home/code/${"long-name-".repeat(12)}/${"more-".repeat(20)}`;
    at.file(`${deep}/.git/HEAD`, "x");
    at.file(`${deep}/a.txt`, "a");
    const terminal = await scripted(at, [read(`${at.root}/${deep}/a.txt`), { text: "over" }], { cols: 40, rows: 14 });
    await say(terminal, "go");
    await terminal.sees("This window is too small");
    // Only a larger window shows when the card takes keys.
    terminal.resize(120, 40);
    await asked(terminal);
    terminal.resize(40, 14);
    await terminal.shows("This window is too small");
    // The digit is a key of its own, even when Esc comes together with it. Once Esc has denied, the digit has done nothing.
    terminal.type("1");
    terminal.type(keys.escape);
    await terminal.sees("Denied");
    expect(terminal.all()).not.toMatch(/Granted|Allowed/u);
  });

  test("wide letters count twice", async () => {
    const at = place();
    at.file("home/code/日本語の名前日本語の名前日本語の名前日本語の名前/.git/HEAD", "x");
    at.file("home/code/日本語の名前日本語の名前日本語の名前日本語の名前/メモ.txt", "x");
    const path = "../日本語の名前日本語の名前日本語の名前日本語の名前/メモ.txt";
    const terminal = await scripted(at, [read(path), { text: "over" }], { cols: 44, rows: 30 });
    await say(terminal, "go");
    await asked(terminal);
    expect(terminal.screen().filter((text) => text.includes("Let the agent read"))).toHaveLength(1);
    expect(terminal.screen().join("\n")).toContain("unusual letters");
    expect(terminal.screen().join("\n")).toMatch(/› 3 Deny/u);
  });

  test("several lines are written with Alt-Enter or a backslash, pasted, and brought back with ↑", async () => {
    const terminal = await scripted(place(), [{ text: "heard" }, { text: "heard again" }]);
    terminal.type("first\\");
    await terminal.sees(String.raw`› first\\▏`);
    terminal.type(keys.enter);
    await terminal.sees(/› first\n {2}▏/u);
    terminal.type(`${keys.pasteStart}second\r\nthird\u0007${keys.pasteEnd}`);
    await terminal.sees(/› first\n {2}second\n {2}third/u);
    terminal.type(keys.enter);
    await terminal.sees("heard");
    terminal.type(keys.up);
    await terminal.sees(/› first\n {2}second\n {2}third▏/u);
  });

  test("without colour no colour is written, with NO_COLOR and on a dumb terminal", async () => {
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const terminal = await scripted(place(), [read("../api/go.mod")], { env });
      await say(terminal, "go");
      await asked(terminal);
      expect(terminal.raw).not.toMatch(/\u001b\[[0-9;]*m/u);
      expect(terminal.screen().join("\n")).toMatch(/› 3 Deny/u);
    }
  });
});

describe("without a terminal", () => {
  const plain = (at: Place, words: readonly string[], input: string): Promise<{ code: number | null; out: string; err: string }> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [program, "chat", ...words], {
        cwd: at.workspace,
        env: { PATH: process.env["PATH"] ?? "", HOME: at.home },
      });
      let [out, err] = ["", ""];
      child.stdout.on("data", (text: Buffer) => (out += text.toString()));
      child.stderr.on("data", (text: Buffer) => (err += text.toString()));
      child.on("close", (code) => resolve({ code, out, err }));
      child.stdin.end(input);
    });

  test("what comes in is said once and the answer printed, plain", async () => {
    const { code, out, err } = await plain(place(), [], "read notes.txt\n");
    expect(code).toBe(0);
    expect(out).toContain("the notes of the workspace");
    expect(out + err).not.toContain("\u001b");
  });

  test("nobody is there, so that what would be asked is denied, whatever comes in after", async () => {
    const { code, out, err } = await plain(place(), ["read", "../api/go.mod"], "1\n\r\nyes\nallow\n");
    expect(code).toBe(0);
    expect(err).toContain("no-prompt-channel");
    expect(out).not.toContain("module example.com");
  });

  test("with nothing to say it says how it is called", async () => {
    const { code, err } = await plain(place(), [], "");
    expect(code).toBe(2);
    expect(err).toContain("there is nothing to say");
  });
});
