// JSON as one reading only: a key that stands twice in one object is refused, since two readers could each take another one; so is what
// is nested deeper than anything here is. Pure.

export type StrictJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

const DEPTH = 64;

export function parseStrictJson(text: string): StrictJson {
  const fault = faultIn(text);
  if (fault !== null) return { ok: false, why: fault };
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value };
  } catch {
    return { ok: false, why: "it is not JSON" };
  }
}

/**
 * Looks at strings and braces alone; what is not JSON is the parser's to tell. A string is a key where a colon follows it: in JSON
 * there is no other such place. No expression does it: a long string would use up the stack of one.
 */
function faultIn(text: string): string | null {
  const objects: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === OPEN_BRACE || sign === OPEN_BRACKET) {
      if (objects.push(sign === OPEN_BRACE ? new Set() : null) > DEPTH) return `it is nested more than ${DEPTH} levels deep`;
    } else if (sign === CLOSE_BRACE || sign === CLOSE_BRACKET) objects.pop();
    else if (sign === QUOTE) {
      const start = at;
      at = stringEnd(text, start);
      if (at === -1) return null;
      const keys = objects.at(-1) ?? null;
      if (keys === null || text.charCodeAt(afterBlanks(text, at + 1)) !== COLON) continue;
      const key = keyOf(text.slice(start, at + 1));
      if (keys.has(key)) return "a key appears twice in one object";
      keys.add(key);
    }
  }
  return null;
}

/** Where the string that begins at `start` ends; -1 where it does not. A quote ends it unless an odd number of backslashes stands before it. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}

/** What JSON takes for a blank. */
function afterBlanks(text: string, from: number): number {
  let at = from;
  while (BLANKS.has(text.charCodeAt(at))) at += 1;
  return at;
}

const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, QUOTE, BACKSLASH, COLON] = [0x7b, 0x7d, 0x5b, 0x5d, 0x22, 0x5c, 0x3a];
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** The key as a reader of JSON sees it: `"p\u0061th"` is `path`. */
function keyOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
