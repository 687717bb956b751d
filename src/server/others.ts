// Exchanges frames with the other processes on the same store: frames made here are sent to them, and theirs are published here under this
// hub's own numbers. What cannot be sent becomes a gap, after which every client starts from a snapshot.

import { z } from "zod";
import { sessionId } from "../core/names.ts";
import { messageOf, parseJson } from "../core/record.ts";
import { frameSchema } from "../wire/frames.ts";
import type { BareFrame } from "./frames.ts";
import type { Log, Signals } from "./ports.ts";
import type { Audience } from "./ring.ts";

export interface OthersPorts {
  readonly signals: Signals | null;
  /** This process's own name, so that it does not hear itself. */
  readonly instance: string;
  /** This machine. */
  readonly machine: string;
  readonly log: Log;
  readonly publish: (frame: BareFrame, audience: Audience) => void;
  /** Published here as it is seen from this machine: it was made on another. */
  readonly publishRemade: (frame: BareFrame, audience: Audience) => void;
  readonly look: (ask: string) => void;
  readonly onSignal: (what: "chat" | "stop" | "session", id: string) => void;
  readonly gap: () => void;
}

export interface InstanceChannel {
  tell(frame: BareFrame, audience: Audience): void;
  close(): Promise<void>;
}

/** Frames that may wait to be told; beyond it the others are told to begin anew. */
const WAITING = 5000;

const letterSchema = z.union([
  z.object({
    from: z.string(),
    machine: z.string().optional(),
    chat: z.string().nullable(),
    session: z.string().nullable(),
    frame: frameSchema,
  }),
  z.object({ from: z.string(), anew: z.literal(true) }),
]);

export function createOthers({
  signals,
  instance,
  machine,
  log,
  publish,
  publishRemade,
  look,
  onSignal,
  gap,
}: OthersPorts): InstanceChannel {
  if (signals === null) return { tell() {}, close: () => Promise.resolve() };
  let queue: { frame: BareFrame; readonly audience: Audience }[] = [];
  let overflowed = false;
  let sending: Promise<void> | null = null;

  const ownPrefix = `{"from":${JSON.stringify(instance)},`;
  const send = async (chat: string, letter: object): Promise<void> => {
    try {
      await signals.send({ kind: "frame", chat, text: JSON.stringify({ from: instance, machine, ...letter }) });
    } catch (error) {
      log.warn({ error: messageOf(error) }, "telling another process failed");
    }
  };
  const drain = async (): Promise<void> => {
    // What is told in one breath goes out together: every statement is a commit of the database's.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (queue.length > 0 || overflowed) {
      const mustReset = overflowed;
      overflowed = false;
      // All that waits, at once: it is heard in the order in which it is sent. The cursor is the receiving hub's to give.
      const sent = queue
        .splice(0)
        .map(({ frame, audience: { chat = null, session = null } }) =>
          send(chat ?? "", { chat, session, frame: { ...frame, cursor: "" } }),
        );
      if (mustReset) sent.push(send("", { anew: true }));
      await Promise.all(sent);
    }
    sending = null;
  };

  const receive = (text: string): void => {
    // Everything sent here is heard here too, and need not be understood for that.
    if (text.startsWith(ownPrefix)) return;
    const letter = letterSchema.safeParse(parseJson(text));
    if (!letter.success || letter.data.from === instance) return;
    const { data } = letter;
    if ("anew" in data) return gap();
    const { frame, chat, session } = data;
    if (!("cursor" in frame) || frame.type === "live") return;
    const show = (data.machine ?? machine) === machine ? publish : publishRemade;
    if (chat !== null) show(frame, { chat });
    else if (session !== null) show(frame, { session: sessionId(session) });
  };
  const listening = signals.listen((signal) => {
    switch (signal.kind) {
      case "frame":
        return receive(signal.text);
      case "ask":
        return look(signal.id);
      case "chat":
      case "stop":
      case "session":
        return onSignal(signal.kind, signal.id);
      case "gap":
        return gap();
      case "look":
      case "seen":
        return;
    }
  });

  return {
    tell(frame, audience) {
      if (queue.length >= WAITING) {
        queue = [];
        overflowed = true;
        return;
      }
      const last = queue.at(-1)?.frame;
      // What a model says comes in many small pieces: those that have not left yet go together.
      if (frame.type === "text_delta" && last?.type === "text_delta" && last.message === frame.message)
        queue[queue.length - 1] = { frame: { ...last, text: last.text + frame.text }, audience };
      else queue.push({ frame, audience });
      sending ??= drain();
    },
    async close() {
      await sending;
      await listening.close();
    },
  };
}
