// File patterns and patches as arguments: which paths they carry. A pattern is judged by its fixed beginning; what it matches below
// that is found by the host's own tool.

/** The characters that begin the part of a pattern that is not fixed. */
const openSigns = (): RegExp => /[*?[\]{}!()]/u;

/** The directory a pattern starts from, or the whole of it where nothing in it is open. Empty: the current directory. */
export function fixedPart(pattern: string): string {
  const at = pattern.search(openSigns());
  if (at === -1) return pattern;
  const slash = pattern.lastIndexOf("/", at);
  return slash === -1 ? "" : slash === 0 ? "/" : pattern.slice(0, slash);
}

/** Does the open part of a pattern climb (`*\/../..`)? Then its beginning says nothing about where it ends. */
export function climbs(pattern: string): boolean {
  const at = pattern.search(openSigns());
  return at !== -1 && /(?:^|[/{,(|])\.\.(?:[/},)|]|$)/u.test(pattern.slice(at));
}

/** A pattern as it is; without its backslashes; and with `[.]` as the one sign it stands for. */
export function patternReadings(pattern: string): readonly string[] {
  const unescaped = pattern.replaceAll(/\\(.)/gsu, "$1");
  return [...new Set([pattern, unescaped, unescaped.replaceAll(/\[([^\]!^])\]/gu, "$1"), pattern.trim()])];
}

/** The alternatives of `{a,b}` written out, nested ones too; null where there are too many, or they do not close. */
export function alternatives(pattern: string, limit = 64): readonly string[] | null {
  const results: string[] = [];
  const pending = [pattern];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const group = /\{([^{}]*,[^{}]*)\}/u.exec(next);
    if (group === null) results.push(next);
    else
      for (const choice of (group[1] ?? "").split(","))
        pending.push(next.slice(0, group.index) + choice + next.slice(group.index + group[0].length));
    if (results.length + pending.length > limit) return null;
  }
  return results;
}

export interface PatchPath {
  readonly path: string;
  readonly operation: "create" | "replace" | "remove";
}

/** The files a patch in the `*** Begin Patch` form names, in order. Empty where it is no such patch. */
export function patchPaths(text: string): readonly PatchPath[] {
  const paths: PatchPath[] = [];
  for (const [, action, rest = ""] of text.matchAll(/^[ \t]*\*\*\* (Add File|Update File|Delete File|Move to):(.+)$/gmu)) {
    const operation = action === "Delete File" ? "remove" : action === "Add File" ? "create" : "replace";
    // Moved away is removed, and what it is moved to is written.
    paths.push({ path: trimEndOf(rest.replace(/^[ \t]+/u, ""), " \t") || " ", operation });
  }
  return paths;
}

/** Has a text the shape of a path that leads somewhere by itself: absolute, from home, from here upwards, or a file address? */
export function isPathShaped(text: string): boolean {
  return (
    text.length <= 4096 && !text.includes("\n") && /^(?:~?\/|~$|\.{1,2}(?:\/|$)|file:|[A-Za-z]:[\\/]|\\\\)|\/\.\.(?:\/|$)/iu.test(text)
  );
}

/** Keys under which other people's tools keep a path, whatever the value looks like. */
export const isPathKey = (key: string): boolean =>
  /^(?:.*[_-])?(?:path|paths|file|files|filename|filepath|dir|directory|folder|cwd|root|source|destination|target)$|(?:Path|Paths|File|Files|Dir|Directory|Folder)$/u.test(
    key,
  );

/** The path of a `file:` address, decoded as a URL is; null where it is none that names a file here. */
export function pathOfAddress(text: string): string | null {
  if (!isFileAddress(text)) return text;
  try {
    const { host, pathname } = new URL(text);
    return host === "" || host === "localhost" ? decodeURIComponent(pathname) : null;
  } catch {
    return null;
  }
}

const schemes = (): RegExp =>
  /^(?:https?|ftps?|sftp|ssh|git|git\+(?:ssh|https?)|svn|wss?|tcp|udp|postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|nats|mqtts?|smtps?|ldaps?|s3|gs|docker):\/\//iu;

/**
 * An address of another machine that programs know as one, and no path here. A name before `://` that is none of theirs may be a directory's
 * (`x:`), and so may any where the rest climbs: those are judged as paths.
 */
export const isAddress = (text: string): boolean => schemes().test(text) && !/\/\.{1,2}(?:\/|$)/u.test(text);

const isFileAddress = (text: string): boolean => text.slice(0, 5).toLowerCase() === "file:";

/** The text without the signs at its end that are among `signs`. An expression for it would take the square of a long row of them. */
export function trimEndOf(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
