// Signals as NOTIFY carries them: in pieces of less than 8000 bytes, put together again at the other end. Whatever piece is missing, only
// its own signal is lost.

import { HallpassError } from "../core/errors.ts";
import { parseJson } from "../core/record.ts";
import { either, fields, text, oneOf } from "./shape.ts";
import type { Signal } from "./signals.ts";

/** NOTIFY takes less than 8000 bytes. The head of a piece takes some, and a unit of UTF-16 is at the most three bytes. */
const PIECE = 2600;
/** About 10 MB. A longer frame is not for a signal. */
const PIECES = 4000;

/** The pieces of a signal. `sender` has no colon in it; `number` is another one for each of its signals. */
export function piecesOf(sender: string, number: number, signal: Signal): readonly string[] {
  // JSON escapes what PostgreSQL cannot take: NUL, and halves of surrogate pairs that stand alone.
  const json = JSON.stringify(signal);
  const cuts: string[] = [];
  for (let from = 0; from < json.length;) {
    const high = json.charCodeAt(from + PIECE - 1);
    const to = from + PIECE - (high >= 0xd800 && high <= 0xdbff ? 1 : 0);
    cuts.push(json.slice(from, to));
    from = to;
  }
  if (cuts.length > PIECES) throw new HallpassError("bad-request", "a frame of more than ten megabytes cannot be sent to other instances");
  return cuts.map((cut, index) => `${sender}:${number}:${index}:${cuts.length}:${cut}`);
}

/** Takes pieces in the order they come; gives a signal with its last piece, null before. What is no piece of a signal is passed over. */
export function createAssembly(): (piece: string) => Signal | null {
  /** Of each sender the signal that is coming in: its pieces so far. */
  const coming = new Map<string, { readonly number: string; readonly cuts: string[] }>();
  return (piece) => {
    const [, sender = "", number = "", index = "", total = "", cut = ""] = /^([^:]{1,64}):(\d+):(\d+):(\d+):(.*)$/s.exec(piece) ?? [];
    if (sender === "") return null;
    // The first piece of another signal: of an earlier one nothing more will come.
    if (index === "0") coming.set(sender, { number, cuts: [] });
    const signal = coming.get(sender);
    if (signal?.number !== number || signal.cuts.length !== Number(index) || Number(total) > PIECES) {
      coming.delete(sender);
      return null;
    }
    signal.cuts.push(cut);
    if (signal.cuts.length < Number(total)) return null;
    coming.delete(sender);
    return signalOf(signal.cuts.join(""));
  };
}

function signalOf(json: string): Signal | null {
  const value = parseJson(json);
  return isSignal(value) ? value : null;
}

const isSignal = either(
  fields<Extract<Signal, { kind: "chat" | "stop" | "session" | "ask" }>>({ kind: oneOf("chat", "stop", "session", "ask"), id: text }),
  fields<Extract<Signal, { kind: "frame" }>>({ kind: oneOf("frame"), chat: text, text }),
  either(
    fields<Extract<Signal, { kind: "look" }>>({ kind: oneOf("look"), id: text, machine: text, text }),
    fields<Extract<Signal, { kind: "seen" }>>({ kind: oneOf("seen"), id: text, text }),
  ),
);
