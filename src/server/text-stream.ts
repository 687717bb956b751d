// Text that is made piece by piece, as a body: only as fast as it is taken, so that the whole is never in memory. Others are served between
// two pieces.

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
