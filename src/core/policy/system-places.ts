// Places that show the kernel's and the machine's own state. Never readable, whatever is granted or allowed.

import { isInside } from "../path/contain.ts";

const PLACES = ["/proc", "/sys", "/dev"];
// Shared memory is storage like any other, mounted where devices are.
const STORAGE = ["/dev/shm"];

// What the system itself is made of, or everybody's projects together. A directory inside one may be somebody's work; the whole of it is not.
const DIRECTORIES = new Set([
  "/bin",
  "/boot",
  "/etc",
  "/home",
  "/lib",
  "/lib64",
  "/opt",
  "/run",
  "/sbin",
  "/srv",
  "/usr",
  "/var",
  "/Applications",
  "/Library",
  "/System",
  "/Users",
  "/private",
]);

/** Is the real path one of the system's own directories, whole? */
export const isSystemDirectory = (path: string): boolean => DIRECTORIES.has(path);

/** Is the real path a system place? Compared by component, so `/process` and `/devel` are not. */
export function isSystemPlace(path: string): boolean {
  return PLACES.some((place) => isInside(place, path)) && !STORAGE.some((place) => isInside(place, path));
}
