// One directory, listed: the names in it that matter to a command, by the session's policy. What must be hidden, what must not be
// changed, what has to be looked into, and which directories there are.

import type { Right } from "../core/access.ts";
import { eachEntryInSteps, statEntry } from "../core/fs/at.ts";
import type { Facts, Kind, Pin } from "../core/fs/pin.ts";
import { child, isInside } from "../core/path/contain.ts";
import { fold } from "../core/path/fold.ts";
import { evaluate } from "../core/policy/evaluate.ts";
import { undecorated } from "../core/policy/backup-names.ts";
import { completesGitDirectory, gitPieces, type GitPieceName } from "../core/policy/git-directory.ts";
import type { Ignores } from "../core/policy/gitignore.ts";
import { environmentNames } from "../core/policy/protected.ts";
import { secretByContent } from "../core/policy/secrets.ts";
import type { Identity } from "../core/session/root.ts";
import type { Session } from "../core/session/session.ts";
import type { Steps } from "../core/steps.ts";
import { dropPowers, type RawName, rawNames, type DirState, stateOf } from "./disk.ts";

/** What a look at one root goes by. */
export interface FolderPlan {
  readonly at: Pin;
  readonly dir: string;
  readonly writable: boolean;
  readonly session: Session;
  /** Roots that have a look of their own; where one of them stands, this one stops. */
  readonly others: ReadonlyMap<string, Identity>;
  /** Who the command runs as. */
  readonly user: User;
}

export interface User {
  readonly uid: number;
  readonly groups: readonly number[];
}

/** Why it is hidden: by its name, by a rule about its place (what git ignores among it), or for another reason (a socket, not to be looked into). */
export type Reason = "secret" | "rule" | "other";

/** Why it matters where a link leads: its name is a secret's, a rule denies it, or it stands in a directory of settings that execute later. */
export type Lead = "secret" | "rule" | "settings";

/** One directory, as it was when it was listed. */
export interface Folder extends DirState {
  /** `open`: listed. `closed`: to be hidden, since it cannot be looked into. `barred`: the command cannot come into it. */
  readonly kind: "open" | "closed" | "barred";
  /** When it was listed. */
  readonly listed: number;
  readonly context: Context;
  /** To be hidden. No links: nothing can be mounted on one. */
  readonly shut: readonly { readonly name: string; readonly why: Reason }[];
  /** Links whose targets matter. Where they lead is not kept: that may change while the directory does not. */
  readonly leads: readonly { readonly name: string; readonly why: Lead }[];
  /** Names that execute later, of any kind; only where the root gives writing. */
  readonly guarded: readonly string[];
  /** Files that programs take their environment from, of any kind. A new one is set aside when the command has ended: what it runs may need it. */
  readonly environments: readonly string[];
  /** What a rule does not let be written. */
  readonly frozen: readonly string[];
  /** Files that hold a secret only sometimes. */
  readonly peeked: readonly string[];
  readonly dirs: readonly string[];
  /** Links, where names that execute later are looked for: they may lead to a directory that is not looked through for them. */
  readonly links: readonly string[];
  readonly raw: readonly RawName[];
}

/** How a directory is seen: what follows from where it is. */
export interface Context {
  readonly depth: number;
  /** Inside what is bound read-only as a whole, or a git directory: nothing is bound name by name. */
  readonly bound: boolean;
  /** Inside `node_modules`, where programs run from that no editor or shell takes its settings from, and where no link from outside leads. */
  readonly modules: boolean;
  /** Inside a git directory that is guarded or cannot be written: names of branches are no names of secrets. */
  readonly git: boolean;
  /** Inside a directory that executes later, other than a git directory: whoever reads its links reads what they lead to. */
  readonly settings: boolean;
}

/** What git executes or is led by in a directory that it takes for its own, and what each is then. */
const GIT_ORDERS: ReadonlyMap<GitPieceName, Kind> = new Map<GitPieceName, Kind>([
  ["config", "file"],
  ["config.worktree", "file"],
  ["commondir", "file"],
  ["hooks", "dir"],
]);
const GIT_PIECES: ReadonlyMap<string, GitPieceName> = new Map(gitPieces.map((piece) => [piece, piece]));
/** In a git directory these hold only what git names. */
const GIT_NAMES: ReadonlySet<string> = new Set(["objects", "refs", "logs"]);

/** One empty list for all that are empty. */
export const NONE: readonly never[] = [];

/**
 * Lists directories of a root as the plan has it. `since`: files that have changed since then and run with their owner's powers do so no more.
 * RACE: `facts` are the directory's from just before, so that a change in between is seen as one next time.
 */
export function createListing(
  plan: FolderPlan,
  clock: () => number,
  since: number | null,
): (at: Pin, facts: Facts, path: string, context: Context, ignores: Ignores | null) => Steps<Folder> {
  const readRules = hasRules(plan.session, "read");
  const writeRules = plan.writable && hasRules(plan.session, "write");
  return function* list(at, facts, path, context, ignores) {
    const state = stateOf(facts);
    const listed = clock();
    const { dir, session } = plan;
    const { policy } = session;
    const secrets = policy.secrets.walk(path);
    const protect = !context.bound && !context.modules ? policy.protect.walk(path) : null;
    const hardlinks = policy.policy.hardlinks !== "allow";
    const shut: { readonly name: string; readonly why: Reason }[] = [];
    const leads: { readonly name: string; readonly why: Lead }[] = [];
    const [guarded, environments, frozen]: [string[], string[], string[]] = [[], [], []];
    const [peeked, dirs, links]: [string[], string[], string[]] = [[], [], []];
    const pieces = new Map<GitPieceName, Kind>();
    const why = (name: string, kind: Kind, plain: readonly string[]): Reason | null => {
      if (secrets.has(name, plain)) return "secret";
      if (readRules && shuts(plan, dir, child(path, name), "read")) return "rule";
      // The patterns of ignore files go by places as those of rules do.
      if (ignores?.ignores(name, kind === "dir") === true) return "rule";
      if (kind === "other" && isSocket(at, name)) return "other";
      return hardlinks && kind === "file" && (statEntry(at, name)?.facts.nlink ?? 0) > 1 ? "other" : null;
    };
    const follow = (name: string): void => {
      if (secrets.has(name)) leads.push({ name, why: "secret" });
      // As for file tools, of a link on the way only a deny counts.
      else if (readRules && verdictOn(plan, dir, child(path, name), "read") === "deny") leads.push({ name, why: "rule" });
      if (context.settings && !context.modules) leads.push({ name, why: "settings" });
    };
    // What the operator takes off either list, a command may leave.
    const isEnvironment = (name: string, folded: string): boolean =>
      ENVIRONMENTS.has(folded) && secrets.has(name) && !policy.protect.lifts(child(path, name));
    const undecodable = yield* eachEntryInSteps(
      at,
      (name, kind) => {
        if (context.git && kind === "dir" && GIT_NAMES.has(name)) return;
        // Asked of every name there is, and once of each.
        const folded = fold(name);
        const plain = undecorated(folded);
        const reason = kind === "link" ? null : why(name, kind, plain);
        if (kind === "file" && since !== null) dropPowers(at, name, { uid: plan.user.uid, since });
        if (kind === "link") follow(name);
        if (kind === "link" && protect !== null) links.push(name);
        if (reason !== null) shut.push({ name, why: reason });
        else if (kind === "dir") dirs.push(name);
        else if (kind === "file" && secretByContent.has(folded)) peeked.push(name);
        const piece = protect === null ? undefined : GIT_PIECES.get(name);
        if (piece !== undefined) pieces.set(piece, kind);
        if (protect !== null && isEnvironment(name, folded)) environments.push(name);
        if (protect?.has(name, plain) === true) guarded.push(name);
        else if (reason === null && !context.bound && writeRules && shuts(plan, dir, child(path, name), "write")) frozen.push(name);
      },
      facts,
    );
    for (const [piece, kind] of GIT_ORDERS) {
      const pieceKind = pieces.get(piece);
      if ((pieceKind === kind || pieceKind === "link") && completesGitDirectory(piece, (otherPiece) => pieces.has(otherPiece)))
        guarded.push(piece);
    }
    const hidden = ({ text, kind }: RawName): boolean => kind === "dir" || (kind !== "link" && secrets.has(text));
    const raw = undecodable === 0 ? NONE : (yield* rawNames(at)).filter(hidden);
    // Most directories hold nothing that matters, and there may be very many of them.
    const lean = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : list);
    const hiddenOrLed = { shut: lean(shut), leads: lean(leads), peeked: lean(peeked), raw };
    const names = {
      ...hiddenOrLed,
      guarded: lean(guarded),
      frozen: lean(frozen),
      dirs: lean(dirs),
      links: lean(links),
      environments: lean(environments),
    };
    return { ...state, kind: "open", listed, context, ...names };
  };
}

const ENVIRONMENTS: ReadonlySet<string> = new Set(environmentNames);

/** Does a rule deny this, or ask about it? In the middle of a command nobody can be asked, so both shut. */
function shuts(plan: FolderPlan, root: string, path: string, right: Right): boolean {
  const verdict = verdictOn(plan, root, path, right);
  return verdict === "deny" || verdict === "ask";
}

function verdictOn({ session }: FolderPlan, root: string, path: string, right: Right): string | undefined {
  const { policy, workspace } = session;
  const place = { root, outsideWorkspace: !isInside(workspace.dir, path), outsideScope: false };
  return evaluate(policy, path, right, place).strictest?.verdict;
}

function hasRules(session: Session, right: Right): boolean {
  return session.policy.layers.some((layer) => layer[right].anywhere.size + layer[right].rooted.size + layer[right].outside.size > 0);
}

const isSocket = (at: Pin, name: string): boolean => ((statEntry(at, name)?.facts.mode ?? 0) & 0o170000) === 0o140000;
