// What a keeper and the program that started it tell each other. Paths are real ones. Types only.

import type { LastingIdentity } from "../core/fs/identity.ts";
import type { Sight } from "./doors.ts";

/** One mount of a grant: the grant itself is read-only, and these lie over what is hidden in it. */
export interface Cover {
  readonly make: "hidden-file" | "hidden-dir" | "shown-file";
  /** Below the grant; bytes, one character each. */
  readonly path: string;
  /** Of a `shown-file`: bytes, one character each. */
  readonly text: string;
}

export interface GrantMount extends LastingIdentity {
  /** The directory to show. */
  readonly dir: string;
  /** Where programs wait for it. */
  readonly door: string;
  readonly covers: readonly Cover[];
}

export interface Area {
  /** Where the command sees it. */
  readonly dir: string;
  /** May the command write there, in memory? */
  readonly writable: boolean;
}

/** What is mounted before it is known for which command: places to be given names later. */
export interface Staging {
  /** Of each place: may the command write there, in memory? At most one. */
  readonly places: readonly boolean[];
  /** Are programs made to wait there? */
  readonly doors: boolean;
  /** Bytes of what the session may write, in its home directory and in /tmp each. */
  readonly bytes: number;
}

/** What holds a session's processes between its commands: with which bubblewrap and bash, and what of the network they have. `machine`: arguments that show the system's programs. */
export interface ProcessHolderPlan {
  readonly bwrap: string;
  readonly bash: string;
  readonly network: "none" | "host";
  readonly machine: readonly string[];
}

/** Which command the places are for, and what they stand for. */
export interface KeeperOpening {
  readonly areas: readonly Area[];
  /** The command's roots. */
  readonly fixed: readonly string[];
  /** Milliseconds for which a lookup waits. */
  readonly patience: number;
  /** The command joins the session's processes, which this holds; null where it has its own. */
  readonly holding: ProcessHolderPlan | null;
  /** Do processes that earlier commands left go on, and see the places? */
  readonly beside: boolean;
}

/** To the keeper. What has a number is answered under it. */
export type KeeperRequest =
  /** Places for the next command; those of the last one are taken away. */
  | ({ readonly say: "stage"; readonly number: number } & Staging)
  /** A command is about to start. With as many areas as there are places, and after the first since a `stage` with the same ones. */
  | ({ readonly say: "open"; readonly number: number } & KeeperOpening)
  /** Build the grant where no command sees it. */
  | ({ readonly say: "prepare"; readonly number: number } & GrantMount)
  /** Show what was prepared. */
  | { readonly say: "show"; readonly number: number; readonly dir: string }
  | { readonly say: "hide"; readonly number: number; readonly dir: string }
  | { readonly say: "deny"; readonly door: string }
  /** Nobody waits any longer. */
  | { readonly say: "end"; readonly number: number }
  | { readonly say: "seen"; readonly number: number; readonly sight: Sight }
  | { readonly say: "may-ask"; readonly number: number; readonly may: boolean };

/** From the keeper. */
export type KeeperReply =
  /** `why`: null where it was done. `places`: where /tmp and the places are, in the keeper's own namespace; of a command, the first of the session's processes; of a grant that is shown, its groups. */
  | { readonly say: "done"; readonly number: number; readonly why: string | null; readonly places?: readonly string[] }
  | { readonly say: "see"; readonly number: number; readonly path: string }
  | { readonly say: "ask-whether"; readonly number: number; readonly path: string }
  | { readonly say: "wanted"; readonly door: string; readonly path: string; readonly pid: number };
