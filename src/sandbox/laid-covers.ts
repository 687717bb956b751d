// Many covers at a time. bubblewrap reads the kernel's table of mounts anew for each mount that it makes, so that 500 of them take 0.4 s. Here perl
// lays them first, each over the very thing it covers, in a mount namespace that nobody else is in. Then it becomes bubblewrap, which binds every root
// together with what is mounted in it. Nothing of it lasts longer than the command.

import type { Identity } from "../core/fs/identity.ts";
import { isInside } from "../core/path/contain.ts";
import { startChild } from "./child.ts";
import { UNSHARE } from "./keeper.ts";
import { isTrusted } from "./machine.ts";
import type { SandboxMount } from "./mount-draft.ts";
import { findPerl } from "./perl.ts";

/** A mount in a root. */
export type LaidCover = Exclude<SandboxMount, { readonly make: "shown-file" }>;

/** Fewer than this take bubblewrap less time by itself. */
export const LEAST_LAID = 48;

/** By how a mount is made: the letter by which the script knows it. */
const LETTERS: Readonly<Record<LaidCover["make"], string>> = { "hidden-file": "f", "hidden-dir": "d", "read-only": "r", writable: "w" };

/**
 * Takes the descriptor that its orders come from, and what to become. Each order is a letter, device and inode of what is to be covered, and its path, and ends with
 * a zero byte. Every call has the same number on all processors: openat2 (through no link), open_tree, move_mount,
 * fsopen, fsconfig, fsmount, close_range, mount_setattr.
 */
const SCRIPT = `
my $orders = shift;
my $moved = "something was moved while it was covered";
my ($nothing, $null, $tmpfs, $size, $bytes, $mode, $bits) = ("", "/dev/null", "tmpfs", "size", "4096", "mode", "0555");
my ($held, $shut, $kept) = (pack("Q3", 012400000, 0, 4), pack("Q4", 7, 0, 0, 0), pack("Q4", 6, 0, 0, 0));
sub fail { my $why = "fault $_[0]: $!\\n"; open(my $tell, ">&=", 3); print $tell $why; close($tell); exit 97 }
sub must { $_[0] < 0 ? fail($_[1]) : $_[0] }
open(my $in, "<&=", $orders + 0) or fail("no orders");
$/ = "\\0";
my @orders = <$in>;
close($in);
for my $order (@orders) {
  fail("the orders were cut off") unless chomp $order;
  my ($make, $path) = (substr($order, 0, 1), substr($order, 1));
  my ($dev, $ino);
  ($dev, $ino, $path) = split(/ /, $path, 3);
  my $at = must(syscall(437, -100, $path, $held, 24), $moved);
  if ($ino ne "") {
    my @now = map { sprintf("%.0f", $_) } (stat("/proc/self/fd/$at"))[0, 1];
    fail($moved) unless @now == 2 && $now[0] eq $dev && $now[1] eq $ino;
  }
  my $tree;
  if ($make eq "d") {
    my $new = must(syscall(430, $tmpfs, 1), "fsopen");
    must(syscall(431, $new, 1, $size, $bytes, 0), "size");
    must(syscall(431, $new, 1, $mode, $bits, 0), "mode");
    must(syscall(431, $new, 6, 0, 0, 0), "fsconfig");
    $tree = must(syscall(432, $new, 1, 7), "fsmount");
    syscall(436, $new, $new, 0);
  } elsif ($make eq "f") { $tree = must(syscall(428, -100, $null, 02000001), "open_tree") }
  else { $tree = must(syscall(428, $at, $nothing, 02110001), "open_tree") }
  must(syscall(442, $tree, $nothing, 0x9000, $make eq "w" ? $kept : $shut, 32), "mount_setattr");
  must(syscall(429, $tree, $nothing, $at, $nothing, 0x44), $moved);
  syscall(436, $tree, $tree, 0);
  syscall(436, $at, $at, 0);
}
exec { $ARGV[0] } @ARGV;
fail($ARGV[0])`;

/** What of the mounts is laid before bubblewrap starts: all but the roots and texts, where there are many. Paths of roots are bytes, one character each. */
export function coversToLay(mounts: readonly SandboxMount[], roots: readonly string[], least: number): readonly LaidCover[] {
  const laid = mounts.filter((mount): mount is LaidCover => mount.make !== "shown-file" && !roots.includes(mount.path));
  // bubblewrap binds the roots afterwards, and would not find one behind a cover.
  const isBehind = roots.some((root) => laid.some(({ make, path }) => make === "hidden-dir" && isInside(path, root)));
  return laid.length < least || isBehind ? [] : laid;
}

/** What is told to the script: bytes, one character each. `judged`: what is to be found at a path. A name that cannot be spoken of has none. */
export function ordersFor(laid: readonly LaidCover[], judged: ReadonlyMap<string, Identity>): Buffer {
  const covers = laid.map((cover) => {
    const { make, path } = cover;
    const found = "pin" in cover ? cover.pin.facts : judged.get(path);
    // Exactly what the number stands for: perl rounds as we did.
    const identity = found === undefined ? " " : `${found.dev} ${BigInt(found.ino)}`;
    return `${LETTERS[make]}${identity} ${path}\0`;
  });
  return Buffer.from(covers.join(""), "latin1");
}

/**
 * What `unshare` is told so that covers are laid before what follows starts: the orders come by the descriptor of this number. INVARIANT: it is started with an empty
 * environment (`launch`), since what stands in the command's could be an order to perl, which is not confined.
 */
export const layingArguments = (perl: string, inKeeper: boolean, orders: number): readonly string[] => [
  ...(inKeeper ? [] : ["--user", "--map-root-user"]),
  "--mount",
  "--propagation",
  "slave",
  "--",
  perl,
  "-e",
  SCRIPT,
  String(orders),
];

/** The perl that lays covers here, told by trying: the kernel may be too old (before Linux 5.12), or there is none. Null where nothing can. */
export async function findLayer(): Promise<string | null> {
  const perl = findPerl();
  if (perl === null || !isTrusted(UNSHARE)) return null;
  const args = [...layingArguments(perl, false, 3), UNSHARE, "--version"];
  const child = startChild({
    file: UNSHARE,
    args,
    env: {},
    cwd: "/",
    channels: 0,
    inputs: ["f  /dev/null\0r  /usr\0d  /dev\0"],
    descriptors: [],
    group: false,
    attached: false,
    outputBytes: 1024,
  });
  const { exitCode } = await child.ended;
  return exitCode === 0 ? perl : null;
}
