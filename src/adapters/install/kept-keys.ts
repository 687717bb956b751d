// What the owner of a file added to our own entries in it: kept when we write them anew. Ours is what starts our program and what decides
// whether and when a hook runs; the rest of a server's entry is its owner's to say.

import { isRecord } from "../hook/host-call.ts";
import { nodeAt, valueOf } from "./json-splice.ts";
import { EMPTIED, isOurHook } from "./programs.ts";
import { blockLines, parsed, tomlPair } from "./toml-text.ts";
import type { TomlBlock, WantedFile } from "./wanted-file.ts";

export interface MergedFile {
  readonly wanted: WantedFile;
  /** What was kept and what was not, by its way in the file: `mcpServers.hallpass.timeout`. */
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
}

/** A value with what its owner added to it. */
interface MergedValue<T> extends Pick<MergedFile, "kept" | "dropped"> {
  readonly value: T;
}

/** What is wanted of a file, with what its owner added to our entries in `text`. */
export function keepingAdded(wanted: WantedFile, text: string): MergedFile {
  if (wanted.kind === "own" || wanted.kind === "lines") return { wanted, kept: [], dropped: [] };
  if (wanted.kind === "toml") {
    const { value: block, kept, dropped } = keepInBlock(wanted.block, text);
    return { wanted: { ...wanted, block }, kept, dropped };
  }
  const results = wanted.entries.map((entry) => {
    const node = entry.kind === "property" || entry.kind === "item" ? nodeAt(text, entry.at) : undefined;
    if (node === undefined || (entry.kind !== "property" && entry.kind !== "item")) return { entry, kept: [], dropped: [] };
    const current = valueOf(node);
    const items: readonly unknown[] = entry.kind === "item" && Array.isArray(current) ? current : [];
    const ourEntry = entry.kind === "property" ? current : items.find((item) => entry.ours(item));
    if (!entry.ours(ourEntry)) return { entry, kept: [], dropped: [] };
    const { value, kept, dropped } = entry.kind === "property" ? keepInServer(entry.value, ourEntry) : keepInHook(entry.value, ourEntry);
    const withPath = (names: readonly string[]): readonly string[] => names.map((name) => [...entry.at, name].join("."));
    return { entry: { ...entry, value }, kept: withPath(kept), dropped: withPath(dropped) };
  });
  return {
    wanted: { ...wanted, entries: results.map(({ entry }) => entry) },
    kept: results.flatMap(({ kept }) => kept),
    dropped: results.flatMap(({ dropped }) => dropped),
  };
}

/** How a server of ours is started. */
const STARTS = new Set(["type", "command", "args"]);
const ENVIRONMENTS = new Set(["env", "environment"]);
/** Words by which other people's code comes into a program before its own. */
const LOADS = new RegExp(String.raw`^(?:LD_|DYLD_|(?:BASH_ENV|ENV|${EMPTIED.join("|")})$)`, "u");

function keepInServer(wanted: unknown, current: unknown): MergedValue<unknown> {
  if (!isRecord(wanted) || !isRecord(current)) return { value: wanted, kept: [], dropped: [] };
  const value: Record<string, unknown> = { ...wanted };
  const [kept, dropped]: [string[], string[]] = [[], []];
  for (const [key, was] of Object.entries(current)) {
    const ours = wanted[key];
    if (ENVIRONMENTS.has(key) && isRecord(was) && (ours === undefined || isRecord(ours))) {
      const added = Object.keys(was).filter((word) => !(word in (ours ?? {})));
      const harmless = added.filter((word) => !LOADS.test(word));
      if (harmless.length > 0) value[key] = { ...ours, ...Object.fromEntries(harmless.map((word) => [word, was[word]])) };
      for (const word of added) (harmless.includes(word) ? kept : dropped).push(`${key}.${word}`);
    } else if (!STARTS.has(key) && !ENVIRONMENTS.has(key) && JSON.stringify(was) !== JSON.stringify(ours)) {
      value[key] = was;
      kept.push(key);
    }
  }
  return { value, kept, dropped };
}

/** The same for a block that is a server's. */
function keepInBlock(block: TomlBlock, text: string): MergedValue<TomlBlock> {
  if (block.server !== true) return { value: block, kept: [], dropped: [] };
  const [head = "", ...lines] = block.body;
  const currentLines = blockLines(text, block.name);
  const besides = block.beside === undefined ? -1 : currentLines.indexOf(block.beside.lines[0] ?? "");
  const [currentHead, ...currentRest] = besides === -1 ? currentLines : currentLines.slice(0, besides);
  const [ours, current] = [parsed(lines.join("\n"), ""), parsed(currentRest.join("\n"), "")];
  if (head !== currentHead || !ours.ok || !current.ok) return { value: block, kept: [], dropped: [] };
  const { value, kept, dropped } = keepInServer(ours.value, current.value);
  const withPath = (names: readonly string[]): readonly string[] => names.map((name) => `${head.slice(1, -1)}.${name}`);
  const body = kept.length === 0 || !isRecord(value) ? block.body : [head, ...Object.entries(value).map(tomlPair)];
  return { value: { ...block, body }, kept: withPath(kept), dropped: withPath(dropped) };
}

/** Said to a person, and nothing to the host. */
const DESCRIPTIVE = new Set(["name", "description", "comment", "$comment", "statusMessage"]);
const PATIENCE_KEYS = new Set(["timeout", "timeoutSec"]);

/** INVARIANT: nothing that could keep a hook from running, or its host from waiting for it, is kept; a longer wait is. */
function keepInHook(wanted: unknown, current: unknown): MergedValue<unknown> {
  if (!isRecord(wanted) || !isRecord(current)) return { value: wanted, kept: [], dropped: [] };
  const value: Record<string, unknown> = { ...wanted };
  const [kept, dropped]: [string[], string[]] = [[], []];
  for (const [key, was] of Object.entries(current)) {
    const ours = wanted[key];
    if (key === "hooks" && Array.isArray(ours) && Array.isArray(was)) {
      // Somebody else's in the same group stays where it is; see `take`.
      const inner = keepInHook(ours[0], was.find(isOurHook));
      // We write one hook a group.
      value[key] = [inner.value];
      kept.push(...inner.kept);
      dropped.push(...inner.dropped);
    } else if (PATIENCE_KEYS.has(key) && typeof was === "number" && typeof ours === "number") {
      if (was > ours) value[key] = was;
      if (was !== ours) (was > ours ? kept : dropped).push(key);
    } else if (DESCRIPTIVE.has(key) && typeof was === "string") {
      if (was !== ours) kept.push(key);
      value[key] = was;
    } else if (!(key in wanted)) dropped.push(key);
  }
  return { value, kept, dropped };
}
