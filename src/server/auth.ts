// Who is calling, and from where: Host, Origin, token. Told from exactly one header each and never from anything else, so
// that no page, no name server and no agent can speak as somebody it is not.

import { createHash, timingSafeEqual } from "node:crypto";
import type { AppPorts, Caller } from "./ports.ts";
import { Refusal } from "./problem.ts";

/** A request for another host than ours is refused: a page elsewhere may have given its own name our address. */
export function checkHost(headers: Headers, hosts: readonly string[] | null): void {
  if (hosts === null) return;
  const host = headers.get("host");
  if (host === null || !hosts.includes(host.toLowerCase())) throw badHost();
}

export const badHost = (): Refusal => new Refusal("bad-host", "the request names a host this server does not answer to; use its address");

/** A browser says where a request comes from; what does not come from our own pages is refused. Programs say nothing. */
export function checkOrigin(headers: Headers, hosts: readonly string[] | null): void {
  const origin = headers.get("origin");
  if (origin === null) return;
  if (!(hosts ?? []).some((host) => origin === `http://${host}` || origin === `https://${host}`))
    throw new Refusal("bad-origin", "the request comes from a page this server does not trust; open its own page");
}

/** The SHA-256 of a text: as credentials are kept, and policies are told apart. */
export const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** When a browser was last seen is kept this exactly, in milliseconds. */
const SEEN = 60_000;

/** Who a token belongs to; null: nobody. Digests are compared, of equal length and in constant time. */
export function createCallerOf({
  store,
  token,
  clock,
}: Pick<AppPorts, "store" | "token" | "clock">): (given: string) => Promise<Caller | null> {
  const own = createHash("sha256").update(token).digest();
  const owner = own.toString("hex");
  return async (token) => {
    if (token === "" || token.length > 512) return null;
    const digest = createHash("sha256").update(token).digest();
    if (timingSafeEqual(digest, own)) return { role: "person", browser: null };
    const [credential, browser] = await Promise.all([store.credential(digest.toString("hex")), store.browser(digest.toString("hex"))]);
    if (credential !== null) return { role: "agent", session: credential.session };
    if (browser === null || browser.owner !== owner) return null;
    const now = clock();
    // A store that cannot be written to signs nobody out.
    if (now - browser.seenAt >= SEEN) await store.changeBrowser(browser.id, { seenAt: now }).catch(() => {});
    return { role: "person", browser: browser.id };
  };
}

/** The token of a request. One header, one scheme; a token in an address would stand in logs and histories. */
export function bearerOf(headers: Headers): string {
  const token = /^Bearer ([^\s,]+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (token === undefined) throw new Refusal("unauthenticated", "the request carries no token; send it as `Authorization: Bearer …`");
  return token;
}

/** Where a person sits, for the record: what the client says of itself, reduced to a plain word. */
export function viaOf(headers: Headers): string {
  const clientName = headers.get("x-hallpass-via") ?? "";
  return /^[a-z-]{1,20}$/.test(clientName) ? clientName : "api";
}
