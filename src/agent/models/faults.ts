// What went wrong with a service, in words that say what to do, and whether trying again may help. The SDK's errors are read by their
// fields, so nothing of it is loaded here. A key never gets into a message, not even when the service quotes it.

import { messageOf } from "../../core/record.ts";
import { show, shorten } from "../../core/path/show.ts";
import { ModelFault } from "../ports.ts";
import type { ModelFaultKind } from "../transcript.ts";
import type { ModelService } from "./services.ts";

export interface ServiceError {
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

export function troubleOf(error: unknown, service: ServiceOfFault, now: number): ServiceError {
  const status = statusOf(error);
  const kind = kindOf(status, error, service);
  const wait = waitOf(error, now);
  const passing =
    kind === "rate-limit" || (kind === "other" && (status === null ? isNetwork(error) : status === 408 || status === 409 || status >= 500));
  const message =
    kind === "context-full"
      ? describeTooLong(status, error, service)
      : status === null && kind === "other"
        ? describeNetworkFault(error, service, passing)
        : describeStatus(status, kind, error, service);
  const retryAt = kind === "rate-limit" && wait !== null ? now + wait : null;
  return { passing, wait, fault: new ModelFault(clean(message, service), { cause: error, kind, retryAt }) };
}

/** Services say the same with different numbers: Google refuses a key with 400, Anthropic says so that nothing is left to pay with. */
function kindOf(status: number | null, error: unknown, { key }: ServiceOfFault): ModelFaultKind {
  if (isTooLong(status, error)) return "context-full";
  const errorText = errorAndCauses(error)
    .map((cause) => [field(cause, "responseBody"), field(cause, "message"), codeIn(field(cause, "data"))].join(" "))
    .join(" ");
  if (status === 401 || status === 403 || (status === 400 && NO_KEY.test(errorText))) return key === null ? "missing-key" : "wrong-key";
  if (status === 402 || USED_UP.test(errorText)) return "quota";
  // Google says "quota" of both; of one that passes it says when.
  if (status === 429 || (status === null && TOO_MANY.test(errorText)))
    return QUOTA.test(errorText) && !RETRY_DELAY.test(errorText) ? "quota" : "rate-limit";
  return "other";
}

const NO_KEY = /API_KEY_INVALID|API key not valid|invalid[ _]api[ _]key|incorrect api key|Missing or invalid Authorization/i;
const USED_UP =
  /insufficient_quota|billing_hard_limit_reached|billing_not_active|credit balance is too low|insufficient credits|PerDayPerProject/i;
const QUOTA = /exceeded your (?:current|monthly) quota/i;
const TOO_MANY = /rate_limit_exceeded|rate_limit_error/i;
const RETRY_DELAY = /"retryDelay"\s*:\s*"([\d.]+)s"/;

const codeIn = (data: unknown): unknown => field(field(data, "error"), "code");

/** The service that a fault is about. */
export type ServiceOfFault = Omit<ModelService, "model"> & { readonly model?: string };

/** The codes of those services that give one, and the words of those that give none. */
const TOO_LONG =
  /context_length_exceeded|exceed_context_size|model_context_window_exceeded|maximum context length|context window|context limit|prompt is too long|input token count|available context size|greater than the context length/i;

function isTooLong(status: number | null, error: unknown): boolean {
  if (status === 413) return true;
  if (status !== null && status !== 400 && status !== 422) return false;
  return errorAndCauses(error).some((cause) => TOO_LONG.test([field(cause, "responseBody"), field(cause, "message")].join(" ")));
}

function describeTooLong(status: number | null, error: unknown, { provider, model = "it" }: ServiceOfFault): string {
  const statusAndDetail = [status, detailOf(error)].filter((one) => one !== null && one !== "").join(": ");
  return `the conversation is too long for ${provider}/${model}${statusAndDetail === "" ? "" : ` (${statusAndDetail})`}; begin a new chat`;
}

/** Does the service say that the model takes no pictures? */
export function refusesPictures(error: unknown): boolean {
  const status = statusOf(error);
  if (status === null || status < 400 || status === 401 || status === 403 || status === 429) return false;
  return errorAndCauses(error).some((cause) => NO_PICTURES.test([field(cause, "responseBody"), field(cause, "message")].join(" ")));
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

function describeStatus(status: number | null, kind: ModelFaultKind, error: unknown, service: ServiceOfFault): string {
  const { provider, model, address, addressVariable } = service;
  const detail = detailOf(error);
  const statusAndDetail = [status, detail].filter((one) => one !== null && one !== "").join(": ");
  const detailSuffix = detail === "" ? "" : `: ${detail}`;
  switch (kind) {
    case "missing-key":
      return `${provider} needs a key (${statusAndDetail}); ${describeKeyRemedy(service)}`;
    case "wrong-key":
      return `${provider} refused the key (${statusAndDetail}); ${describeKeyRemedy(service)}`;
    case "quota":
      return `${provider} says that your quota is used up (${statusAndDetail}); check the plan and billing of your account there`;
    case "rate-limit":
      return `${provider} is rate-limiting us (${statusAndDetail}); try again later`;
    case "context-full":
    case "silent":
    case "other":
      break;
  }
  if (status === null) return describeNetworkFault(error, service, false);
  if (status >= 300 && status < 400)
    return `${provider} at ${address} redirects elsewhere (${status}); set ${addressVariable} to its final address`;
  switch (status) {
    case 404:
      return model === undefined
        ? `there is no ${provider} service at ${address} (404${detailSuffix}); check the address, or set ${addressVariable}`
        : `${provider} has no model \`${model}\` at ${address} (404${detailSuffix}); check the model's name, or set ${addressVariable}`;
    default:
      return status >= 500
        ? `${provider} failed (${status}${detailSuffix}); try again later`
        : `${provider} rejected the request (${status}${detailSuffix})`;
  }
}

/** Where the key is entered anew. */
const describeKeyRemedy = ({ provider, key, keyVariable, keyIsSaved }: ServiceOfFault): string =>
  key !== null && !keyIsSaved
    ? `set ${keyVariable} to a valid one`
    : `enter ${key === null ? "it" : "another one"} under Models, or with \`hallpass models add ${provider}\``;

function describeNetworkFault(error: unknown, { provider, address, addressVariable }: ServiceOfFault, passing: boolean): string {
  const codes = errorAndCauses(error).map((cause) => field(cause, "code"));
  if (codes.includes("ECONNREFUSED")) return `nothing answers at ${address}; start ${provider}, or set ${addressVariable} to where it is`;
  if (codes.includes("ENOTFOUND") || codes.includes("EAI_AGAIN"))
    return `the host name in ${address} was not found; check the network, or set ${addressVariable}`;
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
  return errorAndCauses(error).some((cause) => {
    const code = field(cause, "code");
    if (typeof code === "string" && NETWORK.test(code)) return true;
    if (cause instanceof BrokenTurn || field(cause, "isRetryable") === true) return true;
    return cause instanceof TypeError && /^(?:terminated|fetch failed)$/i.test(cause.message);
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
function clean(message: string, { key }: Pick<ModelService, "key">): string {
  const withoutKey = key === null || key.length < 4 ? message : message.replaceAll(key, "…");
  return shorten(show(withoutKey.replaceAll(/\s+/g, " ").trim()), 500);
}

/** The error and its causes, outermost first. */
function errorAndCauses(error: unknown): readonly unknown[] {
  const errors: unknown[] = [];
  for (let current = error; current !== undefined && current !== null && errors.length < 8; current = field(current, "cause"))
    errors.push(current);
  return errors;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
