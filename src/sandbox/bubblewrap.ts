// Commands in a bubblewrap: namespaces of their own, no powers, no network, and of the disk only what the profile holds. Roots are
// mounted by descriptor; what came to be mounted is read back from the kernel before the command starts.

import { totalmem } from "node:os";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { type Clock, systemClock } from "../core/clock.ts";
import { descriptorOf } from "../core/fs/pin.ts";
import { show } from "../core/path/show.ts";
import { type Ability, type AbilityOptions, firstLine, lookForAbility } from "./ability.ts";
import { type Child, startChild } from "./child.ts";
import { CHANNELS, commandLine, type CommandLineOptions, isPinned, isText } from "./command-line.ts";
import { GitLinks } from "./git-links.ts";
import { Inventory } from "./inventory.ts";
import { Life } from "./life.ts";
import { misplaced } from "./mount-table.ts";
import { endOf, type Ran, type Sandbox, type SetAside, stopped } from "./port.ts";
import { type Noted, openNotes, writableDirs } from "./notes.ts";
import { firstProcess } from "./processes.ts";
import { openProfile, type Profile } from "./profile.ts";
import { Turns } from "./turns.ts";
import { startWatch } from "./watch.ts";

export interface BubblewrapOptions extends AbilityOptions {
  /** The caller's PATH. What of it the command can see is kept. */
  readonly path?: string;
  /** How many processes and threads a command may have at a time. */
  readonly processes?: number;
  /** How many bytes of memory each of them may have; half of the machine's, and at most 8 GiB, unless said. */
  readonly memory?: number;
  readonly clock?: Clock;
}

const PROCESSES = 4096;
const MEMORY = 8 * 1024 ** 3;
/** What moves under us while it is looked at and mounted is looked at and mounted anew this often, after a pause in milliseconds. */
const TRIES = 8;
const PAUSE = 10;
/** Milliseconds for setting up, which takes some ten. */
const SET_UP_TIME = 15_000;

export function createBubblewrap(options: BubblewrapOptions = {}): Sandbox {
  const { clock = systemClock, processes = PROCESSES, memory = Math.min(totalmem() / 2, MEMORY), path } = options;
  const inventory = new Inventory(clock);
  const links = new GitLinks(clock);
  const turns = new Turns();
  const running = new Set<Life>();
  const user = { uid: process.geteuid?.() ?? -1, groups: [process.getegid?.() ?? -1, ...(process.getgroups?.() ?? [])] };
  let looked: Promise<Ability | string> | null = null;
  const ability = (): Promise<Ability | string> => (looked ??= lookForAbility(options));

  const attempt = async (command: string, given: CommandLineOptions, able: Ability, life: Life, noted: Noted): Promise<Ran | Again> => {
    const profile = openProfile(given.session, { inventory, clock, user, links, shared: noted.isShared() });
    if ("ok" in profile) {
      noted.end(true);
      return life.reason() ?? (profile.code === "stale-path" ? { again: profile.why } : profile);
    }
    try {
      const before = life.sees(profile.grants);
      if (before !== null) return before;
      const child = launch(command, given, able, profile);
      life.holds(child);
      const first = firstProcess(child.channels[3]);
      const [channel] = child.channels;
      const table = channel === undefined ? null : await mountTable(channel, child);
      if (table === null || channel === undefined) {
        const { stderr } = await child.ended;
        return life.reason() ?? { again: firstLine(stderr) };
      }
      if (misplaced(profile.mounts, table) !== null) {
        child.kill();
        await child.ended;
        return life.reason() ?? { again: "a directory was replaced while it was mounted" };
      }
      // INVARIANT: what stood there is on disk before the command starts, so that whatever ends us, the next can tell what is new.
      try {
        noted.describe(profile.before, given.time === null);
      } catch (error) {
        child.kill();
        await child.ended;
        throw error;
      }
      // RACE: from here on the covers are in place; the watch sees when one is lost, and it looks once before the command starts.
      const deep = given.attached !== undefined;
      const watch = startWatch(profile, { clock, user, processes, deep, beat: noted.beat }, life.stop);
      if (life.reason() === null) channel.end("go\n");
      const ended = await child.ended;
      watch.end();
      // RACE: bubblewrap ends a moment before what it was started for; whatever is left in there could make something behind our back.
      const swept = (await first.gone()) ? sweep(profile) : null;
      if (swept === null) life.stop("stale-path", UNSWEPT);
      noted.end(swept !== null);
      const setAside = [...watch.setAside, ...(swept ?? [])];
      const reason =
        life.reason() ?? (ended.endless ? stopped("output-truncated", "the command printed without end and was stopped") : null);
      if (reason !== null) return { ...reason, setAside, printed: reason.code === "timeout" || ended.endless ? endOf(ended) : "" };
      const { exitCode, stdout, stderr, truncated } = ended;
      return { ok: true, exitCode: exitCode ?? 127, stdout, stderr, truncated, setAside, leftOut: profile.leftOut };
    } finally {
      // RACE: our own note goes first. Of two commands that end at once, each would otherwise leave the empty directories to the other.
      noted.end(true);
      profile.close(noted.isShared() ? "keep" : undefined);
    }
  };

  return {
    name: "bubblewrap",

    async ready() {
      const able = await ability();
      return typeof able === "string" ? able : null;
    },

    async run(command, given) {
      const life = new Life(given);
      running.add(life);
      let leave: (() => void) | null = null;
      try {
        const able = await ability();
        if (typeof able === "string") return stopped("sandbox-unavailable", able);
        leave = await turns.take(writableDirs(given.session), given.signal);
        if (leave === null) return stopped("session-closed", "the command was called off before it began");
        life.start();
        const notes = openNotes(given.session, { inventory, clock, user, links });
        if ("ok" in notes) return notes;
        if (notes.left.length > 0) given.attached?.told?.(notes.left);
        for (let left = TRIES; ; left -= 1) {
          const ran = await attempt(command, { ...given, processes, memory, path }, able, life, notes.begin());
          if (!("again" in ran)) return { ...ran, setAside: [...notes.left, ...ran.setAside] };
          if (left === 1) return notSetUp(ran.again);
          await pause(PAUSE);
        }
      } catch (error) {
        return stopped(
          "sandbox-unavailable",
          `the sandbox could not be set up: ${error instanceof Error ? show(error.message) : "a fault"}`,
        );
      } finally {
        life.end();
        running.delete(life);
        leave?.();
      }
    },

    revoke(grant) {
      for (const life of running) life.revoke(grant);
    },
  };
}

const UNSWEPT = "the workspace could not be looked through after the command had ended; it may have made what executes later";

/** What was set aside; null where the workspace could not be looked through. */
function sweep(profile: Profile): readonly SetAside[] | null {
  try {
    return [...profile.sweep(), ...profile.sweepOrders()];
  } catch {
    return null;
  }
}

function notSetUp(why: string): Ran {
  const moving = /moved|replaced|Race condition|No such file|Not a directory|Too many levels|Can't bind mount/.test(why);
  return stopped(moving ? "stale-path" : "sandbox-unavailable", `the sandbox could not be set up: ${why}`);
}

/** It could not be set up this time. */
interface Again {
  readonly again: string;
}

function launch(command: string, options: CommandLineOptions, able: Ability, profile: Profile): Child {
  const { args, mounts, env } = commandLine(command, profile.mounts, able, options);
  const texts = profile.mounts.filter(isText);
  const child = startChild({
    file: able.bwrap,
    args,
    env,
    cwd: "/",
    channels: CHANNELS + texts.length,
    descriptors: profile.mounts.filter(isPinned).map(({ pin }) => descriptorOf(pin)),
    // RACE: killed in its very first moments, bubblewrap leaves behind a child that nobody would wake; its group is killed with it.
    // A program at the terminal must be in our group, or the terminal would not let it read.
    group: options.attached === undefined,
    attached: options.attached !== undefined,
    outputBytes: options.outputBytes,
  });
  child.channels[1]?.end(Buffer.from(`${mounts.join("\0")}\0`, "latin1"));
  child.channels[2]?.end(able.filter ?? "");
  for (const [index, { text }] of texts.entries()) child.channels[CHANNELS + index]?.end(Buffer.from(text, "latin1"));
  return child;
}

/** The kernel's table of mounts, as the prelude tells it; null if it never did. */
function mountTable(channel: Duplex, child: Child): Promise<string | null> {
  return new Promise((resolve) => {
    let said = "";
    const timer = setTimeout(child.kill, SET_UP_TIME);
    const settle = (table: string | null): void => {
      clearTimeout(timer);
      resolve(table);
    };
    channel.on("data", (part: Buffer) => {
      said += part.toString("latin1");
      if (said.endsWith("\nend\n")) settle(said);
    });
    channel.on("close", () => settle(null));
  });
}
