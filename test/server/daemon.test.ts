// One daemon a data directory: what a second one does, what is left by one that was killed, what it keeps and for whom, and how it ends.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { findDaemon } from "../../src/cli/daemon-connection.ts";
import { routes } from "../../src/wire/http.ts";
import { environmentOf, eventually, executable, type Stage, stage, startProgram } from "./daemon-process.ts";

function run(on: Stage, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [executable, ...words], {
    env: environmentOf(on, env),
    encoding: "utf8",
    timeout: 120_000,
  });
  return { status, stdout, stderr };
}

test("hallpass pair lets one browser in, hallpass browsers lists it, and signed out it is nobody", async () => {
  const on = stage();
  const { address } = await startProgram(on, { data: on.data(), words: ["--name", "laptop.example"] });
  const env = { HALLPASS_DATA: on.data() };
  const { code, link } = JSON.parse(run(on, ["pair", "--json"], env).stdout) as { readonly code: string; readonly link: string };
  expect(link).toBe(`https://laptop.example/#pair=${code}`);
  const paired = await fetch(`${address}/api/pair`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code, name: "Firefox on Android" }),
  });
  const { id, token } = (await paired.json()) as { readonly id: string; readonly token: string };
  const health = async () => (await fetch(`${address}/api/health`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await health()).toBe(200);
  expect(run(on, ["browsers"], env).stdout).toMatch(/Firefox on Android/u);
  expect(run(on, ["browsers", "sign-out", "nobody"], env)).toMatchObject({ status: 2 });
  expect(run(on, ["browsers", "sign-out", id.slice(0, 8)], env)).toMatchObject({ status: 0, stdout: "signed out: Firefox on Android\n" });
  expect(await health()).toBe(401);
  expect(run(on, ["browsers"], env).stdout).toContain("no browser is signed in");
  const piped = run(on, ["pair"], env).stdout;
  expect(piped).toMatch(/^ {2}https:\/\/laptop\.example\/#pair=\S+\n\n {2}code {2}\S{9}\n/u);
  expect(piped).not.toContain("\u{1b}");
});

test("a second daemon on the same directory says where the first one is, and ends well", async () => {
  const on = stage();
  const first = await startProgram(on, { data: on.data() });
  const second = run(on, ["serve", "--link", "--no-open", "--data", on.data()]);
  expect(second.status).toBe(0);
  expect(second.stdout).toContain(`a daemon is already running (process ${first.pid}): ${first.address}/#token=${first.token}`);
  // What is piped ends in logs: the token is said there only where somebody asked for it.
  const piped = run(on, ["serve", "--no-open", "--data", on.data()]).stdout;
  const [, told = ""] = / {2}\((.*) shows it with the token\)/.exec(piped) ?? [];
  expect(piped).toContain(`${first.address}  (`);
  expect(piped).not.toContain(first.token);
  // And what is said there is what to type, as it stands: also where no `hallpass` is in the PATH.
  const typed = spawnSync("sh", ["-c", told], { env: environmentOf(on), encoding: "utf8", timeout: 120_000 });
  expect(typed.stdout).toContain(`${first.address}/#token=${first.token}`);
  // Flags that agree with what runs are no mistake; others are told of, since they had no effect.
  const { port } = new URL(first.address);
  expect(run(on, ["serve", "--no-open", "--data", on.data(), "--port", port, "--host", "127.0.0.1"]).status).toBe(0);
  for (const words of [["--host", "0.0.0.0"], ["--port", "1"], ["--insecure-bind"], ["--ask-life", "5"]]) {
    const { status, stderr } = run(on, ["serve", "--no-open", "--data", on.data(), ...words]);
    expect([words, status, stderr]).toEqual([words, 1, expect.stringContaining(`${words[0]} had no effect`)]);
  }
  expect(run(on, ["stop", "extra", "--data", on.data()])).toMatchObject({ status: 2 });
  expect(run(on, ["status", "--data", on.data()]).stdout).toContain(`(process ${first.pid})`);
  expect(run(on, ["stop", "--data", on.data()])).toMatchObject({ status: 0, stdout: `stopped (process ${first.pid})\n` });
  expect(run(on, ["stop", "--data", on.data()]).stdout).toBe("no daemon is running\n");
  expect(run(on, ["status", "--data", on.data()]).status).toBe(1);
});

test("a directory held by a process that does not answer is refused, and the sentence names the process", async () => {
  const on = stage();
  const first = await startProgram(on, { data: on.data() });
  first.child.kill("SIGSTOP");
  const second = run(on, ["serve", "--no-open", "--data", on.data()]);
  first.child.kill("SIGCONT");
  expect(second.status).toBe(1);
  expect(second.stderr).toContain(`process ${first.pid} holds`);
  expect(second.stderr).toContain("does not answer");
});

test("after a kill -9 the next one starts at once, whatever was left lying about", async () => {
  const on = stage();
  const first = await startProgram(on, { data: on.data() });
  await first.kill();
  expect(existsSync(join(on.data(), "daemon.json"))).toBe(true);
  expect(existsSync(join(on.data(), "socket"))).toBe(true);
  expect(await findDaemon({ home: on.home, env: {}, platform: "linux", data: on.data() })).toBeNull();
  const second = await startProgram(on, { data: on.data() });
  expect(second.token).toBe(first.token);
  expect((await second.client.send(routes.health, {})).ok).toBe(true);
});

test("of ten that start at once on a new directory one serves and nine find it; there is one token", async () => {
  const on = stage();
  const children = Array.from({ length: 10 }, () => {
    const child = spawn(process.execPath, [executable, "serve", "--link", "--no-open", "--port", "0", "--data", on.data()], {
      env: environmentOf(on),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    return { child, said: () => said, ended: once(child, "exit") };
  });
  try {
    await eventually(async () => (children.filter(({ child }) => child.exitCode === 0).length === 9 ? true : null), 180_000);
    const serving = children.filter(({ child }) => child.exitCode === null);
    expect(serving).toHaveLength(1);
    const links = new Set(children.map(({ said }) => /http\S+#token=\S+/.exec(said())?.[0]));
    expect(links.size).toBe(1);
  } finally {
    for (const { child } of children) child.kill("SIGKILL");
    await Promise.all(children.map(({ ended }) => ended));
  }
}, 240_000);

test("what it keeps is its owner's alone", async () => {
  const on = stage();
  await startProgram(on, { data: on.data() });
  expect(statSync(on.data()).mode & 0o777).toBe(0o700);
  for (const name of ["token", "machine", "daemon.json", "hallpass.db", "socket", "lock"])
    expect([name, statSync(join(on.data(), name)).mode & 0o777]).toEqual([name, 0o600]);
  expect(Buffer.from(readFileSync(join(on.data(), "token"), "utf8").trim(), "base64url")).toHaveLength(32);
});

test("a directory others may write to is refused", () => {
  const on = stage();
  mkdirSync(on.data());
  chmodSync(on.data(), 0o777);
  const refused = run(on, ["serve", "--no-open", "--data", on.data()]);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain("others may write to");
});

test("an address other machines can reach is refused without encryption, and taken when that is said in so many words", async () => {
  const on = stage();
  const refused = run(on, ["serve", "--no-open", "--host", "0.0.0.0", "--port", "0", "--data", on.data()]);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain("--tls-cert");
  expect(existsSync(join(on.data(), "daemon.json"))).toBe(false);
  const open = await startProgram(on, { data: on.data(), words: ["--host", "0.0.0.0", "--insecure-bind"] });
  expect((await open.client.send(routes.health, {})).ok).toBe(true);
});

test("with a certificate it speaks https", async () => {
  const on = stage();
  const made = spawnSync("openssl", [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    join(on.root, "key.pem"),
    "-out",
    join(on.root, "cert.pem"),
    "-days",
    "1",
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=IP:127.0.0.1",
  ]);
  if (made.status !== 0) return;
  const daemon = await startProgram(on, {
    data: on.data(),
    words: ["--tls-cert", join(on.root, "cert.pem"), "--tls-key", join(on.root, "key.pem")],
  });
  expect(daemon.address).toMatch(/^https:/);
  expect((await daemon.client.send(routes.health, {})).ok).toBe(true);
});

test("a request that comes a byte at a time is cut off", async () => {
  const on = stage();
  const daemon = await startProgram(on, { data: on.data() });
  const socket = connect(Number(new URL(daemon.address).port), "127.0.0.1");
  socket.on("error", () => {}).resume();
  socket.write("GET /api/health HTTP/1.1\r\nhost: 127");
  const drip = setInterval(() => socket.write("."), 500);
  await once(socket, "close");
  clearInterval(drip);
});

test("told to stop, it leaves a waiting chat waiting and ends well; a second signal ends it at once", async () => {
  const on = stage();
  const first = await startProgram(on, { data: on.data() });
  const session = await first.client.send(routes.addSession, { body: { workspace: on.workspace } });
  const chat = await first.client.send(routes.addChat, { body: { session: session.id } });
  const heard = first.listen([chat.id]);
  await heard.until(({ type }) => type === "live");
  await first.client.send(routes.say, { id: chat.id, body: { text: `read ${join(on.library, "far.txt")}` } });
  const opened = await heard.until(({ type }) => type === "ask_open");
  expect(await first.stop()).toBe(0);
  expect(existsSync(join(on.data(), "daemon.json"))).toBe(false);
  const second = await startProgram(on, { data: on.data() });
  expect((await second.client.send(routes.chat, { id: chat.id })).status).toBe("waiting_for_input");
  const [ask] = await second.client.send(routes.listAsks, { query: { state: "open" } });
  expect(opened.type === "ask_open" && opened.ask.id).toBe(ask?.id);
  second.child.kill("SIGTERM");
  second.child.kill("SIGINT");
  await once(second.child, "exit").catch(() => {});
});

test("the log says what happened, and no token, path of a file or word of an agent", async () => {
  const on = stage();
  const daemon = await startProgram(on, { data: on.data() });
  const session = await daemon.client.send(routes.addSession, { body: { workspace: on.workspace } });
  const chat = await daemon.client.send(routes.addChat, { body: { session: session.id } });
  await daemon.client.send(routes.say, { id: chat.id, body: { text: `read ${join(on.library, "far.txt")}` } });
  await daemon.listen([chat.id]).until((frame) => frame.type === "ask_open" || (frame.type === "snapshot" && frame.asks.length > 0));
  await daemon.stop();
  const lines = daemon
    .errors()
    .split("\n")
    .filter((line) => line !== "");
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  for (const word of [daemon.token, "far.txt", "outside the workspace", "You asked"]) expect(daemon.errors()).not.toContain(word);
});

test("figures for Prometheus count requests, asks and decisions", async () => {
  const on = stage();
  const daemon = await startProgram(on, { data: on.data() });
  const session = await daemon.client.send(routes.addSession, { body: { workspace: on.workspace } });
  const chat = await daemon.client.send(routes.addChat, { body: { session: session.id } });
  const heard = daemon.listen([chat.id]);
  await heard.until(({ type }) => type === "live");
  await daemon.client.send(routes.say, { id: chat.id, body: { text: `read ${join(on.library, "far.txt")}` } });
  const opened = await heard.until(({ type }) => type === "ask_open");
  await daemon.client.send(routes.answer, { id: opened.type === "ask_open" ? opened.ask.id : "", body: { decision: "allow" } });
  await heard.until((frame) => frame.type === "chat_status" && frame.status === "idle");
  const figures = await daemon.client.send(routes.metrics, {});
  for (const line of [
    'hallpass_requests_total{method="POST",route="/api/asks/{id}/answer",status="200"} 1',
    "hallpass_asks_opened_total 1",
    'hallpass_asks_settled_total{as="allow"} 1',
    "hallpass_answer_seconds_count 1",
    'hallpass_decisions_total{verdict="allow"}',
    "hallpass_sockets 1",
    "hallpass_asks_open 0",
    "process_resident_memory_bytes",
  ])
    expect(figures).toContain(line);
  for (const line of figures.trim().split("\n")) expect(line).toMatch(/^(# (HELP|TYPE) .*|[a-z_]+(\{[^}]*(\{id\}[^}]*)*\})? [0-9.e+-]+)$/);
});

test("a webhook is told of an ask, signed, with a link to it, and without the agent's words; a dead one is in nobody's way", async () => {
  const { createServer } = await import("node:http");
  const { createHmac } = await import("node:crypto");
  const got: { body: string; signature: string }[] = [];
  let failures = 1;
  const receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      // Fails once: it is tried again.
      response.statusCode = failures-- > 0 ? 500 : 204;
      if (response.statusCode === 204) got.push({ body, signature: String(request.headers["x-hallpass-signature"]) });
      response.end();
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const address = receiver.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const on = stage();
  // In the place of the desktop's own program.
  const shown = join(on.root, "shown");
  mkdirSync(join(on.root, "bin"));
  writeFileSync(
    join(on.root, "bin", "notify-send"),
    `#!/bin/sh\nprintf '%s\\n' "$@" > '${shown}.part' && mv '${shown}.part' '${shown}'\n`,
    { mode: 0o755 },
  );
  const daemon = await startProgram(on, {
    data: on.data(),
    env: {
      HALLPASS_WEBHOOK_URL: `http://127.0.0.1:${port}/hook`,
      HALLPASS_WEBHOOK_SECRET: "shared",
      HALLPASS_NOTIFY: "1",
      PATH: `${join(on.root, "bin")}:${process.env["PATH"] ?? ""}`,
    },
  });
  const session = await daemon.client.send(routes.addSession, { body: { workspace: on.workspace } });
  const chat = await daemon.client.send(routes.addChat, { body: { session: session.id } });
  await daemon.client.send(routes.say, { id: chat.id, body: { text: `read ${join(on.library, "far.txt")}` } });
  const notice = await eventually(async () => got[0] ?? null);
  const [ask] = await daemon.client.send(routes.listAsks, { query: { state: "open" } });
  expect(JSON.parse(notice.body)).toMatchObject({
    event: "ask_open",
    ask: ask?.id,
    root: on.library,
    link: `${daemon.address}/#/asks/${ask?.id}`,
  });
  expect(notice.body).not.toContain("You asked");
  expect(notice.signature).toBe(`sha256=${createHmac("sha256", "shared").update(notice.body).digest("hex")}`);
  const desktop = await eventually(async () => (existsSync(shown) ? readFileSync(shown, "utf8") : null));
  expect(desktop).toContain(`The agent in ${basename(on.workspace)} wants to read ${basename(on.library)}.`);
  expect(desktop).toContain(`<a href="${daemon.address}/#/asks/${ask?.id}">`);
  expect(desktop).not.toContain("far.txt");
  receiver.close();
});

test("a data directory's policy is no policy: what lies in it changes nothing", async () => {
  const on = stage();
  mkdirSync(on.data(), { mode: 0o700 });
  writeFileSync(join(on.data(), "policy.json"), JSON.stringify({ read: [{ allow: "/**" }] }));
  const daemon = await startProgram(on, { data: on.data() });
  const session = await daemon.client.send(routes.addSession, { body: { workspace: on.workspace } });
  const decision = await daemon.client.send(routes.explain, { id: session.id, body: { path: join(on.library, "far.txt") } });
  expect(decision.verdict).toBe("ask");
});

test("where OpenTelemetry's interface is beside it, each request is a span that says its route and nothing of what it is about", async () => {
  const on = stage();
  const [spans, api, hooks, register] = ["spans", "api.mjs", "hooks.mjs", "register.mjs"].map((name) => join(on.root, name)) as [
    string,
    string,
    string,
    string,
  ];
  // In the package's place, since it is not ours to install.
  writeFileSync(
    api,
    `import { appendFileSync } from "node:fs";
     const startSpan = (name) => {
       const attributes = {};
       const end = () => appendFileSync(${JSON.stringify(spans)}, JSON.stringify({ name, attributes }) + "\\n");
       return { setAttribute: (key, value) => void (attributes[key] = value), end };
     };
     export const trace = { getTracer: () => ({ startSpan }) };`,
  );
  writeFileSync(
    hooks,
    `export const resolve = (name, context, next) =>
       name === "@opentelemetry/api" ? { url: ${JSON.stringify(pathToFileURL(api).href)}, shortCircuit: true } : next(name, context);`,
  );
  writeFileSync(register, `import { register } from "node:module"; register(${JSON.stringify(pathToFileURL(hooks).href)});`);
  const daemon = await startProgram(on, { data: on.data(), env: { NODE_OPTIONS: `--import=${pathToFileURL(register).href}` } });
  const session = (await daemon.client.send(routes.addSession, { body: { workspace: on.workspace } })).id;
  await daemon.client.send(routes.session, { id: session });
  const line = `${JSON.stringify({
    name: "GET /api/sessions/{id}",
    attributes: { "http.request.method": "GET", "http.route": "/api/sessions/{id}", "http.response.status_code": 200 },
  })}\n`;
  // A span ends after its answer has left.
  const told = await eventually(async () => {
    const now = readFileSync(spans, "utf8");
    return now.includes(line) ? now : null;
  });
  for (const word of [session, on.workspace, daemon.token]) expect(told).not.toContain(word);
  expect(await daemon.stop()).toBe(0);
});
