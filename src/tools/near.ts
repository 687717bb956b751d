// Near names: for a wrong tool name, and for a file that is not there. Never a name that is denied: listings withhold those.

/** Up to `most` of `names` that are near to `wanted`, nearest first. */
export function nearNames(wanted: string, names: readonly string[], most = 3): readonly string[] {
  const key = wanted.toLowerCase();
  return names
    .map((name) => ({ name, far: distance(key, name.toLowerCase()) }))
    .filter(({ name, far }) => far <= Math.max(2, Math.floor(Math.max(key.length, name.length) / 3)))
    .toSorted((one, other) => one.far - other.far || one.name.localeCompare(other.name))
    .slice(0, most)
    .map(({ name }) => name);
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
