// The kernel's own table of what is mounted where, as the sandbox sees it before the command starts. A mount that was led astray by a
// directory swapped for a link is not in its place there, so nothing is believed that the table does not say.

import { readFileSync } from "node:fs";
import { bytesOf } from "./disk.ts";
import type { SandboxMount } from "./mount-draft.ts";

/** A mount as far as the table tells of it. */
export type PlacedMount = Pick<SandboxMount, "make" | "path">;

export interface MountRow {
  /** Which part of its file system is mounted. */
  readonly root: string;
  readonly readOnly: boolean;
  /** How it is mounted: `rw`, `nosuid` … */
  readonly options: readonly string[];
  readonly type: string;
}

/** The first mount that is not where it should be, or not as it should be; null if all are. Bytes, one character each. */
export function misplaced(mounts: readonly PlacedMount[], table: string): string | null {
  const rows = parseTable(table);
  for (const mount of mounts) {
    const row = rows.get(mount.path);
    if (row === undefined || !isAs(mount, row)) return mount.path;
  }
  return null;
}

/**
 * The first of these covers that is not the mount that was found in its directory; null if all are. `table`: with what was found of each, in their order. Of something
 * bound that cannot be read nothing is found: it is read-only or held in its place, and hides nothing.
 */
export function strayCover(covers: readonly PlacedMount[], table: string): string | null {
  const found = [...table.matchAll(/^cover (\d+|null|-)$/gm)].map(([, what]) => what);
  const ids = new Map(numberedMounts(table).map(({ point, id }) => [point, String(id)]));
  const stray = covers.find(({ make, path }, index) => {
    if (make === "hidden-file") return found[index] !== "null";
    const isBound = make === "read-only" || make === "writable";
    return found[index] !== ids.get(path) && !(isBound && found[index] === "-");
  });
  return stray?.path ?? null;
}

function isAs(mount: PlacedMount, row: MountRow): boolean {
  switch (mount.make) {
    case "writable":
      return true;
    case "read-only":
      return row.readOnly;
    // Its text came through a pipe: there is nothing behind it but that.
    case "shown-file":
      return row.readOnly && row.type === "tmpfs";
    case "hidden-file":
      return row.readOnly && row.root.endsWith("/null");
    case "hidden-dir":
      return row.readOnly && row.type === "tmpfs" && row.root === "/";
  }
}

/** By mount point; what was mounted last in a place is what is seen there. */
export function parseTable(table: string): ReadonlyMap<string, MountRow> {
  const rows = new Map<string, MountRow>();
  for (const line of table.split("\n")) {
    const [fixed = "", rest = ""] = line.split(" - ");
    const [, , , root, point, options] = fixed.split(" ");
    if (root === undefined || point === undefined || options === undefined) continue;
    const optionList = options.split(",");
    rows.set(unescape(point), {
      root: unescape(root),
      readOnly: optionList.includes("ro"),
      options: optionList,
      type: rest.split(" ")[0] ?? "",
    });
  }
  return rows;
}

/** Where the mount is that a line of the table tells of. */
export const mountPoint = (line: string): string => unescape(line.split(" ")[4] ?? "");

/** Is something mounted at the path, as this process sees it? Not known to be, where the kernel does not tell. */
export function isMountPoint(path: string): boolean {
  try {
    return parseTable(readFileSync("/proc/self/mountinfo", "latin1")).has(bytesOf(path));
  } catch {
    return false;
  }
}

/** A mount by its number, which is the same wherever its place is moved to. */
export interface NumberedMount {
  readonly id: number;
  /** The one it is mounted on. */
  readonly parent: number;
  readonly point: string;
  /** The groups that it shares mounts with, or has them from: a mount that was handed on is known by its group in every namespace. */
  readonly groups: readonly number[];
}

export function numberedMounts(table: string): readonly NumberedMount[] {
  return table.split("\n").flatMap((line) => {
    const [id, parent, , , point, , ...optionalFields] = (line.split(" - ")[0] ?? "").split(" ");
    if (id === undefined || parent === undefined || point === undefined) return [];
    const groups = optionalFields.flatMap((field) => /^(?:shared|master):(\d+)$/.exec(field)?.[1] ?? []).map(Number);
    return [{ id: Number(id), parent: Number(parent), point: unescape(point), groups }];
  });
}

/** The number of the mount that an open file is on, by what the kernel tells of the descriptor; null where it does not say. */
export function mountIn(descriptor: string): number | null {
  const id = /^mnt_id:\s*(\d+)$/m.exec(descriptor)?.[1];
  return id === undefined ? null : Number(id);
}

/** The kernel writes a space, tab, line feed and backslash as three octal digits. */
const unescape = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_whole, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
