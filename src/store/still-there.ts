// Is the store's file still the one that was opened? SQLite goes on in a file that was deleted, and everything it says it has kept is gone when
// it closes. So what was written is acknowledged only while its file, and the log beside it, stand where they stood.

import { statSync } from "node:fs";
import { show } from "../core/path/show.ts";
import { StoreFault } from "./store-fault.ts";

/** The store's file, or its log, was deleted, moved or replaced while it was in use. */
class StoreGoneError extends StoreFault {
  constructor(file: string) {
    super(
      `\`${show(file)}\` was deleted, moved or replaced while it was in use, so nothing can be kept, and so nothing is allowed: put it back, or stop the daemon and start it again`,
    );
  }
}

/** Looks whether the file that was just opened, and its log from when it was first seen, are still there. Throws `StoreGone`. */
export function stillThere(file: string): () => void {
  const opened: { readonly path: string; id: string | null }[] = [
    { path: file, id: idOf(file) },
    { path: `${file}-wal`, id: null },
  ];
  return () => {
    for (const known of opened) {
      const now = idOf(known.path);
      // The log is made by the first write.
      known.id ??= now;
      if (now !== known.id) throw new StoreGoneError(known.path);
    }
  };
}

function idOf(path: string): string | null {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts === undefined ? null : `${facts.dev}:${facts.ino}`;
}
