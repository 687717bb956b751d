// Which service answers to which name, where it is reached, and which key it takes. Reads the environment and the settings it is given and
// nothing else; whatever is missing or wrong is a fault that says what to set. A key is only ever paired with its own address: OPENAI_API_KEY
// is never sent to HALLPASS_MODEL_URL, and a key that a person entered goes to the address it was entered for.

import { show } from "../../core/path/show.ts";
import { ModelFault } from "../ports.ts";

export type ModelEnvironment = Readonly<Record<string, string | undefined>>;

/** What a person entered for a provider. The environment stands before it. */
export interface SavedService {
  /** Where the key may be sent. */
  readonly address: string;
  readonly key: string | null;
}

/** By the provider's name. */
export type SavedServices = Readonly<Record<string, SavedService>>;

/** How a service is spoken to. `responses` and `chat` are OpenAI's two own dialects, `compatible` what everybody else took over. */
export type Dialect = "anthropic" | "responses" | "chat" | "compatible";

export interface ModelService {
  /** As the person writes it, before the first slash. */
  readonly provider: string;
  readonly model: string;
  readonly dialect: Dialect;
  readonly address: string;
  readonly key: string | null;
  /** Whether the key is a bearer token; Anthropic takes both kinds. */
  readonly bearer: boolean;
  /** Did the person enter it here? Else it is from the environment, or there is none. */
  readonly keyIsSaved: boolean;
  /** The variables to set, for messages. */
  readonly keyVariable: string;
  readonly addressVariable: string;
}

/** A provider as a settings page shows it: never the key itself. */
export interface ProviderState {
  readonly provider: string;
  /** For people. */
  readonly title: string;
  readonly needsKey: boolean;
  /** Does it run on this machine, at an address that can be looked at? */
  readonly isLocal: boolean;
  /** Null where it has none until somebody says one. */
  readonly address: string | null;
  readonly addressFrom: "environment" | "saved" | "usual" | "none";
  readonly keyFrom: "environment" | "saved" | "none";
  /** The variable the key is read from. */
  readonly keyVariable: string;
  /** What is wrong with what is set; null where nothing is. */
  readonly problem: string | null;
}

interface Row {
  readonly title: string;
  readonly dialect: Dialect;
  readonly address: string | null;
  /** Where the address may be set, each with the variable of the key that belongs to it. The first that is set counts. */
  readonly addresses: readonly { readonly variable: string; readonly key: string }[];
  /** The key's variable where the address is the usual one. */
  readonly key: string;
  readonly needsKey: boolean;
}

const local = (title: string, address: string, ...addresses: Row["addresses"]): Row => ({
  title,
  dialect: "compatible",
  address,
  addresses: [...addresses, { variable: "HALLPASS_MODEL_URL", key: "HALLPASS_MODEL_KEY" }],
  key: "HALLPASS_MODEL_KEY",
  needsKey: false,
});

const hosted = (title: string, address: string, name: string, dialect: Dialect = "compatible"): Row => ({
  title,
  dialect,
  address,
  addresses: [{ variable: `${name}_BASE_URL`, key: `${name}_API_KEY` }],
  key: `${name}_API_KEY`,
  needsKey: true,
});

const rows: Readonly<Record<string, Row>> = {
  anthropic: hosted("Anthropic", "https://api.anthropic.com/v1", "ANTHROPIC", "anthropic"),
  openai: hosted("OpenAI", "https://api.openai.com/v1", "OPENAI", "responses"),
  google: hosted("Google Gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI"),
  mistral: hosted("Mistral", "https://api.mistral.ai/v1", "MISTRAL"),
  openrouter: hosted("OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER"),
  ollama: local("Ollama", "http://127.0.0.1:11434/v1", { variable: "OLLAMA_HOST", key: "OLLAMA_API_KEY" }),
  "llama.cpp": local("llama.cpp", "http://127.0.0.1:8080/v1"),
  vllm: local("vLLM", "http://127.0.0.1:8000/v1"),
  lmstudio: local("LM Studio", "http://127.0.0.1:1234/v1"),
  "openai-compatible": {
    title: "Another server (OpenAI-compatible)",
    dialect: "compatible",
    address: null,
    addresses: [
      { variable: "HALLPASS_MODEL_URL", key: "HALLPASS_MODEL_KEY" },
      { variable: "OPENAI_BASE_URL", key: "OPENAI_API_KEY" },
    ],
    key: "HALLPASS_MODEL_KEY",
    needsKey: false,
  },
};

export const providerNames: readonly string[] = Object.keys(rows);

/** `provider/model` in its two parts. Throws a ModelFault where no provider is called so, or no model is named. */
export function readModelName(name: string): { readonly provider: string; readonly model: string } {
  const slash = name.indexOf("/");
  const provider = slash === -1 ? name : name.slice(0, slash);
  const model = slash === -1 ? "" : name.slice(slash + 1);
  rowOf(provider);
  if (model === "") throw new ModelFault(`\`${show(name)}\` names no model; write ${provider}/<model>`);
  return { provider, model };
}

/** The service that `provider/model` names with this environment and these settings. Throws a ModelFault that says what to set. */
export function findService(name: string, env: ModelEnvironment, saved: SavedServices = {}): ModelService {
  const { provider, model } = readModelName(name);
  return { ...locateProvider(provider, env, saved), model };
}

/** The same without a model. */
export function locateProvider(provider: string, env: ModelEnvironment, saved: SavedServices = {}): Omit<ModelService, "model"> {
  const row = rowOf(provider);
  const { set, address, addressVariable } = placeOf(provider, row, env, saved);
  if (address === null)
    throw new ModelFault(
      `${provider} has no address of its own; set ${row.addresses.map(({ variable }) => variable).join(" or ")} to where it is, or enter it under Models`,
    );
  const keyOptions = keyFor(provider, set?.key ?? row.key, env, address, saved);
  if (keyOptions.key === null && row.needsKey)
    throw new ModelFault(
      `${provider} needs a key; enter it under Models (\`hallpass models add ${provider}\`), set ${keyOptions.keyVariable}, or use the model \`offline\`, which needs none`,
      { kind: "missing-key" },
    );
  return {
    provider,
    // Whoever stands in for OpenAI at another address seldom speaks more than the older dialect.
    dialect: row.dialect === "responses" && !address.startsWith("https://api.openai.com/") ? "chat" : row.dialect,
    address,
    addressVariable,
    ...keyOptions,
  };
}

/** Every provider, as far as it is set up. */
export function providerStates(env: ModelEnvironment, saved: SavedServices): readonly ProviderState[] {
  return Object.entries(rows).map(([provider, row]): ProviderState => {
    const { title, needsKey } = row;
    const isLocal = !needsKey && row.address !== null;
    const base = { provider, title, needsKey, isLocal };
    try {
      const { set, address } = placeOf(provider, row, env, saved);
      const { key, keyVariable, keyIsSaved } = keyFor(provider, set?.key ?? row.key, env, address ?? "", saved);
      return {
        ...base,
        address,
        addressFrom: set !== undefined ? "environment" : address === null ? "none" : address === row.address ? "usual" : "saved",
        keyFrom: key === null ? "none" : keyIsSaved ? "saved" : "environment",
        keyVariable,
        problem: null,
      };
    } catch (error) {
      if (!(error instanceof ModelFault)) throw error;
      return { ...base, address: null, addressFrom: "none", keyFrom: "none", keyVariable: row.key, problem: error.message };
    }
  });
}

/** An address as a person types it, as it is kept. Throws a ModelFault where it is none. */
export function readAddress(text: string, provider: string): string {
  rowOf(provider);
  return addressOf(text.trim(), provider, "the address");
}

/** Where a provider is; null where nobody said it yet. Throws a ModelFault where no provider is called so. */
export const addressFor = (provider: string, env: ModelEnvironment, saved: SavedServices): string | null =>
  placeOf(provider, rowOf(provider), env, saved).address;

/** The address of a provider that runs on this machine, where nobody says another. Null for all others. */
export const localAddress = (provider: string): string | null => {
  const row = rowOf(provider);
  return row.needsKey ? null : row.address;
};

function rowOf(provider: string): Row {
  const row = Object.hasOwn(rows, provider) ? rows[provider] : undefined;
  if (row !== undefined) return row;
  throw new ModelFault(
    `no provider is called \`${show(provider)}\`; use provider/model with one of ${providerNames.join(", ")}, or offline`,
  );
}

function placeOf(provider: string, row: Row, env: ModelEnvironment, saved: SavedServices) {
  const set = row.addresses.find(({ variable }) => valueOf(env, variable) !== null);
  const addressVariable = set?.variable ?? row.addresses[0]?.variable ?? "HALLPASS_MODEL_URL";
  const raw = set === undefined ? (saved[provider]?.address ?? row.address) : valueOf(env, set.variable);
  return { set, addressVariable, address: raw === null ? null : addressOf(raw, provider, addressVariable) };
}

function keyFor(
  provider: string,
  keyVariable: string,
  env: ModelEnvironment,
  address: string,
  saved: SavedServices,
): Pick<ModelService, "key" | "bearer" | "keyVariable" | "keyIsSaved"> {
  const token = provider === "anthropic" && valueOf(env, keyVariable) === null ? valueOf(env, "ANTHROPIC_AUTH_TOKEN") : null;
  const own = saved[provider];
  const environmentKey = token ?? valueOf(env, keyVariable);
  const key = environmentKey ?? (own?.address === address ? own.key : null);
  const variable = token === null ? keyVariable : "ANTHROPIC_AUTH_TOKEN";
  // What HTTP would not carry is refused here, so that no later message quotes it.
  if (key !== null && !isKey(key)) throw new ModelFault(`${variable} holds characters that no key has; set it again`);
  return { key, bearer: token !== null, keyVariable: variable, keyIsSaved: environmentKey === null && key !== null };
}

/** Could it be a key? */
export const isKey = (text: string): boolean => /^[\u0021-\u007e]+$/.test(text);

/** Set and not empty; white space around it (a line end from a file) is no part of it. */
function valueOf(env: ModelEnvironment, variable: string): string | null {
  const value = env[variable]?.trim();
  return value === undefined || value === "" ? null : value;
}

/** An address as the SDK takes it: with its version, without a slash at the end. */
function addressOf(raw: string, provider: string, variable: string): string {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(raw) ? raw : `http://${raw.startsWith(":") ? "127.0.0.1" : ""}${raw}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:") || url.username !== "" || url.password !== "")
    throw new ModelFault(`${variable} is no http address; set it to one, such as http://127.0.0.1:8080/v1`);
  // OLLAMA_HOST says where ollama listens, which may be everywhere, without its usual port.
  if (variable === "OLLAMA_HOST") {
    if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
    if (url.port === "" && !/:\d+\/?$/.test(raw) && url.protocol === "http:") url.port = "11434";
  }
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path === "" || (provider === "anthropic" && !path.endsWith("/v1")) ? `${path}/v1` : path;
  return url.href.replace(/\/$/, "");
}
