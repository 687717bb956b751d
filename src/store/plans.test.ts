// No question to the store makes SQLite go through a whole table: told by its own plan of every statement the methods make.

import Database from "libsql";
import { Kysely } from "kysely";
import { expect, test } from "vitest";
import type { AuditFilter, Store } from "../agent/ports.ts";
import { askId, callId, grantId } from "../core/names.ts";
import {
  agentMessage,
  closing,
  decision,
  endOf,
  event,
  grantAsk,
  SESSION,
  someChat,
  someGrant,
  someSaid,
  someSession,
  yes,
} from "../../test/store-conformance/values.ts";
import { headOf, recordAlone } from "./audit.ts";
import { DamageLog } from "./damage.ts";
import type { Tables } from "./db.ts";
import { migrateSqlite } from "./migrate.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";
import {
  sqliteAbout,
  sqliteContains,
  sqliteDenial,
  sqliteField,
  sqliteIsAboutPath,
  sqliteIsAskedFor,
  sqliteIsAt,
  sqliteIsOnce,
  sqliteSizes,
} from "./sqlite.ts";
import { createSqlStore } from "./sql-store.ts";

function planned(): { readonly store: Store; readonly plansOf: (ask: () => Promise<unknown>) => Promise<readonly string[]> } {
  const [connection, planner] = [new Database(":memory:"), new Database(":memory:")];
  for (const one of [connection, planner]) migrateSqlite(one);
  const statements: { sql: string; parameters: readonly unknown[] }[] = [];
  const db = new Kysely<Tables>({
    dialect: sqliteDialect(new SqliteConnection(connection, 0)),
    log: ({ query }) => void statements.push(query),
  });
  const store = createSqlStore({
    damage: new DamageLog(),
    read: (work) => work(db),
    snapshot: (work) => work(db),
    write: (_of, work) => work(db),
    note: (_of, work) => work(db),
    alter: (work) => work(db, false),
    lockHead: headOf,
    record: recordAlone,
    sizes: sqliteSizes,
    list: (paths) => JSON.stringify(paths),
    denial: sqliteDenial,
    isOnce: sqliteIsOnce,
    isAskedFor: sqliteIsAskedFor,
    isAt: sqliteIsAt,
    about: sqliteAbout,
    isAboutPath: sqliteIsAboutPath,
    field: sqliteField,
    contains: sqliteContains,
    close: async () => db.destroy(),
  });
  return {
    store,
    plansOf: async (ask) => {
      statements.length = 0;
      await ask();
      const queries = statements.filter(({ sql }) => !/^(begin|commit|rollback|insert)/.test(sql));
      return queries.flatMap(({ sql, parameters }) => {
        const steps = planner.prepare(`EXPLAIN QUERY PLAN ${sql}`).all([...parameters] as never) as { detail: string }[];
        return steps.map(({ detail }) => detail);
      });
    },
  };
}

/** Every filter of the record that there is, in the API, the pages and the terminal. */
const filters: readonly AuditFilter[] = [{}, { session: SESSION }].flatMap((session) =>
  [{}, { kind: "decision" as const }, { kind: "answer" as const }, { kind: "grant" as const }].flatMap((kind) =>
    [{}, { verdict: "deny" as const }].flatMap((verdict) =>
      [{}, { since: 1 }].flatMap((since) =>
        [{}, { before: 9 }].map((before) => ({ ...session, ...kind, ...verdict, ...since, ...before })),
      ),
    ),
  ),
);

test("a page of the record is the end of a few runs of one index, whatever is asked for", async () => {
  const { store, plansOf } = planned();
  for (const filter of [...filters, ...filters.map((one) => ({ ...one, path: "a" })), { grant: grantId("grant"), session: SESSION }]) {
    const plans = await plansOf(() => store.audit({ ...filter, newestFirst: true, limit: 5 }));
    const steps = plans.filter((step) => / audit\b| audit_times\b/.test(step));
    const { session, kind, verdict, grant } = { session: null, kind: null, verdict: null, grant: null, ...filter };
    const run =
      grant !== null
        ? "USING INDEX audit_of_grant (used_grant=? AND verdict=?"
        : session !== null
          ? "audit_of_session (session_id=? AND kind=? AND verdict=?"
          : kind !== null || verdict !== null
            ? "audit_of_kind (kind=? AND verdict=?"
            : null;
    const isFine = (step: string): boolean =>
      step.includes("audit_times USING INTEGER PRIMARY KEY (rowid>?)") ||
      step.includes("audit USING INTEGER PRIMARY KEY (rowid") ||
      (run === null && step === "SCAN audit") ||
      // A kind that never has the verdict: looked for where nothing is.
      (kind === "grant" && verdict !== null && step.includes("audit_of_kind (kind=? AND verdict=?")) ||
      (run !== null && step.includes(run));
    expect(
      steps.filter((step) => !isFine(step)),
      JSON.stringify(filter),
    ).toEqual([]);
    expect(steps.length).toBeGreaterThan(0);
    // Sorted are the ends of the runs, never a run.
    expect(plans.filter((step) => step.includes("TEMP B-TREE")).length, JSON.stringify(filter)).toBe(0);
  }
});

test("no method scans a table", async () => {
  const { store, plansOf } = planned();
  const [ask, grant, call] = [askId("ask-0"), grantId("grant"), callId("call-0")];
  const questions: Readonly<Record<string, () => Promise<unknown>>> = {
    addSession: () => store.addSession(someSession(), []),
    session: () => store.session(SESSION),
    sessionSettings: () => store.sessionSettings(SESSION),
    chatInSession: () => store.chatInSession("chat"),
    askInSession: () => store.askInSession(ask),
    sessionOfHost: () => store.sessionOfHost("mcp", "1", "/w"),
    changeRoots: () => store.changeRoots(SESSION, "/w", [], []),
    mounts: () => store.mounts(SESSION),
    rootsAt: () => store.rootsAt(SESSION, ["/", "/home"]),
    addChat: () => store.addChat(someChat()),
    chat: () => store.chat("chat"),
    "chats of a session": () => store.chats(SESSION),
    "chats of a session in a state": () => store.chats(SESSION, ["running", "idle"]),
    "running chats": () => store.chats(null, ["running"]),
    "a page of chats": () => store.chatPage({ before: "chat", limit: 5 }),
    "a page of a session's chats": () => store.chatPage({ session: SESSION, before: "chat", limit: 5 }),
    "a page of messages": () => store.messagePage("chat", { before: "message", limit: 5 }),
    "a page of archived chats": () => store.chatPage({ archived: true, limit: 5 }),
    "messages after one": () => store.messagePage("chat", { after: "message", rewound: true, limit: 5 }),
    rewind: () => store.rewind("chat", "message", { id: "x", at: 1, text: null }),
    usage: () => store.usage("chat"),
    "a search that goes on in titles": () => store.searchChats({ text: "a", after: "titles-9", limit: 5 }),
    "a search that goes on in messages": () => store.searchChats({ text: "a", after: "messages-9", limit: 5 }),
    deleteChat: () => store.deleteChat("other", 9, []),
    "a page of open sessions": () => store.sessions({ archived: false, newestFirst: true, before: SESSION, limit: 5 }),
    "a page of ended sessions": () => store.sessions({ archived: true, newestFirst: true, limit: 5 }),
    "a page of asks": () => store.asks({ before: ask, newestFirst: true, limit: 5 }),
    "a page of grants": () => store.grantPage({ after: grant, limit: 5 }),
    "a page of a session's grants": () => store.grantPage({ session: SESSION, after: grant, limit: 5 }),
    setStatus: () => store.setStatus("chat", ["idle"], "running"),
    append: () => store.append("chat", agentMessage("message", [call]), "running"),
    transcript: () => store.transcript("chat"),
    "calls by their ids": () => store.calls("chat", [call, callId("other")]),
    say: () => store.say(someSaid(), []),
    "what was said in a chat": () => store.said("chat"),
    "what was said anywhere": () => store.said(null),
    hear: () => store.hear("chat", "running"),
    openAsk: () => store.openAsk(grantAsk(0), [decision(1)]),
    closeAsks: () => store.closeAsks(SESSION, [closing(0)]),
    ask: () => store.ask(ask),
    "open asks": () => store.asks({ state: "open" }),
    "earlier asks about the same": () => store.earlierAsks(grantAsk(0), 5),
    "how many asks are open": () => store.openAsks(),
    "asks of a session": () => store.asks({ session: SESSION }),
    "open asks of a session": () => store.asks({ session: SESSION, state: "open" }),
    "the newest open asks": () => store.asks({ state: "open", newestFirst: true, limit: 5 }),
    "the latest asks of a session": () => store.asks({ session: SESSION, since: 1 }),
    "what was denied in a chat": () => store.asks({ chat: "chat", deniedSince: 1 }),
    "open asks of a chat": () => store.asks({ session: SESSION, chat: "chat", state: "open" }),
    answerAsk: () => store.answerAsk(ask, yes, { grant: someGrant(), calls: [{ call, to: { at: "started" } }], events: [event(1)] }),
    setCall: () => store.setCall("chat", call, ["started"], { at: "proposed" }),
    "grants of a session": () => store.grants(SESSION),
    "live grants": () => store.grants(null),
    "grants whose time is over": () => store.grantsEndingBy(9),
    grant: () => store.grant(grant),
    record: () => store.record([decision(1)]),
    readsUnder: () => store.readsUnder([grant, grantId("other")]),
    "the newest of the record": () => store.audit({ newestFirst: true, limit: 50, before: 9 }),
    "the record of a session": () => store.audit({ session: SESSION, kind: "decision", after: 1 }),
    "the record of a session and a reason": () => store.audit({ session: SESSION, kind: "decision", reason: "answered", since: 1 }),
    "the record of a grant": () => store.audit({ grant, session: SESSION, verdict: "allow", newestFirst: true }),
    "the record of a reason": () => store.audit({ reason: "secret-file", kind: "decision", verdict: "deny" }),
    "the record of a kind": () => store.audit({ kind: "grant", newestFirst: true, limit: 5 }),
    "the record of a verdict": () => store.audit({ kind: "decision", verdict: "deny", since: 1, limit: 5 }),
    "the record since a time": () => store.audit({ since: 1 }),
    verifyAudit: () => store.verifyAudit(),
    addCredential: () => store.addCredential({ digest: "x", session: SESSION, at: 1 }),
    credential: () => store.credential("x"),
    addBrowser: () => store.addBrowser({ id: "b", digest: "b", owner: "o", name: "n", at: 1, seenAt: 1, push: null }),
    browser: () => store.browser("b"),
    browsers: () => store.browsers("o"),
    changeBrowser: () => store.changeBrowser("b", { seenAt: 2 }),
    removeBrowser: () => store.removeBrowser("o", "b"),
    "yeses for once": () => store.onceGrants(SESSION, call),
    claimOnce: () => store.claimOnce(ask, call),
    useOnce: () => store.useOnce(ask, call, decision(1), false),
    endOnceGrants: () => store.endOnceGrants(SESSION, 9, "me"),
    revokeGrant: () => store.revokeGrant(grant, 9, []),
    archiveSession: () => store.archiveSession(endOf()),
  };
  const scans: string[] = [];
  for (const [name, ask] of Object.entries(questions)) {
    const plans = await plansOf(ask);
    if (process.env["PLANS"] !== undefined) console.log(name, plans);
    // Head and base are one row each, whatever is in the store; the live grants, what nobody has heard yet and the projects are what is asked for.
    // Whether there is any project at all is told by the first. A page of what has ended is the end of an index of just those. The directories
    // that are asked for are gone through, each by an index.
    const anyProject = "SCAN projects USING COVERING INDEX sqlite_autoindex_projects_2";
    const fine = [
      anyProject,
      "SCAN audit_head",
      "SCAN audit_base",
      "SCAN grants USING INDEX grants_given",
      "SCAN said",
      "SCAN projects",
      "SCAN sessions USING INDEX sessions_ended",
      "SCAN chats USING INDEX chats_archived",
      "SCAN json_each VIRTUAL TABLE INDEX 1:",
    ];
    scans.push(...plans.filter((plan) => plan.startsWith("SCAN") && !fine.includes(plan)).map((plan) => `${name}: ${plan}`));
  }
  expect(scans).toEqual([]);
  // A page is the end of a run of its index; what has ended is not gone through for what has not, nor sorted.
  const pages: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["chats USING INDEX chats_open", () => store.chatPage({ limit: 5 })],
    ["chats USING INDEX chats_archived", () => store.chatPage({ archived: true, limit: 5 })],
    ["chats USING INDEX chats_of_session (session_id=? AND sequence<?)", () => store.chatPage({ session: SESSION, before: "c", limit: 5 })],
    ["sessions USING INDEX sessions_open", () => store.sessions({ archived: false, newestFirst: true, limit: 5 })],
    ["sessions USING INDEX sessions_ended", () => store.sessions({ archived: true, newestFirst: true, limit: 5 })],
    ["sessions USING INDEX sessions_below (parent_id=?)", () => store.sessions({ archived: false, parent: SESSION })],
    ["grants USING INDEX grants_given", () => store.grantPage({ limit: 5 })],
    ["grants USING INDEX grants_ending (expires>? AND expires<?)", () => store.grantsEndingBy(9)],
    ["messages USING COVERING INDEX messages_of_chat", () => store.messagePage("chat", { limit: 5 })],
  ];
  for (const [way, page] of pages) {
    const plans = await plansOf(page);
    expect(plans.join("\n")).toContain(way);
    if (!way.startsWith("messages")) expect(plans.filter((step) => step.includes("TEMP B-TREE"))).toEqual([]);
  }
  const roots = (await plansOf(() => store.rootsAt(SESSION, ["/"]))).filter((step) => step.startsWith("SEARCH"));
  expect(roots).toEqual([
    "SEARCH projects USING INDEX sqlite_autoindex_projects_2 (path=?)",
    expect.stringMatching(/^SEARCH mounts USING .*\(session_id=\? AND path=\?\)$/),
    "SEARCH grants USING INDEX grants_live (session_id=? AND path=?)",
  ]);
  expect((await plansOf(() => store.onceGrants(SESSION, null, "/a")))[0]).toContain("USING INDEX asks_once (session_id=? AND <expr>=?)");
  expect(await plansOf(() => store.earlierAsks(grantAsk(0), 5))).toEqual([expect.stringContaining("USING INDEX asks_about")]);
  for (const of of [{ session: SESSION }, { chat: "chat" }, { session: SESSION, chat: "chat" }])
    expect((await plansOf(() => store.asks({ ...of, state: "open" })))[0]).toContain("USING INDEX asks_open");
  expect((await plansOf(() => store.asks({ session: SESSION, state: "answered" })))[0]).toContain("USING INDEX asks_of_session ");
  expect((await plansOf(() => store.asks({ session: SESSION, chat: "chat", state: "answered" })))[0]).toContain(
    "USING INDEX asks_of_chat ",
  );
});
