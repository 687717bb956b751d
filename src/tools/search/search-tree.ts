// One search over one tree that was opened, on the calling thread, start to end. Reads files under pinned directories, never through
// links, and never a secret under another name; what a policy says about files of several names holds for each of them.

import { statEntry } from "../../core/fs/at.ts";
import { lendEntryAtOnce, lendBytesAtOnce, Scratch, TOO_LARGE } from "../../core/fs/read.ts";
import { fold } from "../../core/path/fold.ts";
import { matchName, type PatternPiece } from "../../core/policy/glob.ts";
import { RuleIndex } from "../../core/policy/index-of-rules.ts";
import { secretByContent } from "../../core/policy/secrets.ts";
import { type Start, type TreeVisitor, walkTree, withheldIn } from "../../core/guard/walk-tree.ts";
import { searchGlob } from "../find-files.ts";
import { createMatcher } from "./matcher.ts";
import type { SearchResult, GrepQuery, Match, Query, Share } from "./query.ts";

export interface SearchOptions {
  readonly share: Share;
  /** Give up (null) after this many files, for whoever may not be held up; a large one counts for several. */
  readonly patience: number;
}

const WHOLE: SearchOptions = { share: { index: 0, of: 1 }, patience: Number.POSITIVE_INFINITY };

/** Search below a directory. Null when patience ran out; what was found so far is then of no use. */
export function searchTree(start: Start, query: Query, options: SearchOptions = WHOLE): SearchResult | null {
  const files: string[] = [];
  const matches: Match[] = [];
  const filter = pathFilter(query.kind === "find" ? query.pattern : query.glob);
  const reader = query.kind === "grep" ? createReader(query, shutsSeveralNames(start)) : null;
  const owns = ownership(options.share);
  let left = options.patience;
  let full = false;
  const visitor: TreeVisitor = {
    wants(name) {
      left -= 1;
      return left < 0 || filter.name(name);
    },
    file(directory, name, path) {
      if (left < 0) return false;
      if (!owns.file(path) || !filter.path(path)) return true;
      if (query.kind === "find") {
        full = files.length >= query.most;
        if (!full) files.push(path);
      } else if (reader !== null) {
        for (const match of reader.read(directory, name, path, query.most + 1 - matches.length)) matches.push(match);
        left -= Math.floor(reader.lastSize() / FILE_BYTES);
        full = matches.length > query.most;
      }
      return !full;
    },
    directory: owns.directory,
    givenUp: () => void (left = -1),
    ...(reader === null ? {} : { aliased: reader.aliased }),
  };
  const countFrom = options.share.index === 0 ? 0 : SHARED;
  const mostNames = Number.isFinite(options.patience) ? { mostNames: options.patience } : {};
  const { withheld } = walkTree(start, { ignored: query.ignored, countFrom, ...mostNames }, visitor);
  if (left < 0) return null;
  return {
    ok: true,
    files: files.toSorted(byText),
    matches: matches.slice(0, query.kind === "grep" ? query.most : 0),
    withheld: withheld + (reader?.withheld() ?? 0),
    tooLarge: reader?.tooLarge() ?? 0,
    truncated: full,
  };
}

/** Search one file that was opened itself. */
export function searchFile(start: Start, query: GrepQuery): SearchResult {
  const matcher = createMatcher(query);
  const lines = lendBytesAtOnce(start.at, query.fileBytes, new Scratch(), (bytes) => matcher.lines(bytes, "", query.most + 1));
  const matches = lines === TOO_LARGE ? [] : lines;
  return {
    ok: true,
    files: [],
    matches: matches.slice(0, query.most),
    withheld: 0,
    tooLarge: lines === TOO_LARGE ? 1 : 0,
    truncated: matches.length > query.most,
  };
}

/** As much text as is searched in the time it takes to open a file. */
const FILE_BYTES = 16_384;

interface Reader {
  read(directory: Start["at"], name: string, path: string, most: number): readonly Match[];
  /** How much there was to look through in the last one. */
  lastSize(): number;
  aliased(dev: number, ino: number): void;
  tooLarge(): number;
  /** Files that the policy keeps shut for having several names. */
  withheld(): number;
}

function createReader(query: GrepQuery, severalNamesShut: boolean): Reader {
  const matcher = createMatcher(query);
  const scratch = new Scratch();
  const aliases = new Set<string>();
  let large = 0;
  let withheld = 0;
  let size = 0;
  const isShut = (directory: Start["at"], name: string, dev: number, ino: number): boolean => {
    if (aliases.has(`${dev}:${ino}`)) return true;
    if (!severalNamesShut) return false;
    // RACE: the name may lead elsewhere by now. Only where it still leads to what was opened is the number of names that file's.
    const facts = statEntry(directory, name)?.facts;
    if (facts !== undefined && facts.dev === dev && facts.ino === ino && facts.nlink === 1) return false;
    withheld += 1;
    return true;
  };
  return {
    read(directory, name, path, most) {
      const isSecret = secretByContent.get(fold(name));
      size = 0;
      try {
        const found = lendEntryAtOnce(directory, name, query.fileBytes, scratch, {
          // Inodes are looked at only where a policy asks for it, or once a secret with further names was met: almost never.
          refuse: aliases.size === 0 && !severalNamesShut ? null : (dev, ino) => isShut(directory, name, dev, ino),
          use(bytes) {
            size = bytes.length;
            return isSecret?.(bytes.toString("latin1")) === true ? [] : matcher.lines(bytes, path, most);
          },
        });
        if (found !== TOO_LARGE) return found ?? [];
        large += 1;
        return [];
      } catch {
        // Gone, replaced by a link, or not ours to read: passed over like any file that cannot be searched.
        return [];
      }
    },
    lastSize: () => size,
    aliased: (dev, ino) => void aliases.add(`${dev}:${ino}`),
    tooLarge: () => large,
    withheld: () => withheld,
  };
}

/** Does the policy shut files of several names here? It speaks of files in a root. */
function shutsSeveralNames(start: Start): boolean {
  return start.root !== null && withheldIn(start)(start.session.policy.policy.hardlinks);
}

/** Whether a path below the start matches a pattern, told in two parts: by its last name, and where that does not tell, by all of it. */
interface PathFilter {
  name(name: string): boolean;
  path(path: string): boolean;
}

const yes = (): boolean => true;

function pathFilter(pattern: string | null): PathFilter {
  if (pattern === null || pattern === "*" || pattern === "**" || pattern === "**/*") return { name: yes, path: yes };
  const parsed = searchGlob(pattern);
  if (!parsed.ok) return { name: () => false, path: () => false };
  const { pieces, subtree } = parsed.glob;
  const last = subtree ? undefined : pieces.at(-1);
  const name = last === undefined ? yes : nameFilter(last);
  if (last !== undefined && pieces.length === 2 && pieces[0]?.kind === "any-names" && last.kind !== "any-names") return { name, path: yes };
  const index = new RuleIndex([{ order: 0, glob: parsed.glob, folded: false, below: subtree }]);
  return { name, path: (path) => index.first(`/${path}`) === 0 };
}

function nameFilter(piece: PatternPiece): (name: string) => boolean {
  if (piece.kind === "any-names") return yes;
  const { text } = piece;
  if (piece.kind === "literal") return (name) => name === text;
  const { head, tail } = piece;
  // `*.ext` is most of what is asked for.
  if (text === `*${tail}`) return (name) => name.endsWith(tail);
  return (name) => name.startsWith(head) && name.endsWith(tail) && matchName(text, name);
}

/** Which part of the tree a thread sees to: whole subtrees three levels down, shared out by their names; what lies above, by file. */
function ownership({ index, of }: Share): { file(path: string): boolean; directory(path: string, depth: number): boolean } {
  if (of === 1) return { file: () => true, directory: () => true };
  const mine = (text: string): boolean => hash(text) % of === index;
  return {
    file: (path) => depthOf(path) >= SHARED || mine(path),
    directory: (path, depth) => depth + 1 !== SHARED || mine(path),
  };
}

const SHARED = 3;

function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf("/"); at !== -1 && depth <= SHARED; at = path.indexOf("/", at + 1)) depth += 1;
  return depth;
}

export const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value ^ (value >>> 15)) >>> 0;
}
