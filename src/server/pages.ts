// The web client's files. They hold nothing of anybody's, so they need no token. A request's path is looked up in a list of the directory and never
// joined to it. Each request lists anew: a build or an update under a running daemon replaces the first page together with the scripts it names.

import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { errnoOf } from "../core/errno.ts";
import { notFound } from "./problem.ts";
import { pageResponse } from "./routes/respond.ts";

export interface FixedPage {
  readonly media: string;
  readonly text: string;
}

const medias: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** How a file may be sent, the shortest first, and how its compressed form beside it is called. */
const codings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** A file's name with a hash of its content in it, as a build gives: it never changes under that name. */
const hashed = /[-.][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;

/**
 * Answers a path: with the file, compressed where the browser takes that. A path without a file's ending gets the client's first page, which knows
 * what to show. A file that is not there is not found: a browser could not run the first page as a script.
 */
export function createPages(
  directory: string | null,
  fixed: ReadonlyMap<string, FixedPage>,
): (pathname: string, accepted: string | null) => Response {
  return (pathname, accepted) => {
    const path = decodePath(pathname);
    if (path === null) throw notFound();
    const page = fixed.get(path);
    if (page !== undefined) return pageResponse(page.text, page.media, false);
    if (directory === null) throw notFound();
    const files = unlessMissing(() => listFiles(directory));
    const name = files.has(path) || extname(path) !== "" ? path : "/index.html";
    const file = files.get(name);
    if (file === undefined) throw notFound();
    const acceptedCodings = new Set((accepted ?? "").split(",").map((word) => word.trim()));
    const [coding, ending] = codings.find(([coding, end]) => acceptedCodings.has(coding) && files.has(name + end)) ?? [null, ""];
    return pageResponse(
      new Uint8Array(unlessMissing(() => readFileSync(file + ending))),
      medias[extname(name)] ?? "application/octet-stream",
      name.startsWith("/assets/") && hashed.test(name),
      coding,
    );
  };
}

/** RACE: a build replaces the directory while it is listed or read. What is gone by then is not found; the next request finds the new files. */
function unlessMissing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw errnoOf(error) === "ENOENT" ? notFound() : error;
  }
}

function decodePath(pathname: string): string | null {
  try {
    const path = decodeURIComponent(pathname);
    return path.includes("\0") || path.includes("\\") || path.split("/").includes("..") ? null : path;
  } catch {
    return null;
  }
}

/** Every regular file below the directory, by the path it is asked for with. Links are left out. */
function listFiles(directory: string): Map<string, string> {
  const files = new Map<string, string>();
  const visit = (below: string): void => {
    for (const entry of readdirSync(join(directory, below), { withFileTypes: true })) {
      const path = `${below}/${entry.name}`;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) files.set(path, join(directory, path));
    }
  };
  visit("");
  return files;
}
