// The search threads. They start when first needed, are reused, do not keep the process alive, and are ended when they take too long:
// that is the only way to stop a regular expression.

import { Worker } from "node:worker_threads";
import type { PinTransfer } from "../../core/fs/pin.ts";
import type { Start } from "../../core/guard/walk-tree.ts";
import type { Policy } from "../../core/policy/rule.ts";
import type { SearchResult, Query, Share } from "./query.ts";

/** Everything a thread needs for its share. The hold is on a descriptor of this process, open until the job is done. */
export interface Job {
  readonly hold: PinTransfer;
  readonly kind: "file" | "dir";
  readonly path: string;
  readonly root: string | null;
  readonly workspace: string;
  readonly home: string;
  readonly policy: Policy;
  readonly answer: Start["answer"];
  readonly query: Query;
  readonly share: Share;
}

/** File names come as one text: a hundred thousand of them one by one would take longer to send than to find. */
export type Reply = { readonly found: Omit<SearchResult, "files">; readonly files: string } | { readonly fault: string };
export const BETWEEN_FILES = "\0";

export function createThreads(count: number) {
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  const waiting: ((worker: Worker) => void)[] = [];

  const start = (): Worker => {
    const worker = new Worker(workerFile());
    worker.unref();
    all.add(worker);
    return worker;
  };
  const take = (): Promise<Worker> => {
    const free = idle.pop();
    if (free !== undefined) return Promise.resolve(free);
    if (all.size < count) return Promise.resolve(start());
    return new Promise((resolve) => waiting.push(resolve));
  };
  const give = (worker: Worker): void => {
    const next = waiting.shift();
    if (next !== undefined) next(worker);
    else idle.push(worker);
  };
  const end = (worker: Worker): void => {
    all.delete(worker);
    void worker.terminate();
    const next = waiting.shift();
    if (next !== undefined) next(start());
  };

  const runJob = async (job: Job, time: number): Promise<SearchResult | null> => {
    const worker = await take();
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        worker.off("message", answered);
        worker.off("error", broke);
        worker.unref();
        act();
      };
      const answered = (reply: Reply): void =>
        settle(() => {
          give(worker);
          if ("found" in reply) resolve({ ...reply.found, files: reply.files === "" ? [] : reply.files.split(BETWEEN_FILES) });
          else reject(new Error(reply.fault));
        });
      const broke = (error: Error): void =>
        settle(() => {
          end(worker);
          reject(error);
        });
      const timer = setTimeout(
        () =>
          settle(() => {
            end(worker);
            resolve(null);
          }),
        time,
      );
      worker.on("message", answered);
      worker.on("error", broke);
      worker.ref();
      worker.postMessage(job);
    });
  };

  return {
    /** Do the jobs side by side. Null when `time` milliseconds were not enough; the threads are then gone. Throws on a fault in one. */
    async run(jobs: readonly Job[], time: number): Promise<readonly SearchResult[] | null> {
      const found: SearchResult[] = [];
      for (const part of await Promise.all(jobs.map((job) => runJob(job, time)))) {
        if (part === null) return null;
        found.push(part);
      }
      return found;
    },
    async close(): Promise<void> {
      await Promise.all([...all].map((worker) => worker.terminate()));
      all.clear();
      idle.length = 0;
    },
  };
}

/** Beside us when built; in a checkout, where this file is TypeScript, the built one. */
function workerFile(): URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("../../../dist/search-worker.js", import.meta.url)
    : new URL("./search-worker.js", import.meta.url);
}
