// The server on a port of this machine, and of no other.

import { serve } from "@hono/node-server";
import { HallpassError } from "../../core/errors.ts";
import type { Ids } from "../../core/clock.ts";
import { createMcpHttp } from "./http.ts";
import type { Mcp } from "./server.ts";

export interface McpListener {
  /** `http://127.0.0.1:7778/mcp` */
  readonly address: string;
  close(): Promise<void>;
}

/** Listen on `port` (0: any free one). Throws `io-error` where it is taken. */
export async function listenMcp({ mcp, token, port, ids }: { mcp: Mcp; token: string; port: number; ids: Ids }): Promise<McpListener> {
  let actual = port;
  const http = createMcpHttp({ mcp, token, port: () => actual, ids });
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
