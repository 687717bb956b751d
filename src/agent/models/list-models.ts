// Which models a service has: one request, which costs nothing and needs the key, so that it tells a good key from a bad one too. And which
// servers of models run on this machine.

import { ModelFault } from "../ports.ts";
import { troubleOf } from "./faults.ts";
import { localAddress, type ModelService, providerNames } from "./services.ts";
import type { Fetch } from "./silence.ts";

/** So long a service may take to say what it has, in milliseconds; one on this machine is there at once or is not. */
const PATIENCE = 15_000;
const LOCAL_PATIENCE = 1_000;
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_MODELS = 2_000;

/** The names of the service's models. Throws a ModelFault that says what is wrong. */
export async function listModels(
  service: Omit<ModelService, "model">,
  { fetch, now, patience = PATIENCE }: { readonly fetch: Fetch; readonly now: () => number; readonly patience?: number },
): Promise<readonly string[]> {
  const ask = async (path: string): Promise<unknown> => {
    try {
      const signal = AbortSignal.timeout(patience);
      const response = await fetch(`${service.address}${path}`, { headers: headersFor(service), redirect: "manual", signal });
      const responseBody = await readBody(response);
      if (!response.ok) {
        const headers: Record<string, string> = {};
        response.headers.forEach((value, name) => (headers[name] = value));
        throw new ServiceAnswer(response.status, responseBody, headers);
      }
      const read: unknown = JSON.parse(responseBody);
      return read;
    } catch (error) {
      if (error instanceof DOMException && error.name === "TimeoutError")
        throw new ModelFault(`${service.provider} at ${service.address} sent nothing for ${patience / 1000} s; try again later`, {
          kind: "silent",
        });
      throw troubleOf(error, service, now()).fault;
    }
  };
  // OpenRouter lists its models to everybody.
  if (service.provider === "openrouter") await ask("/key");
  return namesIn(await ask(service.provider === "anthropic" ? "/models?limit=1000" : "/models"));
}

/** A service that answered something else than what was asked for; read by its fields, like the errors of the provider's packages. */
class ServiceAnswer extends Error {
  readonly statusCode: number;
  readonly responseBody: string;
  readonly responseHeaders: Readonly<Record<string, string>>;

  constructor(statusCode: number, responseBody: string, responseHeaders: Readonly<Record<string, string>>) {
    super(`it answered ${statusCode}`);
    this.statusCode = statusCode;
    this.responseBody = responseBody;
    this.responseHeaders = responseHeaders;
  }
}

function headersFor({ dialect, key, bearer }: Pick<ModelService, "dialect" | "key" | "bearer">): Record<string, string> {
  if (dialect === "anthropic" && !bearer) return { "anthropic-version": "2023-06-01", ...(key === null ? {} : { "x-api-key": key }) };
  return {
    ...(dialect === "anthropic" ? { "anthropic-version": "2023-06-01" } : {}),
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  };
}

async function readBody({ body }: Response): Promise<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value = "" } = (await reader?.read()) ?? { done: true };
    text += value;
    if (text.length > MOST_BYTES) throw new Error("the list of models is too long");
    if (done) return text;
  }
}

/** `{ data: [{ id }] }`, as everybody has it; Google's ids have `models/` before them. */
function namesIn(answer: unknown): readonly string[] {
  const data: unknown = typeof answer === "object" && answer !== null ? Reflect.get(answer, "data") : null;
  if (!Array.isArray(data)) throw new ModelFault("what answers there is not a model service: it lists no models");
  const ids = data.map((one: unknown): unknown => (typeof one === "object" && one !== null ? Reflect.get(one, "id") : null));
  return ids
    .filter((id) => typeof id === "string")
    .filter((name) => /^[\u0021-\u007e]{1,200}$/.test(name))
    .map((id) => id.replace(/^models\//, ""))
    .slice(0, MOST_MODELS);
}

/** A server of models that runs on this machine. */
export interface LocalServer {
  readonly provider: string;
  readonly address: string;
  readonly models: readonly string[];
}

/**
 * The servers of models that answer at their usual ports on this machine, with what they have. Nothing is sent but the question. Null in
 * place of a key: none of ours is for them.
 */
export async function findLocalServers(
  fetch: Fetch,
  addressOf: (provider: string) => string | null = localAddress,
): Promise<readonly LocalServer[]> {
  const searches = providerNames.map(async (provider): Promise<readonly LocalServer[]> => {
    const address = addressOf(provider);
    if (address === null || !["127.0.0.1", "localhost", "[::1]"].includes(new URL(address).hostname)) return [];
    const service = {
      provider,
      address,
      dialect: "compatible",
      key: null,
      bearer: false,
      keyIsSaved: false,
      keyVariable: "",
      addressVariable: "",
    } as const;
    try {
      return [{ provider, address, models: await listModels(service, { fetch, now: () => 0, patience: LOCAL_PATIENCE }) }];
    } catch {
      return [];
    }
  });
  return (await Promise.all(searches)).flat();
}
