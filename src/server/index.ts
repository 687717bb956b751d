// The door `hallpass/server`: a whole server in this process, with or without a port in front of it.

import { assemble as assembleInside, type AssembleOptions } from "./assemble.ts";
import type { Assembled } from "./ports.ts";

/** A whole server in this process, not listening. */
export const assemble: (options: AssembleOptions) => Promise<Assembled> = assembleInside;
export type { AssembleOptions } from "./assemble.ts";
export { type Daemon, type DaemonOptions, startDaemon, type Started } from "./daemon.ts";
export { listen, type HttpListener, type ListenOptions } from "./listen.ts";
export type { App, Assembled, Caller, Connection, Log } from "./ports.ts";
