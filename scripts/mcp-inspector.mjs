// The MCP Inspector's command line against `hallpass mcp` with a daemon, on standard streams and over HTTP: refused, asked in the inbox
// (the Inspector has no dialogs), answered by a person, read, revoked, refused; a secret stays shut. Opt-in, since it installs the
// Inspector from the registry, in a temporary directory and outside our lock file: `node scripts/mcp-inspector.mjs [version]`.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDaemon } from "../test/hosts/daemon.mjs";

const program = process.env.HALLPASS_PROGRAM ?? fileURLToPath(new URL("../bin/hallpass.js", import.meta.url));
const version = process.argv[2] ?? "2.12.0";
const dir = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-inspector-")));
const [home, workspace, library] = [join(dir, "home"), join(dir, "home", "ws"), join(dir, "home", "lib")];
const env = { PATH: process.env.PATH, HOME: home };
const outside = join(library, "b.txt");

mkdirSync(workspace, { recursive: true });
mkdirSync(join(library, ".git"), { recursive: true });
writeFileSync(join(workspace, "a.txt"), "INSIDE\n");
writeFileSync(join(workspace, ".env"), "SECRET\n");
writeFileSync(outside, "OUTSIDE\n");
writeFileSync(join(dir, "package.json"), "{}");

let daemon = null;
let http = null;
try {
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", `@modelcontextprotocol/inspector@${version}`], {
    cwd: dir,
    stdio: ["ignore", "ignore", "inherit"],
  });
  daemon = await startDaemon(program, { cwd: workspace, env });
  const mcp = [process.execPath, program, "mcp", "--workspace", workspace, "--name"];
  await flow("standard streams", [...mcp, "inspector"]);
  http = await startHttp([...mcp.slice(1), "inspector-http", "--http", "0"]);
  await flow("HTTP", [http.url, "--transport", "http", "--header", `Authorization: Bearer ${http.token}`]);
} finally {
  http?.child.kill("SIGTERM");
  await daemon?.stop();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}

async function flow(way, server) {
  const call = (tool, values) => {
    const words = Object.entries(values).flatMap(([name, value]) => ["--tool-arg", `${name}=${value}`]);
    return inspect(server, ["--method", "tools/call", "--tool-name", tool, ...words]);
  };
  const says = (what, holds) => expect(`${way}: ${what}`, holds);
  const { tools } = await inspect(server, ["--method", "tools/list"]);
  says(
    "names its tools",
    ["read_file", "request_read_access", "bash"].every((name) => tools.some((tool) => tool.name === name)),
  );
  says("reads a file in the workspace", (await call("read_file", { path: "a.txt" })).content[0].text === "INSIDE\n");
  says("is refused a secret", (await call("read_file", { path: ".env" })).structuredContent.code === "secret-file");
  says("is refused what lies elsewhere", (await call("read_file", { path: outside })).structuredContent.code === "out-of-scope");
  const asked = call("request_read_access", { path: outside, reason: "to compare" });
  const ask = await openAsk();
  says("asks in the inbox for the repository", ask.proposal?.dir === library && ask.words === "to compare");
  await daemon.send("POST", `/api/asks/${ask.id}/answer`, { decision: "allow" });
  says("is told of the yes", (await asked).content[0].text.startsWith(`granted: ${library}`));
  says("reads it", (await call("read_file", { path: outside })).content[0].text === "OUTSIDE\n");
  for (const { id } of await daemon.send("GET", "/api/grants")) await daemon.send("POST", `/api/grants/${id}/revoke`);
  const after = await call("read_file", { path: outside });
  says("is refused again once it is revoked", after.isError === true && !JSON.stringify(after).includes("OUTSIDE"));
}

async function openAsk() {
  for (let tries = 0; tries < 300; tries += 1) {
    const [ask] = await daemon.send("GET", "/api/asks?state=open");
    if (ask !== undefined) return ask;
    await new Promise((again) => setTimeout(again, 100));
  }
  throw new Error("nothing was asked");
}

/** `hallpass mcp --http`; resolves when it has said where it is. */
function startHttp(words) {
  const child = spawn(process.execPath, words, { cwd: workspace, env, stdio: ["ignore", "pipe", "pipe"] });
  return new Promise((resolve, reject) => {
    let text = "";
    const heard = (part) => {
      text += part;
      const found = /(http:\/\/[^\s]+).*?(?:Bearer |token )([A-Za-z0-9_-]{20,})/su.exec(text);
      if (found !== null) resolve({ child, url: found[1], token: found[2] });
    };
    child.stdout.on("data", heard);
    child.stderr.on("data", heard);
    child.on("close", (exit) => reject(new Error(`hallpass mcp ended with ${exit}: ${text}`)));
  });
}

/** One call of the Inspector's command line; gives the JSON it prints. */
function inspect(server, words) {
  const bin = join(dir, "node_modules", ".bin", "mcp-inspector");
  const child = spawn(bin, ["--cli", ...server, ...words], { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"], timeout: 120_000 });
  return new Promise((resolve, reject) => {
    let [output, errors] = ["", ""];
    child.stdout.on("data", (part) => (output += part));
    child.stderr.on("data", (part) => (errors += part));
    child.on("close", (status) => {
      const start = output.indexOf("{");
      if (start === -1) reject(new Error(`the Inspector ended with ${status}: ${output}${errors.slice(-2000)}`));
      else resolve(JSON.parse(output.slice(start)));
    });
  });
}

function expect(what, holds) {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}`);
  if (!holds) process.exitCode = 1;
}
