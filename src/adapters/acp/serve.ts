// Our agent on a pair of streams, one message a line, until the editor goes.

import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { type AcpAgentPorts, createAcpAgent } from "./agent.ts";

/** Serve one editor over its streams until they end. */
export async function serveAcp(ports: AcpAgentPorts, streams: { readonly input: Readable; readonly output: Writable }): Promise<void> {
  const { app, close } = createAcpAgent(ports);
  try {
    const input: ReadableStream<Uint8Array> = Readable.toWeb(streams.input);
    await app.connect(ndJsonStream(Writable.toWeb(streams.output), input)).closed;
  } finally {
    close();
  }
}
