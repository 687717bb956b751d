// Proves an installation on this machine: the installed line is run as the host would run it, the installed plugin is loaded as the host
// would load it, with a call that must be stopped and one that must not. And reads from the host's files what would keep it from running.

import { posix } from "node:path";
import { pathToFileURL } from "node:url";
import { ARMED, run } from "../hook/canary.ts";
import { isRecord } from "../hook/host-call.ts";
import { type Canary, fireCanary } from "../hook/canary.ts";
import { hookHosts } from "../hook/hosts/all.ts";
import { hookSocketFile } from "../hook/socket-file.ts";
import { hostNames, hostTable, type InstallHost, isHostName } from "../hook/host-table.ts";
import { directoriesOf, foreignServer } from "../hook/own-server.ts";
import { bytesIn } from "./disk.ts";
import { type HostPlan, placeFrom, type InstallPlace } from "./host-plan.ts";
import { jsonValue } from "./json-text.ts";
import { isOurHook } from "./programs.ts";
import { tomlRecord } from "./toml-text.ts";

/** Null where there is no hook to try: the host has no hook. */
export async function proveArmed(host: InstallHost, plan: HostPlan, where: InstallPlace, node: string): Promise<Canary | null> {
  const { workspace: cwd, env } = where;
  const written = plan.files.flatMap((wanted) => (wanted.kind === "json" ? [wanted.files[0]] : []));
  const off = [...new Set([...written, ...settingsOf(host, where)])].flatMap(switchedOff);
  if (off[0] !== undefined) return { armed: false, why: off[0] };
  const { workspace, home } = where;
  const foreign = isHostName(host) ? foreignServer(host, { workspace, home, data: posix.dirname(hookSocketFile(where)) }) : null;
  if (foreign !== null) return { armed: false, why: foreign };
  // The host's own variables would name the workspace; here they may be another session's.
  const workspaceVariables = hostNames.flatMap((name) => hostTable[name].workspaceVariable ?? []);
  const hookEnv = { ...env, HOME: where.home, ...Object.fromEntries(workspaceVariables.map((variable) => [variable, cwd])) };
  if (plan.command !== null && isHostName(host)) return fireCanary(hookHosts[host], [plan.command], { cwd, env: hookEnv });
  const plugin = plan.files.find((wanted) => wanted.kind === "own")?.files[0];
  return plugin !== undefined ? pluginCanary(plugin, { cwd, env: hookEnv, home: where.home, node }) : null;
}

/** The settings a host puts together: a project's count beside a person's own, and may switch off what that person has installed. */
function settingsOf(host: InstallHost, { workspace, home, env }: InstallPlace): readonly string[] {
  const { settings } = hostTable[host];
  if (settings === undefined) return [];
  const { dir, variable = "", files } = settings;
  const own = placeFrom(env[variable]) ?? posix.join(home, dir);
  const projects = (isHostName(host) ? directoriesOf(host, workspace, home) : [workspace]).map((at) => posix.join(at, dir));
  return [own, ...projects].flatMap((at) => files.map((name) => posix.join(at, name)));
}

/** Words of a host's own by which no hook runs at all, or not ours. */
function switchedOff(file: string): readonly string[] {
  // Empty where there is none, or nothing that a host could read either.
  const text =
    bytesIn(file)
      ?.toString("utf8")
      .replace(/^\u{FEFF}/u, "") ?? "";
  const value = file.endsWith(".toml") ? tomlRecord(text) : jsonValue(text);
  const at = (keys: readonly string[]): unknown =>
    keys.reduce<unknown>((within, key) => (isRecord(within) ? within[key] : undefined), value);
  const off: readonly (readonly [readonly string[], unknown])[] = [
    [["disableAllHooks"], true],
    [["hooksConfig", "enabled"], false],
    [["hooks", "enabled"], false],
    [["tools", "enableHooks"], false],
    [["features", "hooks"], false],
    [["features", "codex_hooks"], false],
  ];
  const disabledByName = [
    ["hooksConfig", "disabled"],
    ["hooks", "disabled"],
  ].filter((keys) => {
    const list = at(keys);
    return Array.isArray(list) && list.some((entry) => entry === "hallpass" || isOurHook(entry));
  });
  return [
    ...off
      .filter(([keys, word]) => at(keys) === word)
      .map(([keys, word]) => `\`${keys.join(".")}\` is ${String(word)} in ${file}, so the host runs no hooks`),
    ...disabledByName.map((keys) => `\`${keys.join(".")}\` names our hook in ${file}, so the host does not run it`),
  ];
}

/** Runs in a process of its own, as the plugin does in the host's. */
const PROBE = `
const [file, directory, secret] = process.argv.slice(1);
const plugin = Object.values(await import(file))[0];
const hooks = await plugin({ directory, worktree: directory, client: {} });
const call = (filePath) => hooks["tool.execute.before"]({ tool: "read", sessionID: "hallpass-canary", callID: "hallpass-canary" }, { args: { filePath } });
let stopped = "";
try { await call(secret); } catch (error) { stopped = String(error.message); }
if (stopped === "") { console.log("reading a secret was not stopped"); process.exit(3); }
try { await call(directory + "/hallpass-canary.txt"); } catch (error) { console.log("reading inside the workspace is stopped too: " + error.message); process.exit(3); }
`;

async function pluginCanary(
  plugin: string,
  { cwd, env, home, node }: { readonly cwd: string; readonly env: InstallPlace["env"]; readonly home: string; readonly node: string },
): Promise<Canary> {
  const argv = ["--input-type=module", "-e", PROBE, "--", pathToFileURL(plugin).href, cwd, `${home}/.ssh/id_hallpass_canary`];
  const { exit, stdout, stderr } = await run([node, ...argv], "", { cwd, env, milliseconds: 30_000 });
  if (exit === 0) return { armed: true, why: ARMED };
  return { armed: false, why: `${stdout}${stderr}`.trim().slice(0, 300) || `exit ${exit ?? "by a signal, or it did not start"}` };
}
