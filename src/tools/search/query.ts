// What is searched for, and what a search gives. Plain data, so that it can go to a thread and back.

import type { Code } from "../../core/errors.ts";

export interface FindQuery {
  readonly kind: "find";
  readonly pattern: string;
  readonly ignored: boolean;
  /** How many files are wanted at the most. */
  readonly most: number;
  /** Milliseconds it may take. */
  readonly time: number;
}

export interface GrepQuery {
  readonly kind: "grep";
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  /** Only files whose path matches; null: all. */
  readonly glob: string | null;
  readonly ignored: boolean;
  readonly most: number;
  readonly time: number;
  readonly fileBytes: number;
  readonly lineLength: number;
}

export type Query = FindQuery | GrepQuery;

export interface Match {
  /** Relative to where the search began; empty for the file searched itself. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

export interface SearchResult {
  readonly ok: true;
  readonly files: readonly string[];
  readonly matches: readonly Match[];
  readonly withheld: number;
  readonly tooLarge: number;
  /** There was more than was wanted. */
  readonly truncated: boolean;
}

export type SearchOutcome = SearchResult | { readonly ok: false; readonly code: Code };

/** One part of a search that several threads share: this is number `index` of `of`. */
export interface Share {
  readonly index: number;
  readonly of: number;
}
