// Which MCP servers in a host's configuration are called `hallpass`, or something that begins like it, each as a text for comparison.
// Duplicate entries all count, because hosts differ in which one they use.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { type Node, type ParseError, parseTree } from "jsonc-parser";

/** More than any host's configuration of a project. */
const FILE_BYTES = 1024 * 1024;
/** What holds servers by their names, in one host or another, and plugins that may bring some. */
const HOLDERS: ReadonlySet<string> = new Set(["mcpservers", "servers", "mcp", "contextservers", "enabledplugins"]);

/** Null: one that cannot be read, and may be any. */
export type Claim = string | null;

export function claimsIn(file: string): readonly Claim[] {
  const text = configText(file);
  if (text === undefined) return [];
  if (text === null) return [null];
  if (file.endsWith(".toml")) return tomlClaims(text);
  return /\.jsonc?$/u.test(file) ? jsonClaims(text) : headClaims(text);
}

/** The text of a file; undefined where there is none, null where it cannot be read. Never waits: a repository may have put a pipe there. */
export function configText(file: string): string | null | undefined {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR") ? undefined : null;
  }
  try {
    const facts = fstatSync(handle);
    if (facts.isDirectory()) return undefined;
    return facts.isFile() && facts.size <= FILE_BYTES ? readFileSync(handle, "utf8").replace(/^\u{FEFF}/u, "") : null;
  } catch {
    return null;
  } finally {
    closeSync(handle);
  }
}

export function jsonClaims(text: string): readonly Claim[] {
  const faults: ParseError[] = [];
  const claims: Claim[] = [];
  try {
    const root = parseTree(text, faults, { allowTrailingComma: true });
    if (root !== undefined) collect(root, claims);
  } catch {
    // Nested too deeply to be gone through.
    return [null];
  }
  // A host may read on where this parser gave up.
  return faults.length > 0 && /hallpass|\\u/iu.test(text) ? [null] : claims;
}

function collect(node: Node, claims: Claim[]): void {
  for (const child of node.children ?? []) {
    const [key, value] = child.type === "property" ? (child.children ?? []) : [];
    if (key !== undefined && value !== undefined && HOLDERS.has(plain(key.value)))
      for (const { children: [name, entry] = [] } of value.children ?? [])
        if (name !== undefined && entry !== undefined && isOurName(name.value)) claims.push(comparable(entry));
    collect(value ?? child, claims);
  }
}

const plain = (name: unknown): string =>
  String(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/gu, "");
export const isOurName = (name: unknown): boolean => plain(name).startsWith("hallpass");

/** The same text for the same value, whatever the order of its keys; a key that stands twice stands there twice. */
function comparable(node: Node): string {
  if (node.type === "object") {
    const pairs = (node.children ?? []).map(({ children: [key, value] = [] }) => {
      return `${JSON.stringify(key?.value)}:${value === undefined ? "" : comparable(value)}`;
    });
    return `{${pairs.toSorted().join(",")}}`;
  }
  return node.type === "array" ? `[${(node.children ?? []).map(comparable).join(",")}]` : JSON.stringify(node.value);
}

/** A table of ours as a text; any other line that may give our name to a server, and any sign written by its number, may be anything. */
export function tomlClaims(text: string): readonly Claim[] {
  const lines = text.split(/\r?\n/u);
  const from = lines.indexOf("[mcp_servers.hallpass]");
  const length = from === -1 ? -1 : lines.slice(from + 1).findIndex((line) => !/^[\w-]+ = /u.test(line));
  const table = from === -1 ? [] : lines.slice(from, length === -1 ? undefined : from + 1 + length);
  const otherLines = lines.filter((_, at) => from === -1 || at < from || at >= from + table.length);
  const isNamed = otherLines.some((line) => {
    if (/^\s*#/u.test(line) || /^\[permissions\.hallpass[\].]/u.test(line)) return false;
    return /(?:^|[\s.{,["'])hallpass[\w-]*["']?\s*[.=\]]/iu.test(line) || /(?<!\\)\\[uUx]/u.test(line);
  });
  return [...(from === -1 ? [] : [table.join("\n")]), ...(isNamed ? [null] : [])];
}

const BEFORE_KEY = ["\n", ",", "{"];

/** The head of a text that describes an agent, which may bring servers of its own. */
function headClaims(text: string): readonly Claim[] {
  if (!/mcp[-_]?servers/iu.test(text)) return [];
  // What stands before each colon, from the last sign that can begin a key.
  const keys = text.split(":").slice(0, -1);
  const isNamed = keys.some((before) =>
    /hallpass/iu.test(before.slice(Math.max(...BEFORE_KEY.map((sign) => before.lastIndexOf(sign))) + 1)),
  );
  return isNamed || text.includes("\\u") ? [null] : [];
}
