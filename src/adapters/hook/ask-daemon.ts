// The hook as a client of the daemon: the payload goes there as it came, the host's own words come back. Any fault, silence or answer
// without the proof is null, and then the hook judges for itself.

import { type HookRequest, requestText, wordsFrom } from "./socket-protocol.ts";
import type { HookSocket } from "./socket-file.ts";
import type { Words } from "./host-call.ts";

/** No daemon of ours says more. */
const ANSWER_BYTES = 256 * 1024;

export async function askDaemon(hookSocket: HookSocket, asking: HookRequest, milliseconds: number): Promise<Words | null> {
  // Loaded where it is used: it takes longer than anything else a hook does, and stands in one file with what every command needs.
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    const socket = connect(hookSocket.port, "127.0.0.1");
    const end = (words: Words | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(words);
    };
    const timer = setTimeout(() => end(null), milliseconds);
    socket.on("data", (part: Buffer) => {
      size += part.length;
      if (size > ANSWER_BYTES) end(null);
      else parts.push(part);
    });
    socket.on("error", () => end(null));
    socket.on("end", () => end(wordsFrom(Buffer.concat(parts), hookSocket.proof)));
    socket.write(requestText(hookSocket.token, asking));
  });
}
