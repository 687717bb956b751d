// What is said on a pair of streams, one JSON message a line, seen from the other end.

import { PassThrough } from "node:stream";
import { answerOf } from "./target.ts";

export interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface Lines {
  readonly input: PassThrough;
  readonly output: PassThrough;
  /** Everything that was said. */
  readonly text: () => string;
  readonly messages: readonly Message[];
  /** Lines that are no messages. */
  readonly odd: readonly string[];
  say(line: string): void;
  /** When an answer to this has come. */
  answered(id: unknown): Promise<void>;
}

/** `heard` is told of each message as it comes. */
export function openLines(heard: (message: Message, say: Lines["say"]) => void): Lines {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const messages: Message[] = [];
  const odd: string[] = [];
  const waiting = new Set<() => void>();
  let text = "";
  let rest = "";
  const say = (line: string): void => void input.write(`${line}\n`);
  output.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = parsed(line);
      if (typeof message !== "object" || message === null) {
        odd.push(line);
        continue;
      }
      messages.push(message);
      heard(message, say);
    }
    for (const look of waiting) look();
  });
  return {
    input,
    output,
    text: () => text,
    messages,
    odd,
    say,
    answered: (id) =>
      answerOf(
        new Promise((resolve) => {
          const look = (): void => {
            if (!messages.some((message) => message.id === id && message.method === undefined)) return;
            waiting.delete(look);
            resolve();
          };
          waiting.add(look);
          look();
        }),
        `the request ${JSON.stringify(id)}`,
      ),
  };
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface Asked {
  readonly method: string;
  readonly params: unknown;
}

/** The requests among these lines that must be answered, by id: those that the protocol takes for one, of an id that no other line names. */
export function plainRequests(lines: readonly string[], isRequest: (message: unknown) => boolean = isPlain): ReadonlyMap<unknown, Asked> {
  const asked = new Map<unknown, Asked>();
  const named: unknown[] = [];
  for (const line of lines) {
    const message = parsed(line);
    const { id, method, params } = fieldsOf(message);
    named.push(id, fieldsOf(params)["requestId"]);
    if (isPlain(message) && isRequest(message)) asked.set(id, { method: String(method), params });
  }
  for (const id of asked.keys()) if (named.filter((one) => one === id).length > 1) asked.delete(id);
  return asked;
}

function isPlain(message: unknown): boolean {
  const { jsonrpc, id, method, params = {}, ...more } = fieldsOf(message);
  const isNamed = typeof id === "string" || Number.isSafeInteger(id);
  return jsonrpc === "2.0" && isNamed && typeof method === "string" && isFields(params) && Object.keys(more).length === 0;
}

const isFields = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

/** An error that is a fault of the program's. The SDKs say so too of parameters of another shape, with a list of what is wrong with them. */
export function isFault(error: unknown): boolean {
  const { code, message, data } = fieldsOf(error);
  return code === -32_603 && !Array.isArray(parsed(String(message))) && !Array.isArray(data);
}
