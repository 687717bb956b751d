// cp, mv, ln, install and rsync: what is written is the last word, or each of the others in it; and what later commands find there.

import { entriesIn, isDirectory, isLink, statsOf } from "../disk.ts";
import type { ParsedOptions } from "./options.ts";
import { collapseParents, type PathList, withoutEndSlashes } from "./path-list.ts";
import type { Word } from "./words.ts";

/** More names than are compared with those that are there already. */
const MAX_COMPARED = 2_000;

/** `settled`: is a directory that is there now still there when the command runs? */
export function readMoving(name: string, takesAway: boolean, parsed: ParsedOptions, settled: boolean, list: PathList): void {
  const { words, given } = parsed;
  const has = (...options: readonly string[]): boolean => options.some((option) => given.has(option));
  const symbolic = name === "ln" && has("-s", "--symbolic") && !has("-r", "--relative");
  const target = words.at(-1);
  const sources = words.length > 1 ? words.slice(0, -1) : words;
  for (const word of sources) {
    if (takesAway) list.path("remove", word);
    // What is moved is there under another name afterwards; where a link leads is seen from the link.
    if (!symbolic || words.length < 2) list.path("read", word);
  }
  if (name === "rsync" && words.some(({ text }) => text.includes(":"))) list.doubt("`rsync` is given a place on another machine");
  if (target === undefined) return;
  if (words.length < 2) {
    if (name !== "ln") return;
    for (const place of list.places) {
      list.push("replace", `${place}/${lastName(target.text)}`, false);
      noteLink(`${place}/${lastName(target.text)}`, list);
    }
    return;
  }
  for (const place of list.places) {
    const destination = list.whole(place, withoutEndSlashes(target.text));
    // A link to a directory may itself be what is replaced; `-n` of the others is another option.
    const itself = has("-T", "--no-target-directory") || (name === "ln" && has("-n", "-h", "--no-dereference") && isLink(destination));
    const within = sources.map(({ text }) => {
      if (has("--parents")) return `${destination}/${text.replace(/^\/+/u, "")}`;
      // `dir/.` is what is in it.
      return lastName(text) === "." ? destination : `${destination}/${lastName(text)}`;
    });
    const targets = isDirectory(destination) ? (itself ? [destination] : settled ? within : [destination, ...within]) : [destination];
    if (has("--parents")) targets.push(...within);
    for (const path of new Set(targets)) {
      list.push(itself && name === "ln" && isLink(path) ? "remove" : "replace", path, false);
      if (name === "ln" || name === "link") noteLink(path, list);
    }
    for (const word of sources) {
      if (symbolic) linkedFrom(targets, word, list);
      else if (name !== "ln" && name !== "link")
        noteCopy(
          list.whole(place, word.text),
          destination,
          { keepsLinks: has(...COPIES) || takesAway || name === "rsync", settled, itself },
          list,
        );
    }
  }
  if (target.quoted && target.text.startsWith("~")) list.path("replace", target);
}

/** Options with which links are copied as links, and directories with all that is in them. */
const COPIES = ["-r", "-R", "-a", "-d", "-P", "--recursive", "--archive", "--no-dereference"];

/** The target of a link is a path seen from the directory the link is in. */
function linkedFrom(links: readonly string[], { text }: Word, list: PathList): void {
  for (const link of links) list.push("read", text.startsWith("/") ? text : `${link.slice(0, link.lastIndexOf("/"))}/${text}`, false);
}

function noteLink(path: string, list: PathList): void {
  list.changes.push({ kind: "link", path: collapseParents(path) });
}

interface CopyOptions {
  readonly keepsLinks: boolean;
  readonly settled: boolean;
  /** Is the target the copy, and no directory that takes it in? */
  readonly itself: boolean;
}

/** A file that is copied stays what it was; a directory may hold links, and so may what is not there yet. */
function noteCopy(source: string, target: string, copying: CopyOptions, list: PathList): void {
  const { keepsLinks, settled, itself } = copying;
  if (!keepsLinks) return;
  const stats = statsOf(withoutEndSlashes(source));
  if (stats?.isFile() === true) return;
  const isTree = stats?.isDirectory() === true;
  const inside = collapseParents(`${target}/${lastName(source)}`);
  // `dir/` and `dir/.` are what is in it; and a directory that is there takes it in.
  const paths = isDirectory(target) && settled && !itself && !/\/\.?$/u.test(source) ? [inside] : [collapseParents(target), inside];
  for (const path of paths) list.changes.push(isTree ? { kind: "copy", path, from: collapseParents(source) } : { kind: "unknown", path });
  if (isTree) mergedInto(source, isDirectory(target) && !itself ? inside : collapseParents(target), list);
}

/** Copied over a directory that is there, files are written through links that have their names. */
function mergedInto(source: string, target: string, list: PathList): void {
  if (!isDirectory(target)) return;
  const pending = [""];
  let seen = 0;
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    for (const entry of entriesIn(source + below)) {
      seen += 1;
      if (seen > MAX_COMPARED) return list.doubt("more is copied over a directory that is there than is looked at");
      const path = `${below}/${entry.name}`;
      if (isLink(target + path)) list.push("replace", target + path, false);
      else if (entry.isDirectory()) pending.push(path);
    }
  }
}

export const lastName = (path: string): string => withoutEndSlashes(path).slice(withoutEndSlashes(path).lastIndexOf("/") + 1);
