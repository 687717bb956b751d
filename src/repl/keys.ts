// What a terminal in raw mode sends, as keys. A paste is one thing, however long, and never a key; an escape sequence nobody knows is
// nothing. The decoder keeps what is incomplete until the rest comes, and a lone escape until `flush` says that nothing follows.

import type { ReadStream } from "node:tty";

export type KeyName =
  | "up"
  | "down"
  | "left"
  | "right"
  | "home"
  | "end"
  | "word-left"
  | "word-right"
  | "enter"
  | "newline"
  | "escape"
  | "backspace"
  | "delete"
  | "delete-word"
  | "delete-to-start"
  | "delete-to-end"
  | "tab"
  | "interrupt"
  | "end-of-input"
  | "redraw"
  | "suspend"
  | "focus"
  | "blur";

export type Key =
  | { readonly type: "key"; readonly name: KeyName }
  /** What was typed: one character, or several where they came together. */
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paste"; readonly text: string };

export interface Decoder {
  /** The keys in what came in. */
  push(chunk: string): readonly Key[];
  /** Nothing came for a while: an escape that waited was the key of that name. */
  flush(): readonly Key[];
  /** Is something waiting for its rest? */
  readonly waits: boolean;
}

const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
const LONGEST_PASTE = 1_000_000;

const sequences: Readonly<Record<string, KeyName>> = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  OA: "up",
  OB: "down",
  OC: "right",
  OD: "left",
  "[H": "home",
  "[F": "end",
  OH: "home",
  OF: "end",
  "[1~": "home",
  "[4~": "end",
  "[7~": "home",
  "[8~": "end",
  "[3~": "delete",
  "[1;5D": "word-left",
  "[1;5C": "word-right",
  "[1;3D": "word-left",
  "[1;3C": "word-right",
  "[13;2u": "newline",
  "[27;2;13~": "newline",
  OM: "enter",
  "[I": "focus",
  "[O": "blur",
  b: "word-left",
  f: "word-right",
  "\u007f": "delete-word",
  "\r": "newline",
  "\n": "newline",
  // An escape right before another sequence was the key.
  "": "escape",
};

const controls: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "newline",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0001": "home",
  "\u0002": "left",
  "\u0003": "interrupt",
  "\u0004": "end-of-input",
  "\u0005": "end",
  "\u0006": "right",
  "\u000b": "delete-to-end",
  "\u000c": "redraw",
  "\u000e": "down",
  "\u0010": "up",
  "\u0015": "delete-to-start",
  "\u0017": "delete-word",
  "\u001a": "suspend",
};

export function createDecoder(): Decoder {
  let pending = "";
  let pasted: string | null = null;

  const decode = (text: string): readonly Key[] => {
    const keys: Key[] = [];
    let rest = text;
    while (rest !== "") {
      if (pasted !== null) {
        const end = rest.indexOf(PASTE_END);
        // Kept back: the end mark may have come in two pieces.
        const upto = end === -1 ? rest.length - endBegun(rest) : end;
        pasted = (pasted + rest.slice(0, upto)).slice(0, LONGEST_PASTE);
        if (end === -1) {
          pending = rest.slice(upto);
          return keys;
        }
        keys.push({ type: "paste", text: pasted });
        pasted = null;
        rest = rest.slice(end + PASTE_END.length);
        continue;
      }
      if (rest.startsWith(PASTE_START)) {
        pasted = "";
        rest = rest.slice(PASTE_START.length);
        continue;
      }
      if (rest.startsWith("\u001b")) {
        const found = SEQUENCE.exec(rest);
        if (found === null) {
          pending = rest;
          return keys;
        }
        const name = sequences[found[0].slice(1)];
        if (name !== undefined) keys.push({ type: "key", name });
        rest = rest.slice(found[0].length);
        continue;
      }
      const typed = /^[^\u0000-\u001f\u007f-\u009f]+/u.exec(rest);
      if (typed !== null) {
        keys.push({ type: "text", text: typed[0] });
        rest = rest.slice(typed[0].length);
        continue;
      }
      const name = controls[rest.charAt(0)];
      if (name !== undefined) keys.push({ type: "key", name });
      rest = rest.slice(1);
    }
    return keys;
  };

  return {
    push(chunk) {
      const text = pending + chunk;
      pending = "";
      // A terminal without bracketed paste sends it as if typed. Nobody types a line, its end and more in one go.
      if (pasted === null && !text.includes("\u001b") && /[^\r\n][\r\n]+[^\r\n]/u.test(text)) return [{ type: "paste", text }];
      return decode(text);
    },
    flush() {
      if (pasted !== null || !pending.startsWith("\u001b")) return [];
      const text = pending.slice(1);
      pending = "";
      // An escape and then what could have been the rest of a sequence, long ago.
      return text === "" ? [{ type: "key", name: "escape" }] : [{ type: "key", name: "escape" }, ...decode(text)];
    },
    get waits() {
      return pending !== "" && pasted === null;
    },
  };
}

/** A whole sequence: of a key, or of an answer of the terminal's, which is passed over. */
const SEQUENCE = /^\u001b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[\]P_^X][^\u0007\u001b]*(?:\u0007|\u001b\\)|[^[O\]P_^X\u001b]|(?=\u001b))/u;

/** How much of the paste's end mark the text ends with. */
function endBegun(text: string): number {
  for (let size = Math.min(PASTE_END.length - 1, text.length); size > 0; size--) if (text.endsWith(PASTE_END.slice(0, size))) return size;
  return 0;
}

/** How long an escape waits for the rest of a sequence. */
const PATIENCE = 40;

/** Calls `pressed` with the keys of each piece of input. Gives what ends it. */
export function readKeys(input: ReadStream, pressed: (keys: readonly Key[]) => void): () => void {
  const decoder = createDecoder();
  const text = new TextDecoder();
  let timer: NodeJS.Timeout | undefined;
  const give = (keys: readonly Key[]): void => {
    if (keys.length > 0) pressed(keys);
  };
  const take = (chunk: Buffer): void => {
    clearTimeout(timer);
    give(decoder.push(text.decode(chunk, { stream: true })));
    if (decoder.waits) timer = setTimeout(() => give(decoder.flush()), PATIENCE);
  };
  input.setRawMode(true);
  input.on("data", take);
  input.resume();
  return () => {
    clearTimeout(timer);
    input.off("data", take);
    input.setRawMode(false);
    input.pause();
  };
}
