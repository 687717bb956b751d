// How much one judgement may look through. Judging is synchronous: whoever judges for several agents keeps all of them waiting meanwhile, and
// a repository may hold directories of any size. What is not looked through is not told, so that nothing is allowed on the strength of it.

/** Names that are read in one look: more than directories have that people work in, and some 10 ms. */
const MOST_NAMES = 20_000;
/** Those of them that are followed or opened, which takes a hundred times as long. */
const MOST_DEAR = 500;

/** More is there than one look takes in. */
export class TooManyNames extends Error {
  override readonly name = "TooManyNames";
}

/** Counts the names of one look. */
export class Names {
  #left = MOST_NAMES;
  #dear = MOST_DEAR;

  /** One more name was read. Throws `TooManyNames`. */
  count(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new TooManyNames();
  }

  /** So many names are followed or opened. Throws `TooManyNames`. */
  countDear(names: number): void {
    this.#dear -= names;
    if (this.#dear < 0) throw new TooManyNames();
  }
}
