// The right to drive a chat, between processes on one PostgreSQL: an advisory lock of one connection. A process that dies, however it
// dies, loses its connection and with it every right, at once. A process whose connection was lost knows that it lost them too: what it
// was driving is told to stop, and nothing is driven before there is a connection again.

import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Lease } from "../agent/agent.ts";
import { createQueue } from "../agent/waiting.ts";
import { type Clock, steadyClock } from "../core/clock.ts";
import { HallpassError } from "../core/errors.ts";
import { connectionTo } from "../store/postgres.ts";
import type { Log } from "./ports.ts";

export interface Leases {
  /** The right to a chat; null where somebody has it, here or elsewhere. Throws `io-error` while there is no connection. */
  take(chat: string): Promise<Lease | null>;
  /** As above; waits until it is free. */
  wait(chat: string): Promise<Lease>;
  /** Does this process have it, or nobody, or somebody else? */
  whose(chat: string): Promise<"ours" | "nobody's" | "another's">;
  /** Is a process of this machine there? As of the last look. */
  isThere(machine: string): boolean;
  /** The database's clock, which every process on it goes by, whatever its own machine's says. */
  readonly clock: Clock;
  /** Called when another process has come or gone, or this one has come back: something may have been left lying. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

export interface LeasePorts {
  /** `postgres://…` */
  readonly url: string;
  readonly log: Log;
  /** The machine this process is on. */
  readonly machine: string;
  /** Milliseconds between two looks at who is there. */
  readonly look?: number;
}

const LOOK = 500;
const RECONNECT = [50, 100, 250, 500, 1000];
const AGAIN = 25;
/** Our number among users of advisory locks with two keys, which is how processes show that they are there. */
const HERE = 0x48_50_31;
/** The same for machines: one lock a machine, shared by its processes. */
const MACHINES = 0x48_50_32;

const WHO = `select coalesce(array_agg(classid::int8 || ' ' || objid::int8), '{}') || (extract(epoch from clock_timestamp()) * 1000)::int8::text as value from pg_locks where locktype = 'advisory'
  and objsubid = 2 and granted and classid in ($1, $2) and database = (select oid from pg_database where datname = current_database())`;

const TAKE = "select pg_try_advisory_lock($1::bigint) as value";
const GIVE_BACK = "select pg_advisory_unlock($1::bigint) as value";
/** The server understands each of them once a connection, by its name. */
const NAMES = { [WHO]: "hallpass_who", [TAKE]: "hallpass_take", [GIVE_BACK]: "hallpass_give_back" } as const;

export async function openLeases({ url, log, machine, look = LOOK }: LeasePorts): Promise<Leases> {
  const leasesByChat = new Map<string, AbortController>();
  const listeners = new Set<() => void>();
  let client: pg.Client | null = null;
  let connecting: Promise<void> | null = null;
  let closed = false;
  /** Processes and machines that are there, each by the kind of its lock and its number. */
  let peers: ReadonlySet<string> = new Set();
  const number = Math.floor(Math.random() * 2 ** 31);
  /** What the database's clock said at the last look, and when that was. */
  let databaseTime = { time: 0, at: 0 };
  const tellChange = (): void => listeners.forEach((listener) => listener());

  const handleLostConnection = (lostClient: pg.Client): void => {
    if (client !== lostClient) return;
    client = null;
    for (const abort of leasesByChat.values()) abort.abort();
    if (closed) return;
    log.warn({ chats: leasesByChat.size }, "the database is away; what was running stops where it is");
    connecting ??= reconnect();
  };
  const connect = async (): Promise<void> => {
    const next = new pg.Client(connectionTo(url));
    next.on("error", () => handleLostConnection(next));
    next.on("end", () => handleLostConnection(next));
    await next.connect();
    // The server's own look whether we are still there, for a machine that went without a word.
    await next.query("set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3");
    await next.query("select pg_advisory_lock($1::int, $2::int)", [HERE, number]);
    await next.query("select pg_advisory_lock_shared($1::int, $2::int)", [MACHINES, numberOf(machine)]);
    client = next;
  };
  const reconnect = async (): Promise<void> => {
    for (let tries = 0; ; tries += 1) {
      await pause(RECONNECT[Math.min(tries, RECONNECT.length - 1)], undefined, { ref: false });
      if (closed) return;
      try {
        await connect();
        connecting = null;
        return tellChange();
      } catch {
        // Still away.
      }
    }
  };
  /** One after the other: a connection does one thing at a time. */
  const queue = createQueue();
  const query = (text: keyof typeof NAMES, values: readonly unknown[]): Promise<unknown> => queue.add(() => ask(text, values));
  const ask = async (text: keyof typeof NAMES, values: readonly unknown[]): Promise<unknown> => {
    const current = client;
    if (current === null) throw new HallpassError("io-error", "the database cannot be reached");
    try {
      const { rows }: pg.QueryResult<Record<string, unknown>> = await current.query({ name: NAMES[text], text, values: [...values] });
      return rows[0]?.["value"];
    } catch (cause) {
      throw new HallpassError("io-error", "the database cannot be reached", { cause });
    }
  };
  const take = async (chat: string): Promise<Lease | null> => {
    // The lock is the connection's, which would be given it twice; and what ran under a lost one must have ended first.
    if (leasesByChat.has(chat)) return null;
    const abort = new AbortController();
    leasesByChat.set(chat, abort);
    try {
      if ((await query(TAKE, [keyOf(chat)])) !== true) {
        leasesByChat.delete(chat);
        return null;
      }
    } catch (error) {
      leasesByChat.delete(chat);
      throw error;
    }
    return {
      signal: abort.signal,
      async end() {
        try {
          // Lost with its connection: there is nothing to give back.
          if (!abort.signal.aborted) await query(GIVE_BACK, [keyOf(chat)]);
        } catch {
          // The connection went while it was given back, and the lock with it.
        } finally {
          leasesByChat.delete(chat);
        }
      },
    };
  };

  await connect();
  /** Who is there: every process shows itself by a lock of its own, which goes when it goes. */
  const refreshPeers = async (): Promise<void> => {
    const rows = await query(WHO, [HERE, MACHINES]);
    const [time, ...there] = Array.isArray(rows) ? rows.map(String).toReversed() : [];
    if (time !== undefined) databaseTime = { time: Number(time), at: performance.now() };
    const now = new Set(there);
    const earlierPeers = peers;
    peers = now;
    // RACE: one that came and went between two looks was never seen. So whoever comes is a reason to look too, and chats that run are
    // swept now and then.
    if (now.size !== earlierPeers.size || [...earlierPeers].some((one) => !now.has(one))) tellChange();
  };
  await refreshPeers();
  const timer = setInterval(() => void refreshPeers().catch(() => {}), look);
  timer.unref();

  return {
    take,
    async wait(chat) {
      for (;;) {
        const lease = await take(chat);
        if (lease !== null) return lease;
        if (closed) throw new HallpassError("io-error", "the daemon stops");
        await pause(AGAIN);
      }
    },
    async whose(chat) {
      if (leasesByChat.has(chat)) return "ours";
      const lease = await take(chat);
      await lease?.end();
      return lease === null ? "another's" : "nobody's";
    },
    // INVARIANT: this machine's own clock has no part in it, so that setting it changes nothing.
    clock: steadyClock(
      () => databaseTime.time + (performance.now() - databaseTime.at),
      () => performance.now(),
    ),
    isThere: (other) => peers.has(`${MACHINES} ${numberOf(other)}`),
    onChange: (listener) => void listeners.add(listener),
    async close() {
      closed = true;
      clearInterval(timer);
      const current = client;
      client = null;
      await current?.end().catch(() => {});
    },
  };
}

/** 31 bits of the machine's name, as PostgreSQL takes a lock's second key. */
function numberOf(machine: string): number {
  return createHash("sha256").update(`hallpass machine ${machine}`).digest().readUInt32BE(0) >>> 1;
}

/** 64 bits of the chat's id, as PostgreSQL takes them. Two chats of the same number would take turns, which is harmless. */
function keyOf(chat: string): string {
  return createHash("sha256").update(`hallpass chat ${chat}`).digest().readBigInt64BE(0).toString();
}
