// The one containment test in the system. Compares by component, so `/ws-evil` is not inside `/ws`.

/** Is `path` the directory `dir` itself, or below it? Both must be real: absolute, no links, no dots, no trailing slash. */
export function isInside(dir: string, path: string): boolean {
  return endsName(path, dir.length) && path.startsWith(dir);
}

/** Does a name of the absolute `path` end after `length` characters? Then those are `path` itself or a directory above it. */
export function endsName(path: string, length: number): boolean {
  if (path.length === length || path.charCodeAt(length) === SLASH) return true;
  return length === 1 && path.charCodeAt(0) === SLASH;
}

/** The part of `path` below `dir`, without a slash in front; empty for `dir` itself. Takes `isInside(dir, path)` for granted. */
export function below(dir: string, path: string): string {
  return dir === "/" ? path.slice(1) : path.slice(dir.length + 1);
}

/** `dir` joined with one name. */
export function child(dir: string, name: string): string {
  return dir === "/" ? `/${name}` : `${dir}/${name}`;
}

/** The directory that holds `path`; `/` for `/`. */
export function parent(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "/" : path.slice(0, slash);
}

/** The last name of `path`; empty for `/`. */
export function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

const SLASH = 47;
