// Finds our hooks in the configuration of other agents: where `hallpass install` writes them, and in a few more places a person may have
// chosen. Says whether each is what would be written now. Changes nothing.

import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "../../adapters/hook/host-call.ts";
import type { HostName } from "../../adapters/hook/host-table.ts";
import { bytesIn } from "../../adapters/install/disk.ts";
import {
  hookLinesIn,
  type Level,
  optionsIn,
  ownPrograms,
  planFor,
  pluginText,
  type Programs,
  type WantedFile,
  type InstallPlace,
} from "../../adapters/install/index.ts";
import { isSameData, jsonValue } from "../../adapters/install/json-text.ts";
import { isPromptLine } from "../../adapters/install/programs.ts";
import { keepingAdded } from "../../adapters/install/kept-keys.ts";
import { untrustedLocations } from "../../config/untrusted-locations.ts";
import { isInside } from "../../core/path/contain.ts";

/** One hook of ours, in one file. */
export interface InstalledHook {
  readonly file: string;
  readonly where: InstallPlace;
  /** The line the host runs; null where the host loads the file itself. */
  readonly line: string | null;
  /** Our file that runs before the host's commands, where it is missing, and whether the host's settings name it. */
  readonly goneStart: { readonly path: string; readonly isNamed: boolean } | null;
  /** The same file, where it is there and is not what `hallpass install` would write today. */
  readonly oldStart: string | null;
  /** Is it what `hallpass install` would write today? */
  readonly asWritten: boolean;
  /**
   * May it be run, to see what it does? INVARIANT: of what a repository brought along only what we would write ourselves, word for word: its
   * author may have put anything into a line that looks like ours.
   */
  readonly mayRun: boolean;
}

export interface HooksOfHost {
  readonly hooks: readonly InstalledHook[];
  /** Files that are no JSON: the host may pass over every hook in them. */
  readonly unreadable: readonly string[];
  /** Is the host used here at all? */
  readonly used: boolean;
}

type HostPlace = Omit<InstallPlace, "level">;

export function hooksOf(name: HostName, place: HostPlace, programs: Programs): HooksOfHost {
  const hooks: InstalledHook[] = [];
  const unreadable: string[] = [];
  const seen = new Set<string>();
  const isPersons = createOwnerCheck(place);
  const levels: readonly Level[] = ["user", "project"];
  for (const level of levels) {
    const where = { ...place, level };
    const text = (): string => pluginText(programs, where) ?? "";
    const plan = planFor(name, where, programs, text);
    const gone = plan.files.filter(isOwnDataFile).find(({ files }) => !existsSync(files[0]))?.files[0];
    for (const [index, planned] of plan.files.entries()) {
      if (planned.kind === "toml" || planned.kind === "lines" || isOwnDataFile(planned)) continue;
      const items = planned.kind === "json" ? planned.entries.filter((entry) => entry.kind === "item") : [];
      if (planned.kind === "json" && items.length === 0) continue;
      for (const file of filesNear(planned.files[0], planned.kind === "own")) {
        if (seen.has(file)) continue;
        seen.add(file);
        const content = bytesIn(file)?.toString("utf8") ?? null;
        if (file.endsWith(".js")) {
          const asWritten = planned.kind === "own" && content === planned.text;
          hooks.push({ file, where, line: null, goneStart: null, oldStart: null, asWritten, mayRun: asWritten || isPersons(file, level) });
          continue;
        }
        const value = content === null ? null : jsonValue(content);
        const ok = value !== null;
        if (!ok) unreadable.push(file);
        // With the options a person added, which a new installation would keep.
        const planNow = planFor(name, where, programs, text, optionsIn(value, name)).files;
        const now = planNow[index];
        const oldStart = planNow.find(isOldStart)?.files[0] ?? null;
        const asWritten =
          now !== undefined && isAsWritten(content === null || !ok ? now : keepingAdded(now, content).wanted, content, value);
        const lines = now === undefined ? [] : linesOf(now, name);
        const goneStart = gone === undefined ? null : { path: gone, isNamed: content?.includes(JSON.stringify(gone)) === true };
        for (const line of hookLinesIn(value, name).filter((one) => !isPromptLine(one)))
          hooks.push({ file, where, line, goneStart, oldStart, asWritten, mayRun: lines.includes(line) || isPersons(file, level) });
      }
    }
  }
  return { hooks: unique(hooks), unreadable, used: isHostUsed(name, place, programs) };
}

/** Is a file a person's own, and not what a repository could have written, also by way of the environment? */
function createOwnerCheck(place: HostPlace): (file: string, level: Level) => boolean {
  const { workspace, home } = place;
  if (untrustedLocations(place).length > 0) return () => false;
  const atHome = existsSync(home) && realpathSync(home) === workspace;
  return (file, level) => level === "user" && (atHome || !isInside(workspace, realpathSync(dirname(file))));
}

/** The lines we would write. */
function linesOf(planned: WantedFile, name: HostName): readonly string[] {
  if (planned.kind === "toml" || planned.kind === "lines") return [];
  return planned.kind === "own"
    ? hookLinesIn(jsonValue(planned.text), name)
    : planned.entries.flatMap((entry) => (entry.kind === "item" ? hookLinesIn(entry.value, name) : []));
}

/** The programs that hosts start for us. */
export const programsOf = (platform: NodeJS.Platform): Programs => ownPrograms(import.meta.url, process.execPath, platform);

/** The same line for several events is the same hook. */
const unique = (hooks: readonly InstalledHook[]): readonly InstalledHook[] => [
  ...new Map(hooks.map((hook) => [JSON.stringify([hook.file, hook.line]), hook])).values(),
];

/** A file in our own data directory, which no host reads hooks from. */
const isOwnDataFile = (planned: WantedFile): boolean => planned.kind === "own" && planned.isOurs === true;

/** Is it such a file, and there with another text? */
function isOldStart(planned: WantedFile): boolean {
  const content = bytesIn(planned.files[0])?.toString("utf8");
  return planned.kind === "own" && isOwnDataFile(planned) && content !== undefined && content !== planned.text;
}

/** The host's own directory in the home is there. */
function isHostUsed(name: HostName, place: HostPlace, programs: Programs): boolean {
  const first = planFor(name, { ...place, level: "user" }, programs, () => "").files.find((planned) => !isOwnDataFile(planned));
  const dir = first === undefined ? "" : dirname(first.files[0]);
  return existsSync(/\/(?:hooks|plugins)$/u.test(dir) ? dirname(dir) : dir);
}

/** The file, and those beside it that may hold a hook of ours too. */
function filesNear(file: string, own: boolean): readonly string[] {
  const dir = dirname(file);
  if (own)
    return existsSync(dir)
      ? readdirSync(dir)
          .filter((name) => (file.endsWith(".js") ? name.includes("hallpass") : name.endsWith(".json")))
          .map((name) => join(dir, name))
      : [];
  const shared = file.endsWith("settings.local.json") ? [join(dir, "settings.json")] : [];
  return [file, ...shared].filter((one) => existsSync(one));
}

function listAt(value: unknown, at: readonly string[]): readonly unknown[] {
  const found = at.reduce<unknown>((within, key) => (isRecord(within) ? within[key] : undefined), value);
  return Array.isArray(found) ? found : [];
}

function isAsWritten(planned: WantedFile, text: string | null, value: unknown): boolean {
  if (planned.kind === "own") return text === planned.text;
  const items = planned.kind === "json" ? planned.entries.filter((entry) => entry.kind === "item") : [];
  return items.every(({ at, value: item }) => listAt(value, at).some((one) => isSameData(one, item)));
}
