// A chat over HTTP, seen over a WebSocket, on the real program: it reads a file, is refused outside, asks, is allowed, reads, is revoked,
// is refused. Once as it is; then with the daemon killed right after each of the steps in turn, and started again.

import { join } from "node:path";
import { expect, test } from "vitest";
import type { Frame } from "../../src/wire/frames.ts";
import { routes } from "../../src/wire/http.ts";
import type { WireAsk, WireMessage } from "../../src/wire/values.ts";
import { cpuOf } from "../support/cpu-of.ts";
import { eventually, type Program, type Stage, stage, startProgram } from "./daemon-process.ts";

interface State {
  readonly on: Stage;
  daemon: Program;
  session: string;
  chat: string;
}

interface Step {
  readonly name: string;
  /** What a person does. */
  act(state: State): Promise<void>;
  /** What then comes to be so, whatever happened in between. */
  holds(state: State): Promise<boolean>;
}

const messages = async ({ daemon, chat }: State): Promise<readonly WireMessage[]> =>
  (await daemon.client.send(routes.messages, { id: chat, query: { limit: 200 } })).messages;
const outcomes = async (state: State): Promise<readonly string[]> =>
  (await messages(state))
    .flatMap((message) => (message.role === "agent" ? message.calls : []))
    .map(({ name, state: { ...at } }) => `${name}: ${at.at === "done" ? (at.outcome.ok ? at.outcome.output : at.outcome.code) : at.at}`);
const openAsks = ({ daemon }: State): Promise<readonly WireAsk[]> => daemon.client.send(routes.listAsks, { query: { state: "open" } });
const isIdle = async ({ daemon, chat }: State): Promise<boolean> => (await daemon.client.send(routes.chat, { id: chat })).status === "idle";
const has = async (state: State, pattern: RegExp, count = 1): Promise<boolean> =>
  (await outcomes(state)).filter((one) => pattern.test(one)).length >= count;

const steps: readonly Step[] = [
  {
    name: "a session and a chat are made",
    async act(state) {
      state.session = (await state.daemon.client.send(routes.addSession, { body: { workspace: state.on.workspace } })).id;
      state.chat = (await state.daemon.client.send(routes.addChat, { body: { session: state.session } })).id;
    },
    holds: (state) => isIdle(state),
  },
  {
    name: "it is told to read a file of the workspace",
    act: async ({ daemon, chat }) => void (await daemon.client.send(routes.say, { id: chat, body: { text: "read notes.txt" } })),
    holds: async (state) => (await has(state, /read_file: .*inside the workspace/)) && (await isIdle(state)),
  },
  {
    name: "it is told to read a file outside, is refused, and asks",
    act: async ({ daemon, chat, on }) =>
      void (await daemon.client.send(routes.say, { id: chat, body: { text: `read ${join(on.library, "far.txt")}` } })),
    holds: async (state) => (await has(state, /read_file: out-of-scope/)) && (await openAsks(state)).length === 1,
  },
  {
    name: "it is allowed, and reads",
    async act(state) {
      const [ask] = await openAsks(state);
      if (ask === undefined) throw new Error("there is no ask");
      await state.daemon.client.send(routes.answer, { id: ask.id, body: { decision: "allow", digest: ask.digest } });
    },
    holds: async (state) => (await has(state, /read_file: .*outside the workspace/)) && (await isIdle(state)),
  },
  {
    name: "the grant is revoked",
    async act({ daemon, session }) {
      const [grant] = await daemon.client.send(routes.listGrants, { query: { session } });
      if (grant === undefined) throw new Error("there is no grant");
      await daemon.client.send(routes.revoke, { id: grant.id });
    },
    holds: async ({ daemon, session }) => (await daemon.client.send(routes.session, { id: session })).allowed_read_paths.length === 0,
  },
  {
    name: "it is told to read there again, and is refused",
    act: async ({ daemon, chat, on }) =>
      void (await daemon.client.send(routes.say, { id: chat, body: { text: `read ${join(on.library, "far.txt")}` } })),
    holds: async (state) => (await has(state, /read_file: out-of-scope/, 2)) && (await openAsks(state)).length === 1,
  },
];

const settle = (state: State, step: Step): Promise<boolean> => eventually(async () => ((await step.holds(state)) ? true : null));

test("a chat over HTTP reads, is refused, asks, is allowed, reads, is revoked and refused; every step is seen over the WebSocket", async () => {
  const on = stage();
  const state: State = { on, daemon: await startProgram(on, { data: on.data() }), session: "", chat: "" };
  // Of the processors' time: how long it takes besides is the machine's.
  expect(cpuOf(state.daemon.pid) ?? 0).toBeLessThan(5000);
  const all = state.daemon.listen("all");
  for (const step of steps) {
    await step.act(state);
    await settle(state, step);
  }
  const one = state.daemon.listen([state.chat]);
  await one.until(({ type }) => type === "live");

  const kinds = (list: readonly Frame[]): readonly string[] => [...new Set(list.map(({ type }) => type))].toSorted();
  await all.until((frame) => frame.type === "session_updated" && frame.session.allowed_read_paths.length === 1);
  await all.until((frame) => frame.type === "ask_settled" && frame.ask.answer?.verdict === "allow");
  await all.until((frame) => frame.type === "tool_result" && frame.outcome.ok && frame.outcome.output.includes("outside the workspace"));
  for (const type of [
    "chat_added",
    "message",
    "turn_start",
    "text_delta",
    "turn_end",
    "tool_call",
    "tool_result",
    "ask_open",
    "ask_settled",
    "chat_status",
    "session_updated",
  ])
    expect(kinds(all.frames)).toContain(type);
  // Frames are numbered without a hole, and a snapshot shows what the frames have told.
  const numbers = all.frames.flatMap((frame) =>
    "cursor" in frame && frame.type !== "live" ? [Number(frame.cursor.split(".").at(-1))] : [],
  );
  expect(numbers).toEqual([...numbers].toSorted((a, b) => a - b));
  expect(new Set(numbers).size).toBe(numbers.length);
  const snapshot = one.frames.find((frame) => frame.type === "snapshot");
  expect(snapshot?.type === "snapshot" && snapshot.messages.map(({ id }) => id)).toEqual((await messages(state)).map(({ id }) => id));
  expect(snapshot?.type === "snapshot" && snapshot.asks).toHaveLength(1);
  expect(await state.daemon.stop()).toBe(0);
});

test.each(steps.map((step, at) => [step.name, at] as const))(
  "killed right after “%s”: the rest is as if nothing had happened",
  async (_, killedAfter) => {
    const on = stage();
    const state: State = { on, daemon: await startProgram(on, { data: on.data() }), session: "", chat: "" };
    for (const [at, step] of steps.entries()) {
      await step.act(state);
      if (at === killedAfter) {
        // Not waited for: what the step set going is killed in the middle of it.
        await state.daemon.kill();
        state.daemon = await startProgram(on, { data: on.data() });
        const heard = state.daemon.listen([state.chat]);
        await heard.until(({ type }) => type === "live");
        expect(heard.frames[0]?.type).toBe("snapshot");
      }
      await settle(state, step);
    }
    // Nothing was lost and nothing was done twice: the same calls, in the same order, with the same ends.
    expect((await outcomes(state)).map((one) => one.replaceAll(on.root, "").slice(0, 60))).toMatchInlineSnapshot(`
      [
        "read_file: {"path":"/ws/notes.txt","content":"inside the wor",
        "read_file: out-of-scope",
        "request_read_access: granted: /lib",
        "read_file: {"path":"/lib/far.txt","content":"outside the wor",
        "read_file: out-of-scope",
        "request_read_access: waiting",
      ]
    `);
    const asks = await state.daemon.client.send(routes.listAsks, {});
    expect(asks.filter(({ state: at }) => at === "answered")).toHaveLength(1);
    expect(asks.filter(({ state: at }) => at === "open")).toHaveLength(1);
    const records = await state.daemon.client.send(routes.audit, { query: { limit: 1000 } });
    for (const kind of ["grant", "revocation"]) expect(records.records.filter(({ event }) => event.kind === kind)).toHaveLength(1);
    expect(await state.daemon.stop()).toBe(0);
  },
);
