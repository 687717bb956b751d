// The server on a port of this machine, and of no other.

import { serve } from "@hono/node-server";
import { HallpassError } from "../../core/errors.ts";
import { createMcpHttp } from "./http.ts";
import type { Mcp } from "./server.ts";

/** A server on a port. */
export interface McpListener {
  /** `http://127.0.0.1:7778/mcp` */
  readonly address: string;
  close(): Promise<void>;
}

/** Where a server listens. */
export interface McpListenOptions {
  readonly mcp: Mcp;
  /** Whoever sends it may do what the agent may. */
  readonly token: string;
  /** 0: any free one. */
  readonly port: number;
}

/** Listen on a port of this machine. Throws `io-error` where it is taken. */
export async function listenMcp({ mcp, token, port }: McpListenOptions): Promise<McpListener> {
  let actual = port;
  const http = createMcpHttp({ mcp, token, port: () => actual });
  const server = await new Promise<ReturnType<typeof serve>>((resolve, reject) => {
    const made = serve({ fetch: http.fetch, port, hostname: "127.0.0.1" }, (info) => {
      actual = info.port;
      resolve(made);
    });
    made.once("error", (cause: Error) => reject(new HallpassError("io-error", `port ${port} cannot be listened on`, { cause })));
  });
  return {
    address: `http://127.0.0.1:${actual}/mcp`,
    async close() {
      await http.close();
      const closed = new Promise((resolve) => server.close(resolve));
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
      await mcp.close();
    },
  };
}
