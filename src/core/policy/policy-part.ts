// What one author's policy says, and what was wrong with it. Pure data: `parse.ts` makes it, `combine.ts` puts authors together.

import type { AuthorLayer, CommandRights, Source, Verdict } from "./rule.ts";

/** Whose policy it is. Between authors the strictest verdict stands. */
export type Author = "administrator" | "operator" | "project";
export type Preset = "strict" | "balanced" | "open-read";

/** A place in the file: the keys that lead there. */
export type Keys = readonly (string | number)[];

/** One error in a policy document, and where it is. */
export interface PolicyError {
  readonly message: string;
  readonly keys: Keys;
  readonly source: Source | null;
}

/** What one author contributes; null and empty where nothing was said. */
export interface PolicyPart {
  readonly author: Author;
  readonly layer: AuthorLayer;
  readonly preset: Preset | null;
  readonly secrets: { readonly except: readonly string[]; readonly add: readonly string[] };
  readonly protect: { readonly except: readonly string[]; readonly add: readonly string[] };
  readonly gitignored: Verdict | null;
  readonly hardlinks: Verdict | null;
  readonly ceilings: readonly string[] | null;
  readonly projects: readonly string[];
  readonly asks: { readonly by: "model" | "guard" | null; readonly offer: "once" | "session" | null };
  readonly commands: CommandRights;
  readonly sessions: { readonly idleHours: number | null };
  readonly hooks: { readonly withoutDaemon: "spool" | "deny" | null };
  /** Every directory that is named under `workspaces`, also those that this policy was not read for. */
  readonly workspaces: readonly string[];
  /** Where the preset and the entries of the lists stand, by `preset`, or the list's name and the entry: `projects /srv/app`. */
  readonly sources: Readonly<Record<string, Source>>;
  /** What was ignored because this author may not say it. */
  readonly ignored: readonly PolicyError[];
}

/** A policy document as it was understood, or every error in it. */
export type ParsedPolicy =
  | { readonly ok: true; readonly part: PolicyPart }
  | { readonly ok: false; readonly errors: readonly PolicyError[] };
