// An MCP server in a program of somebody else's, in one call: on one workspace, with the app that the program has opened.

import { createSandbox } from "../../sandbox/sandbox.ts";
import { randomIds } from "../../core/clock.ts";
import type { AppConnection } from "../../wire/connection.ts";
import { type HostSessionPorts, openHostSession } from "../host-session/open.ts";
import { createMcp, type Mcp, type McpPorts } from "./server.ts";

/** What `openMcp` is told. Connection and workspace are needed. */
export interface OpenMcpOptions
  extends Partial<Pick<McpPorts, "asking" | "dialogs" | "patience" | "limits" | "version">>, Pick<HostSessionPorts, "home" | "policyFor"> {
  /** The app that keeps the session, its asks and its grants: what `openApp` gives. */
  readonly connection: AppConnection;
  /** The directory that the agent works in; absolute. */
  readonly workspace: string;
  /** Your program's name, for the record and for the person who is asked. `mcp` by default. */
  readonly host?: string;
  /** The same name gives the same session back, with its grants. By default each server has a session of its own, which ends with it. */
  readonly session?: string;
}

/** As much of a client's name as a session keeps. */
const LONGEST_LABEL = 120;

/** Our tools as an MCP server on one workspace. Serve it with `serveStdio` or `listenMcp`. */
export function openMcp({ connection, workspace, host = "mcp", session, home, policyFor, ...rest }: OpenMcpOptions): Mcp {
  const sandbox = createSandbox({ lasting: true, env: process.env });
  const hostSession = session ?? randomIds();
  return createMcp({
    version: "0",
    ...rest,
    openHostSession: (directory, attended, client) =>
      openHostSession({
        connection,
        identity: {
          host,
          hostSession,
          workspace: directory,
          attended,
          leaves: session === undefined,
          ...(client === null ? {} : { label: client.slice(0, LONGEST_LABEL) }),
        },
        ended: (grant, how) => sandbox.revoke(grant, how),
        over: (ended) => sandbox.endSession(ended),
        ...(home === undefined ? {} : { home }),
        ...(policyFor === undefined ? {} : { policyFor }),
      }),
    shared: connection.durable,
    places: { given: workspace, variable: null, cwd: workspace },
    sandbox,
  });
}
