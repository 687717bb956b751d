// ask_user_input: a question of the model's to the person. The loop puts it to them and waits; by itself it can only say so.

import { z } from "zod";
import { badInput } from "./result.ts";
import { defineTool } from "./tool.ts";

export const questionInput = z.strictObject({
  question: z.string().min(1).max(2000),
  options: z.array(z.string().min(1).max(200)).max(10).default([]).describe("Answers to choose from; the person may also write their own"),
});

export const askPerson = defineTool({
  name: "ask_user_input",
  title: "Ask the person",
  verb: "ask you",
  asks: "person",
  description:
    "Ask the person a question and wait for the answer. Use it when you cannot go on without knowing; not for permission to read files.",
  input: questionInput,
  run: () => Promise.resolve(badInput("bad-request", "nobody can be asked here")),
});
