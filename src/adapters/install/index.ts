// Installing into a host and taking it back, as two values each: what would change, and doing it.

import { applyChange, forgetAll, revertChange } from "./apply-change.ts";
import { planRemoval, planInstallation, type PlannedChange } from "./planned-change.ts";
import type { Records } from "./records.ts";
import type { WantedFile } from "./wanted-file.ts";

export type { HostPlan, Level, InstallPlace } from "./host-plan.ts";
export { type InstallHost, installHosts, type SyncHost, syncHosts } from "../hook/host-table.ts";
export { foundHosts, programIn } from "./found-hosts.ts";
export { excluded, sharedByGit } from "./git-exclude.ts";
export { planFor } from "./hosts.ts";
export type { PlannedChange } from "./planned-change.ts";
export { hookLinesIn, keptOptions, optionsIn } from "./hook-lines.ts";
export { forgetServers, noteServers } from "./note-servers.ts";
export { ownPrograms, pinnedWords, pluginText, pluginTextFor, type Programs } from "./programs.ts";
export { proveArmed } from "./prove.ts";
export { createRecords, type Records } from "./records.ts";
export { changeLines } from "./show-change.ts";
export type { WantedFile } from "./wanted-file.ts";

export interface Changes {
  readonly list: readonly PlannedChange[];
  /** Throws at the first that cannot be done; those before it are done and recorded. */
  apply(): void;
}

export interface ChangeOrder {
  readonly files: readonly WantedFile[];
  /** Which command, and for whom: `install codex user`. */
  readonly owner: string;
  readonly records: Records;
  /** The project the files must be in; null for a person's own. */
  readonly within: string | null;
}

/** All of it is planned before any of it is done, so that a malformed file stops everything. */
export function prepareInstallation({ files, owner, records, within }: ChangeOrder): Changes {
  const list = files.map((wanted) => planInstallation(wanted, owner, records, within)).filter((change) => change !== null);
  return { list, apply: () => list.forEach((change) => applyChange(change, owner, records)) };
}

export function prepareRemoval({ files, owner, records, within }: ChangeOrder): Changes {
  const list = files.map((wanted) => planRemoval(wanted, owner, records, within)).filter((change) => change !== null);
  return {
    list,
    apply: () => {
      for (const change of list.toReversed()) revertChange(change, owner, records);
      // What is gone or was put back by somebody else needs no record either.
      for (const { file } of records.all(owner)) if (files.some((wanted) => wanted.files.includes(file))) forgetAll(file, owner, records);
    },
  };
}
