// A signed note of how far the record was verified; the next verification can start there. The key comes from the person's token, which is
// not in the database: whoever can write only the store cannot move the note. Whoever has the token can.

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type DaemonPlace, readToken } from "../server/daemon-place.ts";
import { errnoOf, isWriteRefused } from "../core/errno.ts";

const checkpointSchema = z.strictObject({
  sequence: z.number().int().min(1),
  hash: z.string(),
  /** When it was found whole up to there. */
  at: z.number(),
  signature: z.string(),
});
export type Checkpoint = Omit<z.infer<typeof checkpointSchema>, "signature">;

type Place = Pick<DaemonPlace, "dir" | "token">;
type Environment = Readonly<Record<string, string | undefined>>;

export const checkpointFile = ({ dir }: Pick<DaemonPlace, "dir">): string => join(dir, "audit-checkpoint.json");

/** `none`: there is none. `forged`: it cannot be read, or was not signed with this directory's token. */
export function readCheckpoint(place: Place, env: Environment): Checkpoint | "none" | "forged" {
  let text: string;
  try {
    text = readFileSync(checkpointFile(place), "utf8");
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? "none" : "forged";
  }
  try {
    const { signature, ...checkpoint } = checkpointSchema.parse(JSON.parse(text));
    const [expected, actual] = [signatureOf(place, env, checkpoint), Buffer.from(signature, "hex")];
    return expected !== null && expected.length === actual.length && timingSafeEqual(expected, actual) ? checkpoint : "forged";
  } catch {
    return "forged";
  }
}

/** Whole or not at all, 0600. False where there is no token to sign it with, or the directory is read-only. */
export function writeCheckpoint(place: Place, env: Environment, { sequence, hash, at }: Checkpoint): boolean {
  const signature = signatureOf(place, env, { sequence, hash, at });
  if (signature === null) return false;
  const file = checkpointFile(place);
  const written = `${JSON.stringify({ sequence, hash, at, signature: signature.toString("hex") })}\n`;
  try {
    rmSync(`${file}.new`, { force: true });
    writeFileSync(`${file}.new`, written, { mode: 0o600, flag: "wx" });
    renameSync(`${file}.new`, file);
    return true;
  } catch (error) {
    if (isWriteRefused(error)) return false;
    throw error;
  }
}

function signatureOf(place: Place, env: Environment, { sequence, hash, at }: Checkpoint): Buffer | null {
  const token = readToken(place, env);
  if (token === null) return null;
  const key = createHmac("sha256", token).update("audit checkpoint").digest();
  return createHmac("sha256", key)
    .update(JSON.stringify([sequence, hash, at]))
    .digest();
}
