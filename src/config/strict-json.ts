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
 * there is no other such place.
 */
function faultIn(text: string): string | null {
  const objects: (Set<string> | null)[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]]/gsu;
  const colon = /\s*:/uy;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match;
    if (found === "{" || found === "[") objects.push(found === "{" ? new Set() : null);
    else if (found === "}" || found === "]") objects.pop();
    else {
      colon.lastIndex = token.lastIndex;
      const keys = objects.at(-1);
      if (keys === undefined || keys === null || !colon.test(text)) continue;
      const key = keyOf(found);
      if (keys.has(key)) return "a key stands twice in one object";
      keys.add(key);
    }
    if (objects.length > DEPTH) return `it is nested more than ${DEPTH} levels deep`;
  }
  return null;
}

/** The key as a reader of JSON sees it: `"p\u0061th"` is `path`. */
function keyOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
