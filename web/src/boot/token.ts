// The person's token comes in the fragment of the address (`#token=…`), which no server sees. It is taken once, kept for this browser,
// and removed from the address, so that it is in no history, bookmark or screenshot.

const KEY = "hallpass.token";

export interface OpenedPage {
  readonly token: string | null;
  /** The directory the daemon was started in, where the address told it. */
  readonly directory: string | null;
}

/** What the fragment of an address holds, and what is left of it as a place within the pages. */
export function readFragment(fragment: string): {
  readonly token: string | null;
  readonly directory: string | null;
  readonly rest: string;
} {
  const text = fragment.startsWith("#") ? fragment.slice(1) : fragment;
  if (!/(?:^|&)token=/.test(text)) return { token: null, directory: null, rest: text };
  const fields = new URLSearchParams(text);
  const to = fields.get("to") ?? "/";
  return { token: fields.get("token"), directory: fields.get("dir"), rest: to.startsWith("/") ? to : "/" };
}

/** Take the token from the address, or from this browser's memory. */
export function takeToken(location: Location, history: History, storage: Storage): OpenedPage {
  const { token, directory, rest } = readFragment(location.hash);
  if (token === null || token === "") return { token: storage.getItem(KEY), directory: null };
  storage.setItem(KEY, token);
  history.replaceState(null, "", `${location.pathname}#${rest}`);
  return { token, directory };
}

/** The token in what somebody pasted: an address with one in it, or the token itself; null where it is neither. */
export function tokenIn(text: string): string | null {
  const given = text.trim();
  const hash = given.indexOf("#");
  const token = hash === -1 ? given : readFragment(given.slice(hash)).token;
  return token !== null && /^[\w-]+$/.test(token) ? token : null;
}

/** An address with a token was opened in this very tab, where only the part after the # differs: take it, and begin again. */
export function watchFragment(window: Window): void {
  window.addEventListener("hashchange", () => {
    if (readFragment(window.location.hash).token !== null) window.location.reload();
  });
}
