// What a profile holds until it is closed: pins, and empty directories that were made to be bound.

import { removeDir } from "../core/fs/at.ts";
import type { Pin } from "../core/fs/pin.ts";
import type { StubDir } from "./git-dir.ts";

export class ProfileResources {
  readonly stubs: StubDir[] = [];
  readonly #pins: Pin[] = [];

  /** Given every pin that is made; gives it back. */
  readonly keep = (pin: Pin): Pin => {
    this.#pins.push(pin);
    return pin;
  };

  /** Let go of everything, once. `stubs`: the empty directories stay, since another command has them bound. */
  close(stubs?: "keep"): void {
    for (const stub of this.stubs.splice(0)) if (stubs === undefined) remove(stub);
    for (const pin of this.#pins.splice(0)) pin.close();
  }
}

function remove({ dir, name }: StubDir): void {
  try {
    removeDir(dir, name);
  } catch {
    // It is not empty, or not there.
  }
}
