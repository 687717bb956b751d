// Is the MCP server that a host calls `hallpass` ours? The name alone says nothing: a repository may bring a server of that name. So an entry
// in a project's file counts as ours only where it is, word for word, what `hallpass install` wrote there and noted in our data directory.

import { readdirSync, realpathSync } from "node:fs";
import { isInside, parent } from "../../core/path/contain.ts";
import { show } from "../../core/path/show.ts";
import { isRecord, parseRecord } from "./host-call.ts";
import { type HostName, hostTable } from "./host-table.ts";
import { claimsIn, configText } from "./server-claims.ts";

/** More files of a directory than are looked into. */
const FILES = 1_000;

export interface OwnServerPlace {
  readonly workspace: string;
  readonly home: string;
  /** Our data directory. */
  readonly data: string;
}

/** Why tools under our name are not trusted in this project; null where they are. */
export function foreignServer(host: HostName, { workspace, home, data }: OwnServerPlace): string | null {
  const noted = notedServers(data);
  for (const directory of directoriesOf(host, realOf(workspace), realOf(home)))
    for (const file of (hostTable[host].servers ?? []).flatMap((name) => matching(directory, name))) {
      const claims = claimsIn(file);
      if (claims.some((claim) => claim === null || claim !== noted[file]))
        return `\`${show(file)}\` names a server \`hallpass\` that \`hallpass install\` did not write, so tools of that name are not ours: take it out, or install again`;
    }
  return null;
}

/** What install noted: each file that it wrote a server of ours to, and the server as it stands there. */
export function notedServers(data: string): Readonly<Record<string, string>> {
  const servers = parseRecord(configText(notesFile(data)) ?? "")?.["servers"];
  const entries = isRecord(servers) ? Object.entries(servers) : [];
  return Object.fromEntries(entries.flatMap(([file, text]) => (typeof text === "string" ? [[file, text]] : [])));
}

export const notesFile = (data: string): string => `${data}/installed/servers.json`;

/** The project, and for some hosts what is above it; the home directory and what holds it are the person's own. */
function directoriesOf(host: HostName, workspace: string, home: string): readonly string[] {
  const directories = [workspace];
  for (let above = parent(workspace); hostTable[host].climbs === true && above !== "/" && !isInside(above, home); above = parent(above))
    directories.push(above);
  return directories;
}

/** The files that a name stands for, there or not. */
function matching(directory: string, name: string): readonly string[] {
  const star = name.indexOf("*");
  if (star === -1) return [`${directory}/${name}`];
  const place = `${directory}/${name.slice(0, star - 1)}`;
  return entriesIn(place)
    .slice(0, FILES)
    .map((entry) => `${place}/${entry}${name.slice(star + 1)}`);
}

function entriesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
