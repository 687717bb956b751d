// Numbers with their nouns, and names of paths.

/** `1 file`, `1,204 files`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${new Intl.NumberFormat("en").format(number)} ${number === 1 ? one : many}`;
}

/** The last name of a path; the path itself where it has none. */
export function lastName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}

/** The header's chip. It tells what was mounted and granted; what rules of the policy allow besides is no part of it. */
export function scopeChip(further: number): string {
  return further === 0 ? "workspace only" : `workspace + ${count(further, "directory", "directories")}`;
}
