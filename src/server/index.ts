// The door `hallpass/server`: a whole server in this process, with or without a port in front of it.

export { assemble, type AssembleOptions } from "./assemble.ts";
export { openApp, type OpenAppOptions, type OwnApp } from "./open-app.ts";
export { type Daemon, type DaemonOptions, startDaemon, type Started } from "./daemon.ts";
export { listen, type HttpListener, type ListenOptions } from "./listen.ts";
export type { App, Assembled, Caller, Connection, Log } from "./ports.ts";
