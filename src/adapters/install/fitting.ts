// Which parts of a wanted file are left out because its owner already has something there.

import { isRecord } from "../hook/host-call.ts";
import { foreignOf } from "./json-faults.ts";
import { removeBlock, tomlRecord } from "./toml-text.ts";
import type { WantedFile } from "./wanted-file.ts";

/** As it can be written into this text; null where nothing of it can. */
export function fitting(wanted: WantedFile, text: string, file: string): WantedFile | null {
  if (wanted.kind === "json") {
    const entries = wanted.entries.filter(
      (entry) => entry.kind !== "property" || entry.yields !== true || text.trim() === "" || foreignOf(text, entry, file) === null,
    );
    return entries.length === 0 ? null : { ...wanted, entries };
  }
  if (wanted.kind === "toml" && wanted.block.beside !== undefined) {
    const { beside, ...block } = wanted.block;
    const owned = beside.at.reduce<unknown>(
      (within, key) => (isRecord(within) ? within[key] : undefined),
      tomlRecord(without(text, block.name)),
    );
    return { ...wanted, block: owned === undefined ? { ...block, body: [...block.body, "", ...beside.lines] } : block };
  }
  if (wanted.kind === "lines" && wanted.variable !== undefined) {
    const isSet = new RegExp(String.raw`^\s*(?:export\s+)?${wanted.variable}\s*=`, "mu").test(without(text, wanted.name));
    return isSet ? null : wanted;
  }
  return wanted;
}

/** The owner's own part of it. */
function without(text: string, name: string): string {
  const removed = removeBlock(text, name, "");
  return removed.ok ? removed.text : text;
}
