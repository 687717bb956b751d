// A full disk: the one fault of a store that a person can fix, so the caller is told about it.

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
