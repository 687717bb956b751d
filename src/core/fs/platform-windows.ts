// Windows, best effort: names that reach devices, streams, other drives or a share are refused as spelled, links are resolved by
// the system, and identity is compared before and after. Not race-free, and said so wherever a person can see it.

import { byName } from "./platform-by-name.ts";
import type { Platform } from "./platform.ts";

// The superscripts one, two and three count as digits.
const reserved = (): RegExp =>
  /^(con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]) *(\..*)?$/i;

/** Why Windows would read this path as something else than a plain file's name; null if it would not. */
export function strangeOnWindows(path: string): string | null {
  if (/^[\\/]{2}/.test(path)) return "a path that begins with two slashes names a share or a device";
  if (/^[a-z]:(?![\\/])/i.test(path)) return "a drive letter without a slash is relative to that drive's own directory";
  const names = path.replace(/^[a-z]:/i, "").split(/[\\/]/);
  if (names.some((name) => name.includes(":"))) return "a colon in a name opens a hidden stream of the file";
  if (names.some((name) => reserved().test(name.trimEnd()))) return "the name is a device's on Windows";
  if (names.some((name) => name !== "." && name !== ".." && /[. ]$/.test(name))) return "Windows drops a dot or space at the end of a name";
  return null;
}

/** Made by whoever runs there. */
export const windows = (): Platform => byName("windows", { itself: 0, entry: 0 }, strangeOnWindows);
