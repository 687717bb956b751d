// Waiting with an end: a watch that ends a turn when no byte has come for a while, and a fetch that tells the watch of every byte.
// Bytes, not words: a service that only sends signs of life is alive.

export type Fetch = typeof globalThis.fetch;

/** No turn of a model is as long as this, in bytes on the wire. */
const MOST_BYTES = 64 * 1_048_576;

export function watchSilence(milliseconds: number, outer: AbortSignal) {
  const own = new AbortController();
  const signal = AbortSignal.any([outer, own.signal]);
  let why: "silence" | "noise" | null = null;
  let total = 0;
  const end = (reason: "silence" | "noise"): void => {
    why ??= reason;
    own.abort(new Error(reason));
  };
  let timer = setTimeout(end, milliseconds, "silence");
  return {
    /** Aborted by the caller's signal, by silence, or by too much noise. */
    signal,
    /** Why the watch itself ended the turn; null where it did not. */
    ended: () => why,
    heard(bytes: number): void {
      clearTimeout(timer);
      total += bytes;
      if (total > MOST_BYTES) end("noise");
      else if (!signal.aborted) timer = setTimeout(end, milliseconds, "silence");
    },
    /** The promise, or a rejection as soon as the watch ends. */
    within: <T>(promise: PromiseLike<T>): Promise<T> => settleBefore(promise, signal),
    stop: (): void => clearTimeout(timer),
  };
}

/** The promise, or the signal's reason as soon as it is aborted. */
export async function settleBefore<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
  });
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** A fetch that reports how many bytes came, and that never carries a key to where an address redirects. */
export function listeningFetch(fetch: Fetch, onBytes: (bytes: number) => void): Fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    onBytes(0);
    if (response.body === null) return response;
    const listening = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        onBytes(chunk.byteLength);
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(listening), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}
