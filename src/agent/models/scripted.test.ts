import { expect, test } from "vitest";
import { ModelFault, type ModelPrompt } from "../ports.ts";
import type { Message, Transcript } from "../transcript.ts";
import { type Script, scriptedModel } from "./scripted.ts";

const person: Message = { role: "person", id: "p1", at: 1, text: "hello" };
const agent: Message = { role: "agent", id: "g1", at: 2, text: "", calls: [], usage: null, error: null };
const prompt = (transcript: Transcript): ModelPrompt => ({ system: "", transcript, tools: [] });

async function turn(script: Script, transcript: Transcript, signal = new AbortController().signal) {
  const deltas: string[] = [];
  return { ...(await scriptedModel(script).turn(prompt(transcript), { signal, delta: (text) => deltas.push(text) })), deltas };
}

test("a list is told in order, and where it stands is read from the transcript", async () => {
  const script = ["one two", { calls: [{ name: "read_file", input: { path: "a" } }], usage: { input: 1, output: 2 } }];
  expect(await turn(script, [person])).toEqual({ text: "one two", calls: [], usage: null, deltas: ["one ", "two"] });
  const second = await turn(script, [person, agent]);
  expect(second).toEqual({
    text: "",
    calls: [{ id: "g1-2-1", name: "read_file", input: { path: "a" } }],
    usage: { input: 1, output: 2 },
    deltas: [],
  });
  expect(await turn(script, [person, agent])).toEqual(second);
});

test("past its end there is a fault, and an error is thrown as it is", async () => {
  await expect(turn([], [person])).rejects.toThrow(ModelFault);
  await expect(turn([new ModelFault("gone")], [person])).rejects.toThrow("gone");
});

test("a function sees the transcript and may take its time; an abort is heeded", async () => {
  const script: Script = async (transcript) => `${transcript.length} messages`;
  expect((await turn(script, [person, agent])).text).toBe("2 messages");
  await expect(turn(script, [person], AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
});
