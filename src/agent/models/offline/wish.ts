// What a person can want of the built-in agent, as data. One wish is one thing to be done; a message may hold several.

/** Which lines of a file: counted from its beginning, or the last few. */
export type Lines = { readonly from: number; readonly to: number } | { readonly last: number };

export type Wish =
  /** `otherwise`: where else to look if it is not there. */
  | { readonly do: "read"; readonly path: string; readonly otherwise: readonly string[]; readonly lines: Lines | null }
  | { readonly do: "list"; readonly path: string }
  | { readonly do: "find"; readonly pattern: string; readonly path: string }
  | {
      readonly do: "search";
      readonly text: string;
      readonly path: string;
      readonly glob: string | null;
      readonly regex: boolean;
      readonly ignoreCase: boolean;
    }
  | { readonly do: "compare"; readonly left: string; readonly right: string }
  /** Only where nothing is there yet. */
  | { readonly do: "create"; readonly path: string; readonly content: string }
  | { readonly do: "write"; readonly path: string; readonly content: string }
  | { readonly do: "append"; readonly path: string; readonly content: string }
  | { readonly do: "edit"; readonly path: string; readonly old: string; readonly new: string; readonly all: boolean }
  | { readonly do: "run"; readonly command: string; readonly cwd: string | null }
  | { readonly do: "access" }
  | { readonly do: "ask"; readonly path: string; readonly reason: string | null }
  | { readonly do: "spawn"; readonly path: string; readonly task: string };

/** How much of a long file is shown at first. */
export const FIRST_LINES = 12;

/** Wishes of one stage do not depend on each other; a later stage waits for the ones before it. */
export interface Staged {
  readonly wish: Wish;
  readonly stage: number;
}

/** What is not about files: the agent itself, manners, or an answer to something. */
export type Talk = "about" | "greeting" | "thanks" | "yes" | "no" | "how-to-write" | "no-network" | "no-removing" | "nothing-before";

export interface Understanding {
  readonly wishes: readonly Staged[];
  /** Parts that were not understood, as they were written. */
  readonly unclear: readonly string[];
  /** Parts that said what not to do. */
  readonly left: readonly string[];
  readonly talk: Talk | null;
  /** It only says to do again what was asked before. */
  readonly repeats: boolean;
}

/** What of the conversation so far a message may refer to. */
export interface Memory {
  /** The wishes of the last message that had any, and its words. */
  readonly wishes: readonly Staged[];
  readonly request: string;
  /** What was looked at or named then, in order. */
  readonly places: readonly Place[];
  /** Names that were offered then: near ones, or found ones. As paths. */
  readonly offered: readonly string[];
  /** Directories that were granted, in order. */
  readonly roots: readonly string[];
  /** Something of it was refused, denied or not there. */
  readonly unsettled: boolean;
  /** Everything looked at before that, newest first. */
  readonly earlier: readonly Place[];
}

export interface Place {
  readonly path: string;
  readonly directory: boolean;
}

export const nothingBefore: Memory = { wishes: [], request: "", places: [], offered: [], roots: [], unsettled: false, earlier: [] };

export const readWish = (path: string, lines: Lines | null = null, otherwise: readonly string[] = []): Wish => ({
  do: "read",
  path,
  otherwise,
  lines,
});
