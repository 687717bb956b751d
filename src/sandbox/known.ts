// Fingerprints of the entries that existed before a command. An inode number is not enough: file systems reuse it for the next file made, ext4
// at once. So an entry is identified by the directory that holds it, its name, its kind, and what makes it what it is.

import type { Facts, Kind, Pin } from "../core/fs/pin.ts";
import { parent } from "../core/path/contain.ts";
import { linkText } from "./disk.ts";
import { idOf } from "./inventory.ts";

/** One entry, as it is now. */
export interface ObservedEntry {
  readonly dir: Pin;
  readonly name: string;
  readonly path: string;
  readonly kind: Kind;
  readonly facts: Facts;
}

/** What no name and no text of a link can hold. */
const BETWEEN = "\0";

/** The fingerprint of a thing that may be removed and made anew while the command runs. */
export const fingerprint = (seen: ObservedEntry): string => fingerprintWith(seen, whatItIs(seen));

/** The fingerprint of a thing that is pinned and bound in its place: its inode is its own, and its birth may change where layers are written to. */
export const pinnedFingerprint = (seen: ObservedEntry): string => fingerprintWith(seen, String(seen.facts.ino));

/** The fingerprint of a directory that is hidden from the command, by its name or since it cannot be listed: nothing in it is the command's doing. */
export const closedFingerprint = (seen: ObservedEntry): string => fingerprintWith(seen, `closed ${seen.facts.ino}`);

/** Is the thing one of those that these fingerprints are of? */
export function isKnown(known: Pick<ReadonlySet<string>, "has">, seen: ObservedEntry): boolean {
  return known.has(fingerprint(seen)) || ((seen.kind === "file" || seen.kind === "dir") && known.has(pinnedFingerprint(seen)));
}

const fingerprintWith = ({ dir, name, kind }: ObservedEntry, what: string): string => [idOf(dir.facts), name, kind, what].join(BETWEEN);

function whatItIs({ dir, name, path, kind, facts }: ObservedEntry): string {
  switch (kind) {
    case "file":
    case "dir":
      return `${facts.ino} ${facts.birthtimeMs}`;
    // A link is its text. One that leads upwards leads elsewhere once the directory around it is moved.
    case "link": {
      const text = linkText(dir, name) ?? "";
      return text.split("/").includes("..") ? `${text}${BETWEEN}${parent(path)}` : text;
    }
    // A pipe stays a pipe, whichever it is.
    case "other":
      return String(facts.mode & 0o170000);
  }
}
