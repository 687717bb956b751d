// What a target of the fuzzer is: a reader of one text, or something that is opened and then spoken to.

/** Reads a text, and keeps nothing of it. */
export interface Reader {
  readonly seeds: readonly string[];
  /** What its language is made of. */
  readonly words: readonly string[];
  /** Throws where what must hold for every text does not. */
  check(text: string): void;
  /** Asks somebody else too; only for texts that reached something new. */
  judge?(text: string): void;
}

/** Something that others connect to: its sessions, files and rows outlive a text. */
export interface Door {
  readonly seeds: readonly string[];
  readonly words: readonly string[];
  readonly judge?: undefined;
  /** With nothing of what earlier texts did. */
  open(): Promise<Opened>;
}

export interface Opened {
  /** Rejects where what must hold for every text does not. */
  check(text: string): Promise<void>;
  close(): Promise<void>;
}

export type Target = Reader | Door;

export function hold(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** Thrown where an answer does not come. By itself it may come: the machine may have been busy. */
class Late extends Error {
  override readonly name = "Late";
}

const PATIENCE = 30_000;

/** The answer, or a fault where it does not come. */
export async function answerOf<T>(answer: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late(`${what} was never answered`)), PATIENCE);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
