// One tool call from plain JSON to a result: name → schema → run. The only caller of tools; what a tool throws becomes a failure.

import type { z } from "zod";
import { show } from "../core/path/show.ts";
import { nearNames } from "./near.ts";
import { tools } from "./registry.ts";
import { badInput, failed, type ToolResult } from "./result.ts";
import type { Surroundings, Tool } from "./tool.ts";

/** Run the tool called `name` on `input`, which may be anything. Never throws. */
export async function runTool(name: unknown, input: unknown, surroundings: Surroundings): Promise<ToolResult> {
  if (typeof name !== "string" || !Object.hasOwn(tools, name)) {
    const near = nearNames(String(name), Object.keys(tools));
    return badInput(
      "unknown-tool",
      `there is no tool \`${show(String(name))}\`${near.length === 0 ? `; the tools are ${Object.keys(tools).join(", ")}` : `; did you mean ${near.join(", ")}?`}`,
    );
  }
  const tool = tools[name];
  return tool === undefined ? badInput("unknown-tool", `there is no tool \`${show(name)}\``) : call(tool, input, surroundings);
}

async function call<Input>(tool: Tool<Input>, input: unknown, surroundings: Surroundings): Promise<ToolResult> {
  const parsed = tool.input.safeParse(input);
  if (!parsed.success)
    return badInput(
      parsed.error.issues.some(({ path }) => path[0] === "path") ? "invalid-path" : "bad-request",
      `${tool.name}: ${wordIssues(parsed.error.issues)}`,
    );
  try {
    return await tool.run(parsed.data, surroundings);
  } catch (error) {
    // INVARIANT: a fault refuses. The message stays with us; it may name what the caller must not know.
    const path = typeof parsed.data === "object" && parsed.data !== null && "path" in parsed.data ? String(parsed.data.path) : "";
    return {
      ...failed("guard-fault", path),
      verdict: "deny",
      hint: `\`${show(path)}\` could not be judged (${error instanceof Error ? error.name : "fault"}), and what cannot be judged is denied.`,
    };
  }
}

function wordIssues(issues: readonly z.core.$ZodIssue[]): string {
  return issues.map(({ path, message }) => (path.length === 0 ? message : `\`${path.join(".")}\`: ${message}`)).join("; ");
}
