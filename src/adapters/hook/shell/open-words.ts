// An unquoted pattern in a command (`*.pem`, `src/{a,b}.ts`) → the names it stands for now, as a shell would expand it, so that each
// can be judged. Looks at names only.

import { readdirSync } from "node:fs";
import { alternatives } from "../file-pattern.ts";

/** More names than are judged one by one. */
const MOST = 256;

/** The paths a pattern stands for from the directory `base`, or itself where it matches nothing; null where there are too many. */
export function expandWord(pattern: string, base: string, home: string): readonly string[] | null {
  const each = alternatives(pattern);
  if (each === null) return null;
  const found: string[] = [];
  for (const one of each) {
    // `{a..c}` and brackets within brackets stand for names that are not written out here.
    if (/\{.*(?:,|\.\.).*\}/su.test(one)) return null;
    if (!/[*?[]/u.test(one)) found.push(one);
    else {
      const matches = matching(one, base, home);
      if (matches === null) return null;
      found.push(...(matches.length === 0 ? [one] : matches));
    }
    if (found.length > MOST) return null;
  }
  return found;
}

function matching(pattern: string, base: string, home: string): readonly string[] | null {
  const names = pattern.split("/");
  let heads: readonly string[] = [""];
  for (const [at, name] of names.entries()) {
    const glue = at === names.length - 1 ? "" : "/";
    if (!/[*?[]/u.test(name)) heads = heads.map((head) => head + name + glue);
    else {
      const test = testOf(name);
      if (test === null) return null;
      heads = heads.flatMap((head) =>
        namesIn(placeOf(head, base, home), name.startsWith("."))
          .filter((entry) => test.test(entry))
          .map((entry) => head + entry + glue),
      );
    }
    if (heads.length > MOST) return null;
  }
  return heads;
}

function placeOf(head: string, base: string, home: string): string {
  if (head.startsWith("/")) return head;
  return head === "~" || head.startsWith("~/") ? home + head.slice(1) : `${base}/${head}`;
}

/** `dots`: with `.` and `..`, which some shells give for a pattern that begins with a dot. */
function namesIn(directory: string, dots: boolean): readonly string[] {
  try {
    return dots ? [".", "..", ...readdirSync(directory)] : readdirSync(directory);
  } catch {
    return [];
  }
}

/** A shell's pattern of one name as an expression. A leading dot is matched by a dot alone. */
function testOf(name: string): RegExp | null {
  // Many stars in one name take an expression too long; a deadline must not be missed for them.
  if ((name.match(/\*+/gu) ?? []).length > 4) return null;
  const body = name.replaceAll(/\*+|\?|\[(?:[!^])?\]?[^\]]*\]|[\\^$.|+(){}[\]]/gu, (part) => {
    if (part.startsWith("*")) return "[^/]*";
    if (part === "?") return "[^/]";
    if (part.startsWith("[") && part.length > 2) return part.replace(/^\[!/u, "[^").replaceAll("\\", "\\\\");
    return `\\${part}`;
  });
  try {
    return new RegExp(`^${name.startsWith(".") ? "" : "(?!\\.)"}${body}$`, "su");
  } catch {
    return null;
  }
}
