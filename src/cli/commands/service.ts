// hallpass service install|uninstall|status: the daemon runs whenever its user is logged in, kept by systemd or launchd.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ownPrograms } from "../../adapters/install/programs.ts";
import { operatorDir } from "../../config/locations.ts";
import { HallpassError } from "../../core/errors.ts";
import { show } from "../../core/path/show.ts";
import { findDaemon } from "../daemon-connection.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Call, oneOf } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { type ServiceFiles, serviceOn } from "../service-files.ts";

export async function service({ values, words: [actionName = ""], rest }: Call<"service">, host: Host): Promise<number> {
  const flags = rest ?? [];
  const action = oneOf("service", actionName, ["install", "uninstall", "status"]);
  if (flags.length > 0 && action !== "install") throw new UsageError(`service ${action} takes no flags of serve`);
  const files = serviceFor(host, flags);
  if (values["dry-run"] === true) {
    host.output.write(`${show(files.file)}\n\n${files.text}`);
    return exitCodes.done;
  }
  return { install, uninstall, status }[action](files, host);
}

function serviceFor({ home, env, platform }: Host, flags: readonly string[]): ServiceFiles {
  const { node, entry } = ownPrograms(import.meta.url, process.execPath, platform);
  const found = serviceOn(platform, {
    home,
    config: dirname(operatorDir({ home, env, platform })),
    uid: process.getuid?.() ?? 0,
    command: [node, entry, "serve", "--no-open", ...flags],
  });
  if (found === null)
    throw new HallpassError(
      "bad-request",
      "there is a service for Linux (systemd) and macOS (launchd); start hallpass serve when you log in",
    );
  return found;
}

async function install(files: ServiceFiles, host: Host): Promise<number> {
  const before = existsSync(files.file) ? readFileSync(files.file, "utf8") : null;
  mkdirSync(dirname(files.file), { recursive: true });
  writeFileSync(files.file, files.text, { mode: 0o600 });
  for (const command of files.start) {
    const fault = faultOf(command, host);
    if (fault === null) continue;
    // As it was before: what nobody starts must not look installed.
    if (before === null) rmSync(files.file, { force: true });
    else writeFileSync(files.file, before);
    host.errors.write(`hallpass: ${fault}\nNothing was changed. Start the daemon yourself with hallpass serve.\n`);
    return exitCodes.fault;
  }
  host.output.write(`wrote ${show(files.file)}\nThe daemon runs now, and whenever you log in. hallpass status says where.\n`);
  return exitCodes.done;
}

async function uninstall(files: ServiceFiles, host: Host): Promise<number> {
  if (!existsSync(files.file)) {
    host.output.write("no service is installed\n");
    return exitCodes.done;
  }
  for (const command of files.stop) {
    const fault = faultOf(command, host);
    // The file goes in any case: without it the daemon is not started again.
    if (fault !== null) host.errors.write(`hallpass: ${fault}\n`);
  }
  rmSync(files.file);
  host.output.write(`removed ${show(files.file)}\n`);
  return exitCodes.done;
}

async function status(files: ServiceFiles, host: Host): Promise<number> {
  const { home, env, platform } = host;
  const isInstalled = existsSync(files.file);
  const isKept = isInstalled && faultOf(files.isRunning, host) === null;
  const daemon = await findDaemon({ home, env, platform });
  const lines = isInstalled
    ? [`installed as ${show(files.file)}`, isKept ? "it runs" : "it does not run"]
    : ["no service is installed; hallpass service install makes one"];
  lines.push(daemon === null ? "no daemon answers" : `a daemon answers at ${daemon.address} (process ${daemon.pid})`);
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
