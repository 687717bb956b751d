// macOS: no descriptor without opening, but O_NOFOLLOW_ANY (macOS 11) refuses a path with any link in it, so a real path that was
// judged either opens the object at exactly that path or fails. Left open: a directory swapped for another directory in between.

import { constants } from "node:fs";
import { byName } from "./platform-by-name.ts";
import type { Platform } from "./platform.ts";

const O_NOFOLLOW_ANY = 0x20000000;

/** Made by whoever runs there. */
export const darwin = (): Platform =>
  byName("darwin", { itself: O_NOFOLLOW_ANY, entry: O_NOFOLLOW_ANY | constants.O_NOFOLLOW }, () => null);
