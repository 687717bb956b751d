// Where the hook socket is: one line in a file only the user can read, with a port and two secrets that are made anew at each start.
// The daemon wants `token`; the hook wants `proof` back, which nobody knows who merely took the port after a daemon's end. Read by a shell
// script too (bin/hallpass-hook), so everything in it is plain words. What is said there is in socket-protocol.ts.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import type { Environment } from "../../config/locations.ts";
import { dataDirectory } from "../../config/own-directory.ts";
import { isPrivate } from "./disk.ts";

export interface HookSocket {
  /** On 127.0.0.1. */
  readonly port: number;
  readonly token: string;
  readonly proof: string;
}

export const hookSocketName = "hook.socket";
/** Larger payloads are judged where the hook runs. */
export const PAYLOAD_BYTES = 1024 * 1024;

/** Where the file is: beside the store. */
export const hookSocketFile = (surroundings: {
  readonly home: string;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
}): string => `${dataDirectory(surroundings)}${surroundings.platform === "win32" ? "\\" : "/"}${hookSocketName}`;

/** What the daemon writes there, 0600, when it listens; it removes the file when it ends. */
export function hookSocketLine({ port, token, proof }: HookSocket): string {
  return `${port} ${token} ${proof}\n`;
}

/** Null where there is no socket: no file, not ours alone, or not one line of the three. */
export function readHookSocket(file: string): HookSocket | null {
  let handle: number;
  try {
    // Mostly there is none, and a throw costs more than a look. What is opened is looked at again.
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return null;
  }
  try {
    const facts = fstatSync(handle);
    if (!isPrivate(facts) || !facts.isFile()) return null;
    const bytes = Buffer.alloc(512);
    return parseHookSocket(bytes.toString("latin1", 0, readSync(handle, bytes, 0, bytes.length, 0)));
  } catch {
    return null;
  } finally {
    closeSync(handle);
  }
}

export function parseHookSocket(text: string): HookSocket | null {
  const [, port, token, proof] = /^(\d{1,5}) ([A-Za-z0-9_-]{22,128}) ([A-Za-z0-9_-]{22,128})\n$/u.exec(text) ?? [];
  if (port === undefined || token === undefined || proof === undefined || Number(port) > 65_535 || token === proof) return null;
  return { port: Number(port), token, proof };
}
