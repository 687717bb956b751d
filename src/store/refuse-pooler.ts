// Is there a pooler before PostgreSQL that hands out a connection for one transaction at a time? What is prepared, listened for and locked on a
// connection would then be another client's. Shown by what it does: some poolers have no name that could be asked for.

import { randomUUID } from "node:crypto";
import pg from "pg";
import { HallpassError } from "../core/errors.ts";
import { ConnectionLostError, stateOf } from "./postgres-faults.ts";

/** How long the first connection may be kept waiting by the second's transaction, in milliseconds: then that is ended, and it goes on. */
const HELD = 1000;

interface ConnectionFacts {
  readonly pid: number;
  readonly mark: string | null;
}

const LOOK = "select pg_backend_pid() as pid, current_setting('hallpass.connection', true) as mark";

/**
 * Throws `io-error` where `client`'s connection is not its own. It is marked; another one must not see the mark, and while that one is in a
 * transaction this one must be the same as before. `other` is what the second is made with: it is not the pool's, which may have but one.
 */
export async function refusePooler(client: pg.ClientBase, other: pg.ClientConfig): Promise<void> {
  const mark = randomUUID();
  await client.query("select set_config('hallpass.connection', $1, false)", [mark]);
  const own = await look(client);
  const second = new pg.Client(other);
  second.on("error", () => {});
  let hold: NodeJS.Timeout | null = null;
  try {
    await second.connect();
    await second.query("begin");
    const seenByOther = await look(second);
    const looking = look(client);
    // Where there is one connection for all, this one waits for the end of that transaction.
    hold = setTimeout(() => void second.query("rollback").catch(() => {}), HELD);
    const again = await looking;
    const isShared = own.mark !== mark || seenByOther.mark === mark || again.mark !== mark;
    if (isShared || again.pid !== own.pid || seenByOther.pid === own.pid) throw new HallpassError("io-error", POOLER);
  } catch (error) {
    if (error instanceof HallpassError) throw error;
    // A pooler that hands out a connection for one statement refuses a transaction; a server never does.
    if (stateOf(error) === "08P01") throw new HallpassError("io-error", POOLER, { cause: error });
    throw error instanceof pg.DatabaseError ? error : new ConnectionLostError("no second connection could be made", { cause: error });
  } finally {
    if (hold !== null) clearTimeout(hold);
    await second.end().catch(() => {});
  }
}

async function look(client: pg.ClientBase): Promise<ConnectionFacts> {
  const { rows } = await client.query<ConnectionFacts>(LOOK);
  return rows[0] ?? { pid: 0, mark: null };
}

const POOLER =
  "a pooler before PostgreSQL shares its connections between transactions (PgBouncer's `pool_mode = transaction` or `statement`): " +
  "point HALLPASS_DATABASE_URL at PostgreSQL itself, or set `pool_mode = session`";
