// Which service answers to which name, where it is reached, and which key it takes. Reads the environment it is given and nothing
// else; whatever is missing or wrong is a fault that names the variable to set. A key is only ever paired with its own address:
// OPENAI_API_KEY is never sent to HALLPASS_MODEL_URL.

import { show } from "../../core/path/show.ts";
import { ModelFault } from "../ports.ts";

export type ModelEnvironment = Readonly<Record<string, string | undefined>>;

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
  /** The variables to set, for messages. */
  readonly keyVariable: string;
  readonly addressVariable: string;
}

interface Row {
  readonly dialect: Dialect;
  readonly address: string | null;
  /** Where the address may be set, each with the variable of the key that belongs to it. The first that is set counts. */
  readonly addresses: readonly { readonly variable: string; readonly key: string }[];
  /** The key's variable where the address is the usual one. */
  readonly key: string;
  readonly needsKey: boolean;
}

const local = (address: string, ...addresses: Row["addresses"]): Row => ({
  dialect: "compatible",
  address,
  addresses: [...addresses, { variable: "HALLPASS_MODEL_URL", key: "HALLPASS_MODEL_KEY" }],
  key: "HALLPASS_MODEL_KEY",
  needsKey: false,
});

const hosted = (address: string, name: string): Row => ({
  dialect: "compatible",
  address,
  addresses: [{ variable: `${name}_BASE_URL`, key: `${name}_API_KEY` }],
  key: `${name}_API_KEY`,
  needsKey: true,
});

const rows: Readonly<Record<string, Row>> = {
  anthropic: {
    dialect: "anthropic",
    address: "https://api.anthropic.com/v1",
    addresses: [{ variable: "ANTHROPIC_BASE_URL", key: "ANTHROPIC_API_KEY" }],
    key: "ANTHROPIC_API_KEY",
    needsKey: true,
  },
  openai: {
    dialect: "responses",
    address: "https://api.openai.com/v1",
    addresses: [{ variable: "OPENAI_BASE_URL", key: "OPENAI_API_KEY" }],
    key: "OPENAI_API_KEY",
    needsKey: true,
  },
  google: hosted("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI"),
  mistral: hosted("https://api.mistral.ai/v1", "MISTRAL"),
  openrouter: hosted("https://openrouter.ai/api/v1", "OPENROUTER"),
  ollama: local("http://127.0.0.1:11434/v1", { variable: "OLLAMA_HOST", key: "OLLAMA_API_KEY" }),
  "llama.cpp": local("http://127.0.0.1:8080/v1"),
  vllm: local("http://127.0.0.1:8000/v1"),
  lmstudio: local("http://127.0.0.1:1234/v1"),
  "openai-compatible": {
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

/** The service that `provider/model` names in this environment. Throws a ModelFault that says what to set. */
export function findService(name: string, env: ModelEnvironment): ModelService {
  const slash = name.indexOf("/");
  const provider = slash === -1 ? name : name.slice(0, slash);
  const model = slash === -1 ? "" : name.slice(slash + 1);
  const row = Object.hasOwn(rows, provider) ? rows[provider] : undefined;
  if (row === undefined)
    throw new ModelFault(
      `no provider is called \`${show(provider)}\`; use provider/model with one of ${providerNames.join(", ")}, or offline`,
    );
  if (model === "") throw new ModelFault(`\`${show(name)}\` names no model; write ${provider}/<model>`);
  const set = row.addresses.find(({ variable }) => valueOf(env, variable) !== null);
  const addressVariable = set?.variable ?? row.addresses[0]?.variable ?? "HALLPASS_MODEL_URL";
  const raw = set === undefined ? row.address : valueOf(env, set.variable);
  if (raw === null)
    throw new ModelFault(
      `${provider} has no address of its own; set ${row.addresses.map(({ variable }) => variable).join(" or ")} to where it is`,
    );
  const address = addressOf(raw, provider, addressVariable);
  return {
    provider,
    model,
    // Whoever stands in for OpenAI at another address seldom speaks more than the older dialect.
    dialect: row.dialect === "responses" && set !== undefined && !address.startsWith("https://api.openai.com/") ? "chat" : row.dialect,
    address,
    addressVariable,
    ...keyFor(provider, set?.key ?? row.key, row.needsKey, env),
  };
}

function keyFor(
  provider: string,
  keyVariable: string,
  needed: boolean,
  env: ModelEnvironment,
): Pick<ModelService, "key" | "bearer" | "keyVariable"> {
  const token = provider === "anthropic" && valueOf(env, keyVariable) === null ? valueOf(env, "ANTHROPIC_AUTH_TOKEN") : null;
  const key = token ?? valueOf(env, keyVariable);
  const variable = token === null ? keyVariable : "ANTHROPIC_AUTH_TOKEN";
  if (key === null && needed)
    throw new ModelFault(`${provider} needs a key; set ${keyVariable}, or use the model \`offline\`, which needs none`);
  // What HTTP would not carry is refused here, so that no later message quotes it.
  if (key !== null && !/^[\u0021-\u007e]+$/.test(key)) throw new ModelFault(`${variable} holds characters that no key has; set it again`);
  return { key, bearer: token !== null, keyVariable: variable };
}

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
