// hallpass mcp: our guarded tools as an MCP server, on the standard streams or on a port of this machine. With a daemon its asks, grants
// and record are the daemon's; without one they live in this process, and the server says so.

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { randomIds, systemClock } from "../../core/clock.ts";
import { show } from "../../core/path/show.ts";
import { realHome } from "../../core/session/session.ts";
import type { GrantId } from "../../core/names.ts";
import type { Desk } from "../../adapters/desk/desk.ts";
import type { Way } from "../../adapters/desk/wire-desk.ts";
import type { Mcp } from "../../adapters/mcp/server.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Host, UsageError } from "../host.ts";
import { packageAround } from "../package-around.ts";

interface Flags {
  readonly workspace: string | null;
  /** Null: the standard streams. */
  readonly port: number | null;
  readonly name: string | null;
  readonly asking: "by-model" | "by-guard";
  /** How long a call waits for a person, in seconds; null: as usual. */
  readonly wait: number | null;
  /** Never use a daemon. */
  readonly alone: boolean;
  /** Take no answers from the client's dialogs. */
  readonly inbox: boolean;
}

const PORT = 7778;
const SHORTEST_TOKEN = 32;

export async function mcp(words: readonly string[], host: Host): Promise<number> {
  const flags = readWords(words, host);
  const token = host.env["HALLPASS_MCP_TOKEN"];
  if (flags.port !== null && token !== undefined && token.length < SHORTEST_TOKEN)
    throw new UsageError(`HALLPASS_MCP_TOKEN must have at least ${SHORTEST_TOKEN} characters`);
  const daemon = flags.alone ? null : await reach(host);
  const { version } = packageAround(import.meta.url);
  const made = await serverFor(flags, host, daemon, version);
  if (flags.port === null) {
    const { serveStdio } = await import("../../adapters/mcp/stdio.ts");
    await serveStdio(made, host.input, host.output);
  } else await listen(made, flags.port, token ?? `${randomIds()}${randomIds()}`, host);
  return exitCodes.done;
}

async function serverFor(flags: Flags, host: Host, daemon: Daemon | null, version: string): Promise<Mcp> {
  const { createMcp } = await import("../../adapters/mcp/server.ts");
  const { createSandbox } = await import("../../sandbox/sandbox.ts");
  const { env, platform } = host;
  const home = realHome(host.home);
  const path = env["PATH"];
  const sandbox = createSandbox(path === undefined ? {} : { path });
  // The same name gives the same session back, with its grants; without one each start of the server is a session of its own.
  const hostSession = flags.name ?? randomIds();
  const label = flags.name === null ? {} : { label: flags.name };
  const ports = { home, clock: systemClock, ids: randomIds, ended: (grant: GrantId) => sandbox.revoke(grant) };
  // Loaded with the first call, so that the client's greeting is answered at once.
  const openAt = async (workspace: string, attended: boolean): Promise<Desk> => {
    const { openDesk } = await import("../../adapters/desk/wire-desk.ts");
    const { createPolicyFor } = await import("../../config/policy-for.ts");
    const visitor = { host: "mcp", hostSession, workspace, attended, ...label };
    const common = { ...ports, visitor, policyFor: createPolicyFor({ home, env, platform }) };
    if (daemon !== null) return openDesk({ ...common, ...daemon, shared: true, reach: () => reach(host) });
    const { openOwnApp } = await import("../own-app.ts");
    const own = await openOwnApp({ home, env, platform, clock: systemClock, ids: randomIds, via: "mcp" });
    const desk = await openDesk({ ...common, ...own, shared: false });
    const close = async (): Promise<void> => {
      await desk.close();
      await own.close();
    };
    return { ...desk, close };
  };
  return createMcp({
    openDesk: openAt,
    shared: daemon !== null,
    places: { given: flags.workspace, variable: absolute(env["CLAUDE_PROJECT_DIR"]), cwd: host.cwd },
    roots: flags.port === null,
    version,
    asking: flags.asking,
    dialogs: !flags.inbox,
    sandbox,
    key: crypto.getRandomValues(new Uint8Array(32)),
    ...(flags.wait === null ? {} : { patience: { deadline: flags.wait * 1000 } }),
  });
}

type Daemon = Way & { readonly addressOf: (ask: string) => string };

/** The daemon of this user, if one runs. */
async function reach({ home, env, platform }: Host): Promise<Daemon | null> {
  const { daemonClient, findDaemon } = await import("../daemon-client.ts");
  const found = await findDaemon({ home, env, platform });
  if (found === null) return null;
  const client = daemonClient(found, "mcp");
  return { client, fetch: client.fetch, connect: client.connect, addressOf: () => `${found.address}/#/inbox` };
}

/** Until somebody stops it. The token is told here and nowhere else. */
async function listen(made: Mcp, port: number, token: string, host: Host): Promise<void> {
  const { listenMcp } = await import("../../adapters/mcp/listen.ts");
  const listening = await listenMcp({ mcp: made, token, port, ids: randomIds });
  host.errors.write(`hallpass mcp listens on ${listening.address}\nAuthorization: Bearer ${token}\n`);
  await new Promise<void>((stop) => {
    process.once("SIGINT", () => stop());
    process.once("SIGTERM", () => stop());
  });
  await listening.close();
}

function readWords(words: readonly string[], host: Host): Flags {
  const { values, positionals } = parsed(words);
  const [port, ...more] = positionals;
  if (more.length > 0 || (port !== undefined && values.http !== true))
    throw new UsageError("hallpass mcp takes flags, and a port after --http");
  if (values.alone === true && values.inbox === true) throw new UsageError("--inbox needs a daemon, and --alone uses none");
  const asking = values.ask ?? "by-model";
  if (asking !== "by-model" && asking !== "by-guard") throw new UsageError(`--ask must be by-model or by-guard; found ${show(asking)}`);
  return {
    workspace: values.workspace === undefined ? null : resolve(host.cwd, values.workspace),
    port: values.http === true ? numberIn(port ?? String(PORT), 0, 65_535, "the port") : null,
    name: values.name ?? null,
    asking,
    wait: values.wait === undefined ? null : numberIn(values.wait, 1, 86_400, "--wait"),
    alone: values.alone === true,
    inbox: values.inbox === true,
  };
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        workspace: { type: "string", short: "w" },
        http: { type: "boolean" },
        name: { type: "string" },
        ask: { type: "string" },
        wait: { type: "string" },
        alone: { type: "boolean" },
        inbox: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : "the flags are not understood");
  }
}

function numberIn(text: string, least: number, most: number, what: string): number {
  const number = /^\d{1,6}$/u.test(text) ? Number(text) : NaN;
  if (!(number >= least && number <= most)) throw new UsageError(`${what} must be a number from ${least} to ${most}; found ${show(text)}`);
  return number;
}

/** A relative path in the environment is passed over: it would be another place in each directory. */
const absolute = (path: string | undefined): string | null => (path?.startsWith("/") === true ? path : null);
