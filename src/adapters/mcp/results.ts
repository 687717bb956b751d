// What a call gave, as MCP gives results: text for the model. No tool of ours declares an output schema, so the protocol wants no data
// beside the text; there is some where it is short and of use to a client: what may be read, and a refusal, with its code and what to do.

import type { CallToolResult } from "@modelcontextprotocol/server";
import { categoryOf, HallpassError, wordRefusal } from "../../core/errors.ts";
import { isRecord, textAt } from "../../core/record.ts";
import { toolNamed } from "../../tools/registry.ts";
import type { ToolResult } from "../../tools/result.ts";

/** A result of ours. What may be long is sent once: with the same as data beside it a client would be sent everything twice. */
export function callResult(tool: string, result: ToolResult): CallToolResult {
  if (!result.ok) {
    const { code, hint, proposal } = result;
    return failure(code, hint, proposal === null ? {} : { proposal });
  }
  const output = fieldsOf(result.output);
  switch (toolNamed(tool)?.gives) {
    case "text":
      return texts(textAt(output, "content") || textAt(output, "text"), windowNote(output));
    case "command":
      return plainText(commandText(output));
    case "data":
      return plainText(JSON.stringify(output), output);
    case undefined:
      return plainText(JSON.stringify(output));
  }
}

export function failure(code: string, hint: string, more: Readonly<Record<string, unknown>> = {}): CallToolResult {
  const category = categoryOf(code);
  const structuredContent = { code, ...(category === null ? {} : { category }), hint, ...more };
  return { content: [{ type: "text", text: wordRefusal(code, hint) }], structuredContent, isError: true };
}

/** Something that should not happen, told without what it may know. Nothing was done, or what was done is not handed out. */
export function faultResult(error: unknown): CallToolResult {
  if (error instanceof HallpassError) return failure(error.code, `${error.message}. Nothing was handed out.`);
  const what = error instanceof Error ? error.name : "fault";
  return failure("guard-fault", `the call could not be judged (${what}), and what cannot be judged is denied.`);
}

export const plainText = (text: string, data?: Readonly<Record<string, unknown>>): CallToolResult => ({
  content: [{ type: "text", text }],
  ...(data === undefined ? {} : { structuredContent: { ...data } }),
});

function texts(text: string, note: string | null): CallToolResult {
  return { content: [{ type: "text", text }, ...(note === null ? [] : [{ type: "text" as const, text: note }])] };
}

/** Which lines are shown, where it is not the whole. */
function windowNote({ from, to, total_lines: total, truncated }: Readonly<Record<string, unknown>>): string | null {
  if (typeof from !== "number" || typeof to !== "number" || typeof total !== "number") return null;
  const cut = truncated === true ? ", cut short: ask for fewer" : "";
  return `[lines ${from} to ${to} of ${total}${cut}]`;
}

function commandText(output: Readonly<Record<string, unknown>>): string {
  const { exit_code: exit, handle, notes } = output;
  const [stdout, stderr] = [textAt(output, "stdout"), textAt(output, "stderr")];
  const parts = [...(stdout === "" ? [] : [stdout]), ...(stderr === "" ? [] : [`[stderr]\n${stderr}`]), `[exit code ${String(exit)}]`];
  if (typeof handle === "string") parts.push(`[the whole output: view_truncated_output with handle ${handle}]`);
  if (Array.isArray(notes)) parts.push(...notes.map(String));
  return parts.join("\n");
}

function fieldsOf(output: unknown): Record<string, unknown> {
  return isRecord(output) ? { ...output } : { output };
}
