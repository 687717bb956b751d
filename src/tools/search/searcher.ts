// Runs each search where it is quickest without blocking others: a small tree at once, a large one on several threads, a regular
// expression always on a thread that can be stopped.

import type { Searchable } from "../../core/guard/handle.ts";
import { handOver } from "../../core/fs/pin.ts";
import { REGEX_TIME } from "../limits.ts";
import type { SearchResult, SearchOutcome, Query } from "./query.ts";
import { byText, searchFile, searchTree } from "./search-tree.ts";
import { createThreads, type Job } from "./threads.ts";

/** Finds names and text in what a guard opened. */
export interface Searcher {
  /** Search what was opened. Gives `timeout` when the time was up, with every thread of it stopped. */
  search(start: Searchable, query: Query): Promise<SearchOutcome>;
  /** Stop all threads. A searcher that was closed starts new ones when it is asked again. */
  close(): Promise<void>;
}

/** How many files are searched at once, on the calling thread, before the rest is given to others: a few milliseconds. */
const AT_ONCE_FILES = 1_000;

/** Searches in threads, so that a search holds up nobody else. */
export function createSearcher(count = 2): Searcher {
  const threads = createThreads(count);
  return {
    async search(opened, query) {
      const { pin, path, root, session, answer } = opened;
      const start = { at: pin, path, root: root?.dir ?? null, session, answer };
      const regex = query.kind === "grep" && !(query.literal && !query.ignoreCase);
      if (opened.kind === "file" && query.kind === "find") return { ok: false, code: "not-directory" };
      if (!regex) {
        if (opened.kind === "file" && query.kind === "grep") return searchFile(start, query);
        const quick = searchTree(start, query, { share: { index: 0, of: 1 }, patience: AT_ONCE_FILES });
        if (quick !== null) return mergeResults([quick], query);
      }
      const { policy, workspace, home } = session;
      const of = opened.kind === "file" ? 1 : count;
      const jobs: Job[] = Array.from({ length: of }, (_, index) => ({
        hold: handOver(pin),
        kind: opened.kind,
        path,
        root: start.root,
        workspace: workspace.dir,
        home,
        policy: policy.policy,
        answer,
        query,
        share: { index, of },
      }));
      const outcomes = await threads.run(jobs, regex ? Math.min(REGEX_TIME, query.time) : query.time);
      return outcomes === null ? { ok: false, code: "timeout" } : mergeResults(outcomes, query);
    },
    close: () => threads.close(),
  };
}

/** Several threads' finds as one, in the order of paths, so that the answer does not depend on who was first. */
function mergeResults(parts: readonly SearchResult[], query: Query): SearchResult {
  const files = parts.flatMap((part) => part.files).toSorted(byText);
  const matches = parts.flatMap((part) => part.matches).toSorted((one, other) => byText(one.file, other.file) || one.line - other.line);
  return {
    ok: true,
    files: files.slice(0, query.most),
    matches: matches.slice(0, query.most),
    withheld: parts.reduce((sum, part) => sum + part.withheld, 0),
    tooLarge: parts.reduce((sum, part) => sum + part.tooLarge, 0),
    truncated: parts.some((part) => part.truncated) || files.length > query.most || matches.length > query.most,
  };
}
