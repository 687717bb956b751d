// Words that point back: "it", "them", "the other one", "the second one", "its README". What they mean is told from what was last
// looked at. Null where a phrase holds no such word; an empty list where it does and nothing is there to point at.

import { type Masked, MARK, thingsIn } from "./mask.ts";
import type { Memory, Place } from "./wish.ts";

type Pointed = readonly { readonly path: string; readonly otherwise: readonly string[] }[];

const ORDINALS = ["first", "second", "third", "fourth", "fifth"];

export function pointedAt(words: string, masked: Masked, memory: Memory): Pointed | null {
  const owned = new RegExp(
    `\\b(?:its|their|his|her|(?:that|this|the same)\\s+(?:repo|repository|project|folder|directory|package)['’]?s)\\s+(?:own\\s+)?(${MARK}|[\\w.-]+)`,
    "iu",
  ).exec(words);
  if (owned !== null) return belongingTo(memory, thingsIn(owned[1] ?? "", masked)[0]?.text ?? owned[1] ?? "");
  if (thingsIn(words, masked).length > 0) return null;
  if (/\bthe other(?: one| file| folder)?s?\b|\bother one\b/i.test(words)) return asPaths(theOther(memory));
  const ordinal = ORDINALS.findIndex((word) => new RegExp(`\\bthe ${word}(?: one| file| match| result)?\\s*$`, "i").test(words.trim()));
  if (ordinal !== -1) return asPaths(nth(memory, ordinal));
  if (/\bthe last (?:one|file|match|result)\b/i.test(words)) return asPaths(offeredOr(memory).slice(-1));
  if (/\b(?:them|both|those|these|all of (?:them|those)|each of them)\b/i.test(words)) return asPaths(offeredOr(memory).slice(0, 6));
  if (
    /^\s*(?:(?:the\s+)?same(?: (?:file|one|folder|thing))?|it|that(?: (?:file|one|folder|directory|path))?|this(?: (?:file|one|path))?|there|in (?:it|there))\s*$/i.test(
      words,
    )
  )
    return asPaths(memory.places.slice(-1).map(({ path }) => path));
  return null;
}

const asPaths = (paths: readonly string[]): Pointed => paths.map((path) => ({ path, otherwise: [] }));

/** "its README": beside the file last read, in the directory last listed, or at the top of what was granted. */
function belongingTo({ places, roots }: Memory, name: string): Pointed {
  const last = places.at(-1);
  if (last === undefined) return [];
  const names = /^readme$/i.test(name) ? ["README.md", "README"] : /^licen[cs]e$/i.test(name) ? ["LICENSE", "LICENSE.md"] : [name];
  const dirs = [...new Set([directoryOf(last), ...roots.filter((root) => last.path.startsWith(`${root}/`))])];
  const [path = name, ...otherwise] = dirs.flatMap((dir) =>
    names.map((one) => (dir === "" ? one : dir === "/" ? `/${one}` : `${dir}/${one}`)),
  );
  return [{ path, otherwise }];
}

/** The directory a place is or lies in, as it was written; empty for the workspace. */
export function directoryOf({ path, directory }: Place): string {
  const plain = path.replace(/\/+$/, "") || "/";
  if (directory) return plain === "." ? "" : plain;
  const slash = plain.lastIndexOf("/");
  return slash === -1 ? "" : slash === 0 ? "/" : plain.slice(0, slash);
}

/** Of two, the one that was not the last looked at. Where more could be meant, none is. */
function theOther({ places, offered, earlier }: Memory): readonly string[] {
  const last = places.at(-1)?.path;
  const near = [...new Set([...offered, ...places.map(({ path }) => path)])].filter((path) => path !== last);
  if (near.length === 1) return near;
  const before = [...new Set(earlier.map(({ path }) => path))].filter((path) => path !== last);
  return near.length === 0 ? before.slice(0, 1) : [];
}

const offeredOr = ({ offered, places }: Memory): readonly string[] => (offered.length > 0 ? offered : places.map(({ path }) => path));

const nth = (memory: Memory, at: number): readonly string[] => offeredOr(memory).slice(at, at + 1);
