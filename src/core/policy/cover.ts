// Which earlier pattern makes a later one pointless? Patterns are filed by how they begin, so that a long list is not compared
// pair by pair.

import { covers, type Glob } from "./glob.ts";

export class CoverIndex<T> {
  readonly #byPrefix = new Map<string, { readonly glob: Glob; readonly value: T }[]>();
  readonly #byName = new Map<string, { readonly glob: Glob; readonly value: T }[]>();
  readonly #others: { readonly glob: Glob; readonly value: T }[] = [];

  /** Remember a pattern; `value` comes back when it covers a later one. */
  add(glob: Glob, value: T): void {
    const [first, second] = glob.pieces;
    if (first?.kind === "any-names") {
      if (second?.kind === "literal") file(this.#byName, second.text, { glob, value });
      else this.#others.push({ glob, value });
    } else {
      file(this.#byPrefix, literalPrefix(glob).join("/"), { glob, value });
    }
  }

  /** The first remembered pattern, in the order they were added within a beginning, that covers all of `glob`. */
  find(glob: Glob): T | null {
    const prefix = literalPrefix(glob);
    for (let length = 0; length <= prefix.length; length += 1) {
      const found = search(this.#byPrefix.get(prefix.slice(0, length).join("/")), glob);
      if (found !== null) return found.value;
    }
    for (const piece of glob.pieces) {
      const found = piece.kind === "literal" ? search(this.#byName.get(piece.text), glob) : null;
      if (found !== null) return found.value;
    }
    return search(this.#others, glob)?.value ?? null;
  }
}

function literalPrefix(glob: Glob): readonly string[] {
  const names: string[] = [];
  for (const piece of glob.pieces) {
    if (piece.kind !== "literal") break;
    names.push(piece.text);
  }
  return names;
}

function file<E>(map: Map<string, E[]>, key: string, entry: E): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [entry]);
  else list.push(entry);
}

function search<E extends { readonly glob: Glob }>(list: readonly E[] | undefined, glob: Glob): E | null {
  return list?.find((entry) => covers(entry.glob, glob)) ?? null;
}
