// hallpass service install|uninstall|status: the daemon runs whenever its user is logged in, kept by systemd or launchd.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ownPrograms } from "../../adapters/install/programs.ts";
import { operatorDir, policyWords } from "../../config/locations.ts";
import { HallpassError } from "../../core/errors.ts";
import { show } from "../../core/path/show.ts";
import type { PlaceOptions } from "../../server/daemon-place.ts";
import { findDaemon } from "../daemon-connection.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Call, oneOf, readCall } from "../flags.ts";
import { type Host, placeOptions, UsageError } from "../host.ts";
import { type ServiceFiles, serviceOn } from "../service-files.ts";

/** How long a daemon may take until it answers, in milliseconds. */
const PATIENCE = 30_000;

export async function service({ values, words: [actionName = ""], rest }: Call<"service">, host: Host): Promise<number> {
  const flags = rest ?? [];
  const action = oneOf("service", actionName, ["install", "uninstall", "status"]);
  if (flags.length > 0 && action !== "install") throw new UsageError(`service ${action} takes no flags of serve`);
  const place = placeOptions(readCall("serve", flags).values, host);
  const files = serviceFor(host, flags);
  if (values["dry-run"] === true) {
    host.output.write(`${show(files.file)}\n\n${files.text}`);
    return exitCodes.done;
  }
  return { install, uninstall, status }[action](files, host, place);
}

function serviceFor({ home, env, platform }: Host, flags: readonly string[]): ServiceFiles {
  const { node, entry } = ownPrograms(import.meta.url, process.execPath, platform);
  const found = serviceOn(platform, {
    home,
    config: dirname(operatorDir({ home, env, platform })),
    uid: process.getuid?.() ?? 0,
    command: [node, entry, "serve", "--no-open", ...flags],
    // The manager has an environment of its own: without these the daemon would keep its data and read its policy elsewhere.
    env: Object.fromEntries(policyWords.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
  });
  if (found === null)
    throw new HallpassError(
      "bad-request",
      "there is a service for Linux (systemd) and macOS (launchd); start hallpass serve when you log in",
    );
  return found;
}

async function install(files: ServiceFiles, host: Host, place: PlaceOptions): Promise<number> {
  const before = existsSync(files.file) ? readFileSync(files.file, "utf8") : null;
  const isKept = before !== null && faultOf(files.isRunning, host) === null;
  const other = isKept ? null : await findDaemon(place);
  // Beside another daemon the service would end at once, and be taken for one that runs.
  if (other !== null)
    throw new HallpassError(
      "bad-request",
      `a daemon is already running at ${other.address} (process ${other.pid}), and there can be only one. Run \`hallpass stop\`, then install again. Nothing was changed`,
    );
  // One that runs goes on with its old flags until it is started anew.
  if (isKept) firstFault(files.stop, host);
  const firstMade = mkdirSync(dirname(files.file), { recursive: true });
  writeFileSync(files.file, files.text, { mode: 0o600 });
  const fault = firstFault(files.start, host) ?? (await faultUntilItAnswers(files, host, place));
  if (fault === null) {
    host.output.write(`wrote ${show(files.file)}\nThe daemon runs now, and whenever you log in. hallpass status says where.\n`);
    return exitCodes.done;
  }
  // As it was before: what does not run must not look installed.
  if (before === null) {
    firstFault(files.stop, host);
    rmSync(files.file, { force: true });
    if (firstMade !== undefined) removeEmpty(dirname(files.file), firstMade);
  } else {
    writeFileSync(files.file, before);
    if (isKept) firstFault(files.start, host);
  }
  host.errors.write(`hallpass: ${fault}\nNothing was changed. Start the daemon yourself with hallpass serve.\n`);
  return exitCodes.fault;
}

/** Remove a directory and those around it up to `last`, as far as nothing is in them. */
function removeEmpty(dir: string, last: string): void {
  try {
    rmdirSync(dir);
    if (dir !== last) removeEmpty(dirname(dir), last);
  } catch {
    // The manager keeps something there.
  }
}

/** What went wrong first, of commands that are run in order; null where nothing did. */
function firstFault(commands: ServiceFiles["start"], host: Host): string | null {
  for (const command of commands) {
    const fault = faultOf(command, host);
    if (fault !== null) return fault;
  }
  return null;
}

/** Null as soon as the daemon answers; otherwise why it is not waited for any longer. */
async function faultUntilItAnswers(files: ServiceFiles, host: Host, place: PlaceOptions): Promise<string | null> {
  const until = performance.now() + PATIENCE;
  while ((await findDaemon(place)) === null) {
    const hasEnded = faultOf(files.isRunning, host) !== null;
    if (hasEnded || performance.now() > until)
      return `the service was started, but ${hasEnded ? "it ended" : "no daemon answers"}; ${files.log} says why`;
    await pause(100);
  }
  return null;
}

async function uninstall(files: ServiceFiles, host: Host): Promise<number> {
  if (!existsSync(files.file)) {
    host.output.write("no service is installed\n");
    return exitCodes.done;
  }
  // The file goes in any case: without it the daemon is not started again.
  const fault = firstFault(files.stop, host);
  if (fault !== null) host.errors.write(`hallpass: ${fault}\n`);
  rmSync(files.file);
  host.output.write(`removed ${show(files.file)}\n`);
  return exitCodes.done;
}

async function status(files: ServiceFiles, host: Host, place: PlaceOptions): Promise<number> {
  const isInstalled = existsSync(files.file);
  const isKept = isInstalled && faultOf(files.isRunning, host) === null;
  const daemon = await findDaemon(place);
  const lines = isInstalled
    ? [`installed as ${show(files.file)}`, isKept ? "it runs" : "it is not running; hallpass service install starts it"]
    : ["no service is installed; hallpass service install installs one"];
  if (daemon === null) lines.push("no daemon answers");
  else
    lines.push(
      `a daemon answers at ${daemon.address} (process ${daemon.pid})${isKept ? "" : "; it is not the service's: hallpass stop ends it"}`,
    );
  host.output.write(`${lines.join("\n")}\n`);
  return isKept && daemon !== null ? exitCodes.done : exitCodes.fault;
}

/** What went wrong, in one line; null where nothing did. */
function faultOf([program, ...words]: readonly [string, ...string[]], { env }: Host): string | null {
  const { error, status: code, stderr } = spawnSync(program, words, { encoding: "utf8", env: { ...env }, timeout: 30_000 });
  if (error !== undefined) return `${program} cannot be run here: ${show(error.message)}`;
  if (code === 0) return null;
  return `${[program, ...words].join(" ")} failed: ${show(stderr.trim().split("\n").at(-1) ?? "")}`;
}
