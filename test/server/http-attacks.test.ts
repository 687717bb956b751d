// The HTTP rows of the attack table against a listening server, each on the route that is ours for it; and the same against a server
// without the checks, where it goes through.

import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { loadCorpus } from "../corpus.ts";
import { httpStage, type HttpStage, send, TOKEN } from "./http-stage.ts";
import { naiveServer } from "./naive-server.ts";

/** What each row of the table is called here: `code` of the table → ours. */
const rows = loadCorpus().filter(({ runner }) => runner === "http");
const tried = new Set<string>();
const row = (id: string, body: () => Promise<void>, timeout = 20_000): void => {
  const one = rows.find((other) => other.id === id);
  tried.add(id);
  test(`${id} ${one?.title ?? "is not in the table"}`, { timeout }, async () => {
    expect(one).toBeDefined();
    await body();
  });
};

/** An ask of an agent that is waiting. */
async function waiting(stage: HttpStage) {
  const agent = await stage.agent();
  const { json } = await stage.send("/api/agent/asks", {
    method: "POST",
    token: agent.credential,
    body: { call: "c1", tool: "Read", operation: "read", path: stage.at.path("lib/go.mod"), reason: "to look" },
  });
  expect(json.state).toBe("waiting");
  return { agent, ask: await stage.client.send(routes.ask, { id: json.ask.id }) };
}

describe("the HTTP rows of the attack table", () => {
  row("API-02", async () => {
    const stage = await httpStage();
    const { agent, ask } = await waiting(stage);
    for (const [path, body] of [
      [`/api/asks/${ask.id}/answer`, { decision: "allow" }],
      [`/api/chats/${agent.chat}/grant_read_access`, { ask_id: ask.id, decision: "allow" }],
      [`/api/chats/${agent.chat}/answer_user_input`, { ask_id: ask.id, answer: "yes" }],
      [`/api/sessions/${agent.session}/mounts`, { path: stage.at.path("lib"), mode: "extend" }],
    ] as const)
      expect(await stage.send(path, { method: "POST", token: agent.credential, body })).toMatchObject({ status: 403, code: "forbidden" });
    expect((await stage.send(`/api/asks/${ask.id}`)).json.state).toBe("open");
    const naive = await naiveServer(TOKEN);
    expect(
      (await send(naive.port, "/v1/requests/1/decision", { method: "POST", token: "agent", body: { decision: "allow" } })).status,
    ).toBe(200);
    expect(naive.asks.get("1")).toBe("allow");
  });

  row("API-05", async () => {
    const stage = await httpStage();
    const headers = { host: "rebind.evil.example:7777" };
    expect(await stage.send("/api/asks", { headers })).toMatchObject({ status: 403, code: "bad-host" });
    expect(await stage.send("/", { headers, token: null })).toMatchObject({ status: 403, code: "bad-host" });
    expect((await send((await naiveServer(TOKEN)).port, "/v1/requests", { headers })).status).toBe(200);
  });

  row("API-06", async () => {
    const stage = await httpStage();
    const { port } = stage;
    for (const host of [
      "127.0.0.1.evil.example",
      `127.0.0.1:${port}.evil.example`,
      `127.0.0.1.:${port}`,
      "127.0.0.1",
      `127.0.0.1:${port + 1}`,
      `0x7f.1:${port}`,
      `evil.example#127.0.0.1:${port}`,
    ]) {
      const said = await stage.send("/api/asks", { headers: { host } });
      expect([400, 403], host).toContain(said.status);
      expect(said.text).not.toContain("[]");
    }
    expect((await stage.send("/api/asks", { headers: { host: `localhost:${port}` } })).status).toBe(200);
  });

  row("API-11", async () => {
    const stage = await httpStage();
    const { ask } = await waiting(stage);
    const { json } = await stage.send(`/api/asks/${ask.id}/answer`, { method: "POST", body: { decision: "allow", digest: ask.digest } });
    const headers = { "x-http-method-override": "DELETE", "x-method-override": "POST", "x-http-method": "POST" };
    expect((await stage.send(`/api/grants/${json.grant.id}/reads`, { headers })).status).toBe(200);
    expect((await stage.send("/api/grants")).json[0]).toMatchObject({ id: json.grant.id, revokedAt: null });
    expect(await stage.send(`/api/grants/${json.grant.id}/revoke`, { headers })).toMatchObject({ status: 405, code: "method-not-allowed" });
    const naive = await naiveServer(TOKEN);
    await send(naive.port, "/v1/grants/g1", { headers: { "x-http-method-override": "DELETE" } });
    expect(naive.grants.size).toBe(0);
  });

  row("API-12", async () => {
    const stage = await httpStage();
    for (const origin of [
      "https://evil.example",
      "null",
      `http://127.0.0.1:${stage.port}.evil.example`,
      `http://127.0.0.1:${stage.port + 1}`,
    ]) {
      const upgrade = { upgrade: "websocket", connection: "Upgrade", origin };
      expect(await stage.send("/api/socket", { headers: upgrade }), origin).toMatchObject({ status: 403, code: "bad-origin" });
      expect(await stage.send("/api/asks", { headers: { origin } }), origin).toMatchObject({ status: 403, code: "bad-origin" });
    }
    expect((await stage.send("/api/asks", { headers: { origin: `http://127.0.0.1:${stage.port}` } })).status).toBe(200);
    expect((await send((await naiveServer(TOKEN)).port, "/v1/requests", { headers: { origin: "https://evil.example" } })).status).toBe(200);
  });

  row("API-16", async () => {
    const stage = await httpStage();
    const body = { decision: "allow" };
    for (const id of ["1", "0", "-1", "..%2fasks", "%00", "a".repeat(40), "A".repeat(5000), "%f0%9f%98%80", "__proto__", "constructor"])
      expect(await stage.send(`/api/asks/${id}/answer`, { method: "POST", body }), id).toMatchObject({ status: 404, code: "not-found" });
    const ids = await Promise.all([waiting(stage), waiting(stage)]);
    for (const { ask, agent } of ids) {
      expect(ask.id.length).toBeGreaterThanOrEqual(32);
      expect(agent.credential.length).toBeGreaterThan(64);
    }
    const naive = await naiveServer(TOKEN);
    expect((await send(naive.port, "/v1/requests/1/decision", { method: "POST", body })).status).toBe(200);
  });

  row("API-19", async () => {
    const stage = await httpStage();
    const agent = await stage.agent();
    const access = `"call":"c1","tool":"Read","operation":"read","reason":null`;
    for (const raw of [
      `{${access},"path":"/opt/a","path":"/etc"}`,
      `{${access},"path":"/opt/a","p\\u0061th":"/etc"}`,
      `{${access},"path":"/opt/a","\\u0070ath" : "/etc"}`,
    ])
      expect(await stage.send("/api/agent/asks", { method: "POST", token: agent.credential, raw })).toMatchObject({
        status: 400,
        code: "bad-request",
      });
    // The same words as values, or in objects of their own, are nothing of the kind.
    const fine = await stage.send("/api/sessions", {
      method: "POST",
      raw: `{"workspace":"${stage.at.path("ws")}","mounts":[{"path":"${stage.at.path("lib")}","mode":"read_only"},{"path":"${stage.at.path("other")}","mode":"extend"}]}`,
    });
    expect(fine.status).toBe(200);
    const naive = await naiveServer(TOKEN);
    const { json } = await send(naive.port, "/v1/requests", { method: "POST", raw: '{"path":"/opt/a","path":"/etc"}' });
    expect([naive.shown[0], json.granted]).toEqual(["/opt/a", "/etc"]);
  });

  row("API-21", async () => {
    const stage = await httpStage();
    const agent = await stage.agent();
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connect(stage.port, "127.0.0.1");
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString();
        if (text.includes("}}")) resolve(text);
      });
      socket.on("error", reject);
      socket.on("close", () => resolve(text));
      socket.write(
        `POST /api/agent/asks HTTP/1.1\r\nHost: 127.0.0.1:${stage.port}\r\nAuthorization: Bearer ${agent.credential}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"path":`,
      );
      const drip = setInterval(() => socket.write(" "), 500);
      socket.on("close", () => clearInterval(drip));
      setTimeout(() => socket.destroy(), 100_000).unref();
    });
    expect(said).toMatch(/^HTTP\/1\.1 408 /);
    expect(said).toContain('"timeout"');
  });

  row("API-23", async () => {
    const stage = await httpStage({ files: ["pages/index.html: <!doctype html><title>Hallpass</title>"] });
    const pages = await httpStage({ pages: stage.at.path("pages") });
    const plain = await pages.send("/", { token: null });
    const turned = await pages.send("/?api=https://evil.example&gatewayUrl=wss://evil.example", { token: null });
    expect(turned.status).toBe(200);
    expect(turned.text).toBe(plain.text);
    expect(turned.headers["content-security-policy"]).toContain("default-src 'self'");
    expect((await send((await naiveServer(TOKEN)).port, "/?api=https://evil.example", { token: null })).text).toContain("evil.example");
  });

  row("API-24", async () => {
    const stage = await httpStage();
    for (const token of [TOKEN.slice(0, 10), `${TOKEN}x`, TOKEN.toUpperCase(), "", " ", `${TOKEN},${TOKEN}`])
      expect(await stage.send("/api/asks", { token }), token).toMatchObject({ status: 401, code: "unauthenticated" });
    for (const headers of [
      { authorization: `Basic ${TOKEN}` },
      { authorization: TOKEN },
      { cookie: `token=${TOKEN}` },
      { "x-api-key": TOKEN },
    ] as Record<string, string>[])
      expect(await stage.send("/api/asks", { token: null, headers })).toMatchObject({ status: 401, code: "unauthenticated" });
    expect(await stage.send(`/api/asks?token=${TOKEN}`, { token: null })).toMatchObject({ status: 401 });
    expect((await send((await naiveServer(TOKEN)).port, "/v1/requests", { token: TOKEN.slice(0, 10) })).status).toBe(200);
  });

  row("API-26", async () => {
    const stage = await httpStage();
    const agent = await stage.agent();
    const body = { call: "c1", tool: "Read", operation: "read", path: "/etc/shadow" };
    const said = await stage.send("/api/agent/decide", { method: "POST", token: agent.credential, body });
    expect(said.status).toBe(200);
    expect(said.json.verdict).toBe("deny");
    expect(said.json.hint).toContain("/etc/shadow");
    expect(said.json.hint).not.toContain(stage.at.root);
    expect(said.text).not.toContain("root:");
    const lib = await stage.send("/api/agent/decide", {
      method: "POST",
      token: agent.credential,
      body: { ...body, path: stage.at.path("lib/go.mod") },
    });
    expect(lib.json).toMatchObject({ verdict: "ask", reason: "out-of-scope" });
    expect(lib.text).not.toContain("module lib");
  });

  row("API-28", async () => {
    const stage = await httpStage({ files: ["pages/index.html: <title>Hallpass</title>", "secret.txt: SECRET"] });
    const pages = await httpStage({ pages: stage.at.path("pages") });
    for (const path of [
      "/..%2fsecret.txt",
      "/..%2f..%2f..%2fetc%2fpasswd",
      "/%2e%2e/secret.txt",
      "/assets/..%5csecret.txt",
      "/%252e%252e%252fsecret.txt",
    ]) {
      const said = await pages.send(path, { token: null });
      expect(said.text, path).not.toMatch(/SECRET|root:/);
      expect([200, 400, 404], path).toContain(said.status);
    }
    expect(await pages.send("/..%2fsecret.txt", { token: null })).toMatchObject({ status: 404, code: "not-found" });
    expect(await pages.send("/api/grants/..%2f..%2fetc%2fpasswd/reads")).toMatchObject({ status: 404, code: "not-found" });
    expect((await send((await naiveServer(TOKEN)).port, "/v1/files/..%2f..%2fetc%2fpasswd")).text).toContain("root:");
  });

  // The mode of the token's file is looked at where the daemon writes it.
  tried.add("API-25");
  test("every HTTP row has its test", () => expect(rows.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]));
});
