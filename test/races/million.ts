// npm run races: one million calls (`-- --calls N` for another number) while another process exchanges names as fast as the kernel lets it.
// Every file says where it belongs, and the racer only ever exchanges what belongs inside with links: no name of the workspace is ever
// given to a file from elsewhere, so an answer that holds another mark is a leak and nothing else. The same calls through a guard that
// judges a name and then opens it show that the race can be lost.

import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type LineProcess, startHallpass } from "../line-process.ts";
import { guards, perform } from "../naive.ts";
import { startRacer } from "./racer.ts";

interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a call may never answer: the marks of files that belong elsewhere, and their names. */
const ELSEWHERE = /MARK-(?:outside|secret)|name-outside/;

/** Names in the workspace that are exchanged: a thing that belongs there, and a link. */
const pairs = [
  ["dir", "dir-link"],
  ["file", "file-link"],
  ["plain", "secret-link"],
  ["one", "two"],
] as const;

/** Reading, listing, creating and searching, as agents do: many reads, few searches. */
const calls: readonly ((index: number) => Call)[] = [
  ...["dir/f", "file", "plain", "one/f", "dir/sub/f"].map((path) => () => ({ tool: "read_file", input: { path } })),
  ...["dir", "one", "dir/sub"].map((path) => () => ({ tool: "list_dir", input: { path } })),
  ...["dir", "one"].map((dir) => (index: number) => ({
    tool: "write_file",
    input: { path: `${dir}/new-${index % 64}`, content: "MARK-inside" },
  })),
  ...["dir/f", "file", "plain", "dir/sub/f", "one/f"].map((path) => () => ({ tool: "read_file", input: { path } })),
  () => ({ tool: "grep", input: { pattern: "MARK-", path: ".", ignored: true } }),
];
const callAt = (index: number): Call => calls[index % calls.length]?.(index) ?? { tool: "none", input: {} };

interface Outcome {
  readonly calls: number;
  readonly turns: number;
  readonly done: number;
  readonly refused: number;
  readonly leaks: readonly string[];
  readonly madeOutside: readonly string[];
}

function build(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-races-")));
  const put = (path: string, mark: string): void => writeFileSync(join(root, path), `MARK-${mark}\n`);
  for (const dir of ["ws/dir/sub", "ws/one/sub", "ws/two/sub", "outside/sub"]) mkdirSync(join(root, dir), { recursive: true });
  for (const path of ["dir/f", "dir/sub/f", "one/f", "one/sub/f", "two/f", "two/sub/f", "file", "plain"]) put(`ws/${path}`, "inside");
  for (const path of ["f", "sub/f", "name-outside", "sub/name-outside"]) put(`outside/${path}`, "outside");
  put("ws/.env", "secret");
  symlinkSync("../outside", join(root, "ws/dir-link"));
  symlinkSync("../outside/f", join(root, "ws/file-link"));
  symlinkSync(".env", join(root, "ws/secret-link"));
  return root;
}

/** One pair exchanged at full speed, and `count` calls meanwhile. */
async function race(door: LineProcess, pair: readonly [string, string], count: number): Promise<Outcome> {
  const root = build();
  const workspace = join(root, "ws");
  const before = namesIn(join(root, "outside"));
  const leaks: string[] = [];
  let [done, refused] = [0, 0];
  try {
    const racer = await startRacer(["flip", join(workspace, pair[0]), join(workspace, pair[1])]);
    await door.stream(
      count,
      (index) => ({ workspace, ceilings: [root], home: join(root, "home"), ...callAt(index) }),
      ({ answer, text }, index) => {
        if (answer.ok === true) done += 1;
        else refused += 1;
        if (ELSEWHERE.test(text)) leaks.push(`${JSON.stringify(callAt(index))} → ${text.slice(0, 300)}`);
      },
    );
    const turns = await racer.stop();
    return {
      calls: count,
      turns,
      done,
      refused,
      leaks,
      madeOutside: namesIn(join(root, "outside")).filter((name) => !before.includes(name)),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** After how many calls a guard that judges a name and then opens it gave something away; null if it did not. */
async function loseWithout(pair: readonly [string, string], count: number): Promise<number | null> {
  const root = build();
  const workspace = join(root, "ws");
  const racer = await startRacer(["flip", join(workspace, pair[0]), join(workspace, pair[1])]);
  try {
    for (let index = 0; index < count; index += 1) {
      // A search would find the secret without any race: that guard knows of none.
      const call = callAt(index);
      if (call.tool === "grep") continue;
      const answer = perform(guards.realpath, { workspace, grants: [] }, call);
      if (ELSEWHERE.test(JSON.stringify(answer.output ?? ""))) return index + 1;
    }
    return null;
  } finally {
    await racer.stop();
    rmSync(root, { recursive: true, force: true });
  }
}

const namesIn = (dir: string): readonly string[] => readdirSync(dir, { recursive: true, encoding: "utf8" });

const { values } = parseArgs({ options: { calls: { type: "string", default: "1000000" } } });
const each = Math.ceil(Number(values.calls) / pairs.length);
if (!Number.isSafeInteger(each) || each < 1) throw new Error("--calls takes a number");
const door = startHallpass("tool");
// What it opens once and keeps, threads that search among it, is open by then.
await race(door, pairs[0], 500);
const descriptors = door.descriptors();
let wrong = 0;
let total = 0;
for (const pair of pairs) {
  const from = performance.now();
  const { turns, done, refused, leaks, madeOutside } = await race(door, pair, each);
  const seconds = ((performance.now() - from) / 1000).toFixed(0);
  total += each;
  wrong += leaks.length + madeOutside.length;
  console.log(
    `${pair.join(" ↔ ")}: ${each} calls, ${turns} exchanges, ${done} done, ${refused} refused, ${leaks.length} leaks, ${madeOutside.length} made outside, ${seconds} s`,
  );
  for (const leak of [...leaks.slice(0, 5), ...madeOutside.slice(0, 5)]) console.log(`  ${leak}`);
  if (turns < each / 100 || done === 0) {
    wrong += 1;
    console.log("  there was no race to speak of");
  }
}
const held = door.descriptors() - descriptors;
await door.stop();
const lost = await loseWithout(pairs[0], 1_000_000);
console.log(
  `without the guard's pins the race was lost ${lost === null ? "never" : `at call ${lost}`}; descriptors left open: ${Math.max(0, held)}`,
);
console.log(`${total} calls in all, ${wrong} wrong`);
process.exitCode = wrong === 0 && lost !== null ? 0 : 1;
