// hallpass serve: the daemon, in front. Says where it is: at a terminal with the token in the address's fragment, which no server is ever
// sent; elsewhere without, since what is piped ends in logs. Opens the browser where there is one. A second one on the same data directory
// says where the first one is, and which of its own flags had no effect, and ends.

import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { quoted } from "../../adapters/install/programs.ts";
import type { Model } from "../../agent/ports.ts";
import { HallpassError } from "../../core/errors.ts";
import { show } from "../../core/path/show.ts";
import { realHome } from "../../core/session/session.ts";
import { type Daemon, startDaemon } from "../../server/daemon.ts";
import { placeOf, readToken } from "../../server/daemon-place.ts";
import { createLog } from "../../server/log.ts";
import { routes } from "../../wire/http.ts";
import { connectDaemon, type DaemonAddress, isWell } from "../daemon-connection.ts";
import { desktopNotices } from "../desktop-notices.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Call, numberIn, oneOf } from "../flags.ts";
import { createHookSocket } from "../hook-socket.ts";
import { ownPrograms } from "../../adapters/install/programs.ts";
import { ownCommand } from "../own-command.ts";
import { type Host, placeOptions, UsageError } from "../host.ts";
import { modelSettingsOf } from "../own-app.ts";
import type { ModelSettings } from "../../model-settings/model-settings.ts";
import { STOPPED } from "../start-daemon.ts";
import { packageAround } from "../package-around.ts";
import { countRecordBytes, keepRecord, requireRetention } from "../retention.ts";

export async function serve({ values }: Call<"serve">, host: Host): Promise<number> {
  const { home, env, platform } = host;
  const place = placeOptions(values, host);
  const { version, pages } = packageAround(import.meta.url);
  const models = modelSettingsOf(host, nonEmpty(values.model ?? env["HALLPASS_MODEL"]), place);
  await requireUsable(models, values.model ?? env["HALLPASS_MODEL"]);
  const token = (): string => readToken(placeOf(place), env) ?? "";
  const isForPerson = host.output.isTTY === true || values.link === true;
  const linking = `${ownCommand(import.meta.url, host)} status --link${place.data === undefined ? "" : ` --data ${quoted(place.data)}`}`;
  const linkOrAddress = (address: string, of: string): string =>
    isForPerson ? linkTo(address, of, host) : `${address}  (${linking} shows it with the token)`;
  // A log that cannot be written, since its disk is full or nobody reads it, does not end the daemon.
  host.errors.on("error", () => {});
  const retention = readRetention(values, host);
  const log = createLog(host.errors, env["HALLPASS_LOG"] ?? "info");
  const databaseUrl = nonEmpty(values.database ?? env["HALLPASS_DATABASE_URL"]);
  const started = await startDaemon(
    {
      ...place,
      models,
      version,
      pages,
      hookSocket: createHookSocket({ home: realHome(home), env, platform }),
      pid: process.pid,
      log,
      databaseUrl,
      ...optional("machine", nonEmpty(values.machine ?? env["HALLPASS_MACHINE"])),
      ...optional("host", nonEmpty(values.host)),
      ...optional("port", numberIn("--port", values.port, 0, 65_535)),
      ...optional("askLife", minutes(values["ask-life"])),
      ...optional("asksPerMinute", numberIn("--asks-per-minute", values["asks-per-minute"], 1, 100_000)),
      ...optional("asking", values.asking === undefined ? null : oneOf("--asking", values.asking, ["by-model", "by-guard"])),
      ...optional("pushContact", contactIn(nonEmpty(values.push ?? env["HALLPASS_PUSH"]))),
      ...optional("notice", values.notify === true || env["HALLPASS_NOTIFY"] === "1" ? desktopNotices(host) : null),
      ...optional("tls", tlsFor(values["tls-cert"], values["tls-key"], host)),
      names: [...(values.name ?? []), ...(env["HALLPASS_NAMES"] ?? "").split(",").filter((one) => one !== "")],
      insecureBind: values["insecure-bind"] === true,
    },
    ({ address, socket }) => isWell({ address, socketPath: socket, token: token() }),
  );
  if (started.state === "there") {
    const { address, pid, socket } = started.file;
    host.output.write(`a daemon is already running (process ${pid}): ${linkOrAddress(address, token())}\n`);
    const unused = unusedFlags(values, await describeRunning({ address, socketPath: socket, token: token() }));
    if (unused.length > 0) {
      host.errors.write(
        `hallpass: it keeps the settings it was started with, so ${unused.join(", ")} had no effect; to apply that, run \`hallpass stop\` and start it again\n`,
      );
      return exitCodes.fault;
    }
    if (values["no-open"] !== true) openBrowser(linkTo(address, token(), host), host);
    return exitCodes.done;
  }
  const { daemon } = started;
  rmSync(join(placeOf(place).dir, STOPPED), { force: true });
  // RACE: whoever reads the address may stop it at once.
  const stopped = untilToldToStop(daemon);
  host.output.write(`hallpass ${version}\n  ${linkOrAddress(daemon.address, daemon.token)}\n  ${modelLine(models.model)}\n`);
  if (values["no-open"] !== true && pages !== null) openBrowser(linkTo(daemon.address, daemon.token, host), host);
  if (retention !== null) {
    const { dir, store: file } = placeOf(place);
    const { entry } = ownPrograms(import.meta.url, process.execPath, platform);
    keepRecord({
      ...retention,
      databaseUrl,
      file,
      log,
      ...(databaseUrl === null ? { countBytes: () => countRecordBytes(entry, dir) } : {}),
    });
  }
  await stopped;
  return exitCodes.done;
}

/** How much of the record stays, and where the rest goes; null where all of it stays. */
function readRetention({ keep, archive }: Call<"serve">["values"], { cwd }: Host): { readonly keep: string; readonly dir: string } | null {
  if (keep === undefined && archive === undefined) return null;
  if (keep === undefined || archive === undefined) throw new UsageError("--keep and --archive must be given together");
  const retention = { keep, dir: resolve(cwd, archive) };
  requireRetention(retention);
  return retention;
}

/** What the daemon that is there says of itself. */
async function describeRunning(daemon: DaemonAddress) {
  const { client, close } = connectDaemon(daemon, "terminal");
  try {
    const { model, machine, store } = await client.send(routes.health, {});
    return { address: daemon.address, model, machine, store };
  } finally {
    await close();
  }
}

/** The flags, with dashes, that do not agree with what runs, or of which nobody here can tell: they were not used, and that is said. */
function unusedFlags(flags: Call<"serve">["values"], running: Awaited<ReturnType<typeof describeRunning>>): readonly string[] {
  const { address, model, machine, store } = running;
  const { hostname, port, protocol } = new URL(address);
  const agrees: Readonly<Record<string, (value: unknown) => boolean>> = {
    // About this call alone.
    data: () => true,
    link: () => true,
    "no-open": () => true,
    port: (value) => value === "0" || value === (port || (protocol === "https:" ? "443" : "80")),
    // One that listens everywhere says that it is here: an address for others is never taken for agreed.
    host: (value) => value === hostname.replace(/^\[|\]$/gu, ""),
    model: (value) => value === model,
    machine: (value) => value === machine,
    database: (value) => value === "" && store === "sqlite",
  };
  return Object.entries(flags).flatMap(([flag, value]) => (agrees[flag]?.(value) === true ? [] : [`--${flag}`]));
}

/** The token and where we were started, for the page's first question: in the fragment, which no server is ever sent. */
const linkTo = (address: string, token: string, { cwd }: Host): string =>
  `${address}/#token=${token}&dir=${encodeURIComponent(cwd).replaceAll("%2F", "/")}`;

function modelLine({ name }: Model): string {
  return name.startsWith("offline")
    ? "the agent is the built-in one, which needs no key and no network; set up a model under Models, or with `hallpass models`"
    : `the agent's model is ${name}`;
}

/** A model that was named for the daemon must be one it can use; one that was chosen may want its key later. */
async function requireUsable(models: ModelSettings, name: string | undefined): Promise<void> {
  const problem = name === undefined || name === "" ? null : await models.problemOf(name);
  if (problem !== null) throw new UsageError(problem.message);
}

/** Stops on the first signal; a second one ends it at once, as a crash would, from which everything comes back. */
async function untilToldToStop(daemon: Daemon): Promise<void> {
  await new Promise<void>((done) => {
    let isStopping = false;
    const stop = (): void => {
      if (isStopping) process.exit(exitCodes.fault);
      isStopping = true;
      void daemon.stop().finally(done);
    };
    process.on("SIGTERM", stop);
    process.on("SIGINT", stop);
  });
  // What did not come to its end in time does not hold the process.
  setTimeout(() => process.exit(), 500).unref();
}

/** In front of somebody: not in CI, not over ssh, not where there is no display. */
function openBrowser(address: string, { env, platform, output }: Host): void {
  const away = env["CI"] !== undefined || env["SSH_CONNECTION"] !== undefined || env["SSH_TTY"] !== undefined || output.isTTY !== true;
  const blind = platform === "linux" && env["DISPLAY"] === undefined && env["WAYLAND_DISPLAY"] === undefined;
  if (away || blind || platform === "win32") return;
  const child = spawn(platform === "darwin" ? "open" : "xdg-open", [address], { stdio: "ignore", detached: true });
  // No such program: the address is on the screen.
  child.on("error", () => {});
  child.unref();
}

function tlsFor(cert: string | undefined, key: string | undefined, { cwd }: Host): { readonly cert: string; readonly key: string } | null {
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined || key === undefined) throw new UsageError("--tls-cert and --tls-key must be given together");
  return { cert: fileText(resolve(cwd, cert)), key: fileText(resolve(cwd, key)) };
}

/** A push service turns away a daemon that nobody can be asked about. */
function contactIn(text: string | null): string | null {
  if (text !== null && !/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/u.test(text))
    throw new UsageError("--push takes an address that push services may write to: mailto:you@example.com, or https://…");
  return text;
}

function fileText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new HallpassError("not-found", `\`${show(file)}\` cannot be read`, { cause });
  }
}

function minutes(text: string | undefined): number | null {
  const value = numberIn("--ask-life", text, 1, 100_000);
  return value === null ? null : value * 60_000;
}

const nonEmpty = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text);

/** The option, where it is given at all. */
function optional<K extends string, V>(key: K, value: V | null): { readonly [P in K]?: V } {
  const made: { [P in K]?: V } = {};
  if (value !== null) made[key] = value;
  return made;
}
