// What `install` wrote as our server into which file, noted in our data directory, so that a server of the same name that somebody else wrote
// is not taken for ours (`adapters/hook/own-server.ts`).

import { claimsIn } from "../hook/server-claims.ts";
import { notedServers, notesFile } from "../hook/own-server.ts";
import { bytesOf, makeDirectories } from "./disk.ts";
import { replaceFile } from "./replace-file.ts";
import type { WantedFile } from "./wanted-file.ts";

/** Note the servers in these files as they stand there now: right after they were written. */
export function noteServers(data: string, files: readonly WantedFile[]): void {
  const noted = { ...notedServers(data) };
  for (const file of files.flatMap((wanted) => wanted.files)) {
    const [first, ...rest] = claimsIn(file);
    // Two of them are one too many: it is not known which the host takes.
    if (typeof first === "string" && rest.every((other) => other === first)) noted[file] = first;
    else delete noted[file];
  }
  keep(data, noted);
}

export function forgetServers(data: string, files: readonly WantedFile[]): void {
  const names = new Set(files.flatMap((wanted): readonly string[] => wanted.files));
  keep(data, Object.fromEntries(Object.entries(notedServers(data)).filter(([file]) => !names.has(file))));
}

function keep(data: string, servers: Readonly<Record<string, string>>): void {
  const file = notesFile(data);
  const before = bytesOf(file);
  const none = Object.keys(servers).length === 0;
  if (none && before === null) return;
  makeDirectories(`${data}/installed`, 0o700);
  replaceFile(file, { before, after: none ? null : Buffer.from(`${JSON.stringify({ version: 1, servers })}\n`), mode: 0o600 });
}
