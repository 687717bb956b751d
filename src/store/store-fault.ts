// Faults of a store that its caller is told in words, since a person can do something about them or must look what was done. What else goes wrong
// in it is for the log.

import { HallpassError } from "../core/errors.ts";

export class StoreFault extends HallpassError {
  constructor(message: string, options: ErrorOptions = {}) {
    super("io-error", message, options);
  }
}

export class FullDisk extends StoreFault {
  constructor(cause: unknown) {
    super("the disk that the store is on is full: free some space; until then nothing can be recorded, and so nothing is allowed", {
      cause,
    });
  }
}
