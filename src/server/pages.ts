// The web client's files. They hold nothing of anybody's, so they need no token. What is served was found by listing at the start: a
// request's path is looked up among those names and never joined to a directory.

import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
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

/** Answers a path: with the file, compressed where the browser takes that. Every path that is no file gets the client's first page, which knows what to show. */
export function createPages(
  directory: string | null,
  fixed: ReadonlyMap<string, FixedPage>,
): (pathname: string, accepted: string | null) => Response {
  const files = directory === null ? new Map<string, string>() : listFiles(directory);
  return (pathname, accepted) => {
    const path = decodePath(pathname);
    if (path === null) throw notFound();
    const page = fixed.get(path);
    if (page !== undefined) return pageResponse(page.text, page.media, false);
    const name = files.has(path) ? path : "/index.html";
    const file = files.get(name);
    if (file === undefined) throw notFound();
    const acceptedCodings = new Set((accepted ?? "").split(",").map((word) => word.trim()));
    const [coding, ending] = codings.find(([coding, end]) => acceptedCodings.has(coding) && files.has(name + end)) ?? [null, ""];
    return pageResponse(
      new Uint8Array(readFileSync(file + ending)),
      medias[extname(name)] ?? "application/octet-stream",
      name.startsWith("/assets/") && hashed.test(name),
      coding,
    );
  };
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
