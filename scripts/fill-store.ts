// Fills a store with a lot, to see how costs grow: `tsx scripts/fill-store.ts FILE|postgres://… [--records N] [--sessions N] [--chats N]
// [--messages N]`. Rows go in by pages, in the order in which they would come, and the record with its true chain. The same every time.

import { parseArgs } from "node:util";
import { answerEvent, type AuditEvent } from "../src/core/audit.ts";
import { askId, callId, grantId, sessionId, type SessionId } from "../src/core/names.ts";
import { openBackend, type StorePlace } from "../src/store/open.ts";
import { recordIn } from "../src/store/audit.ts";

export interface Amounts {
  readonly records: number;
  readonly sessions: number;
  readonly chats: number;
  /** The first ten thousand in the first chat, the others in all of them in turn. */
  readonly messages: number;
}

const BEGAN = 1_763_200_000_000;
const PAGE = 1000;
const PATHS = 60_000;
const LONGEST_CHAT = 10_000;

const uuid = (kind: string, number: number): string => `${kind}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
const sessionOf = (number: number): SessionId => sessionId(uuid("5e550000", number));
export const chatOf = (number: number): string => uuid("c4a70000", number);

/** Numbers without a pattern, the same every time. */
const mixed = (number: number): number => (Math.imul(number ^ (number >>> 15), 0x2c_1b_3c_6d) ^ (number >>> 12)) >>> 0;

/** Mostly reads in the workspace; denials, asks and everything else as rare as they are. */
export function recordedEvent(number: number, sessions: number): AuditEvent {
  const chance = mixed(number) % 1000;
  const session = sessionOf(mixed(number >>> 5) % sessions);
  const at = BEGAN + number * 700;
  const ask = askId(uuid("a5000000", number));
  if (chance < 4) return answerEvent({ at, session, ask, path: pathOf(number) }, { verdict: "allow", until: "session", by: "web" });
  if (chance < 6) return answerEvent({ at, session, ask, path: pathOf(number) }, { verdict: "deny", by: "web" });
  if (chance < 10)
    return {
      kind: "grant",
      at,
      session,
      ask,
      grant: grantId(uuid("97000000", number)),
      until: "session",
      expires: null,
      path: pathOf(number),
      by: "web",
    };
  if (chance < 12)
    return { kind: "revocation", at, session, grant: grantId(uuid("97000000", number)), path: pathOf(number), ask, by: "web" };
  if (chance < 13) return { kind: "session-ended", at, session, by: "web", why: "person" };
  const verdict = chance < 30 ? "ask" : chance < 120 ? "deny" : "allow";
  const path = pathOf(number);
  return {
    kind: "decision",
    at,
    session,
    call: callId(uuid("ca110000", number)),
    tool: "read_file",
    operation: "read",
    requested: path,
    real: path,
    verdict,
    reason: verdict === "allow" ? "in-workspace" : verdict === "ask" ? "out-of-scope" : "secret-file",
    rule: null,
    root: verdict === "allow" ? "/home/me/src/app" : null,
    grant: chance > 950 ? grantId(uuid("97000000", mixed(number) % 4000)) : null,
    ask: null,
    fault: null,
  };
}

function pathOf(number: number): string {
  const place = mixed(number * 7) % PATHS;
  return `/home/me/src/app-${place % 50}/packages/part-${place % 600}/src/file-${place}.ts`;
}

/** Fills an empty store, or adds to what an earlier call left of the record. */
export async function fillStore(place: StorePlace, { records, sessions, chats, messages }: Amounts): Promise<void> {
  const backend = await openBackend(place);
  const pages = async (count: number, add: (from: number, to: number) => Promise<void>): Promise<void> => {
    for (let from = 0; from < count; from += PAGE) await add(from, Math.min(count, from + PAGE));
  };
  const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
  try {
    const session = { project_id: null, parent_id: null, asking: "by-guard", attended: 1, host_session: null, archived_at: null } as const;
    await pages(sessions, (from, to) =>
      backend.write(null, async (db) => {
        const rows = numbers(from, to).map((number) => ({
          ...session,
          id: sessionOf(number),
          workspace: `/home/me/src/app-${number % 50}`,
          host: number % 3 === 0 ? null : "claude-code",
          label: null,
          machine: "machine",
          allowed_read_paths: backend.list([]),
          at: BEGAN + number,
        }));
        await db.insertInto("sessions").values(rows).execute();
      }),
    );
    await pages(chats, (from, to) =>
      backend.write(null, async (db) => {
        const rows = numbers(from, to).map((number) => ({
          id: chatOf(number),
          session_id: sessionOf(number % sessions),
          title: `Chat ${number} about one thing and another`,
          status: "idle" as const,
          at: BEGAN + number,
        }));
        await db.insertInto("chats").values(rows).execute();
      }),
    );
    await pages(messages, (from, to) =>
      backend.write(null, async (db) => {
        const rows = numbers(from, to).map((number) => ({
          chat_id: chatOf(number < LONGEST_CHAT ? 0 : number % chats),
          id: uuid("3e550000", number),
          role: "person" as const,
          at: BEGAN + number,
          body: JSON.stringify({ text: `message ${number}: please look at the next part of it` }),
        }));
        await db.insertInto("messages").values(rows).execute();
      }),
    );
    await pages(records, (from, to) =>
      backend.note(null, (db) =>
        recordIn(
          backend,
          db,
          numbers(from, to).map((number) => recordedEvent(number, Math.max(1, sessions))),
        ),
      ),
    );
  } finally {
    await backend.close();
  }
}

// By its name: in a bundle every module has the address of the whole.
if (process.argv[1]?.endsWith("fill-store.ts") === true) {
  const amount = { type: "string", default: "0" } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { records: amount, sessions: amount, chats: amount, messages: amount },
  });
  const [to = ""] = positionals;
  const isUrl = to.startsWith("postgres");
  await fillStore(
    { databaseUrl: isUrl ? to : null, file: to },
    {
      records: Number(values.records),
      sessions: Number(values.sessions),
      chats: Number(values.chats),
      messages: Number(values.messages),
    },
  );
}
