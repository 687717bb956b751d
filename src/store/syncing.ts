// Syncs a file to the disk soon after it was written, on another thread, so that the writer does not wait.

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { NOTED } from "./db.ts";

export interface FileSync {
  /** Something was written: it is on the disk within `NOTED` milliseconds. Costs nothing where that is under way. */
  soon(): void;
  /** Resolves when nothing is under way; nothing is begun afterwards. */
  close(): Promise<void>;
}

/** A fault of the disk is not told here: the next write that waits for it finds it. */
export function createSyncing(file: string): FileSync {
  let timer: NodeJS.Timeout | null = null;
  let running = Promise.resolve();
  let isClosed = false;
  const sync = async (): Promise<void> => {
    const handle = await open(file, constants.O_RDWR).catch(() => null);
    await handle?.datasync().catch(() => {});
    await handle?.close();
  };
  return {
    soon() {
      if (timer !== null || isClosed) return;
      timer = setTimeout(() => {
        timer = null;
        running = running.then(sync);
      }, NOTED / 2).unref();
    },
    async close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      await running;
    },
  };
}
