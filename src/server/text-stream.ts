// A response body made of pieces of text. Each piece is made when the reader wants it, so the whole is never in memory, and other requests are
// served between two pieces.

import { setImmediate as turn } from "node:timers/promises";

export function textStream(pieces: AsyncGenerator<string, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await turn();
      const next: IteratorResult<string, void> = await pieces.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}
