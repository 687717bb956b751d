// Keys from a terminal in raw mode, as long as they are wanted. Raw mode is taken at the start and given back at the end.

import type { ReadStream } from "node:tty";
import { createDecoder, type Key } from "./keys.ts";

/** How long an escape waits for the rest of a sequence. */
const PATIENCE = 40;

/** Calls `pressed` with the keys of each piece of input. Gives what ends it. */
export function readKeys(input: ReadStream, pressed: (keys: readonly Key[]) => void): () => void {
  const decoder = createDecoder();
  const text = new TextDecoder();
  let timer: NodeJS.Timeout | undefined;
  const give = (keys: readonly Key[]): void => {
    if (keys.length > 0) pressed(keys);
  };
  const take = (chunk: Buffer): void => {
    clearTimeout(timer);
    give(decoder.push(text.decode(chunk, { stream: true })));
    if (decoder.waits) timer = setTimeout(() => give(decoder.flush()), PATIENCE);
  };
  input.setRawMode(true);
  input.on("data", take);
  input.resume();
  return () => {
    clearTimeout(timer);
    input.off("data", take);
    input.setRawMode(false);
    input.pause();
  };
}
