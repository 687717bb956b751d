// Where the kernel offers no hold without opening: objects are named by realpath and compared by device, inode and birth before and
// after. A name can be swapped between the two looks, so this is weaker than Linux; docs/threat-model.md says where and how.

import { lstatSync, realpathSync } from "node:fs";
import { isUnreplaced } from "./identity.ts";
import { type ObjectHold, type Platform, UnusableAnswer } from "./platform.ts";

/** The parts of a platform that need nothing but names. `flags` are what its open(2) understands. */
export function byName(name: Platform["name"], flags: Platform["flags"], check: (path: string) => string | null): Platform {
  const refuse = (path: string): void => {
    const why = check(path);
    if (why !== null) throw new UnusableAnswer(why);
  };
  return {
    name,
    flags,
    hold(path) {
      refuse(path);
      const real = realpathSync.native(path);
      refuse(real);
      return { descriptor: -1, real, facts: lstatSync(real) };
    },
    holdEntry(directory, entryName) {
      const real = name === "windows" ? `${directory.real}\\${entryName}` : `${directory.real === "/" ? "" : directory.real}/${entryName}`;
      refuse(real);
      return { descriptor: -1, real, facts: lstatSync(real) };
    },
    // RACE: only as good as the moment it is asked. Opening adds a second look (see open.ts), and on macOS a flag.
    confirm(held) {
      const there = lstatSync(held.real, { throwIfNoEntry: false });
      return there !== undefined && isUnreplaced(held.facts, there) && held.facts.nlink > 0;
    },
    itself: (handle: ObjectHold) => handle.real,
    entry: (directory: ObjectHold, entryName: string) =>
      name === "windows" ? `${directory.real}\\${entryName}` : `${directory.real === "/" ? "" : directory.real}/${entryName}`,
    isVirtual: () => false,
    born: ({ birthtimeMs }) => (birthtimeMs === 0 ? null : birthtimeMs),
    isLayered: () => false,
    release() {},
    selfTest: () => null,
  };
}
