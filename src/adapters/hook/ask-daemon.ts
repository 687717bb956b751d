// The hook as a client of the daemon: the payload goes there as it came, the host's own words come back. Any fault, silence or answer
// without the proof is null, and then the hook judges for itself.

import { type Door, doorHeaders, doorPath, wordsFromHttp } from "./door.ts";
import type { HostName, Words } from "./host-call.ts";

export interface DoorAsking {
  readonly host: HostName;
  /** The host's JSON, byte for byte. */
  readonly payload: string;
  readonly workspace: string;
  readonly lets: readonly string[];
  /** Put what may be granted before a person, and wait. */
  readonly ask: boolean;
  readonly attended: boolean;
  readonly milliseconds: number;
}

/** No daemon of ours says more. */
const ANSWER_BYTES = 256 * 1024;

export async function askDaemon(door: Door, asking: DoorAsking): Promise<Words | null> {
  // Loaded where it is used: it takes longer than anything else a hook does, and stands in one file with what every command needs.
  const { request } = await import("node:http");
  return new Promise((resolve) => {
    const end = (words: Words | null): void => {
      clearTimeout(timer);
      sending.destroy();
      resolve(words);
    };
    const sending = request(
      {
        host: "127.0.0.1",
        port: door.port,
        method: "POST",
        path: doorPath(asking.host),
        agent: false,
        headers: {
          host: `127.0.0.1:${door.port}`,
          authorization: `Bearer ${door.token}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(asking.payload),
          connection: "close",
          [doorHeaders.workspace]: encodeURIComponent(asking.workspace),
          [doorHeaders.lets]: asking.lets.map(encodeURIComponent).join(","),
          [doorHeaders.ask]: asking.ask ? "1" : "0",
          [doorHeaders.attended]: asking.attended ? "1" : "0",
        },
      },
      (response) => {
        const parts: Buffer[] = [];
        let size = 0;
        response.on("data", (part: Buffer) => {
          size += part.length;
          if (size > ANSWER_BYTES) end(null);
          else parts.push(part);
        });
        response.on("error", () => end(null));
        response.on("aborted", () => end(null));
        response.on("end", () => {
          const { statusCode: status = 0, headers } = response;
          end(wordsFromHttp({ status, headers, body: Buffer.concat(parts).toString("utf8") }, door.proof));
        });
      },
    );
    const timer = setTimeout(() => end(null), asking.milliseconds);
    sending.on("error", () => end(null));
    sending.end(asking.payload);
  });
}
