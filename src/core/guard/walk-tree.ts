// Down a tree that was opened, judging each entry on the way: what is denied is counted, not named. Runs on pinned directories and
// never through a link, so another process cannot lead it out. No promises here: callers run it in a thread of its own when it is long.

import { eachEntry, eachEntryInSteps, entriesIn, isVirtual, type EntryName, statEntry } from "../fs/at.ts";
import { type Kind, type Pin, pinEntry } from "../fs/pin.ts";
import { below, child, isInside } from "../path/contain.ts";
import type { CompiledList, CompiledPolicy, NameWalk } from "../policy/compile.ts";
import { evaluate } from "../policy/evaluate.ts";
import { NONE, type Walk } from "../policy/index-of-rules.ts";
import type { Verdict } from "../policy/rule.ts";
import type { Steps } from "../steps.ts";
import type { Ignores } from "../policy/gitignore.ts";
import type { Ask } from "../session/ask.ts";
import { ignoreFileIn, ignoresAt } from "./gitignored.ts";

export interface Start {
  readonly at: Pin;
  readonly path: string;
  /** The root that holds it; null outside every root, where a rule allowed it. */
  readonly root: string | null;
  readonly session: { readonly policy: CompiledPolicy; readonly workspace: { readonly dir: string } };
  /** What was offered by the card whose yes, for this very call, it passes by; null where it passes without one. */
  readonly answer: Ask["offers"] | null;
}

export interface DirListing {
  readonly entries: readonly EntryName[];
  /** Entries that are there and stay shut: secrets, what a rule denies or asks about, names that cannot be spoken. */
  readonly withheld: number;
}

/** The entries of one directory. Links are named, their targets are not. */
export function* listTree(start: Start): Steps<DirListing> {
  const view = viewOf(start);
  const entries: EntryName[] = [];
  let withheld = 0;
  const undecodable = yield* eachEntryInSteps(start.at, (name, kind) => {
    if (view.withholds(name) || (view.hidesIgnored && view.ignores.ignores(name, kind === "dir"))) withheld += 1;
    else entries.push({ name, kind });
  });
  return { entries, withheld: withheld + undecodable };
}

export interface TreeVisitor {
  /** Does it matter what a file of this name is? Asked before its path is put together, which for most names is for nothing. */
  wants?(name: string): boolean;
  /** A regular file that may be read. `path` is relative to the start. Return false to stop the walk. */
  file(directory: Pin, name: string, path: string): boolean;
  /** A directory, before it is entered. Return false to leave it out. */
  directory?(path: string, depth: number): boolean;
  /** The walk has ended at a directory with too many names. */
  givenUp?(): void;
  /** A secret with further names somewhere: whoever reads must compare inodes from now on. */
  aliased?(dev: number, ino: number): void;
}

export interface WalkOptions {
  /** Also what git ignores. */
  readonly ignored: boolean;
  /** Count what is withheld only this deep and deeper, where another thread counts what lies above. */
  readonly countFrom?: number;
  /** Give up at a directory with more names than this, for whoever may not be held up: it is judged as a whole. */
  readonly mostNames?: number;
}

export interface WalkCount {
  readonly withheld: number;
  /** Directories that could not be read. */
  readonly unreadable: number;
}

const ALL = (): boolean => true;
/** Deeper than any tree people make; a tree that goes on for ever ends here. */
const DEPTH = 200;

/** Visit every file below the start. Directories that vanish or cannot be read are passed over and counted. */
export function walkTree(start: Start, options: WalkOptions, visitor: TreeVisitor): WalkCount {
  let withheld = 0;
  let unreadable = 0;

  const visit = (at: Pin, path: string, from: (ignoreFile: string | null) => View, depth: number): boolean => {
    const fileNames: string[] = [];
    const dirNames: string[] = [];
    const counted = depth >= (options.countFrom ?? 0) ? 1 : 0;
    let hasIgnoreFile = false;
    try {
      const see = (name: string, kind: Kind): void => {
        if (kind === "file") {
          fileNames.push(name);
          hasIgnoreFile ||= name === ".gitignore";
        } else if (kind === "dir" && name !== ".git") {
          dirNames.push(name);
        }
      };
      const undecodable = options.mostNames === undefined ? eachEntry(at, see) : eachOfFew(at, options.mostNames, see);
      if (undecodable === null) {
        visitor.givenUp?.();
        return false;
      }
      withheld += undecodable * counted;
    } catch {
      unreadable += 1;
      return true;
    }
    // Only a directory that lists an ignore file is asked for it: most have none, and asking costs more than reading the names.
    const view = from(hasIgnoreFile ? ignoreFileIn(at) : null);
    const isListed = (name: string, isDirectory: boolean): boolean => {
      if (view.withholds(name) || (!isDirectory && !view.allows(name))) {
        withheld += counted;
        if (!isDirectory) noteAliases(at, name, visitor);
        return false;
      }
      if ((options.ignored && !view.hidesIgnored) || !view.ignores.ignores(name, isDirectory)) return true;
      if (view.hidesIgnored) withheld += counted;
      return false;
    };
    // All names of a directory are judged before any of its files is read, so that a second name of a secret is known by then. Where nothing
    // is read and another thread counts, what nobody wants need not be judged.
    const matters = counted === 0 && visitor.aliased === undefined ? (visitor.wants?.bind(visitor) ?? ALL) : ALL;
    const files = fileNames.filter((name) => matters(name) && isListed(name, false));
    const inner = dirNames.filter((name) => isListed(name, true));
    for (const name of files) {
      if (visitor.wants?.(name) === false) continue;
      if (!visitor.file(at, name, path === "" ? name : `${path}/${name}`)) return false;
    }
    for (const name of inner) {
      const further = path === "" ? name : `${path}/${name}`;
      if (depth >= DEPTH || visitor.directory?.(further, depth) === false) continue;
      let next: Pin;
      try {
        next = pinEntry(at, name);
      } catch {
        unreadable += 1;
        continue;
      }
      try {
        // RACE: the entry may be a link by now; a link is pinned as itself and is no directory.
        if (next.kind !== "dir") continue;
        // The kernel's own state, mounted here, is no part of the tree: looked for where the device changes.
        if (next.facts.dev !== at.facts.dev && isVirtual(next)) {
          withheld += counted;
          continue;
        }
        if (!visit(next, further, (ignoreFile) => view.enter(name, ignoreFile), depth + 1)) return false;
      } finally {
        next.close();
      }
    }
    return true;
  };

  visit(start.at, "", () => viewOf(start), 0);
  return { withheld, unreadable };
}

/** As `eachEntry`; null where there are more. */
function eachOfFew(at: Pin, most: number, see: (name: string, kind: Kind) => void): number | null {
  let [undecodable, seen] = [0, 0];
  for (const entry of entriesIn(at)) {
    seen += 1;
    if (seen > most) return null;
    if (entry === null) undecodable += 1;
    else see(entry.name, entry.kind);
  }
  return undecodable;
}

function noteAliases(at: Pin, name: string, visitor: TreeVisitor): void {
  if (visitor.aliased === undefined) return;
  const facts = statEntry(at, name)?.facts;
  if (facts !== undefined && facts.nlink > 1) visitor.aliased(facts.dev, facts.ino);
}

/** What one directory's entries are judged by: the secrets, the rules and the ignore files, each as seen from inside it. */
interface View {
  readonly ignores: Ignores;
  /** Does the policy shut what git ignores? */
  readonly hidesIgnored: boolean;
  withholds(name: string): boolean;
  /** May a file of this name be read, as far as no root holds it? */
  allows(name: string): boolean;
  /** The view from inside the directory `name`, whose own ignore file reads so. */
  enter(name: string, ignoreFile: string | null): View;
}

function viewOf(start: Start): View {
  const { at, path, root, session, answer } = start;
  const { policy } = session;
  const lists = policy.layers.map(({ read }) => read);
  const outside = !isInside(session.workspace.dir, path);
  const inRoot = root === null ? null : `/${below(root, path)}`;
  const isShut = withheldIn(start);
  const rules = lists.flatMap((list) => ruleViews(list, path, inRoot, outside, isShut));
  // Outside every root only a rule lets a file be read, or a person's yes to this search.
  const readable = root === null && answer === null ? readableView(policy, outside, path) : null;
  return makeView(policy.secrets.walk(path), rules, ignoresAt(root, path, at), root !== null && isShut(policy.policy.gitignored), readable);
}

/** The verdicts that keep an entry out of a listing or a search. Nobody can be asked in it: only where a person was, about all of it, is it shown. */
export function withheldIn({ answer }: Pick<Start, "answer">): (verdict: Verdict) => boolean {
  return (verdict) => verdict === "deny" || (verdict === "ask" && answer !== "once");
}

function makeView(
  secrets: NameWalk,
  rules: readonly RuleView[],
  ignores: Ignores,
  hidesIgnored: boolean,
  readable: ReadableView | null,
): View {
  return {
    ignores,
    hidesIgnored,
    allows: (name) => readable === null || readable.allows(name),
    withholds: (name) => secrets.has(name) || (rules.length > 0 && rules.some((rule) => rule.shuts(name))),
    enter: (name, ignoreFile) =>
      makeView(
        secrets.enter(name),
        rules.length === 0 ? rules : rules.map((rule) => rule.enter(name)),
        ignores.enter(name, ignoreFile),
        hidesIgnored,
        readable?.enter(name) ?? null,
      ),
  };
}

/** All authors' lists as seen from inside one directory that no root holds. */
interface ReadableView {
  /** As the guard judges a file there: the strictest of what the authors say allows it. */
  allows(name: string): boolean;
  enter(name: string): ReadableView;
}

function readableView(policy: CompiledPolicy, outsideWorkspace: boolean, path: string): ReadableView {
  const place = { root: null, outsideWorkspace, outsideScope: true };
  return {
    allows: (name) => evaluate(policy, child(path, name), "read", place).strictest?.verdict === "allow",
    enter: (name) => readableView(policy, outsideWorkspace, child(path, name)),
  };
}

/** One author's list as seen from inside one directory. */
interface RuleView {
  /** Does the first match keep it out? */
  shuts(name: string): boolean;
  enter(name: string): RuleView;
}

type ShutTest = ReturnType<typeof withheldIn>;

function ruleViews(list: CompiledList, path: string, inRoot: string | null, outside: boolean, isShut: ShutTest): readonly RuleView[] {
  const walks: Walk[] = [];
  if (list.anywhere.size > 0) walks.push(list.anywhere.at(path));
  if (list.rooted.size > 0 && inRoot !== null) walks.push(list.rooted.at(inRoot));
  if (list.outside.size > 0 && outside) walks.push(list.outside.at(path));
  return walks.length === 0 ? [] : [ruleView(list, walks, isShut)];
}

function ruleView(list: CompiledList, walks: readonly Walk[], isShut: ShutTest): RuleView {
  return {
    shuts(name) {
      const order = walks.reduce((least, walk) => Math.min(least, walk.first(name)), NONE);
      // INVARIANT: a rule that cannot be found denies.
      return order !== NONE && isShut(list.rules[order]?.verdict ?? "deny");
    },
    enter: (name) =>
      ruleView(
        list,
        walks.map((walk) => walk.enter(name)),
        isShut,
      ),
  };
}
