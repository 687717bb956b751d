// The tools that come with the package, run from plain JSON as a model writes it: the guard judges each, and a mistake is a sentence.

import assert from "node:assert/strict";
import { callId, createGuard, openSession, randomIds } from "hallpass";
import { createOutputs, createSearcher, defaultLimits, runTool } from "hallpass/tools";
import { makeHome } from "./files.mjs";

const home = makeHome({ "app/notes.md": "one two three\n", "app/.env": "TOKEN=1\n" });
const opened = openSession({ workspace: `${home}/app`, home });
assert(opened.ok);
const context = {
  guard: createGuard(),
  session: opened.session,
  call: callId("call-1"),
  limits: defaultLimits,
  searcher: createSearcher(),
  outputs: createOutputs(randomIds),
};

const listed = await runTool("list_dir", { path: "." }, context);
assert(listed.ok);
console.log(`list_dir: ${listed.output.entries.map(({ name }) => name)}, ${listed.output.withheld} withheld`);
assert.deepEqual([listed.output.entries.length, listed.output.withheld], [1, 1]);

const mistyped = await runTool("raed_file", {}, context);
assert.equal(mistyped.code, "unknown-tool");
console.log(mistyped.hint);
await context.searcher.close();
