// One policy file, as it is on disk: its text, nothing, or what is wrong with it. Promise: what is read was opened without waiting, is a
// regular file of a bounded size and UTF-8 text; a repository's is reached through no link, and an administrator's is root's alone.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "../core/errno.ts";
import type { Author } from "../core/policy/policy-part.ts";

const FILE_BYTES = 1024 * 1024;

type PolicyFile =
  | { readonly found: "nothing" }
  | { readonly found: "fault"; /** What is wrong with the file, without its name. */ readonly why: string }
  | { readonly found: "text"; readonly text: string; /** May anybody on this machine write it? */ readonly exposed: boolean };
const absent: PolicyFile = { found: "nothing" };
const fault = (why: string): PolicyFile => ({ found: "fault", why });

/** `author`: whose policy it would be, which decides what is asked of the file. */
export function readPolicyFile(file: string, author: Author): PolicyFile {
  // A repository's links lead where its author likes, and errors quote what they find. Owners may keep their files where they want.
  const follow = author !== "project";
  if (!follow && isLink(dirname(file))) return fault("lies behind a link; a repository's policy must be a file of its own");
  let descriptor: number;
  try {
    // Opened without waiting: a pipe in the place of the file would otherwise hold everything up.
    descriptor = openSync(file, constants.O_RDONLY | NONBLOCK | (follow ? 0 : NOFOLLOW));
  } catch (error) {
    return describeOpenFailure(file, errnoOf(error) || "unknown");
  }
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) return fault("is not a regular file");
    if (author === "administrator" && !(isRootsAlone(facts) && isRootsAlone(statSync(dirname(file))))) {
      return fault(
        "and its directory must belong to root and be writable by nobody else, or it is not the administrator's; use chown root and chmod go-w",
      );
    }
    const bytes = readAtMost(descriptor, FILE_BYTES);
    if (bytes === null) return fault("is larger than 1 MiB, the limit for a policy");
    return { found: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), exposed: (facts.mode & OTHERS_WRITE) !== 0 };
  } catch (error) {
    const code = errnoOf(error) || "unknown";
    return fault(code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "is not UTF-8 text; save it as UTF-8" : `could not be read (${code})`);
  } finally {
    closeSync(descriptor);
  }
}

function describeOpenFailure(file: string, code: string): PolicyFile {
  if (code === "ENOENT" || code === "ENOTDIR") {
    // A link that leads nowhere was put there by somebody who meant to have a policy.
    return isLink(file) || isDanglingLink(dirname(file))
      ? fault("is a link, or lies behind one, that leads nowhere; fix or remove the link")
      : absent;
  }
  if (code === "ELOOP" || code === "EMLINK")
    return fault("is a link; a repository's policy must be a file of its own, and links must not go in a circle");
  if (code === "EACCES" || code === "EPERM") return fault("may not be read by this user; check its owner and mode");
  return fault(`could not be opened (${code})`);
}

/** All bytes of an open file; null if there are more than `limit`. */
function readAtMost(descriptor: number, limit: number): Uint8Array | null {
  const bytes = new Uint8Array(limit + 1);
  let length = 0;
  for (let count = -1; count !== 0 && length <= limit; length += count)
    count = readSync(descriptor, bytes, length, bytes.length - length, null);
  return length > limit ? null : bytes.subarray(0, length);
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function isDanglingLink(path: string): boolean {
  try {
    return isLink(path) && statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return true;
  }
}

const isRootsAlone = ({ uid, mode }: Stats): boolean => uid === 0 && (mode & (GROUP_WRITE | OTHERS_WRITE)) === 0;
const GROUP_WRITE = 0o020;
const OTHERS_WRITE = 0o002;
// Windows has neither.
const NONBLOCK = constants.O_NONBLOCK ?? 0;
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
