// hallpass version, and --version and -v: which one this is.

import { show } from "../../core/path/show.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Host, UsageError } from "../host.ts";
import { packageAround } from "../package-around.ts";

export async function version(words: readonly string[], host: Host): Promise<number> {
  if (words[0] !== undefined) throw new UsageError(`version takes no words; found ${show(words[0])}`);
  host.output.write(`hallpass ${packageAround(import.meta.url).version}\n`);
  return exitCodes.done;
}
