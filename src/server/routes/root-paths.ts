// Paths of roots as a request spells them. Only spelling: what a path leads to is core's to say.

import { join } from "node:path";

/** A path as a person types it: `~` is the home directory, and what is not absolute is seen from there. */
export function fromHome(path: string, home: string): string {
  if (path.startsWith("/")) return path;
  return join(home, path === "~" || path.startsWith("~/") ? path.slice(1) : path);
}

/** The same in a chat: what is not absolute is seen from the session's workspace, which is a real path. */
export function fromWorkspace(path: string, workspace: string, home: string): string {
  return path === "~" || path.startsWith("~/") || path.startsWith("/") ? fromHome(path, home) : join(workspace, path);
}

/**
 * One spelling for one directory's name, or null where it is not an absolute path, or goes up. A granted directory is kept by its
 * real name; nothing here is looked up, so that another name for it is another path.
 */
export function canonicalSpelling(path: string): string | null {
  if (!path.startsWith("/") || path.includes("\0")) return null;
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  return names.includes("..") ? null : `/${names.join("/")}`;
}
