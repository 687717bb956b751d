// The AI SDK's own loop over our tools: refusals are read by the model, a person's yes opens, the model's words never do.

import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { afterEach, expect, test } from "vitest";
import { guardedTools } from "../src/adapters/ai/guarded-tools.ts";
import { openSession } from "../src/core/session/session.ts";
import { tree } from "./tree.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

/** A model that makes these calls one after the other, then says what the last result was. */
function model(calls: readonly { readonly name: string; readonly input: unknown }[]) {
  let at = 0;
  return new MockLanguageModelV3({
    doGenerate: ({ prompt }) => {
      const call = calls[at++];
      if (call !== undefined) {
        const content = [{ type: "tool-call" as const, toolCallId: `c${at}`, toolName: call.name, input: JSON.stringify(call.input) }];
        return Promise.resolve({ content, finishReason: { unified: "tool-calls" as const, raw: "tool_use" }, usage, warnings: [] });
      }
      const text = JSON.stringify(prompt.at(-1)?.content);
      return Promise.resolve({
        content: [{ type: "text" as const, text }],
        finishReason: { unified: "stop" as const, raw: "stop" },
        usage,
        warnings: [],
      });
    },
  });
}

function scene() {
  const at = tree(["ws/a.txt: inside", "lib/.git/", "lib/go.mod: module lib"]);
  const opened = openSession({ workspace: at.path("ws"), ceilings: [at.root], home: "/home/nobody-here" });
  if (!opened.ok) throw new Error(opened.message);
  cleanups.push(() => at.remove());
  return { at, session: opened.session };
}

test("a read in the workspace is done, one outside it is refused with a hint", async () => {
  const { at, session } = scene();
  const guarded = guardedTools({ session, ask: () => Promise.resolve({ verdict: "deny", by: "me" }) });
  cleanups.push(() => guarded.close());
  const inside = await generateText({
    model: model([{ name: "read_file", input: { path: "a.txt" } }]),
    tools: guarded.tools,
    prompt: "x",
    stopWhen: stepCountIs(5),
  });
  expect(inside.text).toContain("inside");
  const outside = await generateText({
    model: model([{ name: "read_file", input: { path: at.path("lib/go.mod") } }]),
    tools: guarded.tools,
    prompt: "x",
    stopWhen: stepCountIs(5),
  });
  expect(outside.text).toContain("request_read_access");
  expect(outside.text).not.toContain("module lib");
});

test("a person's yes opens the repository for the rest of the session; their no opens nothing", async () => {
  const { at, session } = scene();
  const asked: (string | null)[] = [];
  const path = at.path("lib/go.mod");
  const calls = [
    { name: "request_read_access", input: { path, reason: "to compare" } },
    { name: "read_file", input: { path } },
  ];
  for (const verdict of ["deny", "allow"] as const) {
    const guarded = guardedTools({
      session,
      ask: (_ask, words) => {
        asked.push(words);
        return Promise.resolve(verdict === "allow" ? { verdict, until: "session", by: "me" } : { verdict, by: "me", note: "no" });
      },
    });
    const { text } = await generateText({ model: model(calls), tools: guarded.tools, prompt: "x", stopWhen: stepCountIs(5) });
    expect(text.includes("module lib")).toBe(verdict === "allow");
    expect(guarded.session().grants.length).toBe(verdict === "allow" ? 1 : 0);
    await guarded.close();
  }
  expect(asked).toEqual(["to compare", "to compare"]);
});

test("without anybody to ask, asking is refused at once", async () => {
  const { at, session } = scene();
  const guarded = guardedTools({ session });
  cleanups.push(() => guarded.close());
  const calls = [{ name: "request_read_access", input: { path: at.path("lib/go.mod"), reason: "x" } }];
  const { text } = await generateText({ model: model(calls), tools: guarded.tools, prompt: "x", stopWhen: stepCountIs(5) });
  expect(text).toContain("no-prompt-channel");
});

test("a yes for once that was asked for opens that file to the next call that reads it, and to no other", async () => {
  const { at, session } = scene();
  const asked: string[] = [];
  const guarded = guardedTools({
    session,
    ask: (ask) => {
      asked.push(ask.right);
      return Promise.resolve({ verdict: "allow", until: "call", by: "me" });
    },
  });
  cleanups.push(() => guarded.close());
  const path = at.path("lib/go.mod");
  const made = async (calls: readonly { readonly name: string; readonly input: unknown }[]): Promise<string> =>
    (await generateText({ model: model(calls), tools: guarded.tools, prompt: "x", stopWhen: stepCountIs(9) })).text;
  const request = { name: "request_read_access", input: { path, reason: "to compare" } };
  const read = { name: "read_file", input: { path } };
  expect(await made([request])).toContain("(once)");
  // Neither a look elsewhere nor a listing of the directory uses it.
  expect(await made([{ name: "read_file", input: { path: "a.txt" } }])).toContain("inside");
  expect(await made([{ name: "list_dir", input: { path: at.path("lib") } }])).toContain("out-of-scope");
  expect(await made([read])).toContain("module lib");
  expect(await made([read])).toContain("out-of-scope");
  expect(asked).toEqual(["read"]);
});
