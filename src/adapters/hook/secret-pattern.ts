// Patterns that are aimed at secrets: what they stand for is found by another program, which reads it.

import { tellingNames } from "../../core/policy/secrets.ts";

/** Names that a pattern is tried on: it may stand for a secret where it matches one and does not simply match everything. */
const SECRETS = [...tellingNames, ".npmrc"].flatMap((name) =>
  (name.startsWith("*") ? ["server", "key", "prod"] : ["", ".local", ".production"]).map((part) => name.replace("*", part)),
);

/** Does the last name of a pattern, which says something, match that of a secret? */
export function mayBeSecret(pattern: string): boolean {
  const last = pattern.slice(pattern.lastIndexOf("/") + 1).toLowerCase();
  if (/^[*?]*$/u.test(last)) return false;
  // No name is longer.
  if (last.length > 255) return true;
  // A bracket stands for one sign. One that is not plain may stand for anything.
  const plain = last.replaceAll(/\[[^[\]\\]+\]/gu, "?");
  if (/[[\]\\]/u.test(plain) || plain.split("*").length > 4) return true;
  const body = plain.replaceAll(/\*+|\?|[\\^$.|+(){}[\]]/gu, (sign) => (sign.startsWith("*") ? ".*" : sign === "?" ? "." : `\\${sign}`));
  const test = new RegExp(`^${body}$`, "su");
  return SECRETS.some((name) => test.test(name));
}
