// What a person chose and entered about models, in one file of the data directory: 0600, replaced whole, and a secret to every agent, since
// the whole directory is. Keys are in it only where there is no keyring.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { errnoOf } from "../core/errno.ts";
import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import { parseJson } from "../core/record.ts";

const savedSchema = z.object({
  /** The model of chats that name none; null: the built-in agent. */
  model: z.string().nullable(),
  providers: z.record(
    z.string(),
    z.object({
      address: z.string(),
      /** Where its key is: in this file (then `key` holds it), in the keyring, or nowhere. */
      keyIn: z.enum(["file", "keyring", "nowhere"]),
      key: z.string().optional(),
    }),
  ),
});

export type SavedSettings = z.infer<typeof savedSchema>;

export const noSettings: SavedSettings = { model: null, providers: {} };

/** Throws `io-error` where the file is there and does not hold what it should. */
export function readSettings(file: string): SavedSettings {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return noSettings;
    throw new HallpassError("os-denied", `\`${show(file)}\` cannot be read`, { cause: error });
  }
  const read = savedSchema.safeParse(parseJson(text));
  if (!read.success)
    throw new HallpassError("io-error", `\`${show(file)}\` does not have the expected content: remove it, and enter your keys again`);
  return read.data;
}

/** Whole or not at all. */
export function writeSettings(file: string, settings: SavedSettings): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const aside = `${file}.${process.pid}`;
  rmSync(aside, { force: true });
  try {
    writeFileSync(aside, `${JSON.stringify(settings, null, 2)}\n`, { flag: "wx", mode: 0o600, flush: true });
    renameSync(aside, file);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}
