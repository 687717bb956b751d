// Similar names, for a misspelled tool and for a missing file. Never a denied name: listings withhold those.

/** More names are not compared: a directory may hold a million, and each comparison takes microseconds. */
const COMPARED = 2_000;

/** Up to `most` of `names` similar to `missing`, nearest first; of very many, only the first of similar length are compared. */
export function nearNames(missing: string, names: Iterable<string>, most = 3): readonly string[] {
  const key = missing.toLowerCase();
  return firstOf(names, COMPARED, (name) => Math.abs(name.length - key.length) <= allowedDistance(key, name))
    .map((name) => ({ name, far: distance(key, name.toLowerCase()) }))
    .filter(({ name, far }) => far <= allowedDistance(key, name))
    .toSorted((one, other) => one.far - other.far || one.name.localeCompare(other.name))
    .slice(0, most)
    .map(({ name }) => name);
}

/** How many letters a name may differ in: one in three. */
function allowedDistance(key: string, name: string): number {
  return Math.max(2, Math.floor(Math.max(key.length, name.length) / 3));
}

function firstOf(names: Iterable<string>, most: number, fits: (name: string) => boolean): string[] {
  const found: string[] = [];
  for (const name of names) {
    if (fits(name) && found.push(name) === most) break;
  }
  return found;
}

/** How many letters must be added, taken away, changed or swapped with their neighbour. Long names are compared by their beginnings. */
export function distance(one: string, other: string): number {
  const from = one.slice(0, 64);
  const to = other.slice(0, 64);
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1];
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
