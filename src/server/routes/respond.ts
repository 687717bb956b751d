// Answers with the headers every answer has. No page elsewhere may read, frame or embed anything of ours, nothing runs that is not one
// of our own files, and what the interface says is kept by no cache. There are no CORS headers at all.

const everywhere = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
} as const;

const apiHeaders = {
  ...everywhere,
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
} as const;

const pageHeaders = {
  ...everywhere,
  "content-security-policy":
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;

export function jsonResponse(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { ...apiHeaders, "content-type": "application/json; charset=utf-8", ...headers },
  });
}

/** Text, or a stream of it, of another kind than JSON. */
export function textResponse(text: string | ReadableStream<Uint8Array>, media: string): Response {
  return new Response(text, { headers: { ...apiHeaders, "content-type": `${media}; charset=utf-8` } });
}

/** `coding`: how the bytes are compressed; null where they are as they are. */
export function pageResponse(
  bytes: string | Uint8Array<ArrayBuffer>,
  media: string,
  isImmutable: boolean,
  coding: "br" | "gzip" | null = null,
): Response {
  const caching = isImmutable ? "public, max-age=31536000, immutable" : "no-cache";
  const coded = coding === null ? {} : { "content-encoding": coding };
  return new Response(bytes, {
    headers: { ...pageHeaders, "content-type": media, "cache-control": caching, vary: "accept-encoding", ...coded },
  });
}
