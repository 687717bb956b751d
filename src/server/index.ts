// The door `hallpass/server`: a whole server in this process, with or without a port in front of it.

export { createApp } from "./app.ts";
export { assemble, type AssembledInside, type AssembleOptions } from "./assemble.ts";
export { type Daemon, type DaemonOptions, startDaemon, type Started } from "./daemon.ts";
export { listen, type HttpListener, type ListenOptions } from "./listen.ts";
export type { App, AppPorts, Assembled, Caller, Connection, Hub, Log, Views } from "./ports.ts";
export { createViews, type ViewPorts } from "./views/views.ts";
