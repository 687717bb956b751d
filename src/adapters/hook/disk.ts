// Reads facts from the disk and never throws: what cannot be examined counts as absent.

import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";

/** Is there anything under this name, were it a link that leads nowhere? */
export const isNamed = (path: string): boolean => statsOf(path) !== undefined;

export const isLink = (path: string): boolean => statsOf(path)?.isSymbolicLink() === true;

/** A directory, or a link that leads to one. */
export const isDirectory = (path: string): boolean => tried(() => statSync(path))?.isDirectory() === true;

/** What is there, links not followed. */
export const statsOf = (path: string): Stats | undefined => tried(() => lstatSync(path, { throwIfNoEntry: false }));

export const entriesIn = (directory: string): readonly Dirent[] => tried(() => readdirSync(directory, { withFileTypes: true })) ?? [];

export const realOf = (path: string): string | null => tried(() => realpathSync(path)) ?? null;

/** Does the file belong to this user, and may nobody else read or write it? Windows keeps no such facts. */
export const isPrivate = ({ uid, mode }: Pick<Stats, "uid" | "mode">): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);

function tried<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
