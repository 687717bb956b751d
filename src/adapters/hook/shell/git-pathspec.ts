// A pathspec as git reads it: signs or words in front say what the path after them stands for. Read here for everybody who has to know.

export interface Pathspec {
  /** What follows the signs. */
  readonly path: string;
  /** The signs as they stand; null if there are none. */
  readonly magic: string | null;
  /** It says what is left out. */
  readonly excludes: boolean;
  /** It is seen from the top of the repository, not from where git runs. */
  readonly fromTop: boolean;
  /** Letter case does not count. */
  readonly icase: boolean;
  /** What it stands for cannot be told from it: attributes of files, or words that are none of those we know. */
  readonly odd: boolean;
}

/** Words whose meaning is known here. */
const WORDS: ReadonlySet<string> = new Set(["top", "literal", "glob", "icase", "exclude", ""]);

/** `:(word,word)path`, or `:` and any number of the signs `/`, `!` and `^`, in any order, with or without a second colon. */
export function readPathspec(text: string): Pathspec {
  const [long, inner] = /^:\(((?:[^)\\]|\\.)*)\)/su.exec(text) ?? [];
  const [short] = long === undefined ? (/^:[/!^]+:?/u.exec(text) ?? []) : [];
  const magic = long ?? short ?? null;
  const words = inner === undefined ? [] : inner.split(",");
  return {
    path: text.slice(magic?.length ?? 0),
    magic,
    excludes: words.includes("exclude") || /[!^]/u.test(short ?? ""),
    fromTop: words.includes("top") || (short ?? "").includes("/"),
    icase: words.includes("icase"),
    odd: words.some((word) => !WORDS.has(word)) || (long === undefined && text.startsWith(":(")),
  };
}
