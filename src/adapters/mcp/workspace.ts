// Which directory the agent works in. Given by whoever configured the server, or found: the client's roots, the host's variable, the
// place the server was started in. What a client says only ever finds the workspace; it never adds to one. The variable only narrows: some
// hosts take a project's `.env` into the environment of what they start, so that it may be a repository's word.

import { HallpassError } from "../../core/errors.ts";
import { isInside } from "../../core/path/contain.ts";
import { show } from "../../core/path/show.ts";

/** The workspace of a server, and which roots of its client do not count. */
export interface FoundWorkspace {
  readonly workspace: string;
  /** Further roots the client named, and a variable that leads out of where the server was started: they open nothing. */
  readonly ignored: readonly string[];
}

/** Where a server's workspace may be named. */
export interface WorkspaceSources {
  /** Named in the server's own configuration: then nothing else is looked at. */
  readonly given: string | null;
  /** Where `CLAUDE_PROJECT_DIR` really leads; null where it is not set, or leads nowhere. */
  readonly variable: string | null;
  /** As it really is. */
  readonly cwd: string;
}

/** `roots` asks the client; null where it has none to tell. Throws `invalid-path` where a root cannot be understood exactly. */
export async function findWorkspace(
  { given, variable, cwd }: WorkspaceSources,
  roots: (() => Promise<readonly string[]>) | null,
): Promise<FoundWorkspace> {
  if (given !== null) return { workspace: given, ignored: [] };
  const rootPaths = roots === null ? [] : (await roots()).map(pathOfRoot);
  const [first, ...others] = rootPaths;
  if (first !== undefined) return { workspace: first, ignored: others };
  // INVARIANT: no word of the environment leads to a directory that the host did not start us in.
  if (variable !== null && isInside(cwd, variable)) return { workspace: variable, ignored: [] };
  return { workspace: cwd, ignored: variable === null ? [] : [variable] };
}

/**
 * The path of a `file:` address, read by the letter. A URL parser would fold `%2e%2e` away and another would not, and then two programs
 * mean two directories: what needs folding is refused.
 */
export function pathOfRoot(uri: string): string {
  const path = /^file:\/\/(?:localhost)?(\/[^?#\\]*)$/iu.exec(uri)?.[1];
  if (path === undefined) throw invalidRoot(uri, "it is not the `file:` address of a directory on this machine");
  if (/%(?:2f|5c|2e|00)/iu.test(path)) throw invalidRoot(uri, "it holds an encoded slash, dot or NUL");
  const decoded = decode(path);
  if (decoded === null || decoded.includes("\0")) throw invalidRoot(uri, "it is not encoded properly");
  if (/\/\.{1,2}(?:\/|$)/u.test(decoded)) throw invalidRoot(uri, "it holds `.` or `..`");
  return decoded.length > 1 ? decoded.replace(/\/+$/u, "") || "/" : decoded;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const invalidRoot = (uri: string, why: string): HallpassError =>
  new HallpassError("invalid-path", `the client names \`${show(uri.slice(0, 500))}\` as its root, and ${why}`);
