// hallpass install <host> and hallpass uninstall <host>: our hook and our MCP server in the host's own configuration, and out of it again.
// Shows what changes before it changes it, and proves afterwards that the hook is armed.

import { readFileSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline/promises";
import { doorFile } from "../../adapters/hook/index.ts";
import {
  type Changes,
  changeLines,
  createRecords,
  forgetServers,
  type InstallHost,
  installHosts,
  keptOptions,
  type Level,
  noteServers,
  ownPrograms,
  pinnedWords,
  planFor,
  pluginTextFor,
  type Programs,
  proveArmed,
  type Records,
  taking,
  type InstallPlace,
  writing,
} from "../../adapters/install/index.ts";
import { misled } from "../../config/misled.ts";
import { HallpassError } from "../../core/errors.ts";
import { show } from "../../core/path/show.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Call, oneOf } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { paintFor } from "../paint.ts";

export interface Installing<H extends string = string> {
  readonly name: H;
  readonly where: InstallPlace;
  readonly programs: Programs;
  readonly records: Records;
  /** Our data directory. */
  readonly data: string;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

export async function install(call: Call<"install">, host: Host): Promise<number> {
  const plan = readInstalling("install", call, installHosts, host);
  const { name, where, programs, records } = plan;
  const text = (): string => pluginText(programs, where);
  const owned = { owner: `install ${name} ${where.level}`, records, within: withinOf(where) };
  const kept = keptOptions(name, planFor(name, where, programs, text), owned);
  const wanted = planFor(name, where, programs, text, kept.at);
  const changes = writing({ files: wanted.files, ...owned });
  for (const note of kept.notes) host.output.write(`${show(note)}\n`);
  const done = await carry(changes, plan, host, `Hallpass is in ${name}'s configuration already; nothing to change.`);
  if (done !== "done") return done === "shown" ? exitCodes.done : exitCodes.usage;
  noteServers(plan.data, wanted.files);
  return prove(name, where, programs, wanted, host);
}

export async function uninstall(call: Call<"uninstall">, host: Host): Promise<number> {
  const plan = readInstalling("uninstall", call, installHosts, host);
  const { name, where, programs, records } = plan;
  const wanted = planFor(name, where, programs, () => "");
  const changes = taking({ files: wanted.files, owner: `install ${name} ${where.level}`, records, within: withinOf(where) });
  const done = await carry(changes, plan, host, `Nothing of Hallpass is in ${name}'s configuration (${where.level}).`);
  if (done !== "done") return done === "shown" ? exitCodes.done : exitCodes.usage;
  forgetServers(plan.data, wanted.files);
  for (const { note } of changes.list) if (note !== null) host.output.write(`${note}\n`);
  if (changes.list.length > 0) host.output.write(`Hallpass is out of ${name}'s configuration.\n`);
  return exitCodes.done;
}

/** The words of install, uninstall and sync: one host, and where. */
export function readInstalling<const H extends string>(
  command: string,
  { values, words: [name = ""] }: Call<"install">,
  hosts: readonly H[],
  host: Host,
): Installing<H> {
  if (values.project === true && values.user === true) throw new UsageError("--project or --user, not both");
  if (host.platform === "win32") throw new UsageError(`hallpass ${command} does not know where the hosts keep their files on Windows yet`);
  const level: Level = values.user === true ? "user" : "project";
  const { home, env, platform } = host;
  const where = { level, workspace: realpathSync(host.cwd), home, env, platform };
  // What was changed is kept in the data directory, and where that is goes into what is written.
  const why = misled(where);
  if (why !== null) throw new HallpassError("invalid-policy", why);
  if (level === "project" && where.workspace === realpathSync(home))
    throw new UsageError("this is the home directory, which is no project; say --user, or go to a project");
  const data = dirname(doorFile({ home, env, platform }));
  return {
    name: oneOf(`hallpass ${command}`, name, hosts),
    where,
    programs: ownPrograms(import.meta.url, process.execPath, platform),
    records: createRecords(data),
    data,
    dryRun: values["dry-run"] === true,
    yes: values.yes === true,
  };
}

export const withinOf = ({ level, workspace }: InstallPlace): string | null => (level === "project" ? workspace : null);

/** Show, ask, do. `shown`: that was all; `no`: nobody said yes. */
export async function carry(
  changes: Changes,
  { dryRun, yes }: Pick<Installing, "dryRun" | "yes">,
  host: Host,
  nothing: string,
): Promise<"done" | "shown" | "no"> {
  const paint = paintFor(host.output, host.env);
  const coloured = (line: string): string =>
    /^(?:---|\+\+\+)/u.test(line)
      ? paint.bold(line)
      : line.startsWith("+")
        ? paint.green(line)
        : line.startsWith("-")
          ? paint.red(line)
          : line;
  for (const change of changes.list) host.output.write(`${changeLines(change).map(coloured).join("\n")}\n`);
  if (dryRun) {
    host.output.write(changes.list.length === 0 ? `${nothing}\n` : "Nothing was written (--dry-run).\n");
    return "shown";
  }
  if (changes.list.length === 0) {
    host.output.write(`${nothing}\n`);
    changes.carryOut();
    return "done";
  }
  if (!yes && !(await saidYes(host))) {
    host.errors.write("hallpass: nothing was written; say --yes to write this without being asked\n");
    return "no";
  }
  changes.carryOut();
  return "done";
}

async function saidYes(host: Host): Promise<boolean> {
  if (host.input.isTTY !== true || host.output.isTTY !== true) return false;
  const lines = createInterface({ input: host.input, output: host.output });
  try {
    return /^y(?:es)?$/iu.test((await lines.question("Write this? [y/N] ")).trim());
  } finally {
    lines.close();
  }
}

async function prove(
  name: InstallHost,
  where: InstallPlace,
  programs: Programs,
  wanted: ReturnType<typeof planFor>,
  host: Host,
): Promise<number> {
  const paint = paintFor(host.output, host.env);
  const canary = await proveArmed(name, wanted, where, programs.node);
  if (canary === null) host.output.write(`${paint.yellow("no hook")}: ${name} has none to fire.\n`);
  else if (canary.armed) host.output.write(`${paint.green("armed")}: ${name}: ${canary.why}.\n`);
  else host.output.write(`${paint.red("not armed")}: ${name}: ${show(canary.why)}.\n`);
  for (const line of wanted.notes) host.output.write(`- ${line}\n`);
  host.output.write(`What is guarded in this host and what is not: docs/guides/${name}.md\n`);
  return canary?.armed === false ? exitCodes.fault : exitCodes.done;
}

function pluginText(programs: Programs, where: InstallPlace): string {
  try {
    return pluginTextFor(readFileSync(programs.plugin, "utf8"), programs, pinnedWords(where));
  } catch (cause) {
    throw new HallpassError("not-found", `\`${show(programs.plugin)}\` is missing: build the program first`, { cause });
  }
}
