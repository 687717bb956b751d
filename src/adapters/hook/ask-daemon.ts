// The hook as a client of the daemon: it sends the payload unchanged and receives the host's exact output. On any fault, on silence, or
// on an answer without the proof the result is null, and the hook judges by itself.

import { type HookRequest, requestText, waitingText, wordsFrom } from "./socket-protocol.ts";
import type { HookSocket } from "./socket-file.ts";
import { blocked, type Words } from "./host-call.ts";

/** No daemon of ours says more. */
const ANSWER_BYTES = 256 * 1024;

/** A daemon that waits for a person says so now and then; one that has said so may be silent for this long. */
const LONGEST_SILENCE = 20_000;
/** Added to the time for which a person is waited for: the daemon counts it, and a daemon that does not end is not waited for. */
const GRACE = 10_000;

/** `isLeft`: is the process gone that wants the answer? Asked while a person is waited for; then nobody is told anything. */
export async function askDaemon(
  hookSocket: HookSocket,
  request: HookRequest,
  milliseconds: number,
  isLeft: () => boolean = () => false,
): Promise<Words | null> {
  // Loaded where it is used: it takes longer than anything else a hook does, and stands in one file with what every command needs.
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const waiting = Buffer.from(waitingText(hookSocket.proof));
    const until = performance.now() + (request.wait ?? 0) * 1000 + GRACE;
    const socket = connect(hookSocket.port, "127.0.0.1");
    const end = (answer: Words | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    let timer = setTimeout(() => end(null), milliseconds);
    socket.on("data", (part: Buffer) => {
      received = Buffer.concat([received, part]);
      if (received.length > ANSWER_BYTES) end(null);
      while (request.wait !== null && received.subarray(0, waiting.length).equals(waiting)) {
        received = received.subarray(waiting.length);
        clearTimeout(timer);
        timer = setTimeout(() => end(null), Math.min(LONGEST_SILENCE, until - performance.now()));
        if (isLeft()) end(blocked("the host is gone"));
      }
    });
    socket.on("error", () => end(null));
    socket.on("end", () => end(wordsFrom(received, hookSocket.proof)));
    socket.write(requestText(hookSocket.token, request));
  });
}
