// hallpass install [host] and hallpass uninstall [host]: our hook and our MCP server in the host's own configuration, and out of it again;
// without a name, in every agent that is found here. Shows what changes before it changes it, and proves afterwards that the hook is armed.

import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { hostTable } from "../../adapters/hook/host-table.ts";
import { hookSocketFile } from "../../adapters/hook/socket-file.ts";
import {
  type Changes,
  changeLines,
  createRecords,
  excluded,
  forgetServers,
  foundHosts,
  type HostPlan,
  type InstallHost,
  installHosts,
  keptOptions,
  type Level,
  noteServers,
  ownPrograms,
  planFor,
  pluginText,
  type Programs,
  proveArmed,
  type Records,
  sharedByGit,
  prepareRemoval,
  type InstallPlace,
  prepareInstallation,
} from "../../adapters/install/index.ts";
import { whyUntrusted } from "../../config/untrusted-locations.ts";
import { HallpassError } from "../../core/errors.ts";
import { show } from "../../core/path/show.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Call, oneOf } from "../flags.ts";
import { confirm } from "../confirm.ts";
import { type Host, UsageError } from "../host.ts";
import { packageAround } from "../package-around.ts";
import { paintFor } from "../paint.ts";
import { table, type TableColumn } from "../table.ts";

export interface InstallPlan {
  readonly where: InstallPlace;
  readonly programs: Programs;
  readonly records: Records;
  /** Our data directory. */
  readonly data: string;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

export async function install(call: Call<"install">, host: Host): Promise<number> {
  const plan = readInstalling("install", call, host);
  const [named] = call.words;
  const names = named === undefined ? foundHosts(plan.where) : [oneOf("hallpass install", named, installHosts)];
  if (names.length === 0)
    throw new UsageError(`no agent was found on this machine or in this project; name one: hallpass install ${installHosts.join("|")}`);
  if (named === undefined) host.output.write(`Found here: ${names.map((name) => hostTable[name].title).join(", ")}.\n`);
  const placed = names.map((name) => ({ name, at: hostInstallation(name, plan, call, host) }));
  const planned = placed.map(({ name, at }) => planInstall(name, at));
  for (const note of planned.flatMap(({ notes }) => notes)) host.output.write(`${show(note)}\n`);
  const changes = {
    list: planned.flatMap(({ changes: { list } }) => list),
    // Each is planned anew, since several may write to one file: git's list of what it does not share.
    apply: () => placed.forEach(({ name, at }) => planInstall(name, at).changes.apply()),
  };
  const into = names.map((name) => hostTable[name].title).join(", ");
  const done = await confirmAndApply(changes, plan, host, `Hallpass is already in the configuration of ${into}; nothing to change.`);
  if (done !== "done") return done === "shown" ? exitCodes.done : exitCodes.usage;
  const proven: CanaryResult[] = [];
  for (const { name, hostPlan, at } of planned) {
    noteServers(plan.data, hostPlan.files);
    proven.push(await prove(name, hostPlan, at, host));
  }
  if (named === undefined) host.output.write(`\n${guardedTable(proven, host)}\n`);
  return proven.some(({ hook }) => hook === "not armed") ? exitCodes.fault : exitCodes.done;
}

/**
 * Where one host is set up. What git shares is not written to, since what we add holds paths of this machine: then it is done for all of the
 * person's projects, unless they said where.
 */
function hostInstallation(name: InstallHost, plan: InstallPlan, { values }: Call<"install">, host: Host): InstallPlan {
  const { where, programs } = plan;
  const own = { ...plan, where: { ...where, level: "user", isShared: false } } as const;
  if (where.isShared === true) {
    if (name !== "opencode") return plan;
    host.output.write(
      "opencode's plugin contains paths of this machine, so it is set up in your own settings, for all of your projects.\n",
    );
    return own;
  }
  const [shared] = sharedByGit(planFor(name, where, programs, () => "").files, where);
  if (shared === undefined) return plan;
  if (values.project === true)
    throw new UsageError(
      `git tracks \`${show(shared)}\`, and what we add contains paths of this machine; use --user for your own settings, or --shared to write it without them`,
    );
  host.output.write(
    `git tracks \`${show(shared)}\`, so ${hostTable[name].title} is set up in your own settings, for all of your projects; --shared writes it for everyone, without paths of this machine.\n`,
  );
  return own;
}

/** What installing into one host would change. */
function planInstall(name: InstallHost, at: InstallPlan) {
  const { where, programs, records } = at;
  const text = (): string => builtPlugin(programs, where);
  const owned = { owner: ownerOf(name, where), records, within: withinOf(where) };
  const addedOptions = keptOptions(name, planFor(name, where, programs, text), owned);
  const hostPlan = planFor(name, where, programs, text, addedOptions.at);
  const files = [...hostPlan.files, ...excluded(hostPlan.files, where, owned.owner, records)];
  return { name, hostPlan, at, notes: addedOptions.notes, changes: prepareInstallation({ files, ...owned }) };
}

export async function uninstall(call: Call<"uninstall">, host: Host): Promise<number> {
  const plan = readInstalling("uninstall", call, host);
  const [named] = call.words;
  const names = named === undefined ? installHosts : [oneOf("hallpass uninstall", named, installHosts)];
  const whose = named === undefined ? "any agent's" : `${named}'s`;
  const planned = names.map((name) => planRemoval(name, plan));
  const changes = {
    list: planned.flatMap(({ changes: { list } }) => list),
    // Each is planned anew, as when installing.
    apply: () => names.forEach((name) => planRemoval(name, plan).changes.apply()),
  };
  const done = await confirmAndApply(changes, plan, host, `Hallpass is not in ${whose} configuration (${plan.where.level}).`);
  if (done !== "done") return done === "shown" ? exitCodes.done : exitCodes.usage;
  forgetServers(
    plan.data,
    planned.flatMap(({ files }) => files),
  );
  for (const { note } of changes.list) if (note !== null) host.output.write(`${note}\n`);
  if (changes.list.length > 0)
    host.output.write(`Hallpass was removed from ${named === undefined ? "every agent's" : whose} configuration.\n`);
  return exitCodes.done;
}

/** What taking Hallpass out of one host would change. */
function planRemoval(name: InstallHost, { where, programs, records }: InstallPlan) {
  const owner = ownerOf(name, where);
  const hostPlan = planFor(name, where, programs, () => "");
  const files = [...hostPlan.files, ...excluded(hostPlan.files, where, owner, records)];
  return { files, changes: prepareRemoval({ files, owner, records, within: withinOf(where) }) };
}

const ownerOf = (name: InstallHost, { level, isShared }: InstallPlace): string => `install ${name} ${isShared === true ? "shared" : level}`;

/** Where install, uninstall and sync write, and with what. */
export function readInstalling(
  command: string,
  { values }: { readonly values: Omit<Call<"install">["values"], "shared"> & { readonly shared?: boolean | undefined } },
  host: Host,
): InstallPlan {
  if (values.shared === true && values.user === true) throw new UsageError("--shared or --user, not both: --shared writes into a project");
  if (values.project === true && values.user === true) throw new UsageError("--project or --user, not both");
  if (host.platform === "win32") throw new UsageError(`hallpass ${command} does not know where the hosts keep their files on Windows yet`);
  const level: Level = values.user === true ? "user" : "project";
  const { home, env, platform } = host;
  const where = { level, workspace: realpathSync(host.cwd), home, env, platform, isShared: values.shared === true };
  // What was changed is kept in the data directory, and where that is goes into what is written.
  const why = whyUntrusted(where);
  if (why !== null) throw new HallpassError("invalid-policy", why);
  if (level === "project" && where.workspace === realpathSync(home))
    throw new UsageError("this is your home directory, not a project; use --user, or change to a project");
  const data = dirname(hookSocketFile({ home, env, platform }));
  return {
    where,
    programs: ownPrograms(import.meta.url, process.execPath, platform),
    records: createRecords(data),
    data,
    dryRun: values["dry-run"] === true,
    yes: values.yes === true,
  };
}

export const withinOf = ({ level, workspace }: InstallPlace): string | null => (level === "project" ? workspace : null);

/** Show, ask, apply. `shown`: only shown; `no`: nobody said yes. */
export async function confirmAndApply(
  changes: Changes,
  { dryRun, yes }: Pick<InstallPlan, "dryRun" | "yes">,
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
    changes.apply();
    return "done";
  }
  if (!yes && !(await confirm(host, "Write these changes?"))) {
    host.errors.write("hallpass: nothing was written; use --yes to write without being asked\n");
    return "no";
  }
  changes.apply();
  return "done";
}

/** One host after its installation. */
interface CanaryResult {
  readonly name: InstallHost;
  readonly hook: "armed" | "not armed" | "none";
}

/** Run the canary and print its result, and what only a person can do. */
async function prove(name: InstallHost, hostPlan: HostPlan, { where, programs }: InstallPlan, host: Host): Promise<CanaryResult> {
  const paint = paintFor(host.output, host.env);
  const canary = await proveArmed(name, hostPlan, where, programs.node);
  if (canary === null) host.output.write(`${paint.yellow("no hook")}: ${name} has no hooks to try.\n`);
  else if (canary.armed) host.output.write(`${paint.green("armed")}: ${name}: ${canary.why}.\n`);
  else host.output.write(`${paint.red("not armed")}: ${name}: ${show(canary.why)}.\n`);
  for (const line of hostPlan.notes) host.output.write(`- ${line}\n`);
  host.output.write(
    `What is guarded in this host and what is not: ${show(join(packageAround(import.meta.url).docs, "guides", `${name}.md`))}\n`,
  );
  return { name, hook: canary === null ? "none" : canary.armed ? "armed" : "not armed" };
}

/** What is guarded now, by what, and what is not. */
function guardedTable(proven: readonly CanaryResult[], host: Host): string {
  const paint = paintFor(host.output, host.env);
  const colour = { armed: paint.green, "not armed": paint.red, none: paint.yellow };
  const columns: readonly TableColumn<CanaryResult>[] = [
    { name: "agent", value: ({ name }) => hostTable[name].title },
    { name: "hook", value: ({ hook }) => hook, paint: (text, { hook }) => colour[hook](text) },
    { name: "tools", value: () => "hallpass (MCP)" },
    { name: "not guarded", value: ({ name }) => hostTable[name].blind ?? "its own tools: it has no hooks" },
  ];
  return table(proven, columns, { width: Number.POSITIVE_INFINITY, paint });
}

function builtPlugin(programs: Programs, where: InstallPlace): string {
  const text = pluginText(programs, where);
  if (text === null) throw new HallpassError("not-found", `\`${show(programs.plugin)}\` is missing: build the program first`);
  return text;
}
