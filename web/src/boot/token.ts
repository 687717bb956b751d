// The person's token, or a code, comes in the fragment of the address (`#token=…`, `#pair=…`), which no server sees. It is read once and
// removed from the address, so that it is in no history, bookmark or screenshot. The credential it is exchanged for is kept by this browser.

const KEY = "hallpass.token";

/** What a browser signs in with. */
export interface TokenOrCode {
  readonly kind: "token" | "code";
  readonly word: string;
}

export interface OpenedPage {
  /** The token or code in the address; null where there was none. */
  readonly given: TokenOrCode | null;
  /** The directory the daemon was started in, where the address has it. */
  readonly directory: string | null;
}

/** What the fragment of an address holds, and what is left of it as a place within the pages. */
export function readFragment(fragment: string): OpenedPage & { readonly rest: string } {
  const text = fragment.startsWith("#") ? fragment.slice(1) : fragment;
  if (!/(?:^|&)(?:token|pair)=/.test(text)) return { given: null, directory: null, rest: text };
  const fields = new URLSearchParams(text);
  const to = fields.get("to") ?? "/";
  const [token, code] = [fields.get("token") ?? "", fields.get("pair") ?? ""];
  const tokenOrCode: TokenOrCode = token === "" ? { kind: "code", word: code } : { kind: "token", word: token };
  return { given: tokenOrCode, directory: fields.get("dir"), rest: to.startsWith("/") ? to : "/" };
}

/** Read the token or code, and remove it from the address. */
export function takeFragment(location: Location, history: History): OpenedPage {
  const { given: tokenOrCode, directory, rest } = readFragment(location.hash);
  if (tokenOrCode !== null) history.replaceState(null, "", `${location.pathname}#${rest}`);
  return { given: tokenOrCode, directory };
}

export const storedToken = (storage: Storage): string | null => storage.getItem(KEY);
export const keepToken = (storage: Storage, token: string): void => storage.setItem(KEY, token);
export const forgetToken = (storage: Storage): void => storage.removeItem(KEY);

/** What somebody pasted or typed: an address, a code, or the token itself; null where it is none of them. */
export function readTokenOrCode(text: string): TokenOrCode | null {
  const typed = text.trim();
  const hash = typed.indexOf("#");
  const tokenOrCode =
    hash === -1 ? { kind: isCode(typed) ? ("code" as const) : ("token" as const), word: typed } : readFragment(typed.slice(hash)).given;
  return tokenOrCode !== null && /^[\w -]+$/.test(tokenOrCode.word) ? tokenOrCode : null;
}

/** Four and four, as `hallpass pair` shows it. */
const isCode = (text: string): boolean => /^\w{4}[ -]?\w{4}$/.test(text);

/** An address with a token was opened in this very tab, where only the part after the # differs: take it, and begin again. */
export function watchFragment(window: Window): void {
  window.addEventListener("hashchange", () => {
    if (readFragment(window.location.hash).given !== null) window.location.reload();
  });
}
