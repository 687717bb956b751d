// The program of a search thread: takes a job, takes over the hold on what was opened, searches, answers. Judges every entry itself.

import { parentPort } from "node:worker_threads";
import { messageOf } from "../../core/record.ts";
import { takeOver } from "../../core/fs/pin.ts";
import { type CompiledPolicy, compilePolicy } from "../../core/policy/compile.ts";
import type { Policy } from "../../core/policy/rule.ts";
import { searchFile, searchTree } from "./search-tree.ts";
import type { SearchResult } from "./query.ts";
import { BETWEEN_FILES, type Job, type Reply } from "./threads.ts";

/** The same policy comes with every job of a session; it is compiled once. */
const compiled = new Map<string, CompiledPolicy>();

function policyOf(policy: Policy, home: string): CompiledPolicy {
  const key = `${home}\n${JSON.stringify(policy)}`;
  const before = compiled.get(key);
  if (before !== undefined) return before;
  const made = compilePolicy(policy, home);
  if (compiled.size >= 8) compiled.clear();
  compiled.set(key, made);
  return made;
}

function work({ hold, kind, path, root, workspace, home, policy, answer, query, share }: Job): SearchResult {
  const at = takeOver(hold);
  try {
    const start = { at, path, root, session: { policy: policyOf(policy, home), workspace: { dir: workspace } }, answer };
    if (kind === "file") {
      if (query.kind !== "grep") throw new TypeError("a file is not a place to find files in");
      return searchFile(start, query);
    }
    const found = searchTree(start, query, { share, patience: Number.POSITIVE_INFINITY });
    if (found === null) throw new TypeError("a search without a limit ran out of patience");
    return found;
  } finally {
    at.close();
  }
}

parentPort?.on("message", (job: Job) => {
  let reply: Reply;
  try {
    const { files, ...found } = work(job);
    reply = { found, files: files.join(BETWEEN_FILES) };
  } catch (error) {
    reply = { fault: messageOf(error) };
  }
  parentPort?.postMessage(reply);
});
