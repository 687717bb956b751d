// What went wrong with a service, in words that say what to do, and whether trying again may help. The SDK's errors are read by their
// fields, so nothing of it is loaded here. A key never gets into a message, not even when the service quotes it.

import { show, shorten } from "../../core/path/show.ts";
import { ModelFault } from "../ports.ts";
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

export function troubleOf(error: unknown, service: ModelService, now: number): Trouble {
  const status = statusOf(error);
  const isContextFull = isTooLong(status, error);
  const passing =
    !isContextFull && (status === null ? isNetwork(error) : status === 408 || status === 409 || status === 429 || status >= 500);
  const words = isContextFull
    ? tooLongWords(status, error, service)
    : status === null
      ? networkWords(error, service, passing)
      : statusWords(status, error, service);
  return { passing, wait: waitOf(error, now), fault: new ModelFault(clean(words, service), { cause: error, isContextFull }) };
}

/** The codes of those services that give one, and the words of those that give none. */
const TOO_LONG =
  /context_length_exceeded|exceed_context_size|model_context_window_exceeded|maximum context length|context window|context limit|prompt is too long|input token count|available context size|greater than the context length/i;

function isTooLong(status: number | null, error: unknown): boolean {
  if (status === 413) return true;
  if (status !== null && status !== 400 && status !== 422) return false;
  return chain(error).some((one) => TOO_LONG.test([field(one, "responseBody"), field(one, "message")].join(" ")));
}

function tooLongWords(status: number | null, error: unknown, { provider, model }: ModelService): string {
  const said = [status, detailOf(error)].filter((one) => one !== null && one !== "").join(": ");
  return `the conversation is too long for ${provider}/${model}${said === "" ? "" : ` (${said})`}; begin a new chat`;
}

export function silenceFault(service: ModelService, milliseconds: number): ModelFault {
  return new ModelFault(
    clean(
      `${service.provider} at ${service.address} sent nothing for ${Math.round(milliseconds / 100) / 10} s; try again, or set HALLPASS_MODEL_TIMEOUT to more seconds if the model is slow to begin`,
      service,
    ),
  );
}

function statusWords(status: number, error: unknown, service: ModelService): string {
  const { provider, model, address, keyVariable, addressVariable } = service;
  const said = detailOf(error);
  const more = said === "" ? "" : `: ${said}`;
  if (status >= 300 && status < 400)
    return `${provider} at ${address} redirects elsewhere (${status}); set ${addressVariable} to its final address`;
  switch (status) {
    case 401:
    case 403:
      return service.key === null
        ? `${provider} wants a key (${status}${more}); set ${keyVariable}`
        : `${provider} refused the key (${status}${more}); set ${keyVariable} to a valid one`;
    case 402:
      return `${provider} wants to be paid first (402${more})`;
    case 404:
      return `${provider} knows no model \`${model}\` at ${address} (404${more}); check the model's name, or set ${addressVariable}`;
    case 429:
      return `${provider} is rate-limiting us (429${more}); try again later`;
    default:
      return status >= 500
        ? `${provider} failed (${status}${more}); try again later`
        : `${provider} rejected the request (${status}${more})`;
  }
}

function networkWords(error: unknown, { provider, address, addressVariable }: ModelService, passing: boolean): string {
  const codes = chain(error).map((one) => field(one, "code"));
  if (codes.includes("ECONNREFUSED")) return `nothing answers at ${address}; start ${provider}, or set ${addressVariable} to where it is`;
  if (codes.includes("ENOTFOUND") || codes.includes("EAI_AGAIN"))
    return `the name in ${address} is not known here; check the network, or set ${addressVariable}`;
  const message = error instanceof Error ? error.message : String(error);
  return passing
    ? `the connection to ${provider} at ${address} broke (${message}); try again`
    : `the answer of ${provider} at ${address} cannot be read (${message}); check ${addressVariable}`;
}

/** What the service itself said, if it said it in one of the usual ways. */
function detailOf(error: unknown): string {
  const body = field(error, "responseBody");
  if (typeof body !== "string") return "";
  try {
    const parsed: unknown = JSON.parse(body);
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

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
function waitOf(error: unknown, now: number): number | null {
  const headers = field(error, "responseHeaders");
  const exact = Number(field(headers, "retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const value = field(headers, "retry-after");
  if (typeof value !== "string") return null;
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

/** One line, no control characters, no key, not endless. */
function clean(words: string, { key }: ModelService): string {
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
