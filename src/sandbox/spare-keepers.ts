// Keepers in reserve. Starting one costs a few hundred milliseconds, which no command is to pay but the first: when one command has ended, the next
// one's is started. A spare serves one command and ends with it, so that nothing of one command is left for another.

import { type Keeper, type KeeperPorts, type SpareKeeper, startKeeper } from "./keeper.ts";
import type { KeeperOpening } from "./keeper-messages.ts";

export interface SpareKeepers {
  /** A keeper for one command. A sentence where there can be none. */
  take(opening: KeeperOpening, bytes: number, ports: KeeperPorts): Promise<Keeper | string>;
}

/** Milliseconds for which a spare is kept that nobody takes. */
const KEPT = 10 * 60_000;

interface Spare {
  readonly shape: string;
  readonly started: Promise<SpareKeeper | string>;
  readonly timer: NodeJS.Timeout;
}

/** `inReserve`: is the next one to be started beforehand? */
export function createSpareKeepers(inReserve: boolean): SpareKeepers {
  let spare: Spare | null = null;

  const drop = (): void => {
    const dropped = spare;
    spare = null;
    clearTimeout(dropped?.timer);
    void dropped?.started.then((it) => (typeof it === "string" ? undefined : it.close()));
  };
  const reserve = (places: readonly boolean[], bytes: number): void => {
    spare = { shape: places.join(), started: startKeeper({ places, bytes }), timer: setTimeout(drop, KEPT).unref() };
  };
  /** The one in reserve, where it fits and lives. */
  const taken = async (shape: string): Promise<SpareKeeper | null> => {
    if (spare !== null && spare.shape !== shape) drop();
    if (spare === null) return null;
    const { started, timer } = spare;
    spare = null;
    clearTimeout(timer);
    const it = await started;
    return typeof it === "string" || it.isGone() ? null : it;
  };

  return {
    async take(opening, bytes, ports) {
      const places = opening.areas.map(({ writable }) => writable);
      const it = (await taken(places.join())) ?? (await startKeeper({ places, bytes }));
      if (typeof it === "string") return it;
      try {
        const keeper = await it.open(opening, ports);
        if (!inReserve) return keeper;
        const close = async (): Promise<void> => {
          await keeper.close();
          // Not sooner: it would take the command's processor time.
          if (spare === null) reserve(places, bytes);
        };
        return { ...keeper, close };
      } catch (error) {
        await it.close();
        return error instanceof Error ? error.message : "a fault";
      }
    },
  };
}
