// Places of the kernel and the machine, told by component.

import { expect, test } from "vitest";
import { isSystemPlace } from "./system-places.ts";

test.each([
  "/proc",
  "/proc/1",
  "/proc/self/environ",
  "/sys",
  "/sys/kernel/security",
  "/dev",
  "/dev/mem",
  "/dev/fd/3",
  "/dev/shm-evil",
  "/dev/shmem/x",
])("%s is a system place", (path) => {
  expect(isSystemPlace(path)).toBe(true);
});

test.each([
  "/",
  "/process",
  "/processes/1",
  "/proc-old",
  "/system",
  "/sys.bak/x",
  "/devel",
  "/devices/x",
  "/dev/shm",
  "/dev/shm/x/y",
  "/home/proc",
  "/home/dev/x",
  "/srv/sys",
  "/PROC",
  "",
])("%j is not", (path) => {
  expect(isSystemPlace(path)).toBe(false);
});
