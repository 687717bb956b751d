// A policy as it stands in a file, for programs that write one. What a policy means is `parsePolicy`'s to say; the published schema is held
// to this shape by a test.

import type { Preset } from "./policy-part.ts";
import type { Verdict } from "./rule.ts";

/** A verdict, or one with its reason and its examples. */
export type PolicyRule =
  | Verdict
  | {
      readonly verdict: Verdict;
      readonly why?: string | undefined;
      readonly matches?: Texts | undefined;
      readonly not?: Texts | undefined;
    };

/** One verdict for everything outside scope, or patterns in order with a rule each. */
export type PolicyList = Verdict | { readonly [pattern: string]: PolicyRule };

type Texts = string | readonly string[];

interface Names {
  readonly except?: Texts | undefined;
  readonly add?: Texts | undefined;
}

/** A policy file's content. */
export interface PolicyDocument {
  readonly $schema?: string | undefined;
  readonly preset?: Preset | undefined;
  readonly read?: PolicyList | undefined;
  readonly write?: PolicyList | undefined;
  readonly permission?:
    | {
        readonly external_directory?:
          | Verdict
          | { readonly read?: PolicyList | undefined; readonly write?: PolicyList | undefined }
          | undefined;
      }
    | undefined;
  readonly secrets?: Names | undefined;
  readonly protected?: Names | undefined;
  readonly gitignored?: Verdict | undefined;
  readonly hardlinks?: Verdict | undefined;
  readonly ceilings?: Texts | undefined;
  readonly projects?: Texts | undefined;
  readonly asks?: { readonly by?: "model" | "guard" | undefined; readonly offer?: "once" | "session" | undefined } | undefined;
  readonly workspaces?:
    | { readonly [directory: string]: { readonly read?: PolicyList | undefined; readonly commands?: Commands | undefined } }
    | undefined;
  readonly sessions?: { readonly idle_hours?: number | undefined } | undefined;
  readonly hooks?: { readonly without_daemon?: "spool" | "deny" | undefined } | undefined;
  readonly commands?: Commands | undefined;
}

interface Commands {
  readonly network?: "none" | "host" | undefined;
}
