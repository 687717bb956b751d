// The hook's door on a listening server, byte by byte: what must be there before anything is judged, in which order it is looked at, and
// that nobody sees the proof who has not shown the token.

import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { readDoor } from "../../src/adapters/hook/door.ts";
import { openHookDoor } from "../../src/cli/hook-door.ts";
import { routes } from "../../src/wire/http.ts";
import { httpStage, type HttpStage, TOKEN } from "./http-stage.ts";

interface Request {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  /** The body as it is sent, piece by piece; what is left out of it is never sent. */
  readonly pieces?: readonly string[];
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A server with the door, and one call at it; headers are those of the hook unless they are said otherwise. */
async function doorStage() {
  const doors: ReturnType<typeof openHookDoor>[] = [];
  const stage = await httpStage({
    beside: (inside) => {
      const door = openHookDoor("/nonexistent-home");
      doors.push(door);
      return door.beside(inside);
    },
  });
  const dir = stage.at.path("home");
  doors[0]?.open(dir, `http://127.0.0.1:${stage.port}/`);
  onTestFinished(() => doors[0]?.shut(dir));
  const door = readDoor(`${dir}/hook.door`);
  if (door === null) throw new Error("there is no door");
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
    Host: `127.0.0.1:${stage.port}`,
    Authorization: `Bearer ${door.token}`,
    "Content-Length": String(payload.length),
    Connection: "close",
    "X-Hallpass-Workspace": stage.at.path("ws"),
  };
  const call = ({ method = "POST", path = "/api/hook/claude-code", headers = {}, pieces = [payload] }: Request = {}): Promise<Answer> => {
    const lines = Object.entries({ ...usual, ...headers }).flatMap(([name, value]) =>
      (value === null ? [] : typeof value === "string" ? [value] : value).map((one) => `${name}: ${one}`),
    );
    return exchange(stage.port, [`${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`, ...pieces]);
  };
  return { ...stage, door, payload, call };
}

/** Send the pieces one after the other; everything that comes back until the other side has closed, or has said nothing for a while. */
function exchange(port: number, pieces: readonly string[]): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const end = (): void => {
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text });
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
  const stage = await doorStage();
  const said = await stage.call();
  const [head = "", body = ""] = said.text.split("\r\n\r\n");
  expect(head.split("\r\n")).toEqual([
    "HTTP/1.1 200 OK",
    `x-hallpass-proof: ${stage.door.proof}`,
    "x-hallpass-exit: 0",
    `content-length: ${body.length}`,
    "connection: close",
  ]);
  expect(JSON.parse(body)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  expect(await decisions(stage)).toBe(1);
  expect((await stage.client.send(routes.listSessions, {}))[0]).toMatchObject({ host: "claude-code", workspace: stage.at.path("ws") });
  // In pieces it is the same.
  const half = Math.floor(stage.payload.length / 2);
  expect((await stage.call({ pieces: [stage.payload.slice(0, half), stage.payload.slice(half)] })).text).toBe(said.text);
  expect(await stage.client.send(routes.listSessions, {})).toHaveLength(1);
  expect((await stage.send("/metrics")).text).toContain('hallpass_requests_total{method="POST",route="other",status="200"} 2');
});

test.each<[string, Request | ((stage: { readonly port: number; readonly door: { readonly proof: string } }) => Request), number]>([
  ["another host", { headers: { Host: "evil.example" } }, 403],
  ["no host", { headers: { Host: null } }, 400],
  ["two hosts", ({ port }) => ({ headers: { Host: [`127.0.0.1:${port}`, "evil.example"] } }), 403],
  ["a page elsewhere", { headers: { Origin: "https://evil.example" } }, 403],
  ["a page of no origin", { headers: { Origin: "null" } }, 403],
  ["no token", { headers: { Authorization: null } }, 401],
  ["another token", { headers: { Authorization: `Bearer ${"x".repeat(32)}` } }, 401],
  ["the person's token", { headers: { Authorization: `Bearer ${TOKEN}` } }, 401],
  ["the proof as its token", ({ door }) => ({ headers: { Authorization: `Bearer ${door.proof}` } }), 401],
  ["no length", { headers: { "Content-Length": null, "Transfer-Encoding": "chunked" }, pieces: ["2\r\n{}\r\n0\r\n\r\n"] }, 413],
  ["a body that is too long", { headers: { "Content-Length": String(1024 * 1024 + 1) }, pieces: [] }, 413],
  ["a program it does not know", { path: "/api/hook/emacs" }, 404],
  ["no program", { path: "/api/hook/" }, 404],
  ["a query", { path: "/api/hook/claude-code?host=codex" }, 404],
  ["another spelling of the address", { path: "/api/./hook/claude-code" }, 401],
  ["GET", { method: "GET", headers: { "Content-Length": null }, pieces: [] }, 401],
  ["PUT", { method: "PUT" }, 401],
  ["half a body", { pieces: ["{"] }, 0],
])("%s: nothing is judged, and no proof shown", async (_name, request, status) => {
  const stage = await doorStage();
  const said = await stage.call(typeof request === "function" ? request(stage) : request);
  expect([said.status, said.text.includes(stage.door.proof)]).toEqual([status, false]);
  expect(await decisions(stage)).toBe(0);
  expect(await stage.client.send(routes.listSessions, {})).toEqual([]);
  // The same call as it should be.
  expect((await stage.call()).status).toBe(200);
});

test("two tokens are none, whichever of them is right", async () => {
  const stage = await doorStage();
  const right = `Bearer ${stage.door.token}`;
  for (const Authorization of [
    [right, "Bearer x"],
    ["Bearer x", right],
  ])
    expect((await stage.call({ headers: { Authorization } })).status).toBe(401);
});

test("whoever leaves before the body is whole leaves nothing behind, and the next is answered", async () => {
  const stage = await doorStage();
  for (let left = 20; left > 0; left -= 1) {
    await new Promise<void>((resolve) => {
      const socket = connect(stage.port, "127.0.0.1", () => {
        const head = `POST /api/hook/codex HTTP/1.1\r\nHost: 127.0.0.1:${stage.port}\r\nContent-Length: 9`;
        socket.write(`${head}\r\n\r\n{`, () => socket.resetAndDestroy());
      });
      socket.on("close", () => resolve());
      socket.on("error", () => {});
    });
  }
  expect((await stage.call()).status).toBe(200);
  expect(stage.logged).toEqual([]);
});

test("a session that got a root, or ended, between two calls is another at once", async () => {
  const stage = await doorStage();
  const verdict = async (): Promise<string> => /"permissionDecision":"(\w+)"/.exec((await stage.call()).text)?.[1] ?? "none";
  expect(await verdict()).toBe("deny");
  const [session] = await stage.client.send(routes.listSessions, {});
  await stage.client.send(routes.addMount, { id: session?.id ?? "", body: { path: stage.at.path("lib"), mode: "read_only" } });
  expect(await verdict()).not.toBe("deny");
  await stage.client.send(routes.archiveSession, { id: session?.id ?? "" });
  expect(await verdict()).toBe("deny");
  expect(await stage.client.send(routes.listSessions, { query: { archived: "false" } })).toHaveLength(1);
});
