// Each browser has a credential of its own. It gets one for the person's token, or for a code that `hallpass pair` shows, and stores only
// the credential.

import { createClient } from "../../../src/wire/client.ts";
import { routes } from "../../../src/wire/http.ts";
import { keepToken, type TokenOrCode, storedToken } from "./token.ts";

/** Throws where the daemon does not take it. Gives the credential. */
export async function signIn({ kind, word }: TokenOrCode, { address, agent, storage }: SignInPorts): Promise<string> {
  const name = browserName(agent);
  const client = createClient({ address, token: kind === "token" ? word : "", fetch: (request) => fetch(request), via: "web" });
  const before = storedToken(storage);
  const { token } =
    kind === "code"
      ? await client.send(routes.pair, { body: { code: word, name } })
      : await client.send(routes.addBrowser, { body: { name, ...(before === null ? {} : { replaces: before }) } });
  keepToken(storage, token);
  return token;
}

export interface SignInPorts {
  readonly address: string;
  /** What the browser calls itself, at length. */
  readonly agent: string;
  readonly storage: Storage;
}

// The first that fits: most of them call themselves by the others' names too.
const BROWSERS = { Edg: "Edge", OPR: "Opera", Firefox: "Firefox", Chrome: "Chrome", Safari: "Safari" };
const SYSTEMS = {
  Android: "Android",
  iPhone: "iPhone",
  iPad: "iPad",
  Windows: "Windows",
  "Mac OS": "macOS",
  CrOS: "ChromeOS",
  Linux: "Linux",
};

/** `Firefox on Android`, for a list in which a person looks for it. */
export function browserName(agent: string): string {
  const firstMatch = (names: Readonly<Record<string, string>>, other: string): string =>
    Object.entries(names).find(([word]) => agent.includes(word))?.[1] ?? other;
  return `${firstMatch(BROWSERS, "A browser")} on ${firstMatch(SYSTEMS, "another system")}`;
}
