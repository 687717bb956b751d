import { expect, test } from "vitest";
import type { SocketLike } from "../../wire/socket.ts";
import { type AgentState, type Endings, keepState } from "./kept-state.ts";

const session = {
  id: "s",
  project: null,
  parent: null,
  workspace: "/w",
  asking: "by-model",
  attended: true,
  host: "mcp",
  label: null,
  shell: null,
  machine: null,
} as const;
const state = (grants: readonly string[] = [], once: AgentState["once"] = []): AgentState => ({
  session: { ...session, mounts: [], allowed_read_paths: [], at: 0, archivedAt: null },
  inherited: [],
  projects: [],
  grants: grants.map((id) => ({
    id,
    session: "s",
    ask: "a",
    path: "/g",
    dev: 1,
    ino: 1,
    born: null,
    by: "me",
    at: 0,
    expires: null,
    revokedAt: null,
  })),
  once,
});

/** A socket that says what the test says. */
function socket() {
  const listeners = new Map<string, (event: { readonly data: unknown }) => void>();
  const like: SocketLike = {
    send: () => {},
    close: () => {},
    addEventListener: (type: string, listener: (event: { readonly data: unknown }) => void) => void listeners.set(type, listener),
  };
  const say = (frame: object): void => listeners.get("message")?.({ data: JSON.stringify(frame) });
  return { like, say, lose: () => listeners.get("close")?.({ data: null }) };
}

/** A keeper over a source that counts how often it is asked, and an app whose mark is what the test says. */
function keeper(first: AgentState, marked = true, endings: Endings = {}) {
  let [now, asked, changes] = [first, 0, 0];
  const it = socket();
  const ended: string[] = [];
  const source = () => ((asked += 1), Promise.resolve(now));
  const mark = () => (marked ? String(changes) : null);
  const kept = keepState(
    source,
    "s",
    { connect: () => it.like, token: "t", chat: "c", mark },
    {
      ended: (grant, how) => ended.push(how === "ended" ? grant : `${grant} ${how}`),
      ...endings,
    },
  );
  /** As the app does it: what is so, then the mark. */
  const becomes = (next: AgentState): void => void ([now, changes] = [next, changes + 1]);
  return { ...it, kept, ended, asked: () => asked, becomes };
}
const live = { type: "live", cursor: "1" };
const updated = { type: "session_updated", cursor: "2", session: state().session };

test("until frames come the daemon is asked at every call", async () => {
  const { kept, asked } = keeper(state());
  await kept.read("1");
  await kept.read("2");
  expect(asked()).toBe(2);
});

test("it is asked once, and again when the mark is another", async () => {
  const { kept, asked, say, becomes } = keeper(state());
  await kept.read("0");
  expect(asked()).toBe(1); // not live yet, so not kept
  say(live);
  const read = await kept.read("1");
  expect([await kept.read("2"), asked()]).toEqual([read, 2]);
  becomes(state());
  await kept.read("3");
  expect(asked()).toBe(3);
});

test("a grant that was taken back is gone at the next call, though no frame has told of it", async () => {
  const { kept, say, becomes, asked } = keeper(state(["g"]));
  say(live);
  expect((await kept.read("1")).grants).toHaveLength(1);
  expect([(await kept.read("2")).grants.length, asked()]).toEqual([1, 1]);
  becomes(state([]));
  expect((await kept.read("3")).grants).toEqual([]);
});

test("what changes while it is asked for is asked for again", async () => {
  const { kept, say, becomes } = keeper(state(["g"]));
  say(live);
  const reading = kept.read("1");
  // The answer under way was made before the revocation.
  becomes(state([]));
  await reading;
  expect((await kept.read("2")).grants).toEqual([]);
});

test("without a mark the app is asked at every call", async () => {
  const { kept, asked, say } = keeper(state(), false);
  say(live);
  await kept.read("1");
  await kept.read("2");
  expect(asked()).toBe(2);
});

test("while the connection is lost nothing is kept", async () => {
  const { kept, asked, say, lose } = keeper(state());
  say(live);
  await kept.read("1");
  lose();
  await kept.read("2");
  await kept.read("3");
  expect([asked(), kept.wasLost()]).toEqual([3, true]);
  kept.close();
});

test("a yes for one call is never kept", async () => {
  const once = [{ call: "1", ask: "a", right: "read", path: "/x", operation: "read", offers: "once", by: "me", at: 0 }] as const;
  const { kept, asked, say } = keeper(state([], [...once]));
  say(live);
  await kept.read("1");
  await kept.read("2");
  expect(asked()).toBe(2);
});

test("a grant that ends is told at once, once", async () => {
  const { kept, say, becomes, ended } = keeper(state(["one", "two"]));
  say(live);
  await kept.read("1");
  becomes(state(["two"]));
  say(updated);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await kept.read("2");
  expect(ended).toEqual(["one"]);
});

test("after so long without the app, grants count as ended; not if it is back in time", async () => {
  const AWAY = 60;
  const it = keeper(state(["g"]), true, { away: AWAY });
  it.say({ type: "live", cursor: "1" });
  await it.kept.read("1");
  it.lose();
  await expect.poll(() => it.ended).toEqual(["g unreachable"]);
  it.kept.close();

  const back = keeper(state(["g"]), true, { away: 60_000 });
  back.say({ type: "live", cursor: "1" });
  await back.kept.read("1");
  back.lose();
  back.becomes(state(["g"]));
  back.say({ type: "live", cursor: "2" });
  await expect.poll(back.asked).toBe(2);
  expect(back.ended).toEqual([]);
  back.kept.close();
});

test("what ended while the app was away, or before it was registered with anew, is told when it is back", async () => {
  const it = keeper(state(["g"]));
  it.say({ type: "live", cursor: "1" });
  await it.kept.read("1");
  it.lose();
  it.becomes(state([]));
  it.say({ type: "live", cursor: "2" });
  await expect.poll(() => it.ended).toEqual(["g"]);
  it.kept.close();

  const again = keeper(state([]), true, { before: new Set(["g"]) });
  again.say({ type: "live", cursor: "1" });
  await expect.poll(() => again.ended).toEqual(["g"]);
  again.kept.close();
});
