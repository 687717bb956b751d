// Grants that a command gets while it runs: a program reaches for a directory, a person is asked, and a yes is mounted into the sandbox that runs. Each is
// looked through for secrets first, in the same quiet as the roots of a new command, and watched like those.

import type { GrantId } from "../core/names.ts";
import { below, isInside } from "../core/path/contain.ts";
import { show } from "../core/path/show.ts";
import type { GrantLoss } from "../core/session/grant.ts";
import type { GrantRoot } from "../core/session/root.ts";
import { listRoots, type Session } from "../core/session/session.ts";
import { bytesOf } from "./disk.ts";
import type { KeeperPorts } from "./keeper.ts";
import type { Area, Cover, ProcessHolderPlan } from "./keeper-messages.ts";
import { grantGone, type Life } from "./life.ts";
import { lookOutside, operationOn } from "./outside.ts";
import { pause } from "./pause.ts";
import type { SandboxMount } from "./mount-draft.ts";
import type { CommandAsking, CommandStop } from "./port.ts";
import { commandOf, isUsing, type ProcessId } from "./processes.ts";
import type { Profile } from "./profile.ts";
import type { StoppedCommands } from "./quiet.ts";
import type { Rooms, TakenKeeper } from "./rooms.ts";
import type { FileWatch } from "./watch.ts";

export interface LiveGrantPorts {
  readonly rooms: Rooms;
  readonly session: Session;
  /** Null where nobody is asked: then nothing is shown while the command runs, and the room alone counts. */
  readonly asking: CommandAsking | null;
  readonly areas: readonly Area[];
  /** What else the command sees in them. */
  readonly tools: readonly string[];
  /** What the command's processes are held by; null where they end with it. */
  readonly holding: ProcessHolderPlan | null;
  /** Do processes that earlier commands left in the room go on? */
  beside(): boolean;
  readonly life: Life;
  /** What the command sees of this one root of a session. */
  look(session: Session, root: GrantRoot): Promise<Profile | CommandStop>;
  quieten(dirs: readonly string[]): Promise<StoppedCommands | CommandStop | null>;
  watch(profile: Profile): FileWatch;
}

export interface LiveGrants {
  readonly keeper: TakenKeeper;
  /** The command starts now, with this profile. From these all processes descend that can see it. */
  start(firsts: readonly ProcessId[], own: Profile): void;
  /** What was granted and is shown now, with what covers it. */
  granted(): { readonly dirs: readonly string[]; readonly mounts: readonly SandboxMount[] };
  /** The command has ended, and processes of it go on: the room is let go of, and what was granted stays until it is closed. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

interface ShownGrant {
  readonly root: GrantRoot;
  readonly profile: Profile;
  readonly watch: FileWatch;
  /** By which its mounts are known in the sandbox; null until it is mounted. */
  groups: readonly number[] | null;
}

/** A sentence where there is no room for the command, or programs cannot be made to wait there. */
export async function openLiveGrants(ports: LiveGrantPorts): Promise<LiveGrants | string> {
  const { rooms, session, asking, areas, tools, holding, life } = ports;
  const shownGrants = new Map<GrantId, ShownGrant>();
  let command: { readonly firsts: readonly ProcessId[]; readonly own: Profile } | null = null;
  let isLeft = false;

  const unmount = async (root: GrantRoot, how: GrantLoss): Promise<void> => {
    const shownGrant = shownGrants.get(root.grant);
    shownGrants.delete(root.grant);
    const unwatched = shownGrant?.watch.end();
    // RACE: with all of it stopped, nothing is opened between the look and the unmounting. What is open already would stay readable.
    const paused = command === null ? null : await pause(command.firsts);
    try {
      if (command === null || paused === null || isUsing(command.firsts, shownGrant?.groups ?? null))
        life.stop("grant-revoked", grantGone(how));
      await keeper.hide(root.dir);
    } catch {
      life.stop("grant-revoked", grantGone(how));
    } finally {
      paused?.end();
      await unwatched;
      shownGrant?.profile.close("keep");
    }
  };

  /** Mount what the session was granted for the door. Throws why not. */
  const mount = async (granted: Session, door: string): Promise<void> => {
    const root = listRoots(granted).find(
      (candidate): candidate is GrantRoot =>
        candidate.from === "grant" && isInside(door, candidate.dir) && !shownGrants.has(candidate.grant),
    );
    if (root === undefined || command === null) throw new Error("nothing was granted that could be mounted");
    const quiet = await ports.quieten([root.dir]);
    if (quiet === null || "ok" in quiet) throw new Error(quiet?.why ?? "the command ends");
    let profile: Profile | CommandStop | null = null;
    let isShown = false;
    try {
      profile = await ports.look(granted, root);
      if ("ok" in profile) throw new Error(profile.why);
      // A secret with a name in both could be read by the one that is not covered.
      if (profile.aliased || command.own.aliased) throw new Error("a secret has further names (hard links)");
      const { dir, dev, ino, born } = root;
      await keeper.prepare({ dir, dev, ino, born, door, covers: coversOf(profile, dir) });
      if (!quiet.holds()) throw new Error("directories were moved by another command");
      const watch = ports.watch(profile);
      const shownGrant: ShownGrant = { root, profile, watch, groups: null };
      shownGrants.set(root.grant, shownGrant);
      isShown = life.shows(root.grant, (how) => void unmount(root, how));
      if (!isShown) throw new Error("the grant was revoked");
      shownGrant.groups = await keeper.show(dir);
    } catch (error) {
      const unwatched = shownGrants.get(root.grant)?.watch.end();
      shownGrants.delete(root.grant);
      await unwatched;
      if (profile !== null && !("ok" in profile)) profile.close("keep");
      throw error;
    } finally {
      quiet.end();
    }
  };

  const outside = lookOutside(session);
  const keeperPorts: KeeperPorts = {
    ...outside,
    wanted(door, path, pid) {
      const who = command === null ? "a program" : commandOf(pid);
      if (asking === null) return keeper.deny(door);
      asking
        .ask({ path, operation: operationOn(path), who: show(who) })
        .then((granted) => (granted === null ? keeper.deny(door) : mount(granted, door)))
        // INVARIANT: a fault denies.
        .catch(() => keeper.deny(door));
    },
    lost: () => life.stop("sandbox-unavailable", "the process that holds what the command sees has ended"),
  };
  const fixed = [...[...listRoots(session), ...areas].map(({ dir }) => String(dir)), ...tools];
  // A keeper that does not answer keeps no command from ending.
  const over = new AbortController();
  life.holds({ kill: () => over.abort() });
  const opened = await rooms.take(
    session,
    { areas, fixed, patience: asking?.patience ?? 0, holding, beside: ports.beside() },
    asking !== null,
    keeperPorts,
    over.signal,
  );
  if (typeof opened === "string") return opened;
  const keeper = opened;
  return {
    keeper,
    start(firsts, own) {
      command = { firsts, own };
    },
    granted: () => ({
      dirs: [...shownGrants.values()].map(({ root }) => root.dir),
      mounts: [...shownGrants.values()].flatMap(({ profile }) => profile.mounts),
    }),
    async leave() {
      isLeft = true;
      await keeper.leave(true, true);
    },
    async close() {
      for (const { root, profile, watch } of shownGrants.values()) {
        // Others of the session see the same places, and nobody would take it away from them later.
        if (isLeft || ports.beside()) await unmount(root, "ended");
        else {
          await watch.end();
          profile.close("keep");
        }
      }
      shownGrants.clear();
      if (!isLeft) await keeper.leave(command !== null, ports.beside());
    },
  };
}

/** What is hidden in the grant. All of it is read-only, so that nothing else need be mounted. */
function coversOf({ mounts }: Profile, dir: string): readonly Cover[] {
  return mounts.flatMap((mount): readonly Cover[] => {
    if (mount.make === "writable" || mount.make === "read-only") return [];
    return [{ make: mount.make, path: below(bytesOf(dir), mount.path), text: mount.make === "shown-file" ? mount.text : "" }];
  });
}
