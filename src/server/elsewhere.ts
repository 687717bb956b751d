// Looks at what is on another machine: the machine with the files is asked by a signal, and its answer comes back by one. Nothing of it is
// a row: unlike a yes, a look is worth nothing once whoever looked has gone. What the other machine refuses is refused here in its words.

import { z } from "zod";
import type { Ids } from "../core/clock.ts";
import { type Code, HallpassError, isCode } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import { messageOf, parseJson } from "../core/record.ts";
import { type Route, routes, type Routes } from "../wire/http.ts";
import type { Leases } from "./leases.ts";
import type { Log, Signals } from "./ports.ts";
import { Refusal } from "./problem.ts";
import { type Handlers, readCall, type RequestOf, type ResponseOf } from "./routes/handler.ts";

/** What another machine may be asked for: requests that only look. */
const looks = ["tree", "complete", "explain", "ask"] as const;
export type RemoteLook = (typeof looks)[number];

export interface ElsewherePorts {
  readonly signals: Signals;
  readonly leases: Pick<Leases, "isThere">;
  /** This machine. */
  readonly machine: string;
  readonly ids: Ids;
  readonly log: Log;
  /** How what is on this machine is looked at. */
  readonly here: () => Pick<Handlers, RemoteLook>;
  /** Milliseconds that the other machine has for an answer. */
  readonly patience?: number;
}

export interface RemoteLooks {
  /** What that machine answers. Throws what it refused, or `files-elsewhere` where it is offline or does not answer in time. */
  look<L extends RemoteLook>(
    machine: string,
    name: L,
    call: Pick<RequestOf<Routes[L]>, "id" | "query" | "body">,
  ): Promise<z.output<Routes[L]["answer"]>>;
  close(): Promise<void>;
}

const PATIENCE = 5000;

const questionSchema = z.object({ look: z.enum(looks), id: z.string(), query: z.unknown(), body: z.unknown() });
const answerSchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), answer: z.unknown() }),
  z.object({ ok: z.literal(false), code: z.custom<Code>((one) => typeof one === "string" && isCode(one)), message: z.string() }),
]);
type Answer = z.infer<typeof answerSchema>;

export function createElsewhere({ signals, leases, machine, ids, log, here, patience = PATIENCE }: ElsewherePorts): RemoteLooks {
  const waiting = new Map<string, (answer: Answer | null) => void>();

  const answerTo = async (text: string): Promise<Answer> => {
    try {
      const { look, ...call } = questionSchema.parse(JSON.parse(text));
      return { ok: true, answer: await handleLook(here(), look, call) };
    } catch (error) {
      if (error instanceof HallpassError && error.code !== "io-error") return { ok: false, code: error.code, message: error.message };
      log.error({ error: error instanceof Error ? (error.stack ?? error.message) : "unknown" }, "answering another machine failed");
      return { ok: false, code: "io-error", message: `it could not be looked at; the log of the machine \`${show(machine)}\` says why` };
    }
  };
  const send = (to: Parameters<Signals["send"]>[0]): Promise<void> =>
    signals.send(to).catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, "reaching another machine failed");
    });
  const listening = signals.listen((signal) => {
    if (signal.kind === "look" && signal.machine === machine)
      void answerTo(signal.text).then((answer) => send({ kind: "seen", id: signal.id, text: JSON.stringify(answer) }));
    if (signal.kind !== "seen") return;
    const parsed = answerSchema.safeParse(parseJson(signal.text));
    if (parsed.success) waiting.get(signal.id)?.(parsed.data);
  });

  return {
    async look(to, name, { id, query, body }) {
      const where = `the files are on the machine \`${show(to)}\``;
      if (!leases.isThere(to)) throw new Refusal("files-elsewhere", `${where}, which is offline: look again when it is back`);
      const question = ids();
      const answer = await new Promise<Answer | null>((resolve) => {
        const timer = setTimeout(() => resolve(null), patience);
        waiting.set(question, (received) => {
          clearTimeout(timer);
          resolve(received);
        });
        void send({ kind: "look", id: question, machine: to, text: JSON.stringify({ look: name, id, query, body }) });
      });
      waiting.delete(question);
      if (answer === null) throw new Refusal("files-elsewhere", `${where}, which does not answer: look again later`);
      if (!answer.ok) throw new Refusal(answer.code, answer.message);
      return parseAnswer(routes[name], answer.answer);
    },
    async close() {
      for (const give of waiting.values()) give(null);
      await listening.close();
    },
  };
}

/** By the route's own handler, with what was sent read by the route's own shapes. */
function handleLook<L extends RemoteLook>(
  handlers: Pick<Handlers, RemoteLook>,
  name: L,
  { id, query, body }: { readonly id: string; readonly query?: unknown; readonly body?: unknown },
): Promise<ResponseOf<Routes[L]>> {
  const aborted = new AbortController();
  const call = { id, query, body, caller: { role: "person", browser: null }, by: "person", signal: () => aborted.signal } as const;
  return handlers[name](readCall<Routes[L]>(routes[name], call));
}

/** It was made by the same route: its own shape reads it. */
function parseAnswer<R extends Route>(route: R, answer: unknown): z.output<R["answer"]> {
  const shape: R["answer"] = route.answer;
  return z.parse(shape, answer);
}
