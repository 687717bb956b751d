// A hook waits for a person as long as its host allows, and for nobody whose host is gone. What they say later is told with the host's next event,
// and reaches the agent when it makes the same call again, under another name: a yes for once lets one such call through, a no is told in the
// person's words, and while the question is open it is one question.

import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { environmentOf, eventually, type Program, type Stage, stage, startProgram } from "../server/daemon-process.ts";

const script = join(import.meta.dirname, "../../bin/hallpass-hook");

interface Said {
  readonly decision: string | null;
  readonly text: string;
}

interface Made {
  readonly tool: string;
  readonly input: object;
  /** Which run of the agent, and which of its sub-agents. */
  readonly session?: string;
  readonly agent?: string;
  /** Another event than the one before a call. */
  readonly event?: string;
}

/** Seconds; no test waits for the minutes that hosts allow. */
const BRIEF = ["--wait", "1", "--deadline", "99999"];

/** Claude Code's hook, as it starts it with `--ask`: every call has a name of its own. */
function hook(on: Stage, made: Made, words: readonly string[] = BRIEF): Promise<Said> {
  const child = startHook(on, made, [script, "claude-code", "--ask", ...words]);
  let said = "";
  child.stdout?.on("data", (piece: Buffer) => (said += piece.toString()));
  child.stderr?.on("data", (piece: Buffer) => (said += piece.toString()));
  return new Promise((resolve) => {
    child.on("close", () => resolve({ decision: /"permissionDecision":"(\w+)"/.exec(said)?.[1] ?? null, text: said }));
  });
}

function startHook(
  on: Stage,
  { tool, input, session = "s1", agent, event = "PreToolUse" }: Made,
  [program = "", ...words]: readonly string[],
): ChildProcess {
  const env = { ...environmentOf(on), HALLPASS_DATA: on.data(), HALLPASS_NODE: process.execPath, CLAUDE_PROJECT_DIR: on.workspace };
  const child = spawn(program, words, { cwd: on.workspace, env });
  const call = { session_id: session, hook_event_name: event, tool_name: tool, tool_input: input, cwd: on.workspace };
  const who = agent === undefined ? {} : { agent_id: agent };
  const around = { tool_use_id: `toolu-${Math.random()}`, permission_mode: "default", transcript_path: "/dev/null" };
  child.stdin.end(JSON.stringify({ ...call, ...who, ...around }));
  return child;
}

const reading = (on: Stage, name = "far.txt"): Made => ({ tool: "Read", input: { file_path: join(on.library, name) } });
const open = ({ client }: Program) => client.send(routes.listAsks, { query: { state: "open" } });
const strict = (on: Stage): void =>
  writeFileSync(join(on.home, ".config/hallpass/policy.json"), JSON.stringify({ ceilings: [on.root], asks: { offer: "once" } }));

/** A call that nobody answers in time; gives the one ask that is open then. */
async function givenUp(on: Stage, program: Program, made: Made) {
  const said = await hook(on, made);
  expect(said.decision).toBe("deny");
  expect(said.text).toContain("make the same call again after the answer");
  const [ask, ...others] = await open(program);
  if (ask === undefined) throw new Error("nobody was asked");
  expect(others).toEqual([]);
  return ask;
}

test("a yes within the time that the host allows is told in the same call, long after a silent daemon would have been given up", async () => {
  const on = stage();
  const program = await startProgram(on, { data: on.data() });
  const began = performance.now();
  const calls = [["--wait=99"], ["--wait=99", "--deadline", "99999"]].map((words) => hook(on, reading(on), words));
  const ask = await eventually(async () => (await open(program))[0] ?? null);
  // Neither is done by then: the shell gives a silent daemon four seconds, and Node five.
  await eventually(async () => (performance.now() - began > 5_500 ? true : null));
  const states = await Promise.all(calls.map((call) => Promise.race([call.then(() => "done"), Promise.resolve("waiting")])));
  expect(states).toEqual(["waiting", "waiting"]);
  await program.client.send(routes.answer, { id: ask.id, body: { decision: "allow" } });
  expect((await Promise.all(calls)).map(({ decision }) => decision)).toEqual(["allow", "allow"]);
});

test.runIf(process.platform === "linux")(
  "a hook whose host is gone leaves no process and no connection behind, and its question stays open",
  async () => {
    const on = stage();
    const program = await startProgram(on, { data: on.data() });
    const connections = (): number => readdirSync(`/proc/${program.pid}/fd`).length;
    await hook(on, { tool: "Read", input: { file_path: join(on.workspace, "notes.txt") } });
    await open(program);
    const before = connections();
    const line = '"$0" claude-code --ask --wait=99 "$@" || exit 2';
    const hosts = [[], ["--deadline", "99999"]].map((words) => startHook(on, reading(on), ["/bin/sh", "-c", line, script, ...words]));
    const killed = startHook(on, reading(on), [script, "claude-code", "--ask", "--wait=99"]);
    const all = [...hosts, killed];
    await eventually(async () => ((await open(program)).length === 1 && connections() >= before + all.length ? true : null));
    // What the host kills is the shell that it started; the hook below it is nobody's then.
    for (const one of all) one.kill("SIGKILL");
    await Promise.all(all.map((one) => new Promise((resolve) => one.on("close", resolve))));
    await eventually(async () => (connections() <= before ? true : null));
    expect(await open(program)).toHaveLength(1);
  },
);

test("what was answered after the hook had given up is told with the next call or message, once, by its ask and its directory", async () => {
  const on = stage();
  const program = await startProgram(on, { data: on.data() });
  const inside: Made = { tool: "Read", input: { file_path: join(on.workspace, "notes.txt") } };
  const answersIn = ({ text }: Said): unknown => {
    const told = text === "" ? null : (JSON.parse(text) as { hookSpecificOutput: { additionalContext?: string } }).hookSpecificOutput;
    const [, news = "null"] = /^\[hallpass_answers\] (.*)$/mu.exec(told?.additionalContext ?? "") ?? [];
    return JSON.parse(news);
  };
  const ask = await givenUp(on, program, reading(on));
  expect(answersIn(await hook(on, inside))).toBeNull();
  await program.client.send(routes.answer, { id: ask.id, body: { decision: "allow", digest: ask.digest } });
  // Another agent, or another run, is told nothing of it.
  for (const other of [
    { ...inside, session: "s2" },
    { ...inside, agent: "helper" },
  ])
    expect(answersIn(await hook(on, other))).toBeNull();
  const news = [{ ask: ask.id, answer: "allow", path: join(on.library, "far.txt"), directory: on.library }];
  expect(answersIn(await hook(on, inside))).toEqual(news);
  expect(answersIn(await hook(on, inside))).toBeNull();
  const prompt: Made = { tool: "", input: {}, event: "UserPromptSubmit", session: "s3" };
  expect((await hook(on, prompt)).text).toBe("");
  const later = await givenUp(on, program, { ...reading(on), session: "s3" });
  await program.client.send(routes.answer, { id: later.id, body: { decision: "deny" } });
  expect(answersIn(await hook(on, prompt))).toEqual([{ ...news[0], ask: later.id, answer: "deny", directory: null }]);
  expect((await hook(on, prompt)).text).toBe("");
  // A yes that was taken back before the agent heard of it opens nothing, and is not told as if it did.
  const lost = await givenUp(on, program, { ...reading(on), session: "s4" });
  const { grant } = await program.client.send(routes.answer, { id: lost.id, body: { decision: "allow" } });
  await program.client.send(routes.revoke, { id: grant?.id ?? "" });
  const told = [{ ...news[0], ask: lost.id, directory: null, code: "grant-revoked" }];
  expect(answersIn(await hook(on, { ...prompt, session: "s4" }))).toEqual(told);
});

test.each(["a repository that may be granted", "a policy that only offers once"])(
  "a yes for once that comes after the hook has given up lets the same call through when it is made again, once: %s",
  async (what) => {
    const on = stage();
    if (what.includes("only")) strict(on);
    const program = await startProgram(on, { data: on.data() });
    const ask = await givenUp(on, program, reading(on));
    // Made again before there is an answer it is the same question, on the same card.
    expect(await givenUp(on, program, reading(on))).toEqual(ask);
    await program.client.send(routes.answer, { id: ask.id, body: { decision: "allow_once", digest: ask.digest } });
    expect((await hook(on, reading(on))).decision).toBe("allow");
    const next = await givenUp(on, program, reading(on));
    expect(next.id).not.toBe(ask.id);
  },
);

test("made again before there is an answer it is the same question, and the yes goes to whoever waits by then", async () => {
  const on = stage();
  const program = await startProgram(on, { data: on.data() });
  const ask = await givenUp(on, program, reading(on));
  expect((await givenUp(on, program, reading(on))).id).toBe(ask.id);
  const waiting = hook(on, reading(on));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await program.client.send(routes.answer, { id: ask.id, body: { decision: "allow_once" } });
  expect((await waiting).decision).toBe("allow");
  expect(await open(program)).toEqual([]);
});

test("it lets nothing else through: not another file, tool, way of using it, agent or run", async () => {
  const on = stage();
  writeFileSync(join(on.library, "other.txt"), "another file\n");
  const program = await startProgram(on, { data: on.data() });
  const listing: Made = { tool: "Bash", input: { command: `ls ${on.library}` } };
  const ask = await givenUp(on, program, listing);
  await program.client.send(routes.answer, { id: ask.id, body: { decision: "allow_once" } });
  const others: Made[] = [
    reading(on),
    { tool: "Glob", input: { pattern: "*", path: on.library } },
    { tool: "Bash", input: { command: `cd ${on.library}` } },
    { tool: "Bash", input: { command: `ls ${on.library}/other.txt` } },
    { tool: "Bash", input: { command: `touch ${on.library}` } },
    { ...listing, session: "s2" },
    { ...listing, agent: "helper" },
  ];
  for (const said of await Promise.all(others.map((made) => hook(on, made)))) expect(said.decision).toBe("deny");
  // It is still there for whom it was given.
  expect((await hook(on, listing)).decision).not.toBe("deny");
});

test("of many that make the same call again at once, one is let through", async () => {
  const on = stage();
  const program = await startProgram(on, { data: on.data() });
  const ask = await givenUp(on, program, reading(on));
  await program.client.send(routes.answer, { id: ask.id, body: { decision: "allow_once" } });
  const said = await Promise.all(Array.from({ length: 6 }, () => hook(on, reading(on))));
  expect(said.filter(({ decision }) => decision === "allow")).toHaveLength(1);
  expect(said.filter(({ decision }) => decision === "deny")).toHaveLength(5);
  // The others put one question between them.
  expect(await open(program)).toHaveLength(1);
});

test("a no that comes after the hook has given up is told, in the person's words, and nobody is asked again", async () => {
  const on = stage();
  const program = await startProgram(on, { data: on.data() });
  const ask = await givenUp(on, program, reading(on));
  await program.client.send(routes.answer, { id: ask.id, body: { decision: "deny", note: "use the copy in vendor" } });
  const said = await hook(on, reading(on));
  expect(said.decision).toBe("deny");
  expect(said.text).toContain("denied-by-person: ");
  expect(said.text).toContain("The person says: use the copy in vendor");
  expect((await program.client.send(routes.listAsks, {})).map(({ id }) => id)).toEqual([ask.id]);
});

test("a yes outlives the daemon that took it", async () => {
  const on = stage();
  const first = await startProgram(on, { data: on.data() });
  const ask = await givenUp(on, first, reading(on));
  await first.client.send(routes.answer, { id: ask.id, body: { decision: "allow_once" } });
  await first.kill();
  await startProgram(on, { data: on.data() });
  const said = await eventually(async () => {
    const now = await hook(on, reading(on));
    return now.text.includes("request_read_access") ? null : now;
  });
  expect(said.decision).toBe("allow");
});

test("a yes to a write is to what its card showed: other content asks again", async () => {
  const on = stage();
  writeFileSync(join(on.home, ".config/hallpass/policy.json"), JSON.stringify({ write: { [`${on.workspace}/**`]: "ask" } }));
  const path = join(on.workspace, "notes.txt");
  writeFileSync(path, "old\nkept\n");
  const program = await startProgram(on, { data: on.data() });
  const edit = (text: string): Made => ({ tool: "Edit", input: { file_path: path, old_string: "old", new_string: text } });
  const ask = await givenUp(on, program, edit("new"));
  expect(ask.diff).toContain("-old\n+new\n kept");
  expect(ask.card.facts.filter(({ kind }) => kind === "change")).toHaveLength(1);
  // Changed before the answer: the yes is not taken, and the card shows the difference again.
  writeFileSync(path, "old\nmore\n");
  const body = { decision: "allow_once", digest: ask.digest } as const;
  await expect(program.client.send(routes.answer, { id: ask.id, body })).rejects.toMatchObject({ code: "grant-changed" });
  const [now] = await open(program);
  expect(now?.diff).toContain("more");
  await program.client.send(routes.answer, { id: ask.id, body: { ...body, digest: now?.digest ?? "" } });
  const other = await givenUp(on, program, edit("worse"));
  expect([other.id === ask.id, other.diff]).toEqual([false, expect.stringContaining("+worse")]);
  // It is still there for what was shown.
  expect((await hook(on, edit("new"))).decision).toBeNull();
  expect((await hook(on, edit("new"))).decision).toBe("deny");
}, 120_000);

test("a yes to a command that writes is to that command", async () => {
  const on = stage();
  writeFileSync(join(on.home, ".config/hallpass/policy.json"), JSON.stringify({ write: { [`${on.workspace}/**`]: "ask" } }));
  const program = await startProgram(on, { data: on.data() });
  const writing = (text: string): Made => ({ tool: "Bash", input: { command: `echo ${text} > ${join(on.workspace, "notes.txt")}` } });
  const ask = await givenUp(on, program, writing("good"));
  expect(ask.changes).toMatchObject([{ does: "unknown", unshown: "not-told" }]);
  await program.client.send(routes.answer, { id: ask.id, body: { decision: "allow_once", digest: ask.digest } });
  expect((await givenUp(on, program, writing("evil"))).id).not.toBe(ask.id);
  expect((await hook(on, writing("good"))).decision).not.toBe("deny");
}, 120_000);
