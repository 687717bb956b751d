// What a request must be before anybody looks at what it wants: token, method, kind, size, keys. And what every answer carries.

import { request as httpRequest } from "node:http";
import { describe, expect, test } from "vitest";
import { type Route, routes } from "../../src/wire/http.ts";
import { httpStage, type HttpStage, read, send, TOKEN } from "./http-stage.ts";
import { naiveServer } from "./naive-server.ts";

describe("credentials", () => {
  test("LIF-21 the session comes from the credential, whatever a header says", async () => {
    const stage = await httpStage();
    const [a, b] = [await stage.agent(), await stage.agent()];
    const headers = { "x-session-id": b.session, "x-session": b.session, cookie: `session=${b.session}` };
    const said = await stage.send("/api/agent/session", { token: a.credential, headers });
    expect(said.json.session.id).toBe(a.session);
    const naive = await naiveServer(TOKEN);
    expect((await send(naive.port, "/v1/session", { headers })).json.session).toBe(b.session);
  });

  test("LIF-21 another session's asks are not there", async () => {
    const stage = await httpStage();
    const [a, b] = [await stage.agent(), await stage.agent()];
    const body = { call: "c1", tool: "Read", operation: "read", path: stage.at.path("lib/go.mod"), reason: null };
    const { json } = await stage.send("/api/agent/asks", { method: "POST", token: a.credential, body });
    const foreign = await stage.send(`/api/agent/asks/${json.ask.id}`, { token: b.credential });
    const missing = await stage.send(`/api/agent/asks/${"0".repeat(36)}`, { token: b.credential });
    expect(foreign).toMatchObject({ status: 404, code: "not-found" });
    expect(foreign.text).toBe(missing.text);
    expect(await stage.send(`/api/agent/asks/${json.ask.id}/cancel`, { method: "POST", token: b.credential })).toMatchObject({
      status: 404,
    });
    expect((await stage.send(`/api/asks/${json.ask.id}`)).json.state).toBe("open");
  });

  test("LIF-22 without a credential nothing is judged, and one of a session that has ended is none", async () => {
    const stage = await httpStage();
    const agent = await stage.agent();
    const body = { call: "c1", tool: "Read", operation: "read", path: stage.at.path("ws/a.txt") };
    expect(await stage.send("/api/agent/decide", { method: "POST", token: null, body })).toMatchObject({
      status: 401,
      code: "unauthenticated",
    });
    expect((await stage.send("/api/agent/decide", { method: "POST", token: agent.credential, body })).json.verdict).toBe("allow");
    await stage.send(`/api/sessions/${agent.session}/archive`, { method: "POST" });
    expect(await stage.send("/api/agent/decide", { method: "POST", token: agent.credential, body })).toMatchObject({ status: 401 });
  });

  test("a person's token is no agent: it has no session to ask for", async () => {
    const stage = await httpStage();
    expect(await stage.send("/api/agent/session")).toMatchObject({ status: 403, code: "forbidden" });
  });

  test("every row of the table wants a token, but the one by which a browser gets its own", async () => {
    const stage = await httpStage();
    const rows: readonly Route[] = Object.values(routes);
    expect(rows.filter(({ role }) => role === "anyone").map(({ path }) => path)).toEqual(["/api/pair"]);
    for (const { method, path } of rows.filter(({ role }) => role !== "anyone")) {
      const said = await stage.send(path.replace("{id}", "0".repeat(32)), { method, token: null });
      expect(said, `${method} ${path}`).toMatchObject({ status: 401, code: "unauthenticated" });
    }
    for (const path of ["/openapi.json", "/api", "/api/nothing", "/%61pi/health", "/metrics"])
      expect(await stage.send(path, { token: null }), path).toMatchObject({ status: 401 });
  });
});

describe("what a request must be", () => {
  const asking = async (stage: HttpStage, sent: object) => stage.send("/api/projects", { method: "POST", ...sent });

  test("only JSON is read", async () => {
    const stage = await httpStage();
    const raw = JSON.stringify({ path: stage.at.path("lib") });
    for (const kind of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/json2"])
      expect(await asking(stage, { raw, headers: { "content-type": kind } }), kind).toMatchObject({
        status: 415,
        code: "bad-content-type",
      });
    expect((await asking(stage, { raw, headers: { "content-type": "application/json; charset=utf-8" } })).status).toBe(200);
  });

  test("a body larger than 64 KiB is refused, told or found out", async () => {
    const stage = await httpStage();
    const raw = JSON.stringify({ path: `/${"x".repeat(70_000)}` });
    expect(await asking(stage, { raw })).toMatchObject({ status: 413, code: "too-large" });
    const chunked = await new Promise<ReturnType<typeof read>>((resolve, reject) => {
      const outgoing = httpRequest(
        {
          host: "127.0.0.1",
          port: stage.port,
          path: "/api/projects",
          method: "POST",
          headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", "transfer-encoding": "chunked" },
        },
        (incoming) => {
          let text = "";
          incoming.on("data", (chunk) => (text += String(chunk)));
          incoming.on("end", () => resolve(read(incoming.statusCode ?? 0, incoming.headers, text)));
        },
      );
      outgoing.on("error", reject);
      for (let at = 0; at < 20; at += 1) outgoing.write("x".repeat(5000));
      outgoing.end();
    });
    expect(chunked).toMatchObject({ status: 413, code: "too-large" });
  });

  test("unknown keys, wrong kinds, bytes that are no text and what is nested too deep are refused", async () => {
    const stage = await httpStage();
    const path = stage.at.path("lib");
    for (const raw of [
      JSON.stringify({ path, owner: true }),
      JSON.stringify({ path: [path] }),
      JSON.stringify([path]),
      "",
      "null",
      "{",
      `{"path":"${path}"}x`,
      `{"path":${'{"a":'.repeat(80)}1${"}".repeat(80)}}`,
      Buffer.from([0x7b, 0xff, 0x7d]),
    ])
      expect(await asking(stage, { raw }), String(raw).slice(0, 60)).toMatchObject({ status: 400, code: "bad-request" });
    expect((await stage.client.send(routes.listProjects, {})).length).toBe(0);
    for (const query of ["?nobody=1", "?limit=1&limit=2", "?limit=x", "?limit=0", "?limit=1001"])
      expect(await stage.send(`/api/sessions${query}`), query).toMatchObject({ status: 400, code: "bad-request" });
    expect(await stage.send("/api/health?x=1")).toMatchObject({ status: 400 });
  });

  test("an address says which methods it takes, and OPTIONS is none of them", async () => {
    const stage = await httpStage();
    for (const method of ["DELETE", "OPTIONS", "PUT"]) {
      const said = await stage.send("/api/projects", { method });
      expect(said).toMatchObject({ status: 405, code: "method-not-allowed" });
      expect(said.headers["allow"]).toBe("GET, HEAD, POST");
      expect(Object.keys(said.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
    const head = await stage.send("/api/projects", { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
  });

  test("a fault of ours says an id and nothing else; the log has the rest under it", async () => {
    const stage = await httpStage();
    const broken = await httpStage({
      stored: {
        ...stage.server.store,
        projects: () => Promise.reject(new Error("/var/secret/place broke")),
        close: () => Promise.resolve(),
      },
    });
    const said = await broken.send("/api/projects");
    expect(said).toMatchObject({ status: 500, code: "io-error" });
    expect(said.text).not.toContain("/var/secret");
    const id = /under (\S+)$/.exec(said.json.error.message)?.[1] ?? "no id";
    expect(broken.logged.join("\n")).toContain(id);
    expect(broken.logged.join("\n")).toContain("/var/secret/place broke");
  });
});

describe("what every answer carries", () => {
  test("no page elsewhere may read, frame or keep it", async () => {
    const stage = await httpStage();
    for (const said of [await stage.send("/api/health"), await stage.send("/api/nothing"), await stage.send("/docs", { token: null })]) {
      expect(said.headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
      });
      expect(said.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(said.headers["content-security-policy"]).not.toContain("unsafe");
      expect(said.headers["access-control-allow-origin"]).toBeUndefined();
    }
    expect((await stage.send("/api/health")).headers["cache-control"]).toBe("no-store");
  });

  test("pages come without a token, hashed files for ever, a missing file is not found, every other path is the first page", async () => {
    const files = await httpStage({
      files: [
        "pages/index.html: <title>first</title>",
        "pages/assets/app-Bx3k9f2a.js: run()",
        "pages/favicon.svg: <svg/>",
        "pages/.hidden: x",
      ],
    });
    const stage = await httpStage({ pages: files.at.path("pages") });
    const get = (path: string) => stage.send(path, { token: null });
    expect((await get("/")).text).toContain("first");
    expect((await get("/inbox/some-ask")).text).toContain("first");
    const script = await get("/assets/app-Bx3k9f2a.js");
    expect(script.headers["cache-control"]).toContain("immutable");
    expect(script.headers["content-type"]).toContain("text/javascript");
    expect((await get("/favicon.svg")).headers["cache-control"]).toBe("no-cache");
    // A script of an earlier build is not answered with the first page, which no browser could run.
    expect(await get("/assets/app-00000000.js")).toMatchObject({ status: 404, code: "not-found" });
    expect(await stage.send("/", { method: "POST", token: null })).toMatchObject({ status: 405 });
    expect(await (await httpStage()).send("/", { token: null })).toMatchObject({ status: 404, code: "not-found" });
  });

  test("the description is OpenAPI 3.1 of exactly the table, and its page asks nothing of anybody else", async () => {
    const stage = await httpStage();
    const { json } = await stage.send("/openapi.json");
    expect(json).toMatchObject({ openapi: "3.1.0", info: { title: "Hallpass", version: "9.9.9" } });
    const described = Object.values(json.paths as Record<string, Record<string, { operationId: string }>>).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(described.toSorted()).toEqual(Object.keys(routes).toSorted());
    for (const path of ["/docs", "/docs/docs.js", "/docs/docs.css"]) {
      const page = await stage.send(path, { token: null });
      expect(page.status).toBe(200);
      expect(page.text).not.toMatch(/https?:\/\//);
      expect(page.text).not.toMatch(/<script(?![^>]*src=)|<style| on\w+=/);
    }
  });
});
