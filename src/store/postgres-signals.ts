// Signals over PostgreSQL's LISTEN and NOTIFY, on one connection of its own. When that is lost it is made again; listeners are told that
// there was a gap, and what was to be sent meanwhile is sent.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { HallpassError } from "../core/errors.ts";
import { connectionTo } from "./postgres.ts";
import { ConnectionLostError, postgresFault } from "./postgres-faults.ts";
import { createAssembly, piecesOf } from "./signal-pieces.ts";
import { createListeners, type Signal, type Signals } from "./signals.ts";

export interface PostgresSignalsOptions {
  readonly url: string;
  /** How often a quiet connection is tried, in milliseconds: one that is dead without a sign is found out by it. */
  readonly heartbeat?: number;
}

interface QueuedSignal {
  readonly pieces: readonly string[];
  readonly sent: () => void;
  readonly failed: (error: unknown) => void;
}

/** More are not kept while PostgreSQL is away; the oldest are given up, with an error. */
const KEPT = 10_000;

/** Throws where PostgreSQL cannot be reached now; later it is waited for. */
export async function openPostgresSignals({ url, heartbeat = 5000 }: PostgresSignalsOptions): Promise<Signals> {
  const line = new SignalLine(url, heartbeat);
  await line.begin();
  return { send: (signal) => line.send(signal), listen: line.listeners.listen, close: () => line.close() };
}

class SignalLine {
  readonly listeners = createListeners();
  readonly #url: string;
  readonly #heartbeat: number;
  readonly #sender = randomUUID();
  #client: pg.Client | null = null;
  #number = 0;
  #waiting: QueuedSignal[] = [];
  #sending = false;
  #open = true;
  #beats: NodeJS.Timeout | null = null;

  constructor(url: string, heartbeat: number) {
    this.#url = url;
    this.#heartbeat = heartbeat;
  }

  async begin(): Promise<void> {
    try {
      // Nobody listens yet, so nothing that was heard meanwhile is told.
      this.#client = (await this.#connect()).client;
    } catch (error) {
      throw postgresFault(
        error instanceof pg.DatabaseError ? error : new ConnectionLostError("no connection could be made", { cause: error }),
      );
    }
    this.#beats = setInterval(() => void this.#beat(), this.#heartbeat);
    this.#beats.unref();
  }

  send(signal: Signal): Promise<void> {
    if (!this.#open) return Promise.reject(new HallpassError("io-error", "the signals are closed"));
    return new Promise((sent, failed) => {
      this.#waiting.push({ pieces: piecesOf(this.#sender, ++this.#number, signal), sent, failed });
      for (const { failed: givenUp } of this.#waiting.splice(0, Math.max(0, this.#waiting.length - KEPT)))
        givenUp(new HallpassError("io-error", "PostgreSQL is away, and too many signals wait for it"));
      void this.#flush();
    });
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    if (this.#beats !== null) clearInterval(this.#beats);
    this.listeners.clear();
    for (const { failed } of this.#waiting.splice(0)) failed(new HallpassError("io-error", "the signals are closed"));
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  /** A connection that hears already. RACE: what it hears before it is taken is in `early`, to be told after the gap and not before it. */
  async #connect(): Promise<{ readonly client: pg.Client; readonly early: readonly Signal[] }> {
    const client = new pg.Client({ ...connectionTo(this.#url), query_timeout: this.#heartbeat });
    const lose = (): void => this.#lose(client);
    client.on("error", lose);
    client.on("end", lose);
    const assembled = createAssembly();
    const early: Signal[] = [];
    client.on("notification", ({ payload }) => {
      const signal = payload === undefined ? null : assembled(payload);
      if (signal === null) return;
      if (this.#client === client) this.listeners.tell(signal);
      else early.push(signal);
    });
    try {
      await client.connect();
      // A hint need not be on the disk: what it tells of is, and a crash of the server ends every connection that would have heard it.
      await client.query("set synchronous_commit = off");
      // One channel a schema: two stores in one database do not hear each other.
      await client.query(`do $$ begin execute format('listen %I', 'hallpass_' || current_schema()); end $$`);
      return { client, early };
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
  }

  /** Once for each connection that is lost: make another, for as long as it takes. */
  #lose(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    void client.end().catch(() => {});
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (let pause = 50; this.#open; pause = Math.min(2 * pause, 1000)) {
      try {
        const { client, early } = await this.#connect();
        // RACE: closed while it was being made.
        if (!this.#open) return void client.end().catch(() => {});
        this.#client = client;
        this.listeners.tell({ kind: "gap" });
        for (const signal of early) this.listeners.tell(signal);
        return void this.#flush();
      } catch {
        await sleep(pause, undefined, { ref: false });
      }
    }
  }

  /** Everything that waits, in one statement; what comes meanwhile goes with the next. */
  async #flush(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    try {
      for (let client = this.#client; client !== null && this.#waiting.length > 0; client = this.#client) {
        const batch = this.#waiting.splice(0, 500);
        try {
          await client.query({ name: "hallpass_notify", text: NOTIFY, values: [batch.flatMap(({ pieces }) => pieces)] });
          for (const { sent } of batch) sent();
        } catch (error) {
          if (error instanceof pg.DatabaseError && error.severity === "ERROR") for (const { failed } of batch) failed(postgresFault(error));
          else {
            // Whether they went out is not known; heard twice is better than not at all.
            this.#waiting.unshift(...batch);
            this.#lose(client);
          }
        }
      }
    } finally {
      this.#sending = false;
    }
  }

  async #beat(): Promise<void> {
    const client = this.#client;
    await client?.query("select 1").catch(() => this.#lose(client));
  }
}

const NOTIFY = "select pg_notify('hallpass_' || current_schema(), piece) from unnest($1::text[]) with ordinality as t(piece, n) order by n";
