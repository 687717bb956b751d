// The MCP server itself: which client this is, what its dialogs can do, and one host session for the process, opened with the first call. Both
// eras of the protocol are served: where the server may speak to the client it asks within the call, elsewhere the call ends and is
// made again with what the person said.

import {
  type CallToolResult,
  inputRequired,
  type InputRequiredResult,
  type McpServerFactory,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type Clock, type Ids, randomIds, systemClock } from "../../core/clock.ts";
import type { Sandbox } from "../../sandbox/port.ts";
import { createSandbox } from "../../sandbox/sandbox.ts";
import { defaultLimits, type Limits } from "../../tools/limits.ts";
import { createSearcher, type Searcher } from "../../tools/search/searcher.ts";
import type { WireAsk } from "../../wire/values.ts";
import type { HostSession } from "../host-session/host-session.ts";
import { type AskTimeouts, patience as usualPatience } from "./asking.ts";
import { ANSWER, callerOf, capabilitiesOf, clientName, dialogOf, type Era, rootsOf, replyIn } from "./caller.ts";
import { createCalls, notOurs } from "./calls.ts";
import { cardForm, cardText } from "./card.ts";
import { instructions, withPlaces } from "./instructions.ts";
import { offeredTools } from "./offered-tools.ts";
import { createRequestStates, type TakenStates, takenInMemory } from "./request-state.ts";
import { failure, faultResult } from "./results.ts";
import { findWorkspace, type FoundWorkspace, type WorkspaceSources } from "./workspace.ts";

/** What the server needs. */
export interface McpPorts {
  /** Open the host session in this workspace. `attended`: can anybody be asked? `client`: what the client calls itself. */
  readonly openHostSession: (workspace: string, attended: boolean, client: string | null) => Promise<HostSession>;
  /** Will that host session be a daemon's? Default: no. */
  readonly shared?: boolean;
  readonly places: WorkspaceSources;
  /** May the client's roots find the workspace? Not where one server has many clients. Default: no. */
  readonly roots?: boolean;
  readonly version: string;
  readonly asking?: "by-model" | "by-guard";
  /** May a person answer in the client's own dialog? Default: yes. Without, the inbox alone answers. */
  readonly dialogs?: boolean;
  readonly patience?: Partial<AskTimeouts>;
  readonly limits?: Limits;
  readonly searcher?: Searcher;
  readonly sandbox?: Sandbox;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Signs what clients carry between the halves of a call: 32 bytes that no client knows. Default: random ones. */
  readonly key?: Uint8Array;
  /** Which of those were used; default: as this process remembers. A key that outlives the process needs one that does too. */
  readonly taken?: TakenStates;
  /** How long such a state is good, in seconds; default: as long as a person is waited for, and a minute. */
  readonly stateSeconds?: number;
}

/** An MCP server for any number of connections. */
export interface Mcp {
  /** A server for one connection, or one request; all share the host session. */
  readonly factory: McpServerFactory;
  /** Lets what runs come to its end for a moment, then closes host session and threads. */
  close(): Promise<void>;
}

interface OpenedSession {
  readonly hostSession: HostSession;
  readonly found: FoundWorkspace;
}

/** How long calls under way are waited for at the end, in milliseconds. */
const LAST_MOMENT = 2_000;

/** Our tools as an MCP server. One host session is opened, in the workspace that is found. */
export function createMcp(ports: McpPorts): Mcp {
  const {
    clock = systemClock,
    ids = randomIds,
    asking = "by-model",
    shared = false,
    roots = false,
    limits = defaultLimits,
    sandbox = createSandbox({ lasting: true }),
  } = ports;
  const searcher = ports.searcher ?? createSearcher();
  const patience: AskTimeouts = { ...usualPatience, ...ports.patience };
  const { tools, listed } = offeredTools();
  const call = createCalls({ tools, limits, searcher, sandbox, clock, ids, asking, patience });
  const seconds = ports.stateSeconds ?? Math.ceil(patience.deadline / 1000) + 60;
  const { key = crypto.getRandomValues(new Uint8Array(32)), taken = takenInMemory(clock) } = ports;
  const states = createRequestStates({ key, seconds, clock, ids, taken });
  const running = new Set<Promise<unknown>>();
  let opening: Promise<OpenedSession> | null = null;
  const open = async (server: Server, context: ServerContext, era: Era): Promise<OpenedSession> => {
    opening ??= (async () => {
      const capabilities = capabilitiesOf(server, context, era);
      const canAsk = shared || (ports.dialogs !== false && dialogOf(capabilities) !== null);
      const askRoots = roots && era === "legacy" && capabilities.roots !== undefined ? () => rootsOf(context) : null;
      const found = await findWorkspace(ports.places, askRoots);
      return { hostSession: await ports.openHostSession(found.workspace, canAsk, clientName(server, context, era)), found };
    })();
    try {
      return await opening;
    } catch (error) {
      opening = null; // the next call tries again
      throw error;
    }
  };

  const answer = async (
    server: Server,
    era: Era,
    { name, arguments: input }: { readonly name: string; readonly arguments?: Record<string, unknown> | undefined },
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> => {
    // INVARIANT: the host session is opened for a client that has said what it can do. Opened for one that has not it would ask nobody, ever.
    if (era === "legacy" && server.getClientCapabilities() === undefined)
      return failure("bad-request", "nothing is done before `initialize`: send that first");
    const { hostSession, found } = await open(server, context, era);
    const clientCaller = callerOf(server, context, era, hostSession);
    const caller = ports.dialogs === false ? { ...clientCaller, dialog: null, put: null } : clientCaller;
    const verified = context.mcpReq.requestState();
    const state = verified === undefined ? null : states.take(verified, { tool: name, input, session: hostSession.id });
    if (verified !== undefined && state === null) return notOurs();
    const earlier =
      state === null ? null : { call: state.call, ask: state.ask, reply: replyIn(context), elapsed: Math.max(0, clock() - state.at) };
    let dialog: InputRequiredResult | null = null;
    const asksBetweenCalls = caller.dialog !== null && caller.put === null;
    const handOver = async (ask: WireAsk, id: string): Promise<CallToolResult> => {
      const requestState = await states.mint({ ask: ask.id, call: id, tool: name, session: hostSession.id }, input);
      const page = hostSession.addressOf(ask.id);
      const request =
        caller.dialog === "form" || page === null
          ? inputRequired.elicit({ message: cardText(ask), requestedSchema: { ...cardForm(ask, "titles") } })
          : inputRequired.elicitUrl({ message: cardText(ask), url: page });
      dialog = inputRequired({ inputRequests: { [ANSWER]: request }, requestState });
      return { content: [] };
    };
    const { signal } = caller;
    const result = await call({
      name,
      input: input ?? {},
      hostSession,
      signal,
      caller,
      earlier,
      handOver: asksBetweenCalls ? handOver : null,
    });
    return dialog ?? (name === "list_access" ? withPlaces(result, hostSession.shared, found.ignored) : result);
  };

  const trackRunning = async <T>(work: Promise<T>): Promise<T> => {
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
    }
  };

  return {
    factory: ({ era }) => {
      const server = new Server(
        { name: "hallpass", title: "Hallpass", version: ports.version },
        {
          capabilities: { tools: {} },
          instructions: instructions(ports.places.given, shared, asking),
          requestState: { verify: (text, context) => states.verify(text, context) },
        },
      );
      server.setRequestHandler("tools/list", () => ({ tools: listed }));
      server.setRequestHandler("tools/call", ({ params }, context) =>
        trackRunning(answer(server, era, params, context).catch(faultResult)),
      );
      return server;
    },
    async close() {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await Promise.race([Promise.allSettled(running), new Promise((resolve) => (timer = setTimeout(resolve, LAST_MOMENT)))]);
      clearTimeout(timer);
      const opened = await opening?.catch(() => null);
      await opened?.hostSession.close();
      if (ports.searcher === undefined) await searcher.close();
    },
  };
}
