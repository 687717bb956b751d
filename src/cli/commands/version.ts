// hallpass version, and --version and -v: which one this is.

import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import type { Host } from "../host.ts";
import { packageAround } from "../package-around.ts";

export async function version(_call: Call<"version">, host: Host): Promise<number> {
  host.output.write(`hallpass ${packageAround(import.meta.url).version}\n`);
  return exitCodes.done;
}
