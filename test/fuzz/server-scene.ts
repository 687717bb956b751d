// A whole server on a port of its own, with the hook socket beside it, and things in it that the words of a text stand for.

import { createHookSocket } from "../../src/cli/hook-socket.ts";
import { readHookSocket } from "../../src/adapters/hook/socket-file.ts";
import { systemClock } from "../../src/core/clock.ts";
import { scriptedModel } from "../../src/agent/models/scripted.ts";
import { assemble } from "../../src/server/assemble.ts";
import { listen, type HttpListener } from "../../src/server/listen.ts";
import { createSockets } from "../../src/server/socket.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { createClient } from "../../src/wire/client.ts";
import { routes } from "../../src/wire/http.ts";
import { openScene, type Scene } from "./scene.ts";
import { hold } from "./target.ts";
import { createShellReports } from "../../src/server/shell-reports.ts";

export const TOKEN = "person-token-0123456789abcdef";

export interface ServerScene extends Scene {
  readonly port: number;
  readonly hosts: readonly string[];
  readonly hookSocket: { readonly port: number; readonly token: string; readonly proof: string };
  /** Credentials of agents. */
  readonly credentials: Set<string>;
  /** Names of what is no business of the agent with the first credential. */
  readonly others: readonly string[];
  /** The server must have noted no fault. */
  holdWell(): void;
  end(): Promise<void>;
}

export async function openServerScene(): Promise<ServerScene> {
  const scene = openScene();
  const { home, workspace, at } = scene;
  const faults: string[] = [];
  const log = { info() {}, warn() {}, error: (fields: object, what: string) => void faults.push(`${what} ${JSON.stringify(fields)}`) };
  let listening: HttpListener | null = null;
  const server = await assemble({
    store: createMemoryStore(),
    storeKind: "memory",
    home,
    env: {},
    platform: process.platform,
    token: TOKEN,
    model: scriptedModel(async () => "well"),
    hosts: () => listening?.hosts ?? [],
    asksPerMinute: 1_000_000,
    log,
  });
  const { app, hub } = server;
  const sockets = (hosts: () => readonly string[]) => createSockets({ hub, callerOf: app.callerOf, hosts, log });
  listening = await listen({ app, sockets, log }, { port: 0, socketPath: null });
  const place = createHookSocket({ home, env: {}, platform: process.platform });
  // Nobody answers here, so nobody is waited for.
  await place.open(home, {
    store: server.store,
    log,
    clock: systemClock,
    hosted: server.agent.hosted,
    sandbox: server.sandbox,
    shells: createShellReports(),
    settled: () => Promise.resolve(null),
    called: () => {},
  });
  const hookSocket = readHookSocket(`${home}/hook.socket`);
  if (hookSocket === null) throw new Error("there is no hook socket");

  const client = createClient({ address: listening.address, token: TOKEN, fetch: (one) => app.fetch(withHost(one)), via: "test" });
  const register = (hostSession: string) => client.send(routes.register, { body: { host: "fuzz", hostSession, workspace } });
  const asking = async (credential: string, call: string): Promise<string> => {
    const agent = createClient({ address: client.address, token: credential, fetch: (one) => app.fetch(withHost(one)), via: "test" });
    const path = at.path("home/lib/go.mod");
    const asked = await agent.send(routes.agentAsk, { body: { call, tool: "Read", operation: "read", path, reason: "to look" } });
    return asked.state === "waiting" ? asked.ask.id : "";
  };
  const [one, two] = [await register("one"), await register("two")];
  const own = await client.send(routes.addSession, { body: { workspace } });
  const chat = await client.send(routes.addChat, { body: { session: own.id } });
  const [open, given] = [await asking(one.credential, "c1"), await asking(two.credential, "c2")];
  const { grant } = await client.send(routes.answer, { id: given, body: { decision: "allow" } });
  const names = {
    $HOST: new URL(listening.address).host,
    $TOKEN: TOKEN,
    $AGENT: one.credential,
    $SESSION: own.id,
    $CHAT: chat.id,
    $AGENTSESSION: one.session.id,
    $AGENTCHAT: one.chat.id,
    $ASK: open,
    $OTHERASK: given,
    $GRANT: grant?.id ?? "",
    $HOOK: hookSocket.token,
  };
  for (const [word, meaning] of Object.entries(names)) scene.name(word, meaning);
  return {
    ...scene,
    port: Number(new URL(listening.address).port),
    hosts: listening.hosts,
    hookSocket,
    credentials: new Set([one.credential, two.credential]),
    others: [own.id, chat.id, two.session.id, two.chat.id, given, grant?.id ?? ""],
    holdWell() {
      const [fault] = faults.splice(0);
      hold(fault === undefined, `the server noted a fault: ${fault ?? ""}`);
    },
    async end() {
      place.shut(home);
      await listening?.close(0);
      await server.agent.settled();
      await server.close();
      scene.close();
    },
  };
}

/** A request within the process names no host by itself. */
function withHost(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("host", new URL(request.url).host);
  return new Request(request, { headers });
}
