// The hook as a client of the daemon: the payload goes there as it came, the host's own words come back. Any fault, silence or answer
// without the proof is null, and then the hook judges for itself.

import { type HookRequest, requestText, waitingText, wordsFrom } from "./socket-protocol.ts";
import type { HookSocket } from "./socket-file.ts";
import { blocked, type Words } from "./host-call.ts";

/** No daemon of ours says more. */
const ANSWER_BYTES = 256 * 1024;

/** A daemon that waits for a person says so now and then; one that has said so may be silent for this long. */
const SILENCE = 20_000;
/** Added to the time for which a person is waited for: the daemon counts it, and a daemon that does not end is not waited for. */
const LATE = 10_000;

/** `isLeft`: is the process gone that wants the answer? Asked while a person is waited for; then nobody is told anything. */
export async function askDaemon(
  hookSocket: HookSocket,
  asking: HookRequest,
  milliseconds: number,
  isLeft: () => boolean = () => false,
): Promise<Words | null> {
  // Loaded where it is used: it takes longer than anything else a hook does, and stands in one file with what every command needs.
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    let said = Buffer.alloc(0);
    const waiting = Buffer.from(waitingText(hookSocket.proof));
    const until = performance.now() + (asking.wait ?? 0) * 1000 + LATE;
    const socket = connect(hookSocket.port, "127.0.0.1");
    const end = (words: Words | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(words);
    };
    let timer = setTimeout(() => end(null), milliseconds);
    socket.on("data", (part: Buffer) => {
      said = Buffer.concat([said, part]);
      if (said.length > ANSWER_BYTES) end(null);
      while (asking.wait !== null && said.subarray(0, waiting.length).equals(waiting)) {
        said = said.subarray(waiting.length);
        clearTimeout(timer);
        timer = setTimeout(() => end(null), Math.min(SILENCE, until - performance.now()));
        if (isLeft()) end(blocked("the host is gone"));
      }
    });
    socket.on("error", () => end(null));
    socket.on("end", () => end(wordsFrom(said, hookSocket.proof)));
    socket.write(requestText(hookSocket.token, asking));
  });
}
