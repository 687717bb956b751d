// Watches directories with inotify, which queues an event before the call that made the change returns. Node does not report when that queue
// overflows, so changes could be lost unnoticed. perl can tell, and is on almost every machine. It opens directories with O_PATH only.

import { spawn } from "node:child_process";
import { constants, readFileSync } from "node:fs";
import { findPerl } from "./perl.ts";

/** What `inotify_init1`, `inotify_add_watch` and `inotify_rm_watch` are called by, on each processor. */
const CALLS: Readonly<Partial<Record<string, readonly [number, number, number]>>> = {
  x64: [294, 254, 255],
  arm64: [26, 27, 28],
  riscv64: [26, 27, 28],
};
const O_PATH = 0o10000000;
/** An entry came, went or was renamed, the directory was, or its rights or theirs were changed. Directories alone. */
const EVENTS = 0x4 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x1000000;

/**
 * Takes from its input, each ended by a zero byte: `+path`, watch a directory; `-number`, do so no more; `?`, what has changed. A watch is answered
 * with its number and which directory it is on, in whatever place that is by now. What changed is answered with `.`, or `!` where the kernel could not keep
 * all of it, and the numbers of watches, with a minus where the kernel has ended one. Ends with its input.
 */
const SCRIPT = `
my ($init, $add, $remove, $flags, $events) = @ARGV;
my $notes = syscall($init + 0, 0x80800);
exit 1 if $notes < 0;
open(my $kernel, "<&=", $notes) or exit 1;
my (%changed, %ended, $lost, $out);
sub hear {
  for (my $reads = 0; ; $reads++) {
    my $read = sysread($kernel, my $bytes, 65536);
    return unless $read;
    for (my $at = 0; $at < $read;) {
      my ($watch, $mask, undef, $length) = unpack("lLLL", substr($bytes, $at, 16));
      $at += 16 + $length;
      if ($mask & 0x4000) { $lost = 1 } elsif ($mask & 0x8000) { $ended{$watch} = 1 } else { $changed{$watch} = 1 }
    }
    if ($reads == 10000) { $lost = 1; return }
  }
}
sub answer {
  my ($word, $rest) = (substr($_[0], 0, 1), substr($_[0], 1));
  if ($word eq "+") {
    my $watch = -1;
    my @facts;
    if (sysopen(my $dir, $rest, $flags + 0)) {
      @facts = stat($dir);
      my $place = "/proc/self/fd/" . fileno($dir);
      $watch = syscall($add + 0, $notes, $place, $events + 0) if @facts;
    }
    $out .= $watch < 0 ? "- " . ($! + 0) . "\\n" : "$watch $facts[0] $facts[1]\\n";
  } elsif ($word eq "-") { syscall($remove + 0, $notes, $rest + 0) }
  else {
    hear();
    $out .= join(" ", $lost ? "!" : ".", keys %changed, map { "-$_" } keys %ended) . "\\n";
    (%changed, %ended, $lost) = ();
    $lost = 0;
  }
}
my $asked = "";
my $busy = 0;
for (;;) {
  my $ready = "";
  vec($ready, 0, 1) = 1;
  vec($ready, $notes, 1) = 1 unless $busy;
  select($ready, undef, undef, $busy ? 0.05 : undef);
  if (vec($ready, 0, 1)) {
    last unless sysread(STDIN, $asked, 65536, length $asked);
    $out = "";
    while ((my $end = index($asked, "\\0")) >= 0) { my $one = substr($asked, 0, $end + 1, ""); chop $one; answer($one) }
    for (my $told = 0; $told < length $out;) { $told += syswrite(STDOUT, $out, length($out) - $told, $told) || exit 1 }
  }
  $busy = !$busy && vec($ready, $notes, 1);
  hear() if $busy;
}`;

/** A watch, and the directory that it turned out to be on. */
export interface PlacedWatch {
  readonly watch: number;
  readonly dev: number;
  readonly ino: number;
}

export interface ToldChanges {
  /** Did the kernel tell of everything? */
  readonly complete: boolean;
  readonly changed: readonly number[];
  /** Watches that are no more. */
  readonly ended: readonly number[];
}

export interface ChangeHelper {
  /** Its process. */
  readonly pid: number;
  /** Watch directories. Null for one that cannot be; `full` where the system gives no more watches. */
  add(paths: readonly string[]): Promise<readonly (PlacedWatch | "full" | null)[]>;
  remove(watches: readonly number[]): void;
  /** What has changed since this was last asked, all that is over by now. */
  changes(): Promise<ToldChanges>;
  close(): void;
}

/** What the system says where a user has all the watches that it gives. */
const ENOSPC = 28;
/** Milliseconds after which an answer is no longer waited for. */
const PATIENCE = 5000;

/** Start the helper; null where this machine has none. Its promises fail once it is gone. It does not keep this process from ending. */
export function startChangeHelper(): ChangeHelper | null {
  const perl = findPerl();
  const calls = CALLS[process.arch];
  if (perl === null || calls === undefined) return null;
  const flags = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const args = ["-e", SCRIPT, ...[...calls, flags, EVENTS].map(String)];
  // In a group of its own: what is typed at the terminal is not meant for it.
  const child = spawn(perl, args, { stdio: ["pipe", "pipe", "ignore"], env: {}, cwd: "/", detached: true });
  const waiting: { readonly lines: number; readonly received: string[]; done(lines: readonly string[] | null): void }[] = [];
  let gone = false;
  let rest = "";
  const fail = (): void => {
    if (gone) return;
    gone = true;
    child.kill("SIGKILL");
    for (const waiter of waiting.splice(0)) waiter.done(null);
  };
  const keepProcessAlive = (keepsAlive: boolean): void => {
    for (const handle of [child, child.stdin, child.stdout])
      if (keepsAlive) refs(handle).ref?.();
      else refs(handle).unref?.();
  };
  child.on("error", fail).on("exit", fail);
  child.stdin.on("error", fail);
  child.stdout.setEncoding("latin1").on("data", (text: string) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [next] = waiting;
      next?.received.push(line);
      if (next === undefined || next.received.length < next.lines) continue;
      waiting.shift();
      next.done(next.received);
    }
  });
  keepProcessAlive(false);

  const ask = (commands: readonly string[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      if (gone) return reject(new Error(GONE));
      keepProcessAlive(true);
      const timer = setTimeout(fail, PATIENCE);
      const done = (lines: readonly string[] | null): void => {
        clearTimeout(timer);
        if (waiting.length === 0) keepProcessAlive(false);
        if (lines === null) reject(new Error(GONE));
        else resolve(lines);
      };
      waiting.push({ lines: commands.length, received: [], done });
      child.stdin.write(commands.map((command) => `${command}\0`).join(""));
    });

  return {
    pid: child.pid ?? -1,
    async add(paths) {
      return (await ask(paths.map((path) => `+${path}`))).map((line) => {
        const [watch = Number.NaN, dev = Number.NaN, ino = Number.NaN] = line.split(" ").map(Number);
        if (line.startsWith("-")) return dev === ENOSPC ? "full" : null;
        return { watch, dev, ino };
      });
    },
    remove(watches) {
      if (!gone && watches.length > 0) child.stdin.write(watches.map((watch) => `-${watch}\0`).join(""));
    },
    async changes() {
      const [line = ""] = await ask(["?"]);
      const [status, ...numbers] = line.split(" ");
      const watches = numbers.map(Number);
      return {
        complete: status === ".",
        changed: watches.filter((watch) => watch > 0),
        ended: watches.filter((watch) => watch < 0).map((watch) => -watch),
      };
    },
    close: fail,
  };
}

const GONE = "the program that hears of changes is gone";

/** How many watches a user may have; 0 where the system does not tell. */
export function watchLimit(): number {
  try {
    return Number(readFileSync("/proc/sys/fs/inotify/max_user_watches", "latin1")) || 0;
  } catch {
    return 0;
  }
}

/** What keeps a process from ending, or does not. */
const refs = (handle: object): { ref?(): unknown; unref?(): unknown } => handle;
