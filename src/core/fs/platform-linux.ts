// Linux: an object is held by an O_PATH descriptor, named by the kernel (/proc/self/fd/N) and reached through that descriptor.
// Promise: what was held is what is read, listed or written under, however fast another process renames, links and replaces.

import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, statfsSync } from "node:fs";
import { type ObjectHold, type Platform, UnusableAnswer } from "./platform.ts";

// Not in fs.constants; numeric flags pass straight through to open(2).
const O_PATH = 0o10000000;
const PROC_MAGIC = 0x9fa0;
const OVERLAY_MAGIC = 0x794c7630;

// Where procfs shows our own descriptors. By number it spares the kernel a link at every call; only where procfs calls us by the
// number we know: one mounted for another process namespace does not.
const OWN = ownDescriptors();

// File systems that show kernel state, not storage: proc, sysfs, cgroup, cgroup2, debugfs, tracefs, securityfs, selinuxfs, bpf,
// nsfs, configfs, devpts, binfmt_misc, pstore, efivarfs, mqueue, rpc_pipefs, fusectl, pipefs, sockfs.
const virtual = (): ReadonlySet<number> =>
  new Set([
    0x9fa0, 0x62656572, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0xf97cff8c, 0xcafe4a11, 0x6e736673, 0x62656570, 0x1cd1,
    0x42494e4d, 0x6165676c, 0xde5e81e4, 0x19800202, 0x67596969, 0x65735543, 0x50495045, 0x534f434b,
  ]);

export const linux: Platform = {
  name: "linux",

  hold(path) {
    const descriptor = openSync(path, O_PATH);
    try {
      return { descriptor, facts: fstatSync(descriptor), real: placeOf(descriptor) };
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  },

  holdEntry(directory, name) {
    const descriptor = openSync(`${OWN}/${directory.descriptor}/${name}`, O_PATH | constants.O_NOFOLLOW);
    try {
      return { descriptor, facts: fstatSync(descriptor), real: directory.real === "/" ? `/${name}` : `${directory.real}/${name}` };
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  },

  // RACE: the kernel's name can lie: deleted, detached mount, other mount namespace, hidden by a mount. One lstat tells all four. Births
  // need not be compared: nothing else gets an inode that is held.
  confirm(held) {
    const there = lstatSync(held.real, { throwIfNoEntry: false });
    return there !== undefined && there.ino === held.facts.ino && there.dev === held.facts.dev && held.facts.nlink > 0;
  },

  itself: (handle) => `${OWN}/${handle.descriptor}`,
  entry: (directory, name) => `${OWN}/${directory.descriptor}/${name}`,
  flags: { itself: 0, entry: constants.O_NOFOLLOW },

  isVirtual: (handle) => virtual().has(statfsSync(`${OWN}/${handle.descriptor}`).type),

  // libuv asks statx(2), which leaves 0 where the file system keeps no birth. Where statx is refused (seccomp filters, old kernels, some
  // file systems; from the first refusal on, for the whole process) it falls back to stat(2) and puts the last change in the birth's place.
  // So a birth that differs from the last change is one. Where they are equal the thing is new or there is no statx: procfs, which keeps no
  // births, tells which.
  born({ birthtimeMs, ctimeMs }) {
    if (birthtimeMs === 0) return null;
    if (birthtimeMs !== ctimeMs) return birthtimeMs;
    return lstatSync("/proc/self", { throwIfNoEntry: false })?.birthtimeMs === 0 ? birthtimeMs : null;
  },

  isLayered: (directory) => statfsSync(directory).type === OVERLAY_MAGIC,

  release(handle) {
    closeSync(handle.descriptor);
  },

  selfTest() {
    try {
      if (statfsSync("/proc").type !== PROC_MAGIC) return "/proc is not procfs, so an opened file cannot be asked where it is";
      const handle: ObjectHold = linux.hold("/proc/self/fd/..");
      try {
        if (!isProcess(handle.real)) return `the kernel named a known directory ${handle.real}, which is not where it is`;
        closeSync(openSync(linux.itself(handle), constants.O_RDONLY | constants.O_DIRECTORY));
        return null;
      } finally {
        linux.release(handle);
      }
    } catch (error) {
      return `O_PATH or /proc/self/fd does not work here: ${error instanceof Error ? error.message : String(error)}`;
    }
  },
};

/** Is it `/proc/` and a number? */
function isProcess(path: string): boolean {
  const number = path.slice("/proc/".length);
  return path.startsWith("/proc/") && String(Number.parseInt(number, 10)) === number;
}

function ownDescriptors(): string {
  try {
    return readlinkSync("/proc/self") === String(process.pid) ? `/proc/${process.pid}/fd` : "/proc/self/fd";
  } catch {
    return "/proc/self/fd";
  }
}

/** Where the kernel says descriptor N is. A name that is not UTF-8 would reach us changed, so it is refused. */
function placeOf(descriptor: number): string {
  const link = `${OWN}/${descriptor}`;
  const real = readlinkSync(link);
  if (real.includes("\ufffd") && !readlinkSync(link, "buffer").equals(Buffer.from(real))) {
    throw new UnusableAnswer("the name is not UTF-8");
  }
  return real;
}
