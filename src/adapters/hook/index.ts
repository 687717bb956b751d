// The door: what the daemon, the installer and tests take of the hooks.

export { createHookDoor, type HookDesk, type HookDoorPorts, type HookRequest, type HookResponse } from "./at-daemon.ts";
export { type Canary, fireCanary } from "./canary.ts";
export { type Door, doorFile, doorLine, doorPath, PAYLOAD_BYTES, parseDoor, readDoor } from "./door.ts";
export { type HookHost, type HostName, hostNames, isHostName } from "./host-call.ts";
export { hookHosts } from "./hosts/all.ts";
