// A unified diff: the files it names, and its hunks put into a text.

import { applyPatch as applyHunks, parsePatch, type StructuredPatch } from "diff";

/** About a second of them. */
const COMPARISONS = 4_000_000;

/** Its files; null where it is no unified diff. */
export function parsePatchText(patch: string): readonly StructuredPatch[] | null {
  try {
    return parsePatch(patch).filter(({ hunks }) => hunks.length > 0);
  } catch {
    return null;
  }
}

/**
 * The hunks put where they say, or else where they fit; false where they fit nowhere, null where that cannot be told in good time. Looking
 * for a place takes as many comparisons as the file has lines, times those of the hunk.
 */
export function applyFilePatch(before: string, file: StructuredPatch): string | false | null {
  let left = COMPARISONS;
  try {
    return applyHunks(before, file, {
      fuzzFactor: 0,
      compareLine(_at, line, _operation, expected) {
        left -= 1;
        if (left < 0) throw new TooManyComparisons();
        return line === expected;
      },
    });
  } catch (error) {
    if (error instanceof TooManyComparisons) return null;
    throw error;
  }
}

class TooManyComparisons extends Error {}

/** The two names of a file in a patch, null for /dev/null. Git writes `a/…` and `b/…`; only where both do is that taken off. */
export function namesOf({ oldFileName, newFileName }: StructuredPatch): { readonly before: string | null; readonly after: string | null } {
  const [before, after] = [oldFileName, newFileName].map((name) =>
    name === undefined || name === "" || name === "/dev/null" ? null : name,
  );
  const byGit = (before ?? "a/").startsWith("a/") && (after ?? "b/").startsWith("b/");
  const plain = (name: string | null | undefined): string | null =>
    name === null || name === undefined ? null : byGit ? name.slice(2) : name;
  return { before: plain(before), after: plain(after) };
}
