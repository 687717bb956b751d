// Places that show the kernel's and the machine's own state. Never readable, whatever is granted or allowed.

import { isInside } from "../path/contain.ts";

const PLACES = ["/proc", "/sys", "/dev"];
// Shared memory is storage like any other, mounted where devices are.
const STORAGE = ["/dev/shm"];

/** Is the real path a system place? Compared by component, so `/process` and `/devel` are not. */
export function isSystemPlace(path: string): boolean {
  return PLACES.some((place) => isInside(place, path)) && !STORAGE.some((place) => isInside(place, path));
}
