// Damaged rows: each is reported by table, row and column. A damaged row ends no process and hides no other row of a list.

import { show } from "../core/path/show.ts";
import { StoreFault } from "./store-fault.ts";

export interface Damage {
  readonly table: string;
  /** The row's id or number; null where that cannot be read either. */
  readonly row: string | null;
  readonly column: string;
  readonly fault: keyof typeof faults;
}

const faults = {
  encoding: "is not UTF-8 text",
  type: "is not of its column's type",
  json: "is not JSON",
  shape: "is not of the shape it was written in",
} as const;

function sentenceOf({ table, row, column, fault }: Damage): string {
  return `table \`${show(table)}\`, row ${row === null ? "unknown" : `\`${show(row)}\``}: \`${show(column)}\` ${faults[fault]}`;
}

/** Thrown where a row cannot be read. `readable` are the other rows of the same query. */
export class DamagedRows extends StoreFault {
  readonly damage: readonly Damage[];
  readonly readable: readonly unknown[];

  constructor(damage: readonly Damage[], readable: readonly unknown[] = [], options: ErrorOptions = {}) {
    super(`a stored row is not what was written: ${damage.map(sentenceOf).join("; ")}`, options);
    this.damage = damage;
    this.readable = readable;
  }
}

/** Thrown where the database says that its own file is damaged. */
export class DamagedFile extends StoreFault {
  constructor(cause: unknown) {
    super(FILE, { cause });
  }
}

const FILE = "the store's file is damaged: `hallpass doctor` says what to do";

/** How many rows are kept by name. */
const KEPT = 100;

/** The damage that was met since the store was opened, each row once. */
export class DamageLog {
  readonly #sentences = new Set<string>();

  /** Do `work`, and keep what damage it meets. */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DamagedRows) this.add(error.damage);
      if (error instanceof DamagedFile) this.#sentences.add(FILE);
      throw error;
    }
  }

  add(damage: readonly Damage[]): void {
    for (const damaged of damage) if (this.#sentences.size < KEPT) this.#sentences.add(sentenceOf(damaged));
  }

  sentences(): readonly string[] {
    return [...this.#sentences];
  }
}

/**
 * What of a list can be read; the rest is kept in `log`. For lists in which a missing row gives nobody more than they have. `query` is asked
 * again for more than `limit` rows where some of them could not be read, so that a page is full unless it is the last.
 */
export async function readable<R, T>(
  log: DamageLog,
  query: (limit: number | undefined) => Promise<readonly R[]>,
  convert: (row: R) => T,
  limit?: number,
): Promise<readonly T[]> {
  for (let skipped = 0; ;) {
    const damage: Damage[] = [];
    const values: T[] = [];
    const tryRead = <V>(read: () => V): V | null => {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof DamagedRows)) throw error;
        damage.push(...error.damage);
        return null;
      }
    };
    let rows: readonly R[];
    try {
      rows = await query(limit === undefined ? undefined : limit + skipped);
    } catch (error) {
      if (!(error instanceof DamagedRows)) throw error;
      damage.push(...error.damage);
      // They are of the query that threw.
      rows = error.readable as readonly R[];
    }
    for (const row of rows) {
      const read = tryRead(() => ({ value: convert(row) }));
      if (read !== null) values.push(read.value);
    }
    log.add(damage);
    if (limit === undefined || damage.length <= skipped) return values.slice(0, limit);
    skipped = damage.length;
  }
}

/** For `readable`: the row as the query gives it. */
export const asIs = <R>(row: R): R => row;
