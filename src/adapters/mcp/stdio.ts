// The server on a pair of streams, for clients that start it: one client, until its end closes.

import type { Readable, Writable } from "node:stream";
import { serveStdio as serve, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Mcp } from "./server.ts";
import type { WriteNow } from "./sent-output.ts";
import { LONGEST_LINE, openShortWay } from "./short-way.ts";

/** Serve one client over a pair of streams, until its input ends. Nothing but the protocol is written to the output. */
export async function serveStdio(mcp: Mcp, input: Readable, output: Writable, write: WriteNow | null = null): Promise<void> {
  const gone = new Promise<void>((resolve) => void output.once("error", () => resolve()));
  const short = openShortWay(mcp.readAtOnce, input, output, write);
  const handle = serve(mcp.factory, { transport: new StdioServerTransport(short.rest, output, { maxBufferSize: 2 * LONGEST_LINE }) });
  await Promise.race([short.ended, gone]);
  short.close();
  await handle.close();
  await mcp.close();
}
