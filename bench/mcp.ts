// A read through MCP, on the standard streams, by one client: our server against the protocol's own file-system server, which resolves
// the path, looks at its list and reads by name. Both programs run as they are installed; what is timed is what a client waits for. With a
// daemon each read is in a record that outlives both processes before it is answered.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { runSuite } from "./lib/suite.ts";

const KB = 1024;
const LINE = "export const total = items.reduce((sum, item) => sum + item.price, 0);\n";
const WARM = 3_000;
const FOLDERS = join("packages", "shop", "src");
const SIZES = [
  { label: "4 KB", bytes: 4 * KB },
  { label: "64 KB", bytes: 64 * KB },
] as const;

const ours = process.env["HALLPASS_PROGRAM"] ?? join(process.cwd(), "bin", "hallpass.js");
const reference = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/package.json")),
  "dist",
  "index.js",
);

const environment = (home: string) => ({ PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home });

await runSuite("mcp", async (suite) => {
  const outer = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-bench-mcp-")));
  const root = join(outer, "root");
  const home = join(outer, "home");
  mkdirSync(join(root, FOLDERS), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(root, ".env"), "VALUE=not-a-secret\n");
  const daemon = await startDaemon(home);
  const hallpass = await start([ours, "mcp", "--alone", "--workspace", root], home);
  const withDaemon = await start([ours, "mcp", "--workspace", root], home);
  const filesystem = await start([reference, root], home);
  try {
    for (const client of [hallpass, withDaemon]) await requireRefusals(client, root);
    for (const { label, bytes } of SIZES) {
      const path = join(root, FOLDERS, `text-${bytes}.ts`);
      const text = LINE.repeat(Math.ceil(bytes / LINE.length)).slice(0, bytes);
      writeFileSync(path, text);
      const clients = { hallpass, withDaemon, filesystem };
      for (const [name, client] of Object.entries(clients))
        if ((await read(client, path)) !== text) throw new Error(`${name} gives another text for ${label}`);
      // The anchor runs twice in each round, as its own twin: without this it would be the warmer of the two programs.
      for (let time = 0; time < WARM; time += 1) for (const client of Object.values(clients)) await read(client, path);
      await suite.run({
        title: `${label} through MCP`,
        anchor: "server-filesystem",
        operations: 1,
        by: "long-slices",
        variants: [
          { name: "hallpass mcp", kind: "async", run: () => read(hallpass, path) },
          { name: "hallpass mcp with a daemon", kind: "async", run: () => read(withDaemon, path) },
          { name: "server-filesystem", kind: "async", run: () => read(filesystem, path) },
        ],
        goals: [
          { name: `MCP read of ${label} of server-filesystem`, limit: 0.8, variant: "hallpass mcp", against: "server-filesystem" },
          {
            name: `MCP read of ${label} with a daemon of server-filesystem`,
            limit: 1,
            variant: "hallpass mcp with a daemon",
            against: "server-filesystem",
          },
        ],
      });
    }
    await requireRecord(home);
  } finally {
    await Promise.all([hallpass.close(), withDaemon.close(), filesystem.close()]);
    await daemon.stop();
    rmSync(outer, { recursive: true, force: true });
  }
});

/** A daemon on the home directory, as a person starts one. */
async function startDaemon(home: string): Promise<{ stop(): Promise<unknown> }> {
  const child = spawn(process.execPath, [ours, "serve", "--no-open", "--link", "--port", "0"], {
    env: environment(home),
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "exit");
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (text: Buffer) => void (text.includes("#token=") && resolve()));
    child.on("exit", () => reject(new Error("the daemon did not start")));
  });
  return { stop: () => (child.kill("SIGTERM"), ended) };
}

/** Reads that are in no record would be quick and worth nothing. */
async function requireRecord(home: string): Promise<void> {
  const args = [ours, "audit", "query", "--kind", "decision", "--lines", "1", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment(home) });
  if (!stdout.includes("text-")) throw new Error("the reads are not in the record");
}

async function start(args: string[], home: string): Promise<Client> {
  const client = new Client({ name: "bench", version: "1" }, { capabilities: {} });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: environment(home), stderr: "ignore" }));
  return client;
}

async function read(client: Client, path: string): Promise<string> {
  const { content, isError } = await client.callTool({ name: "read_file", arguments: { path } });
  const [first] = content;
  if (isError === true || first?.type !== "text") throw new Error("refused");
  return first.text;
}

/** A server that refuses nothing would be no guard. */
async function requireRefusals(client: Client, root: string): Promise<void> {
  for (const path of [join(root, ".env"), "/etc/passwd"]) {
    const refused = await read(client, path).then(
      () => false,
      () => true,
    );
    if (!refused) throw new Error(`the read of ${path} was not refused`);
  }
}
