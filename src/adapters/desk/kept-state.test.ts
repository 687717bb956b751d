import { expect, test } from "vitest";
import type { SocketLike } from "../../wire/socket.ts";
import { type AgentState, keepState } from "./kept-state.ts";

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

/** A keeper over a source that counts how often it is asked. */
function keeper(first: AgentState, frames = true) {
  let [now, asked] = [first, 0];
  const it = socket();
  const ended: string[] = [];
  const source = () => ((asked += 1), Promise.resolve(now));
  const kept = keepState(source, "s", frames ? { connect: () => it.like, token: "t", chat: "c", far: true } : null, (grant) =>
    ended.push(grant),
  );
  return { ...it, kept, ended, asked: () => asked, becomes: (next: AgentState) => (now = next) };
}
const live = { type: "live", cursor: "1" };
const updated = { type: "session_updated", cursor: "2", session: state().session };

test("without frames the daemon is asked at every call", async () => {
  const { kept, asked } = keeper(state(), false);
  await kept.read("1");
  await kept.read("2");
  expect(asked()).toBe(2);
});

test("what is kept is the same state until a frame tells of a change, in this process and from another", async () => {
  for (const far of [false, true]) {
    const it = socket();
    const kept = keepState(async () => state(), "s", { connect: () => it.like, token: "t", chat: "c", far });
    it.say(live);
    const read = await kept.read("1");
    expect(await kept.read("2")).toBe(read);
    it.say(updated);
    expect(await kept.read("3")).not.toBe(read);
  }
});

test("with frames it is asked once, until one tells of a change", async () => {
  const { kept, asked, say } = keeper(state());
  await kept.read("0");
  expect(asked()).toBe(1); // not live yet, so not kept
  say(live);
  await kept.read("1");
  await kept.read("2");
  expect(asked()).toBe(2);
  say(updated);
  await kept.read("3");
  expect(asked()).toBe(3);
});

test("a change that comes just after the call is in time", async () => {
  const { kept, say, becomes } = keeper(state());
  say(live);
  await kept.read("1");
  const reading = kept.read("2");
  becomes({ ...state(), session: { ...state().session, workspace: "/moved" } });
  say(updated);
  expect((await reading).session.workspace).toBe("/moved");
});

test("what a person can take away is asked for at every call, though no frame has told of it", async () => {
  const { kept, say, becomes } = keeper(state(["g"]));
  say(live);
  expect((await kept.read("1")).grants).toHaveLength(1);
  // Revoked, and the answer to whoever revoked it was quicker than the frame.
  becomes(state([]));
  expect((await kept.read("2")).grants).toEqual([]);
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
  const once = [{ call: "1", ask: "a", right: "read", path: "/x", by: "me", at: 0 }] as const;
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
