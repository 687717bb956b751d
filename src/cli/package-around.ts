// Our own package, as it lies on the disk: its version, its documents, and the built pages if they are there.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface PackageAround {
  readonly version: string;
  /** The directory of the documents. */
  readonly docs: string;
  /** The directory of the built pages; null where they were not built. */
  readonly pages: string | null;
}

/** `from` is a module's own address: in `src` or in `dist`, the package is above it. */
export function packageAround(from: string): PackageAround {
  for (let dir = dirname(fileURLToPath(from)); dir !== dirname(dir); dir = dirname(dir)) {
    const version = versionIn(join(dir, "package.json"));
    if (version === null) continue;
    const pages = join(dir, "dist", "web");
    return { version, docs: join(dir, "docs"), pages: existsSync(join(pages, "index.html")) ? pages : null };
  }
  return { version: "0.0.0", docs: "docs", pages: null };
}

function versionIn(file: string): string | null {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof read !== "object" || read === null || !("name" in read) || read.name !== "hallpass" || !("version" in read)) return null;
    return typeof read.version === "string" ? read.version : null;
  } catch {
    return null;
  }
}
