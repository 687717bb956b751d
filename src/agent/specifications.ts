// The tools as a model is told of them: name, description, JSON Schema of the input.

import { z } from "zod";
import type { Tool } from "../tools/tool.ts";
import type { ToolSpecification } from "./ports.ts";

/** Made once for each list of tools, which never changes: a schema takes longer to make than a call to run. */
const cache = new WeakMap<Readonly<Record<string, Tool>>, readonly ToolSpecification[]>();

/** One specification a tool; a second name of the same tool is left out. */
export function specifications(tools: Readonly<Record<string, Tool>>): readonly ToolSpecification[] {
  const cached = cache.get(tools);
  if (cached !== undefined) return cached;
  const specified = specify(tools);
  cache.set(tools, specified);
  return specified;
}

function specify(tools: Readonly<Record<string, Tool>>): readonly ToolSpecification[] {
  return Object.entries(tools)
    .filter(([name, tool]) => tool.name === name)
    .map(([name, { description, input }]) => ({ name, description, schema: schemaOf(input) }));
}

function schemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: "input" });
  return schema;
}
