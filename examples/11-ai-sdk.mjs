// Guarded tools in somebody else's agent: the AI SDK runs its own loop over our tools. Refusals are read by the model, and a person's
// answer comes through the callback alone: nothing the model writes can stand for it.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { openSession } from "hallpass";
import { guardedTools } from "hallpass/ai";

const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-example-")));
for (const [path, text] of Object.entries({ "app/main.ts": "", "library/.git/HEAD": "", "library/go.mod": "module library\n" })) {
  mkdirSync(join(place, path, ".."), { recursive: true });
  writeFileSync(join(place, path), text);
}

// A stand-in for a model: it makes these calls one after the other and then repeats the last result.
const path = join(place, "library/go.mod");
const calls = [
  ["read_file", { path }],
  ["request_read_access", { path, reason: "the person asked for its name" }],
  ["read_file", { path }],
];
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const call = calls.shift();
    const content =
      call === undefined
        ? [{ type: "text", text: JSON.stringify(prompt.at(-1).content) }]
        : [{ type: "tool-call", toolCallId: `call-${calls.length}`, toolName: call[0], input: JSON.stringify(call[1]) }];
    return { content, finishReason: { unified: call === undefined ? "stop" : "tool-calls" }, usage, warnings: [] };
  },
});

try {
  const opened = openSession({ workspace: join(place, "app"), ceilings: [place], home: homedir() });
  assert(opened.ok);
  const guarded = guardedTools({
    session: opened.session,
    ask: async (ask, words) => {
      console.log(`a person is asked for ${ask.proposal.dir.replace(place, "~")}; the agent says: ${words}`);
      return { verdict: "allow", until: "session", by: "ada" };
    },
  });
  const { text } = await generateText({ model, tools: guarded.tools, prompt: "What is the library called?", stopWhen: stepCountIs(6) });
  assert.match(text, /module library/);
  assert.equal(guarded.session().grants.length, 1);
  console.log("the model read the file after the yes, and not before");
  await guarded.close();
} finally {
  rmSync(place, { recursive: true, force: true });
}
