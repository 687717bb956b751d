import { describe, expect, test } from "vitest";
import { askId, callId } from "../core/names.ts";
import { type Budget, type NextAction, next, refusedBefore } from "./next.ts";
import type { CallState, Message, CallOutcome, ToolCall, Transcript } from "./transcript.ts";

let made = 0;
const ids = (): string => `id-${(made += 1)}`;

const call = (state: CallState, name = "read_file", input: unknown = { path: "a" }): ToolCall => ({
  id: callId(ids()),
  name,
  input,
  state,
});
const person = (text: string, at = 0): Message => ({ role: "person", id: ids(), at, text });
const agent = (calls: readonly ToolCall[], error: string | null = null): Message => ({
  role: "agent",
  id: ids(),
  at: 0,
  text: "",
  calls,
  usage: null,
  error,
});
const reminder: Message = { role: "reminder", id: "r", at: 0, text: "", dedupeKey: null, turns: null };
const summary: Message = { role: "summary", id: "s", at: 0, text: "" };

const done = (outcome: CallOutcome): CallState => ({ at: "done", outcome });
const read = done({ ok: true, output: "text" });
const refused = done({ ok: false, code: "out-of-scope", hint: "no" });
const stopped = done({ ok: false, code: "person-declined", hint: "denied", stops: true });
const waiting: CallState = { at: "waiting", ask: askId("a"), kind: "pending_grant" };

const stop = (why: Extract<NextAction, { do: "stop" }>["why"]): NextAction => ({ do: "stop", why });

const proposed = call({ at: "proposed" });
const started = call({ at: "started" });
const again = (times: number, state: CallState): readonly Message[] => Array.from({ length: times }, () => agent([call(state)]));

const rows: readonly [string, Transcript, NextAction][] = [
  ["nothing was said", [], stop("finished")],
  ["the person has spoken", [person("go")], { do: "call-model" }],
  ["the person has spoken, and something was noted since", [person("go"), reminder], { do: "call-model" }],
  ["the model has said something and called nothing", [person("go"), agent([])], stop("finished")],
  ["the turn failed", [person("go"), agent([], "no key")], stop("failed")],
  ["a call is to be done", [person("go"), agent([proposed])], { do: "run-calls", calls: [proposed] }],
  ["a call was interrupted", [person("go"), agent([started])], { do: "run-calls", calls: [started] }],
  ["a call is to be done and another one waits", [person("go"), agent([call(waiting), proposed])], { do: "run-calls", calls: [proposed] }],
  ["one call waits, another is done", [person("go"), agent([call(waiting), call(read)])], { do: "wait" }],
  ["every call is done", [person("go"), agent([call(read)])], { do: "call-model" }],
  ["a call was refused", [person("go"), agent([call(refused)])], { do: "call-model" }],
  ["the person said no and asked it to stop", [person("go"), agent([call(stopped), call(read)])], stop("stopped-by-person")],
  ["they did so, and then spoke", [person("go"), agent([call(stopped)]), person("go on")], { do: "call-model" }],
  ["the person spoke while a call of the turn before was open", [person("go"), agent([proposed]), person("wait")], { do: "call-model" }],
  ["the same call was refused twice", [person("go"), ...again(2, refused)], { do: "call-model" }],
  ["the same call was refused three times", [person("go"), ...again(3, refused)], stop("repeats-itself")],
  [
    "it was, and the person has spoken in between",
    [person("go"), ...again(2, refused), person("yes", 1), ...again(1, refused)],
    { do: "call-model" },
  ],
  ["the turns are used up", [person("go"), ...again(4, read)], stop("turns-used-up")],
  ["they were, before the person spoke", [person("go"), ...again(4, read), person("more", 1), ...again(1, read)], { do: "call-model" }],
  ["the calls are used up", [person("go"), agent(Array.from({ length: 6 }, () => call(read)))], stop("calls-used-up")],
];

const budget: Budget = { turns: 4, calls: 6 };

test.each(rows)("%s", (_what, transcript, then) => {
  expect(next(transcript, budget)).toEqual(then);
});

test.each(rows)(
  "%s, and the person has said something else: it is heard before the next turn, and no earlier",
  (_what, transcript, then) => {
    const isHeard = then.do === "call-model" || then.do === "stop";
    expect(next(transcript, budget, true)).toEqual(isHeard ? { do: "hear" } : then);
  },
);

test("after a summary what was said once is counted once", () => {
  const said = person("go", 7);
  const before = [said, ...again(3, read)];
  const after = [...before, summary, { ...said, id: "again" }, ...again(1, read)];
  expect(next(after, budget)).toEqual(stop("turns-used-up"));
});

describe("how often a call was refused before", () => {
  const one = { name: "read_file", input: { path: "a" } };
  const request = done({ ok: true, output: "granted: /lib" });
  test.each([
    ["never", [call(read)], 0],
    ["each time", [call(refused), call(refused)], 2],
    ["another path does not count", [call(refused, "read_file", { path: "b" })], 0],
    ["another tool does not count", [call(refused, "list_dir")], 0],
    ["what is not done does not count", [call({ at: "proposed" }), call(waiting)], 0],
    ["after a yes it begins anew", [call(refused), call(request, "request_read_access"), call(refused)], 1],
    ["a request that was refused changes nothing", [call(refused), call(refused, "request_read_access"), call(refused)], 2],
  ])("%s", (_what, calls, times) => {
    expect(refusedBefore(calls, one)).toBe(times);
  });
});
