// Rules, layers, policy: which author wrote what. Pure data; `compile.ts` makes lookups fast.

import type { Right } from "../access.ts";
import type { RuleId } from "../names.ts";

/** What is decided about an access. */
export type Verdict = "allow" | "ask" | "deny";

/** Where a rule is written, for whoever wants to change it. Lines and columns count from 1. */
export interface Source {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One rule of a policy: which paths, which right, which verdict. */
export interface Rule<V extends Verdict = Verdict> {
  readonly id: RuleId;
  readonly right: Right;
  /** As its author wrote it. */
  readonly glob: string;
  readonly verdict: V;
  /** Speaks only of what lies outside the workspace (the seed's `external_directory`). */
  readonly outsideOnly: boolean;
  readonly why: string | null;
  readonly source: Source | null;
}

/** What a list says about what is outside scope when no rule of it matched: its `*`. */
export interface DefaultVerdict<V extends Verdict = Verdict> {
  readonly id: RuleId;
  readonly verdict: V;
  readonly source: Source | null;
}

/** An ordered list of rules from one author. The first that matches speaks. */
export interface Layer<N extends string = string, V extends Verdict = Verdict> {
  readonly name: N;
  readonly rules: readonly Rule<V>[];
  readonly defaults: { readonly read: DefaultVerdict<V> | null; readonly write: DefaultVerdict<V> | null };
}

/** The layers besides the builtin one. The operator may allow; a repository may only tighten. */
export type AuthorLayer = Layer<"administrator"> | Layer<"operator"> | Layer<"project", "ask" | "deny">;

export type Setting = Verdict;

/** Everything that decides besides roots and grants. Strictest between layers; the builtin layer is always there. */
export interface Policy {
  readonly layers: readonly AuthorLayer[];
  /** Lifts and adds to the builtin secrets; only the operator's and the administrator's word counts for lifting. */
  readonly secrets: { readonly except: readonly string[]; readonly add: readonly string[] };
  /** The same for names that execute later and must not be written. What `kept` names stays protected in what an exception lifts. */
  readonly protect: { readonly except: readonly string[]; readonly add: readonly string[]; readonly kept?: readonly string[] };
  /** Files git ignores, inside scope. */
  readonly gitignored: Setting;
  /** Regular files with more than one name, inside scope. */
  readonly hardlinks: Setting;
  /** Directories no grant may reach above; null for the default. */
  readonly ceilings: readonly string[] | null;
  /** Directories registered as projects. */
  readonly projects: readonly string[];
  readonly asks: Asks;
  readonly commands: CommandRights;
  readonly sessions: Sessions;
  readonly hooks: HookRights;
}

/** What hooks of other agents may do by themselves. */
export interface HookRights {
  /** While no daemon answers. `spool`: decide, and keep the decision for the record. `deny`: nothing that would have to be recorded. */
  readonly withoutDaemon: "spool" | "deny";
}

/** When sessions end by themselves. */
export interface Sessions {
  /** Hours without use after which one ends that another program drives. */
  readonly idleHours: number;
}

/** What commands have besides files. */
export interface CommandRights {
  /** `none`: not even this machine's own services. `host`: as any program of the user. Null: nobody says, and it is each caller's own habit. */
  readonly network: "none" | "host" | null;
  /** Which rule says so, and where it stands. */
  readonly rule: RuleId | null;
  readonly source: Source | null;
}

/** How asking is done. */
export interface Asks {
  /** Who raises an ask: the model after a hint, or the guard by itself. Null: the host's own habit. */
  readonly by: "model" | "guard" | null;
  /** What a yes may be for: `once` offers only this path and this call. */
  readonly offer: "once" | "session";
}

/** The policy where nobody has written one: the built-in rules alone, with the balanced preset. */
export const emptyPolicy: Policy = {
  layers: [],
  secrets: { except: [], add: [] },
  protect: { except: [], add: [] },
  gitignored: "allow",
  hardlinks: "allow",
  ceilings: null,
  projects: [],
  asks: { by: null, offer: "session" },
  commands: { network: null, rule: null, source: null },
  sessions: { idleHours: 24 },
  hooks: { withoutDaemon: "spool" },
};

const order: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };

/** Shut where anybody says so, else open where an owner of the machine does. */
export function strictestCommands(rights: readonly CommandRights[]): CommandRights {
  return rights.find(({ network }) => network === "none") ?? rights.find(({ network }) => network !== null) ?? emptyPolicy.commands;
}

export function stricter(one: Verdict, other: Verdict): Verdict {
  return order[one] >= order[other] ? one : other;
}
