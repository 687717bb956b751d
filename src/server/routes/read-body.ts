// A request's body, counted while it comes: larger than it may be, or slower, and reading stops there.

import { Refusal } from "../problem.ts";
import { parseStrictJson } from "../../config/strict-json.ts";

export interface BodyLimits {
  readonly bytes: number;
  /** How long a body may take from the moment it is wanted to its last byte. */
  readonly milliseconds: number;
}

export const bodyLimits: BodyLimits = { bytes: 64 * 1024, milliseconds: 10_000 };

/** The JSON value a request holds. No body at all is not JSON. */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<unknown> {
  const kind = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (kind !== "application/json") throw new Refusal("bad-content-type", "the body must be sent as application/json");
  if (Number(request.headers.get("content-length") ?? 0) > limits.bytes) throw tooLarge(limits);
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let decoded: string;
  try {
    decoded = text.decode(await bytesOf(request, limits));
  } catch (error) {
    if (error instanceof TypeError) throw new Refusal("bad-request", "the body is not UTF-8 text");
    throw error;
  }
  const parsed = parseStrictJson(decoded);
  if (!parsed.ok) throw new Refusal("bad-request", `the body was not understood: ${parsed.why}`);
  return parsed.value;
}

async function bytesOf(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const stream: ReadableStream<Uint8Array> | null = request.body;
  if (stream === null) return new Uint8Array();
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), limits.milliseconds);
  });
  try {
    for (let length = 0; ;) {
      const next = await Promise.race([reader.read().catch(() => "broken" as const), late]);
      if (next === "late") throw new Refusal("timeout", "the body took too long to arrive");
      if (next === "broken") throw new Refusal("bad-request", "the request body was cut short");
      if (next.done) return Buffer.concat(chunks);
      length += next.value.length;
      if (length > limits.bytes) throw tooLarge(limits);
      chunks.push(next.value);
    }
  } finally {
    clearTimeout(timer);
    // What is still to come is not waited for.
    reader.cancel().catch(() => {});
  }
}

const tooLarge = ({ bytes }: BodyLimits): Refusal => new Refusal("too-large", `a body may have at most ${bytes} bytes`);
