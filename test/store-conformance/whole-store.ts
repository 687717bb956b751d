// A store with one of everything, and all that can be read of one: for tests that move a store, or open one of an earlier version.

import type { Store } from "../../src/agent/ports.ts";
import { askId, callId, grantId, sessionId } from "../../src/core/names.ts";
import {
  agentMessage,
  decision,
  endOf,
  event,
  grantAsk,
  question,
  SESSION,
  someChat,
  someGrant,
  someMount,
  someProject,
  someSaid,
  someSession,
  yes,
} from "./values.ts";

/** One of everything, with text that is hard to keep: so many calls in each of three messages, and so many records. */
export async function fillStore(store: Store, amounts: { readonly calls: number; readonly records: number }): Promise<void> {
  const child = sessionId("child");
  await store.addProject(someProject());
  await store.addSession(someSession({ project: "project", host: "mcp", hostSession: "1", label: "é", allowedReadPaths: ['/a "b"'] }), [
    someMount(),
    someMount({ path: "/x", mode: "extend" }),
  ]);
  await store.addSession(someSession({ id: child, parent: SESSION }), []);
  await store.addChat(someChat());
  await store.append("chat", { role: "person", id: "person", at: 1, text: 'it\'s "so"\n\u2028\0 \ud800 😀' }, "idle");
  for (let number = 0; number < 3; number++) {
    const calls = Array.from({ length: amounts.calls }, (_, call) => callId(`call-${number * amounts.calls + call}`));
    await store.append("chat", agentMessage(`message-${number}`, calls), "running");
  }
  for (const ask of [grantAsk(0), question(1), grantAsk(2)]) await store.openAsk(ask);
  await store.answerAsk(askId("ask-0"), yes, { grant: someGrant(), calls: [], events: [event(1)] });
  await store.answerAsk(askId("ask-2"), yes, {
    grant: someGrant({ id: grantId("g2"), ask: askId("ask-2"), path: "/two" }),
    calls: [],
    events: [],
  });
  await store.revokeGrant(grantId("g2"), 9, [event(2)]);
  await store.record(Array.from({ length: amounts.records }, (_, number) => decision(number, { requested: `\0${number}` })));
  await store.addCredential({ digest: "d", session: SESSION, at: 5 });
  await store.addBrowser({ id: "b", digest: "b", owner: "token", name: "Firefox", at: 5, seenAt: 6, push: null });
  await store.say(someSaid({ text: "hear\0 me \ud800" }), []);
  await store.archiveSession(endOf(child, 7));
}

/** All that can be read of a store that was filled so. */
export async function wholeStore(store: Store) {
  return {
    projects: await store.projects(),
    sessions: await store.sessions(),
    mounts: await store.mounts(SESSION),
    chats: await store.chats(null),
    transcript: await store.transcript("chat"),
    said: await store.said(null),
    asks: await store.asks({}),
    grants: [await store.grants(null), await store.grant(grantId("g2"))],
    audit: await store.audit({}),
    reads: [...(await store.readsUnder([grantId("grant")]))],
    credential: await store.credential("d"),
    browsers: await store.browsers("token"),
    broken: await store.verifyAudit(),
  };
}
