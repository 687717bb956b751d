// view_truncated_output: the rest of an output that was too long to show at once.

import { z } from "zod";
import { badInput, done } from "./result.ts";
import { windowOf } from "./text.ts";
import { defineTool } from "./tool.ts";

export const viewTruncatedOutput = defineTool({
  name: "view_truncated_output",
  title: "Show more of an output",
  verb: "read on in an output",
  kind: "read",
  gives: "text",
  description: "Show more of an output that was truncated. Give the handle that came with it, and which lines.",
  input: z.strictObject({
    handle: z.string().min(1).max(100),
    offset: z.int().min(1).default(1).describe("First line, counted from 1"),
    limit: z.int().min(1).max(2000).default(500).describe("How many lines"),
  }),
  run({ handle, offset, limit }, { outputs, limits }) {
    const text = outputs.get(handle);
    if (text === null) return Promise.resolve(badInput("bad-request", "there is no such output any more; run the tool again"));
    const window = windowOf(text, offset, limit);
    const visible = window.text.slice(0, limits.fileBytes);
    return Promise.resolve(
      done({ text: visible, from: window.from, to: window.to, total_lines: window.total, truncated: visible.length < window.text.length }),
    );
  },
});
