// A Model over a service: one turn per call, through the provider's own package and none of the SDK's loop. Tools are declared and
// never run here. A turn that failed before a word of it was told is tried again; one that broke half-way is a fault, since what was
// told cannot be taken back.

import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import type { Ids } from "../../core/clock.ts";
import { type Model, ModelFault, type ModelPrompt, type ModelTurn, type ToolSpecification } from "../ports.ts";
import { callIds } from "./call-ids.ts";
import { refusesPictures, silenceFault, type ServiceError, troubleOf } from "./faults.ts";
import { toMessages } from "./messages.ts";
import { type RetryLimits, persist } from "./patience.ts";
import { readTurn } from "./read-turn.ts";
import type { ModelService } from "./services.ts";
import { type Fetch, listeningFetch, watchSilence } from "./silence.ts";

/** Loads the provider's package, and gives the model at the service. */
export type Connect = (service: ModelService, fetch: Fetch) => Promise<LanguageModelV3>;

export interface ServicePorts {
  readonly connect: Connect;
  readonly fetch: Fetch;
  readonly ids: Ids;
  readonly patience: RetryLimits;
}

export function serviceModel(service: ModelService, ports: ServicePorts): Model {
  const { patience } = ports;
  return {
    name: `${service.provider}/${service.model}`,
    ...(BLIND.test(service.model) ? { isBlind: true as const } : {}),
    async turn(prompt, { signal, delta, waits }) {
      let options = callOptions(service, prompt);
      let hasEmitted = false;
      const tell = (text: string): void => {
        hasEmitted = true;
        delta(text);
      };
      const troubleWith = (error: unknown): ServiceError => {
        if (error instanceof ModelFault) return { passing: false, wait: null, fault: error };
        const trouble = troubleOf(error, service, patience.now());
        if (!hasEmitted && options.prompt.some(isWithPicture) && refusesPictures(error)) {
          // Or no later turn of the chat would go through: the model reads that there was a picture.
          options = callOptions(service, prompt, 0);
          return { ...trouble, passing: true, wait: 0 };
        }
        return { ...trouble, passing: trouble.passing && !hasEmitted };
      };
      return persist(() => attempt(service, ports, options, { prompt, signal, tell }), troubleWith, patience, signal, waits);
    },
  };
}

interface Attempt {
  readonly prompt: ModelPrompt;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

async function attempt(
  service: ModelService,
  { connect, fetch, ids, patience }: ServicePorts,
  options: LanguageModelV3CallOptions,
  { prompt, signal, tell }: Attempt,
): Promise<ModelTurn> {
  const watch = watchSilence(patience.silence, signal);
  try {
    const language = await connect(service, listeningFetch(fetch, watch.heard));
    const { stream } = await watch.within(language.doStream({ ...options, abortSignal: watch.signal }));
    return await readTurn(stream, { delta: tell, within: watch.within, idFor: callIds(prompt.transcript, () => `call_${ids()}`) });
  } catch (error) {
    if (!signal.aborted && watch.ended() === "silence") throw silenceFault(service, patience.silence);
    if (!signal.aborted && watch.ended() === "noise") throw new ModelFault(`${service.provider} sent far more than a turn can hold`);
    throw error;
  } finally {
    watch.stop();
  }
}

/** Models that take text alone, by the names their makers gave them. Of others the service tells. */
const BLIND =
  /(^|\/)(gpt-3\.5|o1-mini|o1-preview|o3-mini|deepseek-(chat|coder|reasoner|r1)|codestral|devstral-small-2505|codellama|starcoder|qwen[\d.]*-?coder|llama-?3(\.1|\.3)?([:-]|$))/i;

const isWithPicture = (message: LanguageModelV3CallOptions["prompt"][number]): boolean =>
  message.role === "user" && message.content.some(({ type }) => type === "file");

function callOptions({ dialect }: ModelService, { system, transcript, tools }: ModelPrompt, pictures?: number): LanguageModelV3CallOptions {
  const own = dialect === "responses" || dialect === "chat";
  return {
    prompt: toMessages(system, transcript, pictures),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => declared(tool, own)), toolChoice: { type: "auto" } }),
    // Anthropic wants a number; what is known to be less for a model, the package lowers by itself.
    ...(dialect === "anthropic" ? { maxOutputTokens: 32_000 } : {}),
    // What an agent reads is not for others to keep.
    ...(dialect === "responses" ? { providerOptions: { openai: { store: false } } } : {}),
  };
}

/** A tool without anything that could run it. OpenAI would otherwise make every optional field required. */
function declared({ name, description, schema }: ToolSpecification, lenient: boolean): LanguageModelV3FunctionTool {
  if (!isSchema(schema)) throw new TypeError(`the schema of ${name} is no object`);
  return { type: "function", name, description, inputSchema: schema, ...(lenient ? { strict: false } : {}) };
}

function isSchema(schema: object): schema is LanguageModelV3FunctionTool["inputSchema"] {
  return !Array.isArray(schema);
}
