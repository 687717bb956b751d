// The state a client carries between the two halves of an asked call. It comes back through the client, so it is signed, short-lived,
// bound to the call it was made for, and good once.

import { createHash } from "node:crypto";
import { createRequestStateCodec, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Clock, Ids } from "../../core/clock.ts";

const stateSchema = z.strictObject({
  ask: z.string(),
  call: z.string(),
  tool: z.string(),
  /** Of the call's arguments. */
  input: z.string(),
  session: z.string(),
  /** When the dialog was handed to the client. */
  at: z.number(),
  nonce: z.string(),
});
export type RequestState = z.infer<typeof stateSchema>;

export interface RequestStates {
  /** A state for the client to carry. */
  mint(state: Pick<RequestState, "ask" | "call" | "tool" | "session">, input: unknown): Promise<string>;
  /** Is it one of ours, and in time? Throws if not; gives what it holds. For the SDK's hook. */
  verify(text: string, context: ServerContext): Promise<unknown>;
  /** Take a verified state for this call. Null: made for another call, or taken before. */
  take(verified: unknown, call: { readonly tool: string; readonly input: unknown; readonly session: string }): RequestState | null;
}

/** Which states were taken. Where states outlive the process, so must this. */
export interface TakenStates {
  /** Take a state by its nonce; false if it was taken before. It may be forgotten after `until`: a state that old no longer verifies. */
  take(nonce: string, until: number): boolean;
}

/** Known to this process alone, as its key is. */
export function takenInMemory(clock: Clock): TakenStates {
  const expiries = new Map<string, number>();
  return {
    take(nonce, until) {
      const now = clock();
      for (const [knownNonce, end] of expiries) if (end < now) expiries.delete(knownNonce);
      if (expiries.has(nonce)) return false;
      expiries.set(nonce, until);
      return true;
    },
  };
}

/** `key`: 32 bytes or more that no client knows: this process's own, or kept by whoever keeps `taken` too. */
export function createRequestStates(ports: {
  readonly key: Uint8Array;
  readonly seconds: number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly taken?: TakenStates;
}): RequestStates {
  const { key, seconds, clock, ids, taken = takenInMemory(clock) } = ports;
  const codec = createRequestStateCodec({ key, ttlSeconds: seconds });
  return {
    mint: (state, input) => codec.mint({ ...state, input: digestOf(input), at: clock(), nonce: ids() }),
    verify: (text, context) => codec.verify(text, context),
    take(verified, { tool, input, session }) {
      const state = stateSchema.safeParse(verified);
      if (!state.success || !taken.take(state.data.nonce, clock() + (seconds + 60) * 1000)) return null;
      const fits = state.data.tool === tool && state.data.session === session && state.data.input === digestOf(input);
      return fits ? state.data : null;
    },
  };
}

/** The same for the same arguments, in whatever order a client writes them. */
function digestOf(input: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(input ?? {}, sortedKeys))
    .digest("base64url");
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)));
}
