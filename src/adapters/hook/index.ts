// What the daemon, the installer and tests take of the hooks.

export { createHookHandler, type HookSessions, type HookHandlerPorts } from "./socket-handler.ts";
export { type Canary, fireCanary } from "./canary.ts";
export { type HookSocket, hookSocketFile, hookSocketLine, PAYLOAD_BYTES, parseHookSocket, readHookSocket } from "./socket-file.ts";
export { type HookRequest } from "./socket-protocol.ts";
export { type HookHost } from "./host-call.ts";
export { type HostName, hostNames, isHostName } from "./host-table.ts";
export { hookHosts } from "./hosts/all.ts";
export { type HookListener, listenForHooks } from "./socket-listener.ts";
