// What a pass opens: a file to read, a directory to list or search, a name to write. Each acts through the pin that was judged, and
// closes it. The classes are not exported; open.ts makes them.

import { errnoOf } from "../errno.ts";
import type { Code } from "../errors.ts";
import { type DirEntry, makeDir, placeFile, removeFile, statEntry } from "../fs/at.ts";
import { type Facts, type Kind, type Pin, pinEntry } from "../fs/pin.ts";
import { lendBytes, type Scratch, TOO_LARGE } from "../fs/read.ts";
import type { RealPath } from "../names.ts";
import type { Root } from "../session/root.ts";
import type { Session } from "../session/session.ts";
import { doAtOnce, doInTurns, type Steps } from "../steps.ts";
import type { Judgement } from "./pass.ts";
import { type DirListing, listTree } from "./walk-tree.ts";

/** The value of an operation on an open file or directory, or the code of what went wrong. */
export type FileResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly code: Code };

/** Which file this was when it was read; a later write can insist that it still is. */
export interface Version {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

class ReadableFileObject {
  readonly #pin: Pin;
  readonly #scratch: Scratch;
  readonly path: RealPath;

  constructor(path: RealPath, pin: Pin, scratch: Scratch) {
    this.path = path;
    this.#pin = pin;
    this.#scratch = scratch;
  }

  get size(): number {
    return this.#pin.facts.size;
  }

  get version(): Version {
    return versionOf(this.#pin.facts);
  }

  /** Lend the whole content to `use`, at most `limit` bytes; the bytes are valid only while it runs. Never rejects. */
  async lend<T>(limit: number, use: (bytes: Buffer) => T): Promise<FileResult<T>> {
    try {
      const lent = await lendBytes(this.#pin, limit, this.#scratch, use);
      return lent === TOO_LARGE ? { ok: false, code: "too-large" } : { ok: true, value: lent };
    } catch (error) {
      return { ok: false, code: codeOf(error) };
    }
  }

  /** The whole content, at most `limit` bytes, as the caller's own copy. */
  async bytes(limit: number): Promise<FileResult<Uint8Array>> {
    return this.lend(limit, (bytes) => Uint8Array.from(bytes));
  }

  close(): void {
    this.#pin.close();
  }
}

/** What the entries of an opened directory are judged by. */
type EntryJudgement = Omit<Judgement, "target">;

class OpenedDirObject {
  readonly #pin: Pin;
  readonly #judged: EntryJudgement;
  readonly path: RealPath;

  constructor(path: RealPath, pin: Pin, judged: EntryJudgement) {
    this.path = path;
    this.#pin = pin;
    this.#judged = judged;
  }

  /** The entries a reader of this directory may know of, each judged; how many were withheld is said, their names are not. */
  list(): FileResult<DirListing> {
    return doAtOnce(this.#list());
  }

  /** The same, with a turn for everybody else every few milliseconds: a directory may hold any number of names. */
  async listInTurns(): Promise<FileResult<DirListing>> {
    return doInTurns(this.#list());
  }

  *#list(): Steps<FileResult<DirListing>> {
    const { root, session, answer } = this.#judged;
    try {
      return { ok: true, value: yield* listTree({ at: this.#pin, path: this.path, root: root?.dir ?? null, session, answer }) };
    } catch (error) {
      return { ok: false, code: codeOf(error) };
    }
  }

  close(): void {
    this.#pin.close();
  }
}

/** The start of a search: a directory tree, or a single file. Handed to `guard/walk-tree.ts`. */
class SearchableObject {
  readonly path: RealPath;
  readonly kind: "file" | "dir";
  readonly pin: Pin;
  readonly root: Root | null;
  readonly session: Session;
  readonly answer: EntryJudgement["answer"];

  constructor(path: RealPath, kind: "file" | "dir", pin: Pin, { root, session, answer }: EntryJudgement) {
    this.path = path;
    this.kind = kind;
    this.pin = pin;
    this.root = root;
    this.session = session;
    this.answer = answer;
  }

  close(): void {
    this.pin.close();
  }
}

/** How a file is replaced. */
export interface ReplaceOptions {
  /** Refuse (`stale-path`) unless the file is still this version. */
  readonly unchangedSince?: Version;
  /** Make the directories that are missing above the file, one by one. */
  readonly createParents?: boolean;
}

class WritableFileObject {
  #pin: Pin;
  readonly #missing: readonly string[];
  readonly #temporary: string;
  readonly path: RealPath;
  readonly name: string;

  constructor(path: RealPath, pin: Pin, missing: readonly string[], name: string, temporary: string) {
    this.path = path;
    this.#pin = pin;
    this.#missing = missing;
    this.name = name;
    this.#temporary = temporary;
  }

  /** What has the name now; null if nothing has. */
  current(): Kind | null {
    return this.#missing.length > 0 ? null : (statEntry(this.#pin, this.name)?.kind ?? null);
  }

  /** Put the bytes there, whole or not at all. Keeps mode and owner of what was there. Gives whether the file is new. */
  replace(bytes: Uint8Array, options: ReplaceOptions = {}): FileResult<{ readonly created: boolean }> {
    try {
      if (this.#missing.length > 0) {
        if (options.createParents !== true) return { ok: false, code: "not-found" };
        const made = this.#makeParents();
        if (made !== null) return { ok: false, code: made };
      }
      const before = statEntry(this.#pin, this.name);
      const refused = refusal(before, options.unchangedSince);
      if (refused !== null) return { ok: false, code: refused };
      placeFile(this.#pin, this.name, { bytes, temporary: this.#temporary, instead: before?.facts ?? null });
      return { ok: true, value: { created: before === null } };
    } catch (error) {
      return { ok: false, code: codeOf(error) };
    }
  }

  /** Remove the file or link of that name; never what a link leads to. */
  remove(options: Pick<ReplaceOptions, "unchangedSince"> = {}): FileResult<null> {
    try {
      const before = this.#missing.length > 0 ? null : statEntry(this.#pin, this.name);
      if (before === null) return { ok: false, code: "not-found" };
      if (before.kind === "dir") return { ok: false, code: "is-directory" };
      const refused = options.unchangedSince === undefined ? null : refusal(before, options.unchangedSince);
      if (refused !== null) return { ok: false, code: refused };
      removeFile(this.#pin, this.name);
      return { ok: true, value: null };
    } catch (error) {
      return { ok: false, code: codeOf(error) };
    }
  }

  close(): void {
    this.#pin.close();
  }

  /** One directory at a time from the pinned one. RACE: each is pinned without following links, so a link planted in between fails. */
  #makeParents(): Code | null {
    for (const name of this.#missing) {
      try {
        makeDir(this.#pin, name);
      } catch (error) {
        if (errnoOf(error) !== "EEXIST") throw error;
      }
      const next = pinEntry(this.#pin, name);
      this.#pin.close();
      this.#pin = next;
      if (next.kind !== "dir") return "symlink-write";
    }
    return null;
  }
}

function refusal(before: DirEntry | null, unchangedSince: Version | undefined): Code | null {
  if (before?.kind === "dir") return "is-directory";
  if (before?.kind === "link") return "symlink-write";
  if (before?.kind === "other") return "not-regular-file";
  if (unchangedSince === undefined) return null;
  if (before === null) return "stale-path";
  const { dev, ino, size, mtimeMs } = before.facts;
  const same =
    dev === unchangedSince.dev && ino === unchangedSince.ino && size === unchangedSince.size && mtimeMs === unchangedSince.mtimeMs;
  return same ? null : "stale-path";
}

const versionOf = ({ dev, ino, size, mtimeMs }: Facts): Version => ({ dev, ino, size, mtimeMs });

/** The closed-list word for a system error met while doing what was allowed. */
export function codeOf(error: unknown): Code {
  switch (errnoOf(error)) {
    case "ENOENT":
      return "not-found";
    case "ENOTDIR":
      return "not-directory";
    case "EISDIR":
      return "is-directory";
    case "ELOOP":
      return "symlink-write";
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return "os-denied";
    case "ESTALE":
      return "stale-path";
    default:
      return "io-error";
  }
}

/** A file that was allowed to be read. */
export type ReadableFile = ReadableFileObject;
/** A directory that was allowed to be listed. */
export type OpenedDir = OpenedDirObject;
/** A file or directory that was allowed to be searched. */
export type Searchable = SearchableObject;
/** A place where a file was allowed to be created or replaced. */
export type WritableFile = WritableFileObject;

/** Only for open.ts. */
export const make = {
  readable: (path: RealPath, pin: Pin, scratch: Scratch): ReadableFile => new ReadableFileObject(path, pin, scratch),
  dir: (path: RealPath, pin: Pin, judged: EntryJudgement): OpenedDir => new OpenedDirObject(path, pin, judged),
  searchable: (path: RealPath, kind: "file" | "dir", pin: Pin, judged: EntryJudgement): Searchable =>
    new SearchableObject(path, kind, pin, judged),
  writable: (path: RealPath, pin: Pin, missing: readonly string[], name: string, temporary: string): WritableFile =>
    new WritableFileObject(path, pin, missing, name, temporary),
};
