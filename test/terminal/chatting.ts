// A chat in a real terminal for tests: a place with files, a chat in it whose agent does what a script says, and what people type.
// Everything is closed and removed after each test.

import { afterEach } from "vitest";
import { startModel, type Turn } from "./model-service.ts";
import { keys, makePlace, type Place, startTerminal, type Terminal, type TerminalOptions } from "./terminal.ts";

export interface Chatting {
  /** A place with these files, by path below it. */
  place(): Place;
  /** `hallpass chat` with these words. */
  open(at: Place, words?: readonly string[], options?: Partial<TerminalOptions>): Terminal;
  /** A chat whose agent does what a script says. */
  scripted(at: Place, turns: readonly Turn[], options?: Partial<TerminalOptions>, words?: readonly string[]): Promise<Terminal>;
}

/** To be called once, where the tests are told. */
export function chatting(files: Readonly<Record<string, string>>): Chatting {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });
  const open: Chatting["open"] = (at, words = [], options = {}) => {
    const terminal = startTerminal(["chat", ...words], { cwd: at.workspace, home: at.home, ...options });
    cleanups.push(() => terminal.close());
    return terminal;
  };
  return {
    place() {
      const made = makePlace();
      cleanups.push(() => made.remove());
      for (const [path, text] of Object.entries(files)) made.file(path, text);
      return made;
    },
    open,
    async scripted(at, turns, options = {}, words = []) {
      const model = await startModel(turns);
      cleanups.push(() => model.close());
      const terminal = open(at, ["--model", model.name, ...words], { ...options, env: { ...model.env, ...options.env } });
      await terminal.sees("this process");
      return terminal;
    },
  };
}

/** Types the text, and presses Enter once it is on the screen before the cursor: what comes in one go with Enter is not a key. */
export async function say(terminal: Terminal, text: string): Promise<void> {
  terminal.type(text);
  // Wherever the field breaks its lines.
  const pattern = text
    .replaceAll(/\s/gu, "")
    .replaceAll(/./gu, (letter) => letter.replace(/[$()*+.?[\\\]^{|}]/u, String.raw`\$&`) + String.raw`\s*`);
  await terminal.shows(new RegExp(`${pattern}▏`, "u"));
  terminal.type(keys.enter);
}

/** A card is there, and takes answers. */
export async function asked(terminal: Terminal, what: string | RegExp = "Deny and tell the agent"): Promise<void> {
  await terminal.sees(what);
  await terminal.shows(/to move · Enter/u);
  await terminal.loses("one moment: keys typed before");
}

export const read = (path: string): Turn => ({ calls: [{ name: "read_file", input: { path } }] });
