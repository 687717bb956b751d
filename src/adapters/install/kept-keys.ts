// What the owner of a file added to our own entries in it: kept when we write them anew. Ours is what starts our program and what decides
// whether and when a hook runs; the rest of a server's entry is its owner's to say.

import { isRecord } from "../hook/host-call.ts";
import { nodeAt, valueOf } from "./json-splice.ts";
import { isOurHook } from "./programs.ts";
import { blockLines, parsed, tomlPair } from "./toml-text.ts";
import type { TomlBlock, WantedFile } from "./wanted-file.ts";

export interface KeepingAdded {
  readonly wanted: WantedFile;
  /** What was kept and what was not, by its way in the file: `mcpServers.hallpass.timeout`. */
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
}

/** A value with what its owner added to it. */
interface Kept<T> extends Pick<KeepingAdded, "kept" | "dropped"> {
  readonly value: T;
}

/** What is wanted of a file, with what its owner added to our entries in `text`. */
export function keepingAdded(wanted: WantedFile, text: string): KeepingAdded {
  if (wanted.kind === "own" || wanted.kind === "lines") return { wanted, kept: [], dropped: [] };
  if (wanted.kind === "toml") {
    const { value: block, kept, dropped } = keptBlock(wanted.block, text);
    return { wanted: { ...wanted, block }, kept, dropped };
  }
  const found = wanted.entries.map((entry) => {
    const node = entry.kind === "property" || entry.kind === "item" ? nodeAt(text, entry.at) : undefined;
    if (node === undefined || (entry.kind !== "property" && entry.kind !== "item")) return { entry, kept: [], dropped: [] };
    const there = valueOf(node);
    const items: readonly unknown[] = entry.kind === "item" && Array.isArray(there) ? there : [];
    const ours = entry.kind === "property" ? there : items.find((item) => entry.ours(item));
    if (!entry.ours(ours)) return { entry, kept: [], dropped: [] };
    const { value, kept, dropped } = entry.kind === "property" ? keptServer(entry.value, ours) : keptHook(entry.value, ours);
    const named = (names: readonly string[]): readonly string[] => names.map((name) => [...entry.at, name].join("."));
    return { entry: { ...entry, value }, kept: named(kept), dropped: named(dropped) };
  });
  return {
    wanted: { ...wanted, entries: found.map(({ entry }) => entry) },
    kept: found.flatMap(({ kept }) => kept),
    dropped: found.flatMap(({ dropped }) => dropped),
  };
}

/** How a server of ours is started. */
const STARTS = new Set(["type", "command", "args"]);
const WORDS = new Set(["env", "environment"]);
/** Words by which other people's code comes into a program before its own. */
const LOADS = /^(?:LD_|DYLD_|NODE_PATH$|BASH_ENV$|ENV$)/u;

function keptServer(wanted: unknown, there: unknown): Kept<unknown> {
  if (!isRecord(wanted) || !isRecord(there)) return { value: wanted, kept: [], dropped: [] };
  const value: Record<string, unknown> = { ...wanted };
  const [kept, dropped]: [string[], string[]] = [[], []];
  for (const [key, was] of Object.entries(there)) {
    const now = wanted[key];
    if (WORDS.has(key) && isRecord(was) && (now === undefined || isRecord(now))) {
      const words = Object.keys(was).filter((word) => !(word in (now ?? {})));
      const mine = words.filter((word) => !LOADS.test(word));
      if (mine.length > 0) value[key] = { ...now, ...Object.fromEntries(mine.map((word) => [word, was[word]])) };
      for (const word of words) (mine.includes(word) ? kept : dropped).push(`${key}.${word}`);
    } else if (!STARTS.has(key) && !WORDS.has(key) && JSON.stringify(was) !== JSON.stringify(now)) {
      value[key] = was;
      kept.push(key);
    }
  }
  return { value, kept, dropped };
}

/** The same for a block that is a server's. */
function keptBlock(block: TomlBlock, text: string): Kept<TomlBlock> {
  if (block.server !== true) return { value: block, kept: [], dropped: [] };
  const [head = "", ...lines] = block.body;
  const there = blockLines(text, block.name);
  const besides = block.beside === undefined ? -1 : there.indexOf(block.beside.lines[0] ?? "");
  const [headThere, ...linesThere] = besides === -1 ? there : there.slice(0, besides);
  const [now, was] = [parsed(lines.join("\n"), ""), parsed(linesThere.join("\n"), "")];
  if (head !== headThere || !now.ok || !was.ok) return { value: block, kept: [], dropped: [] };
  const { value, kept, dropped } = keptServer(now.value, was.value);
  const named = (names: readonly string[]): readonly string[] => names.map((name) => `${head.slice(1, -1)}.${name}`);
  const body = kept.length === 0 || !isRecord(value) ? block.body : [head, ...Object.entries(value).map(tomlPair)];
  return { value: { ...block, body }, kept: named(kept), dropped: named(dropped) };
}

/** Said to a person, and nothing to the host. */
const SAID = new Set(["name", "description", "comment", "$comment", "statusMessage"]);
const PATIENCE_KEYS = new Set(["timeout", "timeoutSec"]);

/** INVARIANT: nothing that could keep a hook from running, or its host from waiting for it, is kept; a longer wait is. */
function keptHook(wanted: unknown, there: unknown): Kept<unknown> {
  if (!isRecord(wanted) || !isRecord(there)) return { value: wanted, kept: [], dropped: [] };
  const value: Record<string, unknown> = { ...wanted };
  const [kept, dropped]: [string[], string[]] = [[], []];
  for (const [key, was] of Object.entries(there)) {
    const now = wanted[key];
    if (key === "hooks" && Array.isArray(now) && Array.isArray(was)) {
      // Somebody else's in the same group stays where it is; see `take`.
      const inner = keptHook(now[0], was.find(isOurHook));
      // We write one hook a group.
      value[key] = [inner.value];
      kept.push(...inner.kept);
      dropped.push(...inner.dropped);
    } else if (PATIENCE_KEYS.has(key) && typeof was === "number" && typeof now === "number") {
      if (was > now) value[key] = was;
      if (was !== now) (was > now ? kept : dropped).push(key);
    } else if (SAID.has(key) && typeof was === "string") {
      if (was !== now) kept.push(key);
      value[key] = was;
    } else if (!(key in wanted)) dropped.push(key);
  }
  return { value, kept, dropped };
}
