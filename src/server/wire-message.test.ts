import { expect, test } from "vitest";
import { callId } from "../core/names.ts";
import type { CallOutcome } from "../agent/transcript.ts";
import { wireMessage } from "./frames.ts";

test.each([
  [{ ok: false, code: "person-declined", hint: "denied" }, "denied-by-person"],
  [{ ok: false, code: "secret-file", hint: "no" }, "denied-by-policy"],
  [{ ok: false, code: "out-of-scope", hint: "ask" }, null],
] as const)("an outcome on the wire says what kind of refusal it is: %j", (outcome: CallOutcome, category) => {
  const call = { id: callId("c"), name: "read_file", input: {}, state: { at: "done", outcome } } as const;
  const message = wireMessage({ role: "agent", id: "m", at: 0, text: "", calls: [call], usage: null, error: null });
  expect(message).toMatchObject({ calls: [{ state: { at: "done", outcome: { ...outcome, category } } }] });
});
