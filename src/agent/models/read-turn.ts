// A provider's stream as one turn: the text as it comes, the calls when they are complete, what it cost. Calls are passed on as they
// are, readable or not; whoever runs them answers the model. Everything else in a stream (reasoning, sources, things the service ran
// by itself, requests for approval) is left alone and means nothing.

import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";
import { ModelFault, type ModelTurn } from "../ports.ts";
import type { Usage } from "../transcript.ts";
import { BrokenTurn } from "./faults.ts";

type Parts = ReadableStream<LanguageModelV3StreamPart>;
type Call = ModelTurn["calls"][number];

export interface TurnListener {
  readonly delta: (text: string) => void;
  /** Waits for the next part, with an end. */
  readonly within: <T>(promise: PromiseLike<T>) => Promise<T>;
  /** The id for a call, given the service's. */
  readonly idFor: (id: string) => string;
}

/** Read the stream to its end. Throws what the stream throws; a BrokenTurn where it says it failed or ended early. */
export async function readTurn(stream: Parts, { delta, within, idFor }: TurnListener): Promise<ModelTurn> {
  const reader = stream.getReader();
  const calls: Call[] = [];
  let text = "";
  let usage: Usage | null = null;
  let finish: string | null = null;
  try {
    for (;;) {
      const { done, value: part } = await within(reader.read());
      if (done) break;
      if (part.type === "text-start" && text !== "" && !text.endsWith("\n")) {
        text += "\n\n";
        delta("\n\n");
      } else if (part.type === "text-delta" && part.delta !== "") {
        text += part.delta;
        delta(part.delta);
      } else if (part.type === "tool-call" && part.providerExecuted !== true) {
        calls.push({ id: idFor(part.toolCallId), name: part.toolName, input: inputOf(part.input) });
      } else if (part.type === "error") {
        throw errorOf(part.error);
      } else if (part.type === "finish") {
        usage = usageOf(part.usage);
        finish = part.finishReason.unified;
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
  if (finish === null) throw new BrokenTurn("the answer ended before it was finished");
  if (text === "" && calls.length === 0 && finish === "length")
    throw new ModelFault("the model had no room left for an answer; begin a new chat", { kind: "context-full" });
  if (text === "" && calls.length === 0 && finish === "content-filter")
    throw new ModelFault("the service withheld the model's answer; say it in other words");
  return { text, calls, usage };
}

/** JSON as far as it is JSON; otherwise the text itself, which no tool takes and the model is told so. */
function inputOf(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    return text;
  }
}

function errorOf(error: unknown): Error {
  if (error instanceof Error) return error.name === "AI_InvalidResponseDataError" ? new BrokenTurn(error.message, { cause: error }) : error;
  const message: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "message") : error;
  return new BrokenTurn(typeof message === "string" ? message : "the service reported an error");
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): Usage | null {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return null;
  return { input: inputTokens.total ?? 0, output: outputTokens.total ?? 0 };
}
