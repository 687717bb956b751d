// Is the MCP server that a host calls `hallpass` ours? The name alone says nothing: a repository may bring a server of that name. So an entry
// in a project's file counts as ours only where it is, word for word, what `hallpass install` wrote there and noted in our data directory.

import { isInside, parent } from "../../core/path/contain.ts";
import { show } from "../../core/path/show.ts";
import { entriesIn, isDirectory, realOf } from "./disk.ts";
import { isRecord, parseRecord } from "./host-call.ts";
import { type HostName, hostTable } from "./host-table.ts";
import { claimsIn, configText, isOurName } from "./server-claims.ts";

/** Where there are more in a directory, any of them may name a server like ours. */
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
  for (const directory of directoriesOf(host, realOf(workspace) ?? workspace, realOf(home) ?? home)) {
    for (const name of hostTable[host].servers ?? []) {
      const files = matchingFiles(directory, name);
      if (files === null)
        return `more than ${FILES} files in \`${show(`${directory}/${name}`)}\` may name a server \`hallpass\`${UNWRITTEN}`;
      for (const file of files)
        if (claimsIn(file).some((claim) => claim === null || claim !== noted[file]))
          return `\`${show(file)}\` names a server \`hallpass\`${UNWRITTEN}`;
    }
    for (const tools of hostTable[host].toolDirectories ?? [])
      for (const { name } of entriesIn(`${directory}/${tools}`))
        if (isOurName(name)) return `\`${show(`${directory}/${tools}/${name}`)}\` brings tools called \`hallpass\`${UNWRITTEN}`;
  }
  return null;
}

const UNWRITTEN = " that `hallpass install` did not write, so tools of that name are not ours: take it out, or install again";

/** What install noted: each file that it wrote a server of ours to, and the server as it stands there. */
export function notedServers(data: string): Readonly<Record<string, string>> {
  const servers = parseRecord(configText(notesFile(data)) ?? "")?.["servers"];
  const entries = isRecord(servers) ? Object.entries(servers) : [];
  return Object.fromEntries(entries.flatMap(([file, text]) => (typeof text === "string" ? [[file, text]] : [])));
}

export const notesFile = (data: string): string => `${data}/installed/servers.json`;

/** The project, and for some hosts what is above it; the home directory and what holds it are the person's own. */
export function directoriesOf(host: HostName, workspace: string, home: string): readonly string[] {
  const directories = [workspace];
  for (let above = parent(workspace); hostTable[host].climbs === true && above !== "/" && !isInside(above, home); above = parent(above))
    directories.push(above);
  return directories;
}

/** The files that a name stands for, there or not; null where there are more than are looked into. */
function matchingFiles(directory: string, name: string): readonly string[] | null {
  const star = name.indexOf("*");
  if (star === -1) return [`${directory}/${name}`];
  const places = [`${directory}/${name.slice(0, star - 1)}`];
  const isDeep = name.endsWith("*");
  // A link may lead in a circle, which the kernel ends.
  for (const [at, place] of places.entries()) {
    if (at > 0 && !(isDeep && isDirectory(place))) continue;
    places.push(...entriesIn(place).map((entry) => `${place}/${entry.name}`));
    if (places.length > FILES) return null;
  }
  return places.slice(1).map((entry) => `${entry}${name.slice(star + 1)}`);
}
