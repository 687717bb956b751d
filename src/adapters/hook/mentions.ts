// Files that a text includes by mention. Some hosts expand `@path` in what one agent writes to another, or to a skill, as they do in the
// person's messages, and add the file to the conversation without calling a tool.

import { isInside } from "../../core/path/contain.ts";
import { isNamed } from "./disk.ts";
import { topsOf } from "./shell/git-top.ts";

/** More than any text brings along. */
const MAX_MENTIONS = 100;
/** No path is longer. */
const LONGEST = 4096;
/** Anybody knows what is in these, and projects call directories of their own so (`@/lib/utils`). */
const SYSTEM: ReadonlySet<string> = new Set(["bin", "lib", "lib64", "sbin", "usr"]);

/**
 * What a text may bring along, in every reading of a host's: as paths, a relative one seen from where the agent works. Null where it is more than is
 * looked at. Hosts take a name that is not there for plain words, and so is one here that begins with no directory at the top of the machine.
 */
export function mentionsIn(text: string, workspace: string): readonly string[] | null {
  const names = new Set<string>();
  let count = 0;
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    if (at > 0 && /\w/u.test(text.charAt(at - 1))) continue;
    if ((count += 1) > MAX_MENTIONS) return null;
    for (const name of readings(text.slice(at + 1, at + 1 + LONGEST))) names.add(name);
  }
  // One host takes a relative name from the top of the repository. Which names there are in it, git tells anyway.
  const tops = names.size === 0 ? [] : topsOf(workspace).filter((top) => !isInside(workspace, top));
  return [...names].flatMap((name) => {
    if (name.startsWith("/")) return isThere(name) ? [name] : [];
    return name.startsWith("~") ? [name] : [name, ...tops.map((top) => `${top}/${name}`).filter(isNamed)];
  });
}

/** To the next blank, or in quotes; without the signs of the sentence after it, and without the number of a line. */
function readings(rest: string): readonly string[] {
  const quoted = /^"([^"\n]*)"|^'([^'\n]*)'/u.exec(rest);
  const word = /^\S*/u.exec(rest)?.[0] ?? "";
  const first = word.split(/[`,]/u, 1)[0] ?? "";
  const plain = [word, first].flatMap((candidate) => [candidate, withoutEnd(candidate), candidate.split("#", 1)[0] ?? ""]);
  return [quoted?.[1] ?? quoted?.[2] ?? "", ...plain].filter((name) => name !== "");
}

function withoutEnd(word: string): string {
  let end = word.length;
  while (end > 0 && ".,;:!?)]}>'\"`".includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}

function isThere(path: string): boolean {
  const [, first = ""] = path.split("/");
  return SYSTEM.has(first) ? isNamed(path) : isNamed(`/${first}`);
}
