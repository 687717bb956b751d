// A TCP proxy of the tests' own: what goes through it can be made to stand still, in both directions, with the connections left open, as
// a network does that has lost its way; or be cut.

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface Proxy {
  readonly port: number;
  stall(): void;
  flow(): void;
  cut(): void;
}

export async function stallingProxy(to: number): Promise<Proxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let stalled = false;
  const server = createServer((inner) => {
    const outer = connect(to, "127.0.0.1");
    const pair = [inner, outer] as const;
    pairs.add(pair);
    for (const [from, into] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      from.on("data", (data: Buffer) => {
        if (!into.write(data)) from.pause();
      });
      into.on("drain", () => void (stalled || from.resume()));
      from.on("error", () => into.destroy());
      from.on("close", () => {
        into.destroy();
        pairs.delete(pair);
      });
      from.on("end", () => into.end());
      if (stalled) from.pause();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    server.close();
  });
  const address = server.address();
  const each = (work: (socket: Socket) => void): void => pairs.forEach((pair) => pair.forEach(work));
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    stall() {
      stalled = true;
      each((socket) => socket.pause());
    },
    flow() {
      stalled = false;
      each((socket) => socket.resume());
    },
    cut: () => each((socket) => socket.destroy()),
  };
}
