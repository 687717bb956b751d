// hallpass mcp: our guarded tools as an MCP server, on the standard streams or on a port of this machine. With a daemon its asks, grants
// and record are the daemon's; without one they live in this process, and the server says so.

import { join, resolve } from "node:path";
import { randomIds, systemClock } from "../../core/clock.ts";
import { realOf } from "../../adapters/hook/disk.ts";
import type { Mcp, McpPorts } from "../../adapters/mcp/server.ts";
import type { Sandbox } from "../../sandbox/port.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Call, numberIn, oneOf } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { findHostSessions, type HostSessions } from "../host-sessions.ts";
import { packageAround } from "../package-around.ts";

const PORT = 7778;
const SHORTEST_TOKEN = 32;

export async function mcp(call: Call<"mcp">, host: Host): Promise<number> {
  const flags = readFlags(call, host);
  const { values } = call;
  const token = host.env["HALLPASS_MCP_TOKEN"];
  if (flags.port !== null && token !== undefined && token.length < SHORTEST_TOKEN)
    throw new UsageError(`HALLPASS_MCP_TOKEN must have at least ${SHORTEST_TOKEN} characters`);
  const { createSandbox } = await import("../../sandbox/sandbox.ts");
  const path = host.env["PATH"];
  const sandbox = createSandbox({ lasting: true, env: host.env, ...(path === undefined ? {} : { path }) });
  const { alone } = flags;
  const sessions = await findHostSessions(host, {
    via: "mcp",
    alone,
    ...(values.start === true ? { start: { workspace: flags.workspace ?? host.cwd } } : {}),
    ended: (grant, how) => sandbox.revoke(grant, how),
    over: (session) => sandbox.endSession(session),
  });
  const made = await serverFor(flags, host, sessions, sandbox);
  if (flags.port === null) {
    const { serveStdio } = await import("../../adapters/mcp/stdio.ts");
    await serveStdio(made, host.input, host.output);
  } else await listen(made, flags.port, token ?? `${randomIds()}${randomIds()}`, host);
  await sessions.close();
  return exitCodes.done;
}

async function serverFor(flags: Flags, host: Host, sessions: HostSessions, sandbox: Sandbox): Promise<Mcp> {
  const { createMcp } = await import("../../adapters/mcp/server.ts");
  const { processOf } = await import("../../sandbox/processes.ts");
  // The same name gives the same session back, with its grants; without one each start of the server is a session of its own.
  const hostSession = flags.name ?? randomIds();
  /** The name that was given, and the client's own. */
  const labelOf = (client: string | null): { readonly label?: string } => {
    const label = flags.name === null || client === null ? (flags.name ?? client) : `${flags.name} (${client})`;
    return label === null ? {} : { label: label.slice(0, LONGEST_LABEL) };
  };
  // Whoever names a session wants that one, and a server on a port is everybody's.
  const starter = flags.name === null && flags.port === null ? processOf(process.ppid) : null;
  const startedBy = starter === null ? {} : { startedBy: starter };
  // A relative path in the environment is passed over: it would be another place in each directory.
  const projectDir = host.env["CLAUDE_PROJECT_DIR"] ?? "";
  const variable = projectDir.startsWith("/") ? realOf(projectDir) : null;
  return createMcp({
    openHostSession: (workspace, attended, client) =>
      sessions.open({ hostSession, workspace, attended, leaves: flags.name === null, ...labelOf(client), ...startedBy }),
    shared: sessions.shared,
    places: { given: flags.workspace, variable, cwd: realOf(host.cwd) ?? host.cwd },
    roots: flags.port === null,
    version: packageAround(import.meta.url).version,
    asking: flags.asking,
    dialogs: !flags.inbox,
    sandbox,
    ...(await statesFor(flags, host, sessions)),
    ...(flags.wait === null ? {} : { patience: { deadline: flags.wait * 1000 } }),
  });
}

/**
 * What a client carries between the halves of a call is good after a restart where the session is: with a daemon, and under a name. Then
 * which of it was used is kept beside the daemon's token.
 */
async function statesFor({ name }: Flags, host: Host, { keyFor }: HostSessions): Promise<Pick<McpPorts, "key" | "taken">> {
  if (name === null || keyFor === null) return {};
  const [{ takenOnDisk }, { placeOf }] = await Promise.all([import("../taken-states.ts"), import("../../server/daemon-place.ts")]);
  return { key: keyFor("mcp request state"), taken: takenOnDisk(join(placeOf(host).dir, "mcp-states"), systemClock) };
}

/** Runs until stopped. The token is printed here and nowhere else. */
async function listen(made: Mcp, port: number, token: string, host: Host): Promise<void> {
  const { listenMcp } = await import("../../adapters/mcp/http.ts");
  const listening = await listenMcp({ mcp: made, token, port });
  host.errors.write(`hallpass mcp listens on ${listening.address}\nAuthorization: Bearer ${token}\n`);
  await new Promise<void>((stop) => {
    process.once("SIGINT", () => stop());
    process.once("SIGTERM", () => stop());
  });
  await listening.close();
}

type Flags = ReturnType<typeof readFlags>;

function readFlags({ values }: Call<"mcp">, host: Host) {
  if (values.alone === true && values.inbox === true) throw new UsageError("--inbox needs a daemon, and --alone uses none");
  if (values.alone === true && values.start === true) throw new UsageError("--start starts a daemon, and --alone uses none");
  return {
    workspace: values.workspace === undefined ? null : resolve(host.cwd, values.workspace),
    /** Null: the standard streams. */
    port: values.http === "" ? PORT : numberIn("the port", values.http, 0, 65_535),
    name: values.name ?? null,
    asking: oneOf("--ask", values.ask ?? "by-model", ["by-model", "by-guard"]),
    /** In seconds; null: as usual. */
    wait: numberIn("--wait", values.wait, 1, 86_400),
    alone: values.alone === true,
    inbox: values.inbox === true,
  };
}

/** As much of a name as a session keeps. */
const LONGEST_LABEL = 120;
