// The environment of a command: directory, streams, variables. main.ts makes the real one.

import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Screen } from "../repl/screen.ts";
import type { PlaceOptions } from "../server/daemon-place.ts";

export interface Host {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
  readonly errors: Writable & { readonly isTTY?: boolean };
  /** A chat's screen with its first picture on it, where that was drawn before the program was loaded. */
  readonly drawn?: Screen;
}

/** Where the daemon's files are, for a command with the flag `--data`. */
export const placeOptions = ({ data }: { readonly data?: string | undefined }, { home, env, platform, cwd }: Host): PlaceOptions => ({
  home,
  env,
  platform,
  ...(data === undefined ? {} : { data: resolve(cwd, data) }),
});

/** A mistake in how the program was called. Printed with what to do, and exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
