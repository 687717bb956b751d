// The hook socket on a whole server, byte by byte: what must be there before anything is judged, and that nobody sees the proof who has not
// shown the token.

import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { readHookSocket } from "../../src/adapters/hook/socket-file.ts";
import { createHookSocket } from "../../src/cli/hook-socket.ts";
import { silentLog } from "../../src/server/log.ts";
import { routes } from "../../src/wire/http.ts";
import { httpStage, type HttpStage, TOKEN } from "./http-stage.ts";
import { createShellReports } from "../../src/server/shell-reports.ts";

interface Call {
  /** What is said in place of a field. */
  readonly first?: string;
  readonly token?: string;
  readonly host?: string;
  readonly marks?: string;
  readonly workspace?: string;
  readonly lets?: string;
  readonly length?: string;
  /** The payload as it is sent, piece by piece; what is left out of it is never sent. */
  readonly pieces?: readonly string[];
  /** Everything, as it is sent. */
  readonly raw?: readonly string[];
}

/** A server with the hook socket, and one call at it: what came back until the other side closed, or has said nothing for a while. */
async function socketStage() {
  const stage = await httpStage();
  const { agent, hub, store } = stage.server;
  const called: string[] = [];
  const opened = createHookSocket({ home: "/nonexistent-home", env: {}, platform: "linux" });
  const dir = stage.at.path("home");
  const settled: typeof hub.settled = (ask, time, signal) => hub.settled(ask, time, signal);
  await opened.open(dir, {
    store,
    log: silentLog,
    clock: Date.now,
    hosted: agent.hosted,
    sandbox: stage.server.sandbox,
    shells: createShellReports(),
    settled,
    called: (host) => void called.push(host),
  });
  onTestFinished(() => opened.shut(dir));
  const hookSocket = readHookSocket(`${dir}/hook.socket`);
  if (hookSocket === null) throw new Error("there is no hook socket");
  const payload = JSON.stringify({
    session_id: "s1",
    hook_event_name: "PreToolUse",
    tool_name: "Read",
    tool_input: { file_path: stage.at.path("lib/src/x.go") },
    tool_use_id: "t1",
    cwd: stage.at.path("ws"),
    permission_mode: "default",
  });
  const usual = {
    first: "hallpass 1",
    token: hookSocket.token,
    host: "claude-code",
    marks: "",
    workspace: stage.at.path("ws"),
    lets: "",
    length: String(payload.length),
  };
  const call = ({ raw, pieces = [payload], ...other }: Call = {}): Promise<string> =>
    exchange(hookSocket.port, raw ?? [`${Object.values({ ...usual, ...other }).join("|")}|`, ...pieces]);
  return { ...stage, hookSocket, payload, call, called, usual };
}

function exchange(port: number, pieces: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const end = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(1500, end);
    socket.on("data", (data) => (text += data.toString()));
    socket.on("error", end);
    socket.on("close", end);
    const send = async (): Promise<void> => {
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise((done) => setTimeout(done, 20));
      }
    };
    socket.on("connect", () => void send());
  });
}

const decisions = async ({ client }: Pick<HttpStage, "client">): Promise<number> =>
  (await client.send(routes.audit, { query: { kind: "decision" } })).records.length;

test("a call with the token is judged, recorded and answered with the proof, in the daemon's exact form", async () => {
  const stage = await socketStage();
  const said = await stage.call();
  const [line = "", body = ""] = said.split("\n");
  expect(line).toBe(`${stage.hookSocket.proof} 0 ${said.length - line.length - 1}`);
  expect(JSON.parse(body)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  expect(await decisions(stage)).toBe(1);
  expect((await stage.client.send(routes.listSessions, {}))[0]).toMatchObject({ host: "claude-code", workspace: stage.at.path("ws") });
  // In pieces it is the same, wherever they are cut.
  const half = Math.floor(stage.payload.length / 2);
  expect(await stage.call({ pieces: [stage.payload.slice(0, half), stage.payload.slice(half)] })).toBe(said);
  const all = `${Object.values(stage.usual).join("|")}|${stage.payload}`;
  for (const cut of [1, 9, 12, 60, 100]) expect(await stage.call({ raw: [all.slice(0, cut), all.slice(cut)] })).toBe(said);
  expect(await stage.call({ workspace: encodeURIComponent(stage.at.path("ws")) })).toBe(said);
  expect(await stage.client.send(routes.listSessions, {})).toHaveLength(1);
  expect(stage.called).toEqual(Array.from({ length: 8 }, () => "claude-code"));
});

type Stage = Awaited<ReturnType<typeof socketStage>>;
test.each<[string, Call | ((stage: Stage) => Call)]>([
  ["no token", { token: "" }],
  ["another token", { token: "x".repeat(32) }],
  ["half the token", ({ hookSocket }) => ({ token: hookSocket.token.slice(0, 16) })],
  ["the token and more", ({ hookSocket }) => ({ token: `${hookSocket.token} ` })],
  ["the person's token", { token: TOKEN }],
  ["the proof as its token", ({ hookSocket }) => ({ token: hookSocket.proof })],
  ["a program it does not know", { host: "emacs" }],
  ["no program", { host: "" }],
  ["another version", { first: "hallpass 2" }],
  ["no word of ours before it", { first: "" }],
  ["marks it does not know", { marks: "x" }],
  ["no workspace", { workspace: "" }],
  ["a workspace from nowhere", { workspace: "ws" }],
  ["a workspace that was written out wrongly", { workspace: "/%zz" }],
  ["no length", { length: "" }],
  ["a length that is none", { length: "1e3" }],
  ["a length below nothing", { length: "-1" }],
  ["a payload that is too long", { length: String(1024 * 1024 + 1), pieces: [] }],
  ["less than it said", { pieces: ["{"] }],
  ["more than it said", ({ payload }) => ({ pieces: [`${payload} `] })],
  ["a head without end", { raw: ["hallpass 1|", "x".repeat(70_000)] }],
  ["a page's request", ({ hookSocket, payload }) => ({ raw: [`POST /${hookSocket.token} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, payload] })],
  ["our words after a page's", ({ usual, payload }) => ({ raw: [`POST / HTTP/1.1\r\n\r\n${Object.values(usual).join("|")}|${payload}`] })],
  ["nothing but bars", { raw: ["|".repeat(100)] }],
  ["bytes that are no text", { raw: ["\u0000\u0001\u0002"] }],
])("%s: nothing is judged, and no proof shown", async (_name, call) => {
  const stage = await socketStage();
  const said = await stage.call(typeof call === "function" ? call(stage) : call);
  expect(said).toBe("");
  expect(await decisions(stage)).toBe(0);
  expect(await stage.client.send(routes.listSessions, {})).toEqual([]);
  // The same call as it should be.
  expect(await stage.call()).toContain(stage.hookSocket.proof);
});

test("whoever leaves before the payload is whole leaves nothing behind, and the next is answered", async () => {
  const stage = await socketStage();
  for (let left = 20; left > 0; left -= 1) {
    await new Promise<void>((resolve) => {
      const socket = connect(stage.hookSocket.port, "127.0.0.1", () => {
        socket.write(`hallpass 1|${stage.hookSocket.token}|codex||/|9|{`, () => socket.resetAndDestroy());
      });
      socket.on("close", () => resolve());
      socket.on("error", () => {});
    });
  }
  expect(await stage.call()).toContain(stage.hookSocket.proof);
  expect(stage.logged).toEqual([]);
});

test("many callers who say nothing keep the others from the daemon, never from an answer, and are let go", async () => {
  const stage = await socketStage();
  const idle = Array.from({ length: 300 }, () => connect(stage.hookSocket.port, "127.0.0.1").on("error", () => {}));
  // Connected, or turned away.
  await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once("connect", resolve).once("close", resolve))));
  expect(["", stage.hookSocket.proof]).toContain((await stage.call()).split(" ")[0]);
  for (const socket of idle) socket.destroy();
  await expect.poll(() => stage.call()).toContain(stage.hookSocket.proof);
});

test("a session that got a root, or ended, between two calls is another at once", async () => {
  const stage = await socketStage();
  const verdict = async (): Promise<string> => /"permissionDecision":"(\w+)"/.exec(await stage.call())?.[1] ?? "none";
  expect(await verdict()).toBe("deny");
  const [session] = await stage.client.send(routes.listSessions, {});
  await stage.client.send(routes.addMount, { id: session?.id ?? "", body: { path: stage.at.path("lib"), mode: "read_only" } });
  expect(await verdict()).not.toBe("deny");
  await stage.client.send(routes.archiveSession, { id: session?.id ?? "" });
  expect(await verdict()).toBe("deny");
  expect(await stage.client.send(routes.listSessions, { query: { archived: "false" } })).toHaveLength(1);
});
