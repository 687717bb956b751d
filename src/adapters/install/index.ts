// Installing into a host and taking it back, as two values each: what would change, and doing it.

import { carryOut, forgetAll, takeBack } from "./carry-out.ts";
import { planTaking, planWriting, type PlannedChange } from "./planned-change.ts";
import type { Records } from "./records.ts";
import type { WantedFile } from "./wanted-file.ts";

export type { HostPlan, Level, InstallPlace } from "./host-plan.ts";
export { type InstallHost, installHosts, type SyncHost, syncHosts } from "../hook/host-table.ts";
export { foundHosts, programIn } from "./found-hosts.ts";
export { excluded, sharedByGit } from "./git-exclude.ts";
export { planFor } from "./hosts.ts";
export type { PlannedChange } from "./planned-change.ts";
export { hookLinesIn, keptOptions, type OptionsAt, optionsIn } from "./hook-lines.ts";
export { forgetServers, noteServers } from "./note-servers.ts";
export { isOurHook, isOurHookLine, ownPrograms, pinnedWords, pluginText, pluginTextFor, type Programs } from "./programs.ts";
export { proveArmed } from "./prove.ts";
export { createRecords, type Records } from "./records.ts";
export { changeLines } from "./show-change.ts";
export type { JsonEntry, RefuseToml, TomlBlock, WantedFile } from "./wanted-file.ts";

export interface Changes {
  readonly list: readonly PlannedChange[];
  /** Throws at the first that cannot be done; those before it are done and recorded. */
  carryOut(): void;
}

export interface Writing {
  readonly files: readonly WantedFile[];
  /** Which command, and for whom: `install codex user`. */
  readonly owner: string;
  readonly records: Records;
  /** The project the files must be in; null for a person's own. */
  readonly within: string | null;
}

/** All of it is planned before any of it is done, so that a malformed file stops everything. */
export function writing({ files, owner, records, within }: Writing): Changes {
  const list = files.map((wanted) => planWriting(wanted, owner, records, within)).filter((change) => change !== null);
  return { list, carryOut: () => list.forEach((change) => carryOut(change, owner, records)) };
}

export function taking({ files, owner, records, within }: Writing): Changes {
  const list = files.map((wanted) => planTaking(wanted, owner, records, within)).filter((change) => change !== null);
  return {
    list,
    carryOut: () => {
      for (const change of list.toReversed()) takeBack(change, owner, records);
      // What is gone or was put back by somebody else needs no record either.
      for (const { file } of records.all(owner)) if (files.some((wanted) => wanted.files.includes(file))) forgetAll(file, owner, records);
    },
  };
}
