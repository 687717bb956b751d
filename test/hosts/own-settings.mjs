// Changes to a host's own settings, as a person or another program would make them.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of JSON with a change; an empty object where there is none. */
export function changeJson(file, change) {
  const value = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  change(value);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** The file without the lines that hold a text. */
export function dropLines(file, text) {
  const lines = readFileSync(file, "utf8").split("\n");
  const kept = lines.filter((line) => !line.includes(text));
  if (kept.length === lines.length) throw new Error(`nothing in ${file} says ${text}`);
  writeFileSync(file, kept.join("\n"));
}

/** The line of somebody else's hook. */
export const secondLine = (host) => `'${process.execPath}' '${fileURLToPath(new URL("second-hook.mjs", import.meta.url))}' ${host}`;
