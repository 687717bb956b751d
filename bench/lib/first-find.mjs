// What a find costs a program that has just started: run by `discover.ts` in a process of its own, as shipped. Says how many nanoseconds its first
// call took, and how many files it found.
import { callId, createGuard, openSession } from "../../dist/index.js";
import { createSearcher } from "../../dist/tools.js";

const [root = "", pattern = ""] = process.argv.slice(2);
const began = process.hrtime.bigint();
const opened = openSession({ workspace: root, home: "/home/somebody" });
if (!opened.ok) throw new Error(opened.message);
const call = { call: callId("bench"), tool: "bench", operation: "search", path: root };
const query = { kind: "find", pattern, ignored: false, most: Number.MAX_SAFE_INTEGER, time: 60_000 };
const used = await createGuard().use(call, opened.session, (start) => createSearcher().search(start, query));
if (used.verdict !== "allow" || !used.done.ok || !used.done.value.ok) throw new Error(`refused: ${used.reason}`);
process.stdout.write(`${process.hrtime.bigint() - began} ${used.done.value.files.length}\n`, () => process.exit());
