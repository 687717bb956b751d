// Faults of PostgreSQL: which are transient, and the error that each becomes.

import pg from "pg";
import { HallpassError } from "../core/errors.ts";
import { FullDisk, StoreFault } from "./store-fault.ts";

/** The connection is gone, or could not be made, or does not answer: nothing is known of what was asked last. */
export class ConnectionLostError extends Error {
  override readonly name = "ConnectionLost";
}

/** The connection was lost while a transaction was being committed: it may have been, or not. It must not be run again. */
export class UnknownOutcomeError extends Error {
  override readonly name = "OutcomeUnknown";
}

/** PostgreSQL's five characters for what went wrong; null where it is not PostgreSQL that said it. */
export function stateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null;
}

/** Is the connection of no more use after this? */
export function isFatal(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  // A plan that was prepared before another version changed the tables fails on this connection for ever.
  return error.severity === "FATAL" || error.severity === "PANIC" || error.code === "0A000";
}

/** Is it worth another try, from the start? Never where it may have been done. */
export function isPassing(error: unknown): boolean {
  const state = stateOf(error);
  return error instanceof ConnectionLostError || (state !== null && (COLLISIONS.has(state) || isAway(state)));
}

// Serialization failure, deadlock, a plan that is out of date.
const COLLISIONS: ReadonlySet<string> = new Set(["40001", "40P01", "0A000"]);

const isAway = (state: string): boolean => state.startsWith("08") || STOPPING.has(state);
// Shut down, crashed, starting up, connections killed for sitting idle, too many connections.
const STOPPING: ReadonlySet<string> = new Set(["57P01", "57P02", "57P03", "57P05", "25P03", "53300"]);

/** PostgreSQL is there and will be ready soon. */
export const isStarting = (error: unknown): boolean => stateOf(error) === "57P03";

export function postgresFault(error: unknown): HallpassError {
  if (error instanceof HallpassError) return error;
  const fault = (code: HallpassError["code"], message: string): HallpassError => new HallpassError(code, message, { cause: error });
  const told = (message: string): StoreFault => new StoreFault(message, { cause: error });
  if (error instanceof UnknownOutcomeError)
    return told("the connection to PostgreSQL was lost while this was being stored: look whether it was before you repeat it");
  if (error instanceof ConnectionLostError) return told("PostgreSQL cannot be reached, or does not answer");
  const state = stateOf(error);
  switch (state) {
    case "23503":
      return fault("not-found", "what this would belong to is not in the store");
    // Unique, check, not null, a trigger's refusal; a value that its column cannot hold.
    case "23505":
    case "23514":
    case "23502":
    case "P0001":
    case "22P02":
    case "22003":
    case "54000":
      return fault("bad-request", "the id is taken, or the row breaks a rule of the store");
    case "55P03":
    case "57014":
      return fault("timeout", "another process holds the store for too long");
    case "28P01":
    case "28000":
      return fault("io-error", "PostgreSQL refuses the login in HALLPASS_DATABASE_URL");
    // A server takes every word that we connect with; a pooler may refuse some.
    case "08P01":
      return fault(
        "io-error",
        "what HALLPASS_DATABASE_URL leads to refuses how we connect; there may be a pooler; point it at PostgreSQL itself",
      );
    case "3D000":
      return fault("io-error", "the database that HALLPASS_DATABASE_URL names does not exist: create it first");
    case "53100":
      return new FullDisk(error);
    case null:
      return fault("io-error", "the store failed");
    default:
      return isAway(state)
        ? told("PostgreSQL is stopping, starting or full: it takes no connection now")
        : fault("io-error", "the store failed");
  }
}
