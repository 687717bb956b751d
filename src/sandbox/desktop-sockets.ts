// Sockets without a file, by which programs that share the machine's network reach the person's desktop: a window system that takes keys
// and clicks for any window, a message bus that starts programs. No mount hides them; only a network of one's own does.

import { readFileSync } from "node:fs";

/** Those that somebody listens on now, by name. Empty where the system does not tell. */
export function desktopSockets(): readonly string[] {
  try {
    return listeningIn(readFileSync("/proc/net/unix", "utf8"));
  } catch {
    return [];
  }
}

/** X11's, a message bus's, a session manager's. A zero byte before the name is shown as `@`. */
const DESKTOP = /^@.*(?:\.X11-unix\/|\.ICE-unix\/|\bdbus-)/;
/** The kernel's mark for a socket that takes connections. */
const LISTENING = 0x1_0000;

/** The same in the kernel's table: `Num RefCount Protocol Flags Type St Inode Path`. */
export function listeningIn(table: string): readonly string[] {
  const names = table.split("\n").flatMap((line) => {
    const [, flags = "", name = ""] = /^\S+ \S+ \S+ (\S+) \S+ \S+ +\d+ (.*)$/.exec(line) ?? [];
    return (Number.parseInt(flags, 16) & LISTENING) !== 0 && DESKTOP.test(name) ? [name] : [];
  });
  return [...new Set(names)];
}
