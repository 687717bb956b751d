// hallpass sync <host>: writes the policy in force into the host's settings, beside the owner's own; --remove takes it out. Says what those
// cannot express.

import { prepareInstallation, prepareRemoval, programIn, syncHosts } from "../../adapters/install/index.ts";
import { syncFor } from "../../adapters/sync/index.ts";
import { findingLine, loadPolicy } from "../../config/load.ts";
import { HallpassError } from "../../core/errors.ts";
import { realHome } from "../../core/session/session.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Call, oneOf } from "../flags.ts";
import type { Host } from "../host.ts";
import { confirmAndApply, readInstalling, withinOf } from "./install.ts";

export async function sync(call: Call<"sync">, host: Host): Promise<number> {
  const remove = call.values.remove === true;
  const plan = readInstalling("sync", call, host);
  const { where, records } = plan;
  const name = oneOf("hallpass sync", call.words[0] ?? "", syncHosts);
  const { home, env, platform } = host;
  // For every project the operator's policy holds; a project's own is for that project alone.
  const loaded = loadPolicy({ home, env, platform, workspace: where.level === "project" ? where.workspace : null });
  if (!loaded.ok) throw new HallpassError("invalid-policy", loaded.errors.map(findingLine).join("; "));
  const synced = syncFor(
    name,
    loaded.policy,
    { ...where, home: realHome(home) },
    name === "codex" ? programIn(env["PATH"] ?? "", "codex") : null,
  );
  const order = { files: synced.files, owner: `sync ${name} ${where.level}`, records, within: withinOf(where) };
  const changes = remove ? prepareRemoval(order) : prepareInstallation(order);
  const done = await confirmAndApply(
    changes,
    plan,
    host,
    remove ? "There is nothing generated to remove." : "The generated rules are up to date; nothing to change.",
  );
  if (done === "no") return exitCodes.usage;
  for (const { note } of changes.list) if (note !== null && done === "done") host.output.write(`${note}\n`);
  if (!remove)
    host.output.write(`Not expressed in ${name}'s rules, or expressed differently:\n${synced.notes.map((note) => `- ${note}\n`).join("")}`);
  return exitCodes.done;
}
