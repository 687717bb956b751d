// The tools this server offers: our own, as MCP describes tools. Schemas are made once; a tool list is asked for often.

import type { Tool as McpTool, ToolAnnotations } from "@modelcontextprotocol/server";
import { specifications } from "../../agent/specifications.ts";
import { applyPatch } from "../../tools/apply-patch.ts";
import { tools } from "../../tools/registry.ts";
import type { Tool } from "../../tools/tool.ts";

/** Hints are for showing; what a tool may do is decided by the guard. */
const hintsOf = ({ writes, asks, idempotent = !writes }: Tool): ToolAnnotations => ({
  readOnlyHint: !writes && asks === undefined,
  ...(writes || asks !== undefined ? { destructiveHint: writes } : {}),
  idempotentHint: idempotent,
  openWorldHint: false,
});

/** A client asks its person by its own means and starts its own agents; and one way of changing files is enough. */
const isOffered = ({ name, asks, starts }: Tool): boolean => asks !== "person" && starts === undefined && name !== applyPatch.name;

/** A host that knows this word asks its person before each call, and no setting of the host skips that. */
const ASKS_A_PERSON = { "anthropic/requiresUserInteraction": true };

export interface OfferedTools {
  /** What runs, by name. */
  readonly tools: Readonly<Record<string, Tool>>;
  /** What `tools/list` answers. */
  readonly listed: McpTool[];
}

/** A second name of a tool, for models that know it, runs and is not listed: a list goes to the model with every turn. */
export function offeredTools(): OfferedTools {
  const offered = Object.fromEntries(Object.entries(tools).filter(([, tool]) => isOffered(tool)));
  const listed = specifications(offered).flatMap(({ name, description, schema }): McpTool[] => {
    const tool = offered[name];
    if (tool === undefined) return [];
    const { title, asks } = tool;
    const annotations = { title, ...hintsOf(tool) };
    const meta = asks === "access" ? { _meta: ASKS_A_PERSON } : {};
    return [{ name, title, description, inputSchema: { ...schema, type: "object" }, annotations, ...meta }];
  });
  return { tools: offered, listed };
}
