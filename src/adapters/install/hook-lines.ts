// Our lines in a host's file, and the options that a person added to them: read, so that a new installation keeps them.

import { isRecord } from "../hook/host-call.ts";
import { readOptions } from "../hook/options.ts";
import { bytesOf, findFile } from "./disk.ts";
import { jsonValue } from "./json-text.ts";
import { isOurHookLine, isOwnOption, quoted } from "./programs.ts";
import type { Records } from "./records.ts";
import type { WantedFile } from "./wanted-file.ts";

/** The lines in a configuration that start our hook for this host: `… hook <host> …`. */
export function hookLinesIn(value: unknown, host: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => hookLinesIn(item, host));
  if (!isRecord(value)) return [];
  const command = value["command"] ?? value["bash"];
  const args = Array.isArray(value["args"]) ? value["args"].filter((word): word is string => typeof word === "string") : [];
  const line = typeof command !== "string" ? "" : args.length === 0 ? command : [command, ...args].map(quoted).join(" ");
  return [...(isOurHookLine(line, host) ? [line] : []), ...Object.values(value).flatMap((item) => hookLinesIn(item, host))];
}

/** The options on our line for one event of a host. */
export type OptionsAt = (event: string) => readonly string[];

/** Those that a person added in this configuration; none where a line is not understood. */
export function optionsIn(value: unknown, host: string): OptionsAt {
  return (event) => linesAt(value, event, host).map((line) => addedTo(line, host) ?? [])[0] ?? [];
}

export interface KeptOptions {
  readonly at: OptionsAt;
  /** For the person: what was kept, and what was not. */
  readonly notes: readonly string[];
}

/**
 * The options that are to be kept in a new installation. INVARIANT: only from a file this installation wrote: a repository could bring a
 * line that looks like ours, with options that open something.
 */
export function keptOptions(
  host: string,
  { files }: { readonly files: readonly WantedFile[] },
  { owner, records, within }: { readonly owner: string; readonly records: Records; readonly within: string | null },
): KeptOptions {
  const notes = new Set<string>();
  const optionsByEvent = new Map<string, readonly string[]>();
  for (const wanted of files) {
    if (wanted.kind === "toml" || (wanted.kind === "own" && wanted.isOurs === true)) continue;
    const file = wanted.files.map((name) => findFile(name, within)).find(({ bytes }) => bytes !== null)?.file;
    if (file === undefined) continue;
    const value = jsonValue(bytesOf(file)?.toString("utf8") ?? "");
    const isRecorded = records.find(owner, file) !== null;
    for (const event of eventsOf(value)) {
      for (const line of linesAt(value, event, host)) {
        const added = addedTo(line, host);
        if (added?.length === 0 || optionsByEvent.has(event)) continue;
        if (added !== null && isRecorded) optionsByEvent.set(event, added);
        const shownOptions = added === null ? "options that are not understood" : added.map(quoted).join(" ");
        notes.add(
          added !== null && isRecorded
            ? `Kept from the line that was there: ${shownOptions}`
            : `Not kept from the line that was there, ${isRecorded ? "so put them in again if you want them" : "which this installation did not write"}: ${shownOptions}`,
        );
      }
    }
  }
  return { at: (event) => optionsByEvent.get(event) ?? [], notes: [...notes] };
}

const eventsOf = (value: unknown): readonly string[] => (isRecord(value) && isRecord(value["hooks"]) ? Object.keys(value["hooks"]) : []);

function linesAt(value: unknown, event: string, host: string): readonly string[] {
  return isRecord(value) && isRecord(value["hooks"]) ? hookLinesIn(value["hooks"][event], host) : [];
}

/** The words after the host's name that are not ours; null where they are no options of the hook, or could mean more to a shell. */
function addedTo(line: string, host: string): readonly string[] | null {
  const [start = ""] = line.split(" || ");
  const after = new RegExp(`\\s['"]?${host}['"]?(?=\\s|$)`, "u").exec(start);
  if (after === null) return null;
  let rest = start.slice(after.index + after[0].length).trim();
  const words: string[] = [];
  while (rest !== "") {
    const word = WORD.exec(rest)?.[0];
    if (word === undefined) return null;
    words.push(word.replaceAll(/'([^']*)'|"([^"]*)"/gu, (_whole, single?: string, double?: string) => single ?? double ?? ""));
    rest = rest.slice(word.length).trimStart();
  }
  const added = words.filter((word) => !isOwnOption(word));
  return readOptions(added).ok ? added : null;
}

const WORD = /^(?:'[^']*'|"[^"$`\\]*"|[^\s'"$`\\;&|<>()#]+)+(?=\s|$)/u;
