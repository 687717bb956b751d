// The line protocol as other languages meet it: thousands of lines through one process, lines that are none, readers that go away.

import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type LineProcess, program, startHallpass, startLines } from "./line-process.ts";
import { mkfifo } from "./scene.ts";
import { tree } from "./tree.ts";

const it = tree([
  "ws/a: inside",
  "ws/d/b: 1",
  "ws/.env: SECRET",
  "ws/loop => loop",
  "ws/out => ../lib/a",
  "lib/.git/",
  "lib/a: outside",
  "plain/a: 1",
]);
mkfifo(it.path("ws/fifo"));
afterAll(it.remove);

const situation = { workspace: it.path("ws"), ceilings: [it.root], home: it.path("home") };
type Door = "check" | "tool";
const doors: readonly Door[] = ["check", "tool"];
/** A line that each door answers with an allow. */
const good = (door: Door, id: unknown): object =>
  door === "check" ? { id, ...situation, operation: "read", path: "a" } : { id, ...situation, tool: "read_file", input: { path: "a" } };
const isGood = (answer: Answer | undefined): boolean => answer?.verdict === "allow" || answer?.ok === true;

interface Ended {
  readonly answers: readonly Answer[];
  readonly code: number | null;
  readonly errors: string;
}

/** Everything that comes back when exactly these bytes go in and the input ends. */
function converse(door: Door, bytes: readonly (string | Buffer)[]): Promise<Ended> {
  const child = spawn(process.execPath, [program, door, "--stdin"], { env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" } });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (data: string) => (output += data));
  child.stderr.setEncoding("utf8").on("data", (data: string) => (errors += data));
  child.stdin.on("error", () => undefined);
  for (const part of bytes) child.stdin.write(part);
  child.stdin.end();
  return new Promise((resolve) => {
    child.on("close", (code) => {
      const lines = output.split("\n").filter((line) => line !== "");
      resolve({ answers: lines.map((line) => JSON.parse(line) as Answer), code, errors });
    });
  });
}

describe("ten thousand lines through one process", () => {
  let door: LineProcess;
  beforeAll(() => {
    door = startHallpass("check");
  });
  afterAll(() => door.stop());

  test("every line has its answer, in order, and no descriptor is left open", async () => {
    const kinds: readonly [string, string, string][] = [
      ["read", "a", "allow in-workspace"],
      ["replace", "a", "allow in-workspace"],
      ["create", "new/file", "allow in-workspace"],
      ["read", ".env", "deny secret-file"],
      ["read", "out", "ask out-of-scope"],
      ["list", "d", "allow in-workspace"],
      ["read", "../plain/a", "deny no-grant-root"],
      ["read", "loop", "deny symlink-loop"],
      ["read", "fifo", "deny not-regular-file"],
      ["create", "../lib/new", "deny write-out-of-scope"],
      ["read", "/proc/self/environ", "deny virtual-fs"],
      ["read", "\u0000", "invalid-path"],
    ];
    const kindAt = (index: number) => kinds[index % kinds.length] ?? ["", "", ""];
    const line = (index: number): object => ({ ...situation, operation: kindAt(index)[0], path: kindAt(index)[1] });
    const warm = kinds.length * 10;
    await door.stream(warm, line, () => undefined);
    const before = door.descriptors();
    const wrong: string[] = [];
    let answered = 0;
    await door.stream(10_000, line, ({ answer }, index) => {
      answered += 1;
      const said = answer.error === undefined ? `${answer.verdict} ${answer.reason}` : answer.error.code;
      if (said !== kindAt(index)[2]) wrong.push(`${kindAt(index).join(" ")}: ${said}`);
    });
    expect([answered, wrong.slice(0, 5), door.descriptors(), door.ended]).toEqual([10_000, [], before, false]);
  });

  test("tools, too: a thousand reads, writes, edits and searches", async () => {
    const tools = startHallpass("tool");
    const calls: readonly object[] = [
      { tool: "read_file", input: { path: "a" } },
      { tool: "read_file", input: { path: ".env" } },
      { tool: "read_file", input: { path: "out" } },
      { tool: "list_dir", input: {} },
      { tool: "write_file", input: { path: "w", content: "x" } },
      { tool: "edit_file", input: { path: "w", old: "x", new: "y" } },
      { tool: "grep", input: { pattern: "inside" } },
      { tool: "find_files", input: { pattern: "*" } },
      { tool: "request_read_access", input: { path: it.path("lib/a"), reason: "r" } },
      { tool: "nonsense", input: {} },
    ];
    const line = (index: number): object => ({ ...situation, ...calls[index % calls.length] });
    await tools.stream(calls.length, line, () => undefined, 1);
    const before = tools.descriptors();
    await tools.stream(1000, line, () => undefined, 8);
    expect([tools.descriptors(), tools.ended]).toEqual([before, false]);
    await tools.stop();
  });
});

describe("lines that cannot be served", () => {
  const whole = (line: object): string => JSON.stringify(line);
  const check = (changes: object): string => whole({ ...good("check", "bad"), ...changes });
  const cases: readonly [string, string | Buffer, string][] = [
    ["no JSON", "this is not JSON", "bad-request"],
    ["half an object", '{"id": 1', "bad-request"],
    ["a list", "[1, 2]", "bad-request"],
    ["a text", '"text"', "bad-request"],
    ["null", "null", "bad-request"],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "bad-request"],
    ["a key that means nothing", check({ polciy: {} }), "bad-request"],
    ["a key of every object", '{"id":"bad","__proto__":{},"workspace":"/tmp"}', "bad-request"],
    ["no workspace", whole({ id: "bad", operation: "read", path: "a" }), "bad-request"],
    ["a workspace that is not there", check({ workspace: it.path("missing") }), "not-found"],
    ["a workspace that is everything", check({ workspace: "/" }), "root-too-broad"],
    ["a relative workspace", check({ workspace: "ws" }), "invalid-path"],
    ["a workspace that is no text", check({ workspace: 7 }), "bad-request"],
    ["mounts that are no list", check({ mounts: {} }), "bad-request"],
    ["a mount of another mode", check({ mounts: [{ path: it.path("lib"), mode: "rw" }] }), "bad-request"],
    ["grants that are no texts", check({ grants: [7] }), "bad-request"],
    ["attended as a text", check({ attended: "no" }), "bad-request"],
    ["a relative home", check({ home: "home" }), "bad-request"],
    ["a policy that says nothing", check({ policy: { raed: "allow" } }), "invalid-policy"],
    ["a policy that is a list", check({ policy: [] }), "invalid-policy"],
    ["a key that stands twice", check({}).replace('"id":', '"policy":{"read":"deny","read":"allow"},"id":'), "bad-request"],
    ["a key that stands twice in two spellings", check({}).replace('"id":', '"\\u0069d":0,"id":'), "bad-request"],
  ];
  const onlyCheck: readonly [string, string, string][] = [
    ["an operation that is none", check({ operation: "chmod" }), "bad-request"],
    ["an operation of every object", check({ operation: "constructor" }), "bad-request"],
    ["no operation", whole({ id: "bad", ...situation, path: "a" }), "bad-request"],
    ["a path that is no text", check({ path: ["a"] }), "invalid-path"],
    ["a NUL in the path", check({ path: "a\0b" }), "invalid-path"],
    ["half a surrogate pair in the path", '{"id":"bad","workspace":"/tmp","operation":"read","path":"a\\ud800"}', "invalid-path"],
    ["an empty path", check({ path: "" }), "invalid-path"],
  ];

  test.each(doors)("%s: each has an answer that says what is wrong, and the next line is served", async (door) => {
    const asTool = (line: string | Buffer): string | Buffer =>
      typeof line !== "string" || !line.startsWith('{"id":"bad"') || line.includes("__proto__")
        ? line
        : line.replace(/"operation":"[^"]*","path":"[^"]*"/, '"tool":"read_file","input":{"path":"a"}');
    const rows = door === "check" ? [...cases, ...onlyCheck] : cases.map(([title, line, code]) => [title, asTool(line), code] as const);
    const input = rows.flatMap(([, line], index) => [line, "\n", whole(good(door, index)), "\n"]);
    const { answers, code, errors } = await converse(door, input);
    expect([code, errors, answers.length]).toEqual([0, "", rows.length * 2]);
    const told = rows.map(([title], index) => [
      title,
      answers[index * 2]?.error?.code,
      typeof answers[index * 2]?.error?.message,
      isGood(answers[index * 2 + 1]),
      answers[index * 2 + 1]?.id,
    ]);
    expect(told).toEqual(rows.map(([title, , expected], index) => [title, expected, "string", true, index]));
  });

  test.each(doors)("%s: a line longer than may be is told with its length, and the next is served", async (door) => {
    const length = door === "check" ? 10_000_000 : 20_000_000;
    const { answers, code, errors } = await converse(door, [`{"id":1,"path":"${"x".repeat(length)}"}\n`, `${whole(good(door, 2))}\n`]);
    expect([code, errors, answers.length, answers[0]?.error?.code, isGood(answers[1])]).toEqual([0, "", 2, "bad-request", true]);
  });

  test("a line of many megabytes is served, or told to be too large with its id", async () => {
    const line = `{"id":7,"workspace":${JSON.stringify(it.path("ws"))},"tool":"write_file","input":{"path":"long","content":"${"x".repeat(12_000_000)}"}}`;
    const { answers, code } = await converse("tool", [`${line}\n`, `${whole(good("tool", 8))}\n`]);
    expect([code, answers[0]?.id, answers[0]?.code, isGood(answers[1])]).toEqual([0, 7, "too-large", true]);
  });

  test("what is wrong is told with the id of the line, as far as it has one", async () => {
    const { answers } = await converse("check", [
      `${check({ id: "mine", path: 7 })}\n`,
      `${check({ id: { any: ["thing"] }, operation: 7 })}\n`,
      "nonsense\n",
    ]);
    expect(answers.map(({ id }) => id)).toEqual(["mine", { any: ["thing"] }, null]);
  });

  test("what is told shows nothing unusual as it is", async () => {
    const { answers } = await converse("check", [`${check({ "\u202e\u0007": 1 })}\n`]);
    expect(answers[0]?.error?.message).toContain("\\u{202e}\\u{7}");
  });
});

describe("the ends of the conversation", () => {
  test.each(doors)("%s: a last line without its end is answered, empty lines are passed over", async (door) => {
    const { answers, code } = await converse(door, ["\n\r\n   \n", `${JSON.stringify(good(door, 1))}\n\n`, JSON.stringify(good(door, 2))]);
    expect([code, answers.map(({ id }) => id), answers.every(isGood)]).toEqual([0, [1, 2], true]);
  });

  test.each(doors)("%s: no lines, no answers", async (door) => {
    expect(await converse(door, [])).toEqual({ answers: [], code: 0, errors: "" });
  });

  test.each(doors)("%s: a reader that goes away early ends it quietly", async (door) => {
    const child = spawn(process.execPath, [program, door, "--stdin"], { env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" } });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (data: string) => (errors += data));
    child.stdin.on("error", () => undefined);
    const text = `${JSON.stringify({ ...good(door, "x".repeat(500)) })}\n`.repeat(5000);
    child.stdin.end(text);
    child.stdout.once("data", () => {
      child.stdout.pause();
      setTimeout(() => child.stdout.destroy(), 100);
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, errors]).toEqual([0, ""]);
  });

  test("a reader that is slow is waited for, without a word on the error output", async () => {
    const child = spawn(process.execPath, [program, "check", "--stdin"], {
      env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" },
    });
    let [errors, lines] = ["", 0];
    child.stderr.setEncoding("utf8").on("data", (data: string) => (errors += data));
    child.stdin.end(`${JSON.stringify(good("check", 1))}\n`.repeat(1000));
    child.stdout.on("data", (data: Buffer) => {
      lines += data.toString("latin1").split("\n").length - 1;
      child.stdout.pause();
      setTimeout(() => child.stdout.resume(), 5);
    });
    await new Promise((resolve) => child.on("close", resolve));
    expect([lines, errors]).toEqual([1000, ""]);
  });
});

test("a disk that takes no more leaves the old file, and nothing beside it", async () => {
  // A limit on the size of files stands for the full disk: the write fails half-way.
  const limited = startLines(["sh", "-c", `ulimit -f 8; exec "$0" "$1" tool --stdin`, process.execPath, program]);
  const write = (path: string, content: string) => limited.ask({ ...situation, tool: "write_file", input: { path, content } });
  expect((await write("full", "old")).answer.ok).toBe(true);
  const { answer } = await write("full", "x".repeat(100_000));
  expect([answer.ok, answer.code]).toEqual([false, "io-error"]);
  expect((await write("new-and-full", "x".repeat(100_000))).answer.code).toBe("io-error");
  expect([readFileSync(it.path("ws/full"), "utf8"), existsSync(it.path("ws/new-and-full"))]).toEqual(["old", false]);
  expect(readdirSync(it.path("ws")).filter((name) => name.startsWith(".hallpass-"))).toEqual([]);
  await limited.stop();
});
