// A daemon as a person starts it, on a home of the test's, and agents that register with it.

import { type ChildProcess, spawn } from "node:child_process";
import { connectDaemon, findDaemon } from "../../src/cli/daemon-connection.ts";
import { type Client, createClient } from "../../src/wire/client.ts";
import { routes } from "../../src/wire/http.ts";
import { pause, type Place, program } from "./terminal.ts";

export interface RunningDaemon {
  readonly client: Client;
  readonly pid: number;
  /** A call of an agent of another program, which waits for a person. */
  ask(path: string, words: string | null, label?: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startDaemonAt(at: Place): Promise<RunningDaemon> {
  const child: ChildProcess = spawn(process.execPath, [program, "serve", "--port", "0", "--no-open", "--asks-per-minute", "1000"], {
    cwd: at.workspace,
    env: { PATH: process.env["PATH"] ?? "", HOME: at.home },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr?.on("data", (text: Buffer) => (errors += text.toString()));
  const around = { home: at.home, env: {}, platform: process.platform, patience: 2000 };
  let found = await findDaemon(around);
  for (let tries = 0; found === null && tries < 1200; tries += 1) {
    await pause(50);
    found = await findDaemon(around);
  }
  if (found === null) throw new Error(`no daemon came up: ${errors}`);
  const { client, fetch, close } = connectDaemon(found, "test");
  let calls = 0;
  return {
    client,
    pid: child.pid ?? 0,
    async ask(path, words, label = "reviewer") {
      const { credential } = await client.send(routes.register, {
        body: { host: "claude-code", hostSession: `run-${label}`, workspace: at.workspace, label },
      });
      const agent = createClient({ address: client.address, token: credential, fetch, via: "test" });
      const asked = await agent.send(routes.agentAsk, {
        body: { call: `call-${calls++}`, tool: "request_read_access", operation: "read", path, reason: words },
      });
      if (asked.state !== "waiting") throw new Error(`not asked: ${asked.code} ${asked.text}`);
      return asked.ask.id;
    },
    async stop() {
      await close();
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await Promise.race([gone, pause(3000)]);
      child.kill("SIGKILL");
    },
  };
}
