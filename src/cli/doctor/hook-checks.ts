// The hooks of other people's agents: which are configured, whether each really stops what it must, and what it cannot see at all.

import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { hookSocketFile } from "../../adapters/hook/socket-file.ts";
import { type HostName, hostNames, hostTable } from "../../adapters/hook/host-table.ts";
import { foreignServer } from "../../adapters/hook/own-server.ts";
import { type HostPlan, proveArmed } from "../../adapters/install/index.ts";
import { show } from "../../core/path/show.ts";
import type { Host } from "../host.ts";
import { type DoctorFinding, noted, well, wrong } from "./finding.ts";
import { hooksOf, type InstalledHook, programsOf } from "./installed-hooks.ts";

/** `canary` false: nothing is started, only the configuration is reported. */
export async function checkHooks({ home, cwd, env, platform }: Host, canary: boolean): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  const programs = programsOf(platform);
  const data = dirname(hookSocketFile({ home, env, platform }));
  for (const name of hostNames) {
    const { title } = hostTable[name];
    const { hooks, unreadable, used } = hooksOf(name, { workspace: realpathSync(cwd), home, env, platform }, programs);
    for (const file of unreadable)
      findings.push(wrong(title, `${show(file)} cannot be read as JSON`, "fix it; until then the host may ignore its hooks"));
    for (const hook of hooks) findings.push(await checkHook(name, hook, canary, programs.node));
    // Without a hook too: the host would offer its tools under our name.
    const foreign = hooks.length > 0 ? null : foreignServer(name, { workspace: realpathSync(cwd), home, data });
    if (foreign !== null) findings.push(wrong(title, `not armed: ${foreign}`, `then: hallpass install ${name}`));
    else if (hooks.length === 0 && unreadable.length === 0 && used)
      findings.push(noted(title, "is installed without our hook", `hallpass install ${name} --user`));
  }
  return findings.length === 0 ? [noted("agents", "none of the agents we know are set up here", null)] : findings;
}

async function checkHook(
  name: HostName,
  { file, where, line, goneStart, oldStart, asWritten, mayRun }: InstalledHook,
  canary: boolean,
  node: string,
): Promise<DoctorFinding> {
  const { title, blind } = hostTable[name];
  const install = `hallpass install ${name}${where.level === "user" ? " --user" : ""}`;
  const cannot = `It cannot see ${blind}`;
  if (!canary) return well(title, `configured in ${show(file)}; not tried. ${cannot}`);
  if (!mayRun)
    return wrong(
      title,
      `${show(file)} has a hook that looks like ours but is not what we would write; the author of the repository could have written it, so it was not run`,
      `look at it, then write it again: ${install}`,
    );
  // The line is tried without what the host puts before it.
  if (goneStart?.isNamed === true)
    return wrong(
      title,
      `not armed: ${show(file)} names ${show(goneStart.path)} as what runs before every hook and command, and it is gone; the host goes on without hooks`,
      `write it again: ${install}`,
    );
  const plan: HostPlan = {
    files: [line === null ? { kind: "own", files: [file], text: "", mark: "" } : { kind: "json", files: [file], entries: [] }],
    command: line,
    notes: [],
  };
  const fired = await proveArmed(name, plan, where, node);
  if (fired?.armed !== true)
    return wrong(
      title,
      `not armed: ${show(fired?.why ?? "there is no hook to try")}`,
      `install it again: ${install} (it is in ${show(file)})`,
    );
  if (goneStart !== null)
    return noted(
      title,
      `armed: ${fired.why}. But its commands are not confined: ${show(goneStart.path)} is gone. ${cannot}`,
      `renew it: ${install}`,
    );
  // Armed for the one tool that was tried: a narrower matcher or an older plugin may let others go.
  const older = asWritten ? oldStart : file;
  if (older !== null)
    return noted(title, `armed: ${fired.why}. But ${show(older)} is not as it would be written today. ${cannot}`, `renew it: ${install}`);
  return well(title, `armed: ${fired.why}. ${cannot}`);
}
