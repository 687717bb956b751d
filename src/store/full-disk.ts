// The one fault of a store that a person mends by themselves, in words that are told to whoever asked.

import { HallpassError } from "../core/errors.ts";

export class FullDisk extends HallpassError {
  constructor(cause: unknown) {
    super(
      "io-error",
      "the disk that the store is on is full: make room there; until then nothing can be recorded, and so nothing is allowed",
      {
        cause,
      },
    );
  }
}
