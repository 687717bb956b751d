// What went wrong with a service, in words that say what to do, and whether trying again may help. The SDK's errors are read by their
// fields, so nothing of it is loaded here. A key never gets into a message, not even when the service quotes it.

import { messageOf } from "../../core/record.ts";
import { show, shorten } from "../../core/path/show.ts";
import { ModelFault } from "../ports.ts";
import type { ModelFaultKind } from "../transcript.ts";
import type { ModelService } from "./services.ts";

export interface Trouble {
  /** Worth another try, if the turn has not begun to be told. */
  readonly passing: boolean;
  /** How long the service asks to wait, in milliseconds. */
  readonly wait: number | null;
  readonly fault: ModelFault;
}

/** The stream said that something is wrong, or ended before it was finished. */
export class BrokenTurn extends Error {
  override readonly name = "BrokenTurn";
}

export function troubleOf(error: unknown, service: Asked, now: number): Trouble {
  const status = statusOf(error);
  const kind = kindOf(status, error, service);
  const wait = waitOf(error, now);
  const passing =
    kind === "rate-limit" || (kind === "other" && (status === null ? isNetwork(error) : status === 408 || status === 409 || status >= 500));
  const words =
    kind === "context-full"
      ? tooLongWords(status, error, service)
      : status === null && kind === "other"
        ? networkWords(error, service, passing)
        : statusWords(status, kind, error, service);
  const retryAt = kind === "rate-limit" && wait !== null ? now + wait : null;
  return { passing, wait, fault: new ModelFault(clean(words, service), { cause: error, kind, retryAt }) };
}

/** Services say the same with different numbers: Google refuses a key with 400, Anthropic says so that nothing is left to pay with. */
function kindOf(status: number | null, error: unknown, { key }: Asked): ModelFaultKind {
  if (isTooLong(status, error)) return "context-full";
  const said = chain(error)
    .map((one) => [field(one, "responseBody"), field(one, "message"), codeIn(field(one, "data"))].join(" "))
    .join(" ");
  if (status === 401 || status === 403 || (status === 400 && NO_KEY.test(said))) return key === null ? "missing-key" : "wrong-key";
  if (status === 402 || USED_UP.test(said)) return "quota";
  // Google says "quota" of both; of one that passes it says when.
  if (status === 429 || (status === null && TOO_MANY.test(said)))
    return QUOTA.test(said) && !RETRY_DELAY.test(said) ? "quota" : "rate-limit";
  return "other";
}

const NO_KEY = /API_KEY_INVALID|API key not valid|invalid[ _]api[ _]key|incorrect api key|Missing or invalid Authorization/i;
const USED_UP =
  /insufficient_quota|billing_hard_limit_reached|billing_not_active|credit balance is too low|insufficient credits|PerDayPerProject/i;
const QUOTA = /exceeded your (?:current|monthly) quota/i;
const TOO_MANY = /rate_limit_exceeded|rate_limit_error/i;
const RETRY_DELAY = /"retryDelay"\s*:\s*"([\d.]+)s"/;

const codeIn = (data: unknown): unknown => field(field(data, "error"), "code");

/** What of a service a fault speaks of. */
export type Asked = Omit<ModelService, "model"> & { readonly model?: string };

/** The codes of those services that give one, and the words of those that give none. */
const TOO_LONG =
  /context_length_exceeded|exceed_context_size|model_context_window_exceeded|maximum context length|context window|context limit|prompt is too long|input token count|available context size|greater than the context length/i;

function isTooLong(status: number | null, error: unknown): boolean {
  if (status === 413) return true;
  if (status !== null && status !== 400 && status !== 422) return false;
  return chain(error).some((one) => TOO_LONG.test([field(one, "responseBody"), field(one, "message")].join(" ")));
}

function tooLongWords(status: number | null, error: unknown, { provider, model = "it" }: Asked): string {
  const said = [status, detailOf(error)].filter((one) => one !== null && one !== "").join(": ");
  return `the conversation is too long for ${provider}/${model}${said === "" ? "" : ` (${said})`}; begin a new chat`;
}

/** Does the service say that the model takes no pictures? */
export function refusesPictures(error: unknown): boolean {
  const status = statusOf(error);
  if (status === null || status < 400 || status === 401 || status === 403 || status === 429) return false;
  return chain(error).some((one) => NO_PICTURES.test([field(one, "responseBody"), field(one, "message")].join(" ")));
}

const NO_PICTURES = /image|vision|multi-?modal|modalit/i;

export function silenceFault(service: ModelService, milliseconds: number): ModelFault {
  return new ModelFault(
    clean(
      `${service.provider} at ${service.address} sent nothing for ${Math.round(milliseconds / 100) / 10} s; try again, or set HALLPASS_MODEL_TIMEOUT to more seconds if the model is slow to begin`,
      service,
    ),
    { kind: "silent" },
  );
}

function statusWords(status: number | null, kind: ModelFaultKind, error: unknown, service: Asked): string {
  const { provider, model, address, addressVariable } = service;
  const said = detailOf(error);
  const inside = [status, said].filter((one) => one !== null && one !== "").join(": ");
  const more = said === "" ? "" : `: ${said}`;
  switch (kind) {
    case "missing-key":
      return `${provider} wants a key (${inside}); ${keyWords(service)}`;
    case "wrong-key":
      return `${provider} refused the key (${inside}); ${keyWords(service)}`;
    case "quota":
      return `${provider} says that what was paid for is used up (${inside}); check the plan and the billing of your account there`;
    case "rate-limit":
      return `${provider} is rate-limiting us (${inside}); try again later`;
    case "context-full":
    case "silent":
    case "other":
      break;
  }
  if (status === null) return networkWords(error, service, false);
  if (status >= 300 && status < 400)
    return `${provider} at ${address} redirects elsewhere (${status}); set ${addressVariable} to its final address`;
  switch (status) {
    case 404:
      return model === undefined
        ? `nothing of ${provider} is at ${address} (404${more}); check the address, or set ${addressVariable}`
        : `${provider} knows no model \`${model}\` at ${address} (404${more}); check the model's name, or set ${addressVariable}`;
    default:
      return status >= 500
        ? `${provider} failed (${status}${more}); try again later`
        : `${provider} rejected the request (${status}${more})`;
  }
}

/** Where the key is entered anew. */
const keyWords = ({ provider, key, keyVariable, keyIsSaved }: Asked): string =>
  key !== null && !keyIsSaved
    ? `set ${keyVariable} to a valid one`
    : `enter ${key === null ? "it" : "another one"} under Models, or with \`hallpass models add ${provider}\``;

function networkWords(error: unknown, { provider, address, addressVariable }: Asked, passing: boolean): string {
  const codes = chain(error).map((one) => field(one, "code"));
  if (codes.includes("ECONNREFUSED")) return `nothing answers at ${address}; start ${provider}, or set ${addressVariable} to where it is`;
  if (codes.includes("ENOTFOUND") || codes.includes("EAI_AGAIN"))
    return `the name in ${address} is not known here; check the network, or set ${addressVariable}`;
  const message = messageOf(error);
  return passing
    ? `the connection to ${provider} at ${address} broke (${message}); try again`
    : `the answer of ${provider} at ${address} cannot be read (${message}); check ${addressVariable}`;
}

/** What the service itself said, if it said it in one of the usual ways. */
function detailOf(error: unknown): string {
  const body = field(error, "responseBody");
  if (typeof body !== "string") return "";
  try {
    const whole: unknown = JSON.parse(body);
    // Google wraps it into a list.
    const parsed: unknown = Array.isArray(whole) ? whole[0] : whole;
    const inner = field(parsed, "error");
    const message = field(inner, "message") ?? field(parsed, "message") ?? inner;
    return typeof message === "string" ? message : "";
  } catch {
    return /^\s*</.test(body) ? "" : body;
  }
}

const NETWORK = /^(?:E[A-Z]{3,}|UND_ERR_[A-Z_]+)$/;

function isNetwork(error: unknown): boolean {
  return chain(error).some((one) => {
    const code = field(one, "code");
    if (typeof code === "string" && NETWORK.test(code)) return true;
    if (one instanceof BrokenTurn || field(one, "isRetryable") === true) return true;
    return one instanceof TypeError && /^(?:terminated|fetch failed)$/i.test(one.message);
  });
}

function statusOf(error: unknown): number | null {
  const status = field(error, "statusCode");
  // A connection that breaks while an answer is read carries the answer's 200.
  return typeof status === "number" && (status < 200 || status > 299) ? status : null;
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date; or what Google writes into its body. */
function waitOf(error: unknown, now: number): number | null {
  const headers = field(error, "responseHeaders");
  const exact = Number(field(headers, "retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const value = field(headers, "retry-after") ?? RETRY_DELAY.exec(String(field(error, "responseBody")))?.[1];
  if (typeof value !== "string") return null;
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

/** One line, no control characters, no key, not endless. */
function clean(words: string, { key }: Pick<ModelService, "key">): string {
  const kept = key === null || key.length < 4 ? words : words.replaceAll(key, "…");
  return shorten(show(kept.replaceAll(/\s+/g, " ").trim()), 500);
}

/** The error and its causes, outermost first. */
function chain(error: unknown): readonly unknown[] {
  const found: unknown[] = [];
  for (let one = error; one !== undefined && one !== null && found.length < 8; one = field(one, "cause")) found.push(one);
  return found;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
