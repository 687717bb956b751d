// System calls that lead out of the sandbox past its namespaces, or that commands have no business with: sockets of other families than
// the network's and local ones (a virtual machine's host listens on some), the kernel's keyrings, and doors to the kernel that have
// often been left open; typing into the terminal that started the command; and files that run with the powers of whoever owns them.
// A filter in the kernel's own language (classic BPF), which bubblewrap puts in place.

interface Calls {
  /** How the kernel names the processor's calling convention (AUDIT_ARCH). */
  readonly convention: number;
  readonly socket: number;
  readonly ioctl: number;
  /** bpf, perf_event_open, userfaultfd, io_uring_setup, add_key, request_key, keyctl */
  readonly refused: readonly number[];
  /** Calls that give a file its mode. */
  readonly modes: readonly ModeCall[];
  /** Numbers from here on are of another convention (x32). */
  readonly below: number;
}

/** A call that gives a file its mode: which of its arguments that is, from 0 on; and which one says whether a file is made at all. */
interface ModeCall {
  readonly number: number;
  readonly mode: number;
  readonly flags?: number;
}

const processors: Readonly<Record<string, Calls>> = {
  x64: {
    convention: 0xc000003e,
    socket: 41,
    ioctl: 16,
    refused: [321, 298, 323, 425, 248, 249, 250],
    modes: [
      { number: 2, mode: 2, flags: 1 }, // open
      { number: 257, mode: 3, flags: 2 }, // openat
      { number: 85, mode: 1 }, // creat
      { number: 90, mode: 1 }, // chmod
      { number: 91, mode: 1 }, // fchmod
      { number: 268, mode: 2 }, // fchmodat
      { number: 452, mode: 2 }, // fchmodat2
      { number: 133, mode: 1 }, // mknod
      { number: 259, mode: 2 }, // mknodat
    ],
    below: 0x40000000,
  },
  arm64: {
    convention: 0xc00000b7,
    socket: 198,
    ioctl: 29,
    refused: [280, 241, 282, 425, 217, 218, 219],
    modes: [
      { number: 56, mode: 3, flags: 2 }, // openat
      { number: 52, mode: 1 }, // fchmod
      { number: 53, mode: 2 }, // fchmodat
      { number: 452, mode: 2 }, // fchmodat2
      { number: 33, mode: 2 }, // mknodat
    ],
    below: 0xffffffff,
  },
};

/** openat2, on every processor: its mode lies in memory, where no filter sees it. Programs then use openat. */
const OPENAT2 = 437;

/** Set-user-ID and set-group-ID. The system ignores both where a directory is made. */
const POWERS = 0o6000;
/** O_CREAT and O_TMPFILE: only with one of them does opening make a file. */
const MAKES = 0o100 | 0o20000000;

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: each within the namespaces of the sandbox, or a file in it. */
const families = [1, 2, 10, 16];

/** TIOCSTI and TIOCLINUX: keystrokes put into a terminal, which whoever sits there would seem to have typed. */
const TERMINAL = [0x5412, 0x541c];

const ALLOW = 0x7fff0000;
const refuse = (errno: number): number => 0x00050000 | errno;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];

/** The filter for a processor (as `process.arch` names it); null for those we do not know the numbers of. */
export function callFilter(arch: string): Buffer | null {
  const calls = Object.hasOwn(processors, arch) ? processors[arch] : undefined;
  if (calls === undefined) return null;
  const { convention, socket, ioctl, refused, modes, below } = calls;
  return Buffer.concat([
    load(CONVENTION),
    ...unlessEqual(convention, refuse(ENOSYS)),
    load(NUMBER),
    ...ifAtLeast(below, refuse(ENOSYS)),
    ...refused.flatMap((number) => ifEqual(number, refuse(EPERM))),
    ...ifEqual(OPENAT2, refuse(ENOSYS)),
    ...modes.flatMap(withoutPowers),
    // ioctl(): the next instructions look at its second argument, and are skipped for every other call.
    instruction(0x15, 0, TERMINAL.length * 2 + 2, ioctl),
    load(SECOND_ARGUMENT),
    ...TERMINAL.flatMap((request) => ifEqual(request, refuse(EPERM))),
    give(ALLOW),
    // Everything but socket() may pass from here on.
    ...unlessEqual(socket, ALLOW),
    load(FIRST_ARGUMENT),
    ...families.flatMap((family) => ifEqual(family, ALLOW)),
    give(refuse(EAFNOSUPPORT)),
  ]);
}

// Where the kernel puts what a call is: offsets into seccomp_data, on machines that put the low byte first.
const [NUMBER, CONVENTION, FIRST_ARGUMENT, SECOND_ARGUMENT] = [0, 4, 16, 24];
const argument = (index: number): number => FIRST_ARGUMENT + 8 * index;

/** Every other call goes on behind this; the call itself is answered here. */
function withoutPowers({ number, mode, flags }: ModeCall): readonly Buffer[] {
  const modeCheck = [load(argument(mode)), ...ifAny(POWERS, refuse(EPERM))];
  const checks = flags === undefined ? modeCheck : [load(argument(flags)), instruction(0x45, 0, modeCheck.length, MAKES), ...modeCheck];
  return [instruction(0x15, 0, checks.length + 1, number), ...checks, give(ALLOW)];
}

/** One instruction: code, how many to skip if the test holds and if not, and a number. */
function instruction(code: number, holds: number, not: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(holds, 2);
  bytes.writeUInt8(not, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}

const load = (offset: number): Buffer => instruction(0x20, 0, 0, offset);
const give = (answer: number): Buffer => instruction(0x06, 0, 0, answer);
const ifEqual = (value: number, answer: number): Buffer[] => [instruction(0x15, 0, 1, value), give(answer)];
const unlessEqual = (value: number, answer: number): Buffer[] => [instruction(0x15, 1, 0, value), give(answer)];
const ifAny = (bits: number, answer: number): Buffer[] => [instruction(0x45, 0, 1, bits), give(answer)];
const ifAtLeast = (value: number, answer: number): Buffer[] => [instruction(0x35, 0, 1, value), give(answer)];
