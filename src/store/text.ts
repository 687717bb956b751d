// Text on its way into a text column. What a database cannot hold there (NUL, which SQLite reads back as the end of the text and
// PostgreSQL refuses; half a surrogate pair, which has no UTF-8) must not get in: free text that may hold it is stored inside JSON.

import { HallpassError } from "../core/errors.ts";

/** Short free text, such as a title: what cannot be held becomes U+FFFD. */
export function legible(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\u{fffd}");
}

/**
 * A name or a path, which must come back exactly as it went in: a path cut short at a NUL would be another, wider one. Throws
 * `bad-request` where it cannot.
 */
export function exact<T extends string>(text: T): T {
  if (isExact(text)) return text;
  throw new HallpassError("bad-request", "a name or a path with a NUL or half a surrogate pair in it cannot be stored");
}

/** Can it be stored as it is? */
export function isExact(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/**
 * Text as a condition for PostgreSQL, which refuses one that it cannot hold. Such a text is in no column, so any that is in none would do;
 * it is what `hallpass_field` of the migrations makes of it, so that events are found by it too.
 */
export function storable(text: string): string {
  if (isExact(text)) return text;
  return text.replaceAll(UNSTORABLE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// eslint-disable-next-line no-control-regex -- NUL is what it is about
const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export const LIKE_ESCAPE = "~";

/** A pattern of `like` for what has this text in it. */
export const likePattern = (text: string): string => `%${text.replaceAll(/[~%_]/g, `${LIKE_ESCAPE}$&`)}%`;

/** A text as it stands between the quotes of a JSON string. */
export const escapedInJson = (text: string): string => JSON.stringify(text).slice(1, -1);
