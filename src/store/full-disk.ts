// The one fault of a store that a person mends by themselves, in words that are told to whoever asked.

import { HallpassError } from "../core/errors.ts";

const SENTENCE = "the disk that the store is on is full: make room there; until then nothing can be recorded, and so nothing is allowed";

export const fullDisk = (cause: unknown): HallpassError => new HallpassError("io-error", SENTENCE, { cause });

export const isFullDisk = (error: unknown): error is HallpassError => error instanceof HallpassError && error.message === SENTENCE;
