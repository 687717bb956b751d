// One tool call from plain JSON to a result: name → tool → call. The only caller of tools.

import { show } from "../core/path/show.ts";
import { nearNames } from "./near.ts";
import { tools } from "./registry.ts";
import { badInput, type ToolResult } from "./result.ts";
import type { ToolContext, Tool } from "./tool.ts";

/** Run the tool called `name` on `input`, which may be anything. Never throws. A narrower list of tools may be given. */
export async function runTool(
  name: unknown,
  input: unknown,
  context: ToolContext,
  among: Readonly<Record<string, Tool>> = tools,
): Promise<ToolResult> {
  const tool = typeof name === "string" && Object.hasOwn(among, name) ? among[name] : undefined;
  // What is no text is not made one: a model's object may have a `toString` that is none.
  const nameText = typeof name === "string" ? name : `(${name === null ? "null" : typeof name})`;
  return tool === undefined ? unknownTool(nameText, Object.keys(among)) : tool.call(input, context);
}

function unknownTool(name: string, names: readonly string[]): ToolResult {
  const near = nearNames(name, names);
  const way = near.length === 0 ? `the tools are ${names.join(", ")}` : `did you mean ${near.join(", ")}?`;
  return badInput("unknown-tool", `there is no tool \`${show(name)}\`; ${way}`);
}
