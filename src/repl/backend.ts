// What a chat or an inbox talks to: the daemon, or a whole server within this process. Both speak the same wire.

import type { Client } from "../wire/client.ts";
import { type SocketLike, subscribe, type Subscription } from "../wire/socket.ts";

export interface Backend {
  readonly client: Client;
  readonly connect: (protocols: readonly string[]) => SocketLike;
  /** In this process: grants end with it, and nobody else can see or answer its asks. */
  readonly where: "daemon" | "process";
  /** `provider/model`, for people. */
  readonly model: string;
  /** Something a person should know about where this runs, or null. */
  readonly remark: string | null;
  close(): Promise<void>;
}

/** Frames from the backend until closed. */
export function listen({ client, connect }: Backend, subscription: Subscription): { close(): void } {
  return subscribe({ connect, token: client.token, setTimeout: (work, milliseconds) => setTimeout(work, milliseconds) }, subscription);
}
