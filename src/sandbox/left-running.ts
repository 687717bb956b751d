// Processes that a command has left running when it ended. They are watched like a running command: what covers their secrets must stay in place,
// what executes later is set aside, a grant that they saw must not end. In addition new secrets are looked for, which are not covered for them. If
// such a check fails, all processes of the session are ended, since one may have handed another what it saw.

import type { Life } from "./life.ts";
import type { Membership } from "./membership.ts";
import type { PlacedMount } from "./mount-table.ts";
import { isGone, isThere } from "./processes.ts";
import type { FileWatch } from "./watch.ts";

export interface LeftRunningPorts {
  readonly room: string;
  readonly network: "none" | "host";
  readonly members: Membership;
  /** Whoever stops it ends all processes of the session. */
  readonly life: Life;
  /** Watch from now on; `tick` is called every half second. */
  watch(tick: () => void): FileWatch;
  /** Is all covered for them that a look finds now? Null where that cannot be told now. */
  isCovered(): Promise<boolean | null>;
  /** Do they see no more than another command of the session does that has these mounts? */
  seesNoMoreThan(mounts: readonly PlacedMount[]): boolean;
  /** They have ended; called once. */
  over(watch: FileWatch): Promise<void>;
}

export interface LeftoverProcesses {
  readonly room: string;
  readonly life: Life;
  /** Does the session's first process live? */
  isThere(): boolean;
  /**
   * Another command of the session is about to start, with these mounts, and nothing runs. Where these see more than it does, or have another network,
   * they have ended when this returns. Throws where they do not.
   */
  admit(network: "none" | "host", mounts: readonly PlacedMount[]): Promise<void>;
}

/** Milliseconds between two looks for secrets, or so many times what the last one took. */
const LOOK_PAUSE = 2000;
const LOOK_SHARE = 50;

const NEW_SECRET = "something that they could see or change is to be covered now";
const OTHER_NETWORK = "a command with the network does not run beside what has none, nor the other way round";

export function startLeftRunning(ports: LeftRunningPorts): LeftoverProcesses {
  const { room, network, members, life } = ports;
  let isOver = false;
  let wasEmpty = false;
  let isLooking = false;
  let next = performance.now() + LOOK_PAUSE;
  const watch = ports.watch(() => {
    if (isOver) return;
    // Twice: a process that one of them starts while they are listed could be missed.
    const isEmpty = members.isEmpty();
    if (!isThere(members.first) || (isEmpty && wasEmpty)) {
      isOver = true;
      void ports.over(watch);
    } else if (!isEmpty && !isLooking && performance.now() >= next) void look();
    wasEmpty = isEmpty;
  });
  const look = async (): Promise<void> => {
    isLooking = true;
    const since = performance.now();
    try {
      if ((await ports.isCovered()) === false) life.stop("stale-path", NEW_SECRET);
    } finally {
      next = performance.now() + Math.max(LOOK_PAUSE, (performance.now() - since) * LOOK_SHARE);
      isLooking = false;
    }
  };
  return {
    room,
    life,
    isThere: () => !isOver && isThere(members.first),
    async admit(commandNetwork, mounts) {
      watch.look();
      if (commandNetwork !== network) life.stop("stale-path", OTHER_NETWORK);
      else if (!ports.seesNoMoreThan(mounts)) life.stop("stale-path", NEW_SECRET);
      if (life.reason() !== null && !(await isGone(members.first))) throw new Error("processes of the session do not end");
      if (isOver || !isThere(members.first)) await members.release();
    },
  };
}
