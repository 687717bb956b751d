// What an installation wants of a host's files: entries of a JSON file, a marked block of a TOML file or of lines, or a file of our own. Plain data;
// `planned-change.ts` makes it a change, and the same data takes it out again.

/** One place in a JSON file that is ours. */
export type JsonEntry =
  /** A property of an object. `ours` knows those of earlier installations; anything else under this name is its owner's, and is left alone. */
  | {
      readonly kind: "property";
      readonly at: readonly string[];
      readonly value: unknown;
      readonly ours: (value: unknown) => boolean;
      /** What stands there of somebody else's stays, and the rest is written. Otherwise nothing is. */
      readonly yields?: true;
    }
  /** A property that must be there for the rest to be read; one that stands there already is the owner's. */
  | { readonly kind: "default"; readonly at: readonly string[]; readonly value: unknown }
  /** One item of a list. `ours` knows those of earlier installations. */
  | { readonly kind: "item"; readonly at: readonly string[]; readonly value: unknown; readonly ours: (item: unknown) => boolean }
  /** Texts in a row in a list, between two marks that are texts themselves. */
  | {
      readonly kind: "texts";
      readonly at: readonly string[];
      readonly begin: string;
      readonly end: string;
      readonly texts: readonly string[];
    }
  /** Properties in a row in an object, between two marks that are properties themselves. */
  | {
      readonly kind: "properties";
      readonly at: readonly string[];
      readonly begin: string;
      readonly end: string;
      readonly mark: string;
      readonly properties: readonly (readonly [string, string])[];
    };

/** Lines of a TOML file between marks: `head` stands before the first table, `body` at the end. */
export interface TomlBlock {
  /** The word in the marks: one for each command that writes. */
  readonly name: string;
  readonly head: readonly string[];
  readonly body: readonly string[];
  /** Its body is one table, a server's: what its owner adds there is kept. */
  readonly server?: true;
  /** A further table at its end; left out where its owner has one of that name. */
  readonly beside?: { readonly at: readonly string[]; readonly lines: readonly string[] };
}

export type WantedFile =
  /** The first of `files` that exists, else the first. */
  | { readonly kind: "json"; readonly files: readonly [string, ...string[]]; readonly entries: readonly JsonEntry[] }
  | { readonly kind: "toml"; readonly files: readonly [string]; readonly block: TomlBlock; readonly refuse?: RefuseToml }
  /** Lines of a text file in which `#` begins a comment, between marks that hold the name. */
  | {
      readonly kind: "lines";
      readonly files: readonly [string];
      readonly name: string;
      readonly lines: readonly string[];
      /** Not written where its owner sets this variable there. */
      readonly variable?: string;
    }
  /** A whole file; `mark` stands in every text we ever wrote there. */
  | {
      readonly kind: "own";
      readonly files: readonly [string];
      readonly text: string;
      readonly mark: string;
      /** It lies in our own data directory, whatever project the rest is for. */
      readonly isOurs?: true;
      /** It is started by its name. */
      readonly isProgram?: true;
    };

/** Why a TOML file cannot take the block, for reasons only the host knows; null where it can. */
export type RefuseToml = (value: Readonly<Record<string, unknown>>) => string | null;

/** An edited text, or why not: `file:line:column: …`. */
export type EditedText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };
