// Keepers by session: each holds the session's /tmp and home directory from its first command until it ends. Starting one costs a few hundred
// milliseconds, which only the first command pays.

import type { SessionId } from "../core/names.ts";
import type { Session } from "../core/session/session.ts";
import { type Keeper, type KeeperPorts, type Room, startRoom } from "./keeper.ts";
import type { KeeperOpening } from "./keeper-messages.ts";

export interface Rooms {
  /**
   * A keeper for a command of the session. `doors`: can programs be made to wait? `over`: the command ends, and waits for none; one that was about to
   * serve it ends too. A sentence where there can be none.
   */
  take(session: Session, opening: KeeperOpening, doors: boolean, ports: KeeperPorts, over: AbortSignal): Promise<TakenKeeper | string>;
  /** The session has ended: so does its room, with all that was written there. */
  end(session: SessionId): void;
}

/** Which room is a session's: by its workspace too, since programs that embed us may call all their sessions the same. */
export const roomOf = ({ id, workspace }: Session): string => JSON.stringify([id, workspace.dir]);

export interface TakenKeeper extends Omit<Keeper, "leave"> {
  /** The command has ended, or could not be started. A room in which nothing can be set up is not kept. `stays`: as `Keeper.leave` has it. */
  leave(isStarted: boolean, stays: boolean): Promise<void>;
}

/** Milliseconds for which the room of a session is kept that runs no commands, and how many such rooms. */
const IDLE_LIMIT = 60 * 60_000;
const MOST_ROOMS = 8;

interface RestingRoom {
  readonly session: SessionId;
  readonly room: Room;
  /** Were programs made to wait in it? */
  readonly doors: boolean;
  /** Commands in a row that could not be set up in it. */
  readonly failures: number;
  readonly timer: NodeJS.Timeout;
}

/** `lasting`: is a room kept for the session's next command? Otherwise each command has its own. `bytes`: of what a session may write. */
export function createRooms(lasting: boolean, bytes: number, start = startRoom): Rooms {
  /** The one that was left longest ago comes first. */
  const resting = new Map<string, RestingRoom>();
  /** The sessions of commands that run, and whether they have ended meanwhile. */
  const busy = new Set<{ readonly session: SessionId; isOver: boolean }>();

  const drop = (key: string): void => {
    const restingRoom = resting.get(key);
    resting.delete(key);
    clearTimeout(restingRoom?.timer);
    void restingRoom?.room.close();
  };
  const keep = (key: string, restingRoom: Omit<RestingRoom, "timer">): void => {
    drop(key);
    resting.set(key, { ...restingRoom, timer: setTimeout(() => drop(key), IDLE_LIMIT).unref() });
    for (const oldest of resting.keys()) {
      if (resting.size <= MOST_ROOMS) break;
      drop(oldest);
    }
  };

  return {
    async take(forSession, opening, doors, ports, over) {
      const { id: session } = forSession;
      const key = roomOf(forSession);
      const busySession = { session, isOver: false };
      busy.add(busySession);
      const known = resting.get(key);
      resting.delete(key);
      clearTimeout(known?.timer);
      const enter = async (room: Room | string, failed: number): Promise<TakenKeeper | string> => {
        if (typeof room === "string") return room;
        const keeper = await openOrClose(room, opening, doors, ports, over);
        if (typeof keeper === "string") return keeper;
        const leave = async (isStarted: boolean, stays: boolean): Promise<void> => {
          busy.delete(busySession);
          const failures = isStarted ? 0 : failed + 1;
          if (!lasting || busySession.isOver || failures > 1 || room.isGone()) return room.close();
          keeper.leave(stays);
          keep(key, { session, room, doors, failures });
        };
        return { ...keeper, leave };
      };
      // A room in which nobody waits is not risked: where nobody can be made to wait on this machine, it would be lost.
      const isRisked = known !== undefined && doors && !known.doors;
      const reopened = known === undefined || isRisked ? "" : await enter(known.room, known.failures);
      // What an earlier command left there may be in the way of this one.
      const keeperOrReason = typeof reopened === "string" ? await enter(over.aborted ? CALLED_OFF : start(bytes), 0) : reopened;
      if (isRisked && typeof keeperOrReason === "string" && !busySession.isOver) keep(key, known);
      else if (isRisked) void known.room.close();
      if (typeof keeperOrReason === "string") busy.delete(busySession);
      return keeperOrReason;
    },
    end(session) {
      for (const busySession of busy) if (busySession.session === session) busySession.isOver = true;
      for (const [key, restingRoom] of resting) if (restingRoom.session === session) drop(key);
    },
  };
}

const CALLED_OFF = "the command ends";

/** Why not, where it cannot be; then it has ended. */
async function openOrClose(
  room: Room,
  opening: KeeperOpening,
  doors: boolean,
  ports: KeeperPorts,
  over: AbortSignal,
): Promise<Keeper | string> {
  const close = (): void => void room.close();
  over.addEventListener("abort", close, { once: true });
  try {
    if (over.aborted) throw new Error(CALLED_OFF);
    return await room.open(opening, doors, ports);
  } catch (error) {
    await room.close();
    return error instanceof Error ? error.message : "a fault";
  } finally {
    over.removeEventListener("abort", close);
  }
}
