// The links in a git directory, wherever they are. Git writes logs, messages and resolutions through a link to wherever that leads, and
// makes none itself. Directories that have not changed since the last look are not listed again.

import { errnoOf } from "../core/errno.ts";
import { eachEntryInSteps, statEntry } from "../core/fs/at.ts";
import type { Pin } from "../core/fs/pin.ts";
import { basename, child, parent } from "../core/path/contain.ts";
import type { Steps } from "../core/steps.ts";
import { holdsRawLink, type DirState, stateAt, stateOf } from "./disk.ts";
import { isAsListed, pinBelow } from "./tree.ts";

interface ListedDir extends DirState {
  readonly listed: number;
  readonly dirs: readonly string[];
  readonly links: readonly string[];
}

/** More directories in one another than names of branches have parts. */
const DEPTH = 64;
/** Directories that are remembered. */
const REMEMBERED = 100_000;
/** Single objects are written aside and renamed, never through a name that is there; and there are 256 directories of them. */
const OBJECTS = /^[0-9a-f]{2}$/;

/** Called for a name in a pinned directory. The pin is good until it returns. */
export type NameVisitor = (dir: Pin, name: string, path: string) => Steps<void>;

export class GitLinks {
  readonly #clock: () => number;
  readonly #known = new Map<string, ListedDir>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Every link in the pinned git directory, but for what is in the directories `except` at its top; and what cannot be looked into. */
  *see(git: Pin, path: string, except: ReadonlySet<string>, see: NameVisitor): Steps<void> {
    if (this.#known.size > REMEMBERED) this.#known.clear();
    yield* this.#visit({ git, path, see }, "", except);
  }

  *#visit(look: LinkSearch, inner: string, except: ReadonlySet<string>): Steps<void> {
    yield;
    const { git, path, see } = look;
    const at = inner === "" ? path : child(path, inner);
    if (inner.split("/").length > DEPTH) return yield* within(look, parentOf(inner), (dir) => see(dir, basename(at), at));
    const known = this.#known.get(at);
    const listed = known !== undefined && isAsListed(known, stateAt(at)) ? known : yield* this.#list(git, inner, at);
    if (listed === null) return yield* within(look, parentOf(inner), (dir) => see(dir, basename(at), at));
    if (listed.links.length > 0)
      yield* within(look, inner, function* each(dir) {
        for (const name of listed.links) yield* see(dir, name, child(at, name));
      });
    for (const name of listed.dirs) {
      if ((inner === "" && except.has(name)) || (basename(at) === "objects" && OBJECTS.test(name))) continue;
      yield* this.#visit(look, inner === "" ? name : `${inner}/${name}`, except);
    }
  }

  /** Null where it is there and cannot be looked through. Throws the system's error where that is the git directory itself. */
  *#list(git: Pin, inner: string, at: string): Steps<ListedDir | null> {
    this.#known.delete(at);
    const dir = pinBelow(git, inner);
    if (dir === null) return GONE;
    try {
      // RACE: told before it is listed, so that a change in between is seen as one next time.
      const state = stateOf(statEntry(dir, ".")?.facts ?? dir.facts);
      const listed = this.#clock();
      const [dirs, links]: [string[], string[]] = [[], []];
      const undecodable = yield* eachEntryInSteps(dir, (name, kind) => {
        if (kind === "dir") dirs.push(name);
        else if (kind === "link") links.push(name);
      });
      if (inner !== "" && undecodable > 0 && (yield* holdsRawLink(dir))) return null;
      const found: ListedDir = { ...state, listed, dirs, links };
      this.#known.set(at, found);
      return found;
    } catch (error) {
      if (inner === "") throw error;
      return errnoOf(error) === "ENOENT" ? GONE : null;
    } finally {
      dir.close();
    }
  }
}

interface LinkSearch {
  readonly git: Pin;
  readonly path: string;
  readonly see: NameVisitor;
}

const GONE: ListedDir = { dev: -1, ino: -1, changed: Number.NaN, listed: 0, dirs: [], links: [] };

const parentOf = (inner: string): string => (inner.includes("/") ? parent(`/${inner}`).slice(1) : "");

function* within({ git }: LinkSearch, inner: string, act: (dir: Pin) => Steps<void>): Steps<void> {
  const dir = pinBelow(git, inner);
  if (dir === null) return;
  try {
    yield* act(dir);
  } finally {
    dir.close();
  }
}
