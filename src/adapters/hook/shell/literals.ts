// A program given as text (`python -c`, a here-document for an interpreter, `awk`) → the paths that stand in it as they are. A path that the
// program puts together while it runs is not found: see docs/hooks.md for what is promised.

import { existsSync } from "node:fs";

/** `exists`: is there a file of this name, seen from where the program starts? */
export function literalsIn(text: string, exists: (name: string) => boolean): ReadonlySet<string> {
  const isThere = (name: string): boolean => !/^[/.]*$/u.test(name) && exists(name);
  const paths = new Set<string>();
  // What stands between two quotes, or on a line without any.
  for (const literal of new Set(text.split(/["'`\n\r]/u)))
    if (isFileName(literal) || isAbsolute(literal) || isThere(literal)) paths.add(literal);
  for (const word of new Set(text.split(/[\s"'`()<>{}|;&,=:[\]$*?!\\#%^+@]+/u)))
    if (isAbsolute(word) || CLIMBS.test(word) || HOME.test(word) || isThere(word)) paths.add(word);
  for (const [name] of text.matchAll(/(?<=^|\s)\.\w[\w./-]*/gmu)) paths.add(name);
  return paths;
}

const CLIMBS = /(?:^|\/)\.\.(?:\/|$)/u;
const HOME = /^~(?:\w*\/|$)/u;

/** Named like a file, so that it may name a secret. */
const isFileName = (text: string): boolean =>
  text.length <= 255 && /^[\w@+~.-][\w@+~/.-]*$/u.test(text) && /[./]/u.test(text) && /\w/u.test(text);

/** `/api/users` is no path where there is no `/api`, and a `/` by itself divides or joins. */
function isAbsolute(text: string): boolean {
  const first = /^\/+([^/]+)/u.exec(text)?.[1];
  return first !== undefined && text.length <= 4096 && existsSync(`/${first}`);
}
