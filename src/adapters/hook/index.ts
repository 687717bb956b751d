// The door: what the daemon, the installer and tests take of the hooks.

export { createHookDoor, type HookDesk, type HookDoorPorts } from "./at-daemon.ts";
export { type Canary, fireCanary } from "./canary.ts";
export { type Door, doorFile, doorLine, PAYLOAD_BYTES, parseDoor, readDoor } from "./door.ts";
export { type DoorRequest } from "./door-words.ts";
export { type HookHost } from "./host-call.ts";
export { type HostName, hostNames, isHostName } from "./host-table.ts";
export { hookHosts } from "./hosts/all.ts";
export { type DoorListening, listenAtDoor } from "./listen-at-door.ts";
