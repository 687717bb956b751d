// The tools this server offers: our own, as MCP describes tools. Schemas are made once; a tool list is asked for often.

import type { Tool as McpTool, ToolAnnotations } from "@modelcontextprotocol/server";
import { specifications } from "../../agent/specifications.ts";
import { tools } from "../../tools/registry.ts";
import type { Tool } from "../../tools/tool.ts";

const reads: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
const writes: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };

/** Name, title and hints. Hints are for showing; what a tool may do is decided by the guard. */
const offered: Readonly<Record<string, { readonly title: string; readonly annotations: ToolAnnotations }>> = {
  read_file: { title: "Read a file", annotations: reads },
  list_dir: { title: "List a directory", annotations: reads },
  find_files: { title: "Find files", annotations: reads },
  grep: { title: "Search in files", annotations: reads },
  write_file: { title: "Write a file", annotations: { ...writes, idempotentHint: true } },
  edit_file: { title: "Edit a file", annotations: { ...writes, idempotentHint: false } },
  bash: { title: "Run a command, confined", annotations: { ...writes, idempotentHint: false } },
  view_truncated_output: { title: "Show more of an output", annotations: reads },
  request_read_access: {
    title: "Ask a person for reading outside the workspace",
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  list_access: { title: "List what may be read and written", annotations: reads },
};

/** Another name of `read_file`, for models that know it. It runs and is not listed: a list goes to the model with every turn. */
const ALIAS = "view_file";

/** A host that knows this word asks its person before each call, and no setting of the host skips that. */
const ASKS_A_PERSON = { "anthropic/requiresUserInteraction": true };

export interface OfferedTools {
  /** What runs, by name. */
  readonly tools: Readonly<Record<string, Tool>>;
  /** What `tools/list` answers. */
  readonly listed: McpTool[];
}

export function offeredTools(): OfferedTools {
  const ours = Object.fromEntries(Object.entries(tools).filter(([name]) => Object.hasOwn(offered, name) || name === ALIAS));
  const specified = new Map(specifications(ours).map((one) => [one.name, one]));
  const listed = Object.entries(offered).flatMap(([name, { title, annotations }]): McpTool[] => {
    const specification = specified.get(name);
    if (specification === undefined) return [];
    return [
      {
        name,
        title,
        description: specification.description,
        inputSchema: { ...specification.schema, type: "object" },
        annotations: { title, ...annotations },
        ...(name === "request_read_access" ? { _meta: ASKS_A_PERSON } : {}),
      },
    ];
  });
  return { tools: ours, listed };
}
