// The server on a pair of streams, for clients that start it: one client, until its end closes.

import type { Readable, Writable } from "node:stream";
import { deserializeMessage, serializeMessage, type Transport } from "@modelcontextprotocol/server";
import { serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import { listenToLines } from "../stdio/lines.ts";
import type { Mcp } from "./server.ts";

/** A longer line is no message: it may hold a file that is written, escaped, and nothing is larger. */
const LONGEST_LINE = 32 * 1_048_576;

/** Serve one client over a pair of streams, until its input ends. Nothing but the protocol is written to the output. */
export async function serveStdio(mcp: Mcp, input: Readable, output: Writable): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    output.on("error", () => resolve());
    for (const event of ["end", "close", "error"]) input.once(event, () => resolve());
  });
  const handle = serve(mcp.factory, { transport: lineTransport(input, output) });
  await ended;
  await handle.close();
  await mcp.close();
}

/**
 * One message a line, as the SDK's own transport has it, which looks at a long line anew with each piece of it, and ends the connection where one is
 * too long. Here a client is told that its line was left out.
 */
function lineTransport(input: Readable, output: Writable): Transport {
  const write = (line: string): void => void (output.writable && output.write(line));
  const transport: Transport = {
    async start() {
      listenToLines(input, LONGEST_LINE, {
        line(text) {
          try {
            transport.onmessage?.(deserializeMessage(text));
          } catch (error) {
            transport.onerror?.(error instanceof Error ? error : new Error("the line is not a message"));
          }
        },
        tooLong() {
          const error = { code: -32_600, message: `a line may have at most ${LONGEST_LINE} bytes; this one was left out` };
          write(`${JSON.stringify({ jsonrpc: "2.0", id: null, error })}\n`);
        },
        end: () => void transport.close(),
      });
    },
    async send(message) {
      write(serializeMessage(message));
    },
    async close() {
      input.pause();
      transport.onclose?.();
    },
  };
  return transport;
}
