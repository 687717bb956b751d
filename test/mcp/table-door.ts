// One MCP client and server in this process, with a host session whose session the test sets for each call: the attack tables through this door.

import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import type { HostSession } from "../../src/adapters/host-session/host-session.ts";
import { createMcp } from "../../src/adapters/mcp/server.ts";
import { createSituations } from "../../src/cli/situation.ts";
import type { Answer, Reply } from "../line-process.ts";
import { outcome } from "./clients.ts";

export interface TableDoor {
  /** `line`: a situation as the line protocol takes it, a tool and its input. */
  ask(line: Readonly<Record<string, unknown>>, within?: number): Promise<Reply>;
  stop(): Promise<void>;
}

export async function openTableDoor(home: string): Promise<TableDoor> {
  const situationOf = createSituations(home, { ceilings: null, administrator: [], own: { policies: [], data: [] } });
  let situation: Readonly<Record<string, unknown>> = {};
  const never = () => Promise.reject(new Error("nobody is asked here"));
  const hostSession: HostSession = {
    shared: true,
    id: "table",
    session: async () => situationOf(situation).session,
    // What a person would be asked about is not done: nobody answers.
    ask: () => Promise.resolve({ state: "done", ok: false, code: "policy-ask", text: "nobody answers" }),
    wait: never,
    answer: never,
    cancel: never,
    leave: () => {},
    withdraw: never,
    record: () => Promise.resolve(),
    addressOf: () => null,
    close: () => Promise.resolve(),
  };
  const mcp = createMcp({
    openHostSession: () => Promise.resolve(hostSession),
    shared: true,
    places: { given: "/", variable: null, cwd: "/" },
    roots: false,
    version: "1",
    key: new Uint8Array(32),
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = await mcp.factory({ era: "legacy" });
  await server.connect(near);
  const client = new Client({ name: "table", version: "1" }, { capabilities: {}, versionNegotiation: { mode: "legacy" } });
  await client.connect(far);
  return {
    async ask({ tool, input, ...rest }, within = 60_000) {
      situation = rest;
      const since = performance.now();
      const result = await client.callTool({ name: String(tool), arguments: { ...(input as object) } }, { timeout: within });
      return { answer: answerOf(outcome(result)), text: JSON.stringify(result), ms: performance.now() - since };
    },
    async stop() {
      await client.close();
      await mcp.close();
    },
  };
}

const asks = new Set(["out-of-scope", "policy-ask", "grant-stale"]);
/** Codes of what was allowed and then could not be done, or was not judged at all. */
const undone = new Set([
  "not-found",
  "is-directory",
  "not-directory",
  "too-large",
  "binary-file",
  "bad-request",
  "invalid-path",
  "timeout",
]);

/** A result in the words of the other doors. */
function answerOf({ failed, data, text }: ReturnType<typeof outcome>): Answer {
  if (!failed) return { ok: true, output: text };
  const code = String(data["code"]);
  const opening = text.includes("Nothing was handed out") || undone.has(code);
  return { ok: false, code, verdict: opening ? null : asks.has(code) ? "ask" : "deny" };
}
