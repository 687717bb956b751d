// A tool: what it is called, what it takes, and what it does with what the guard opens for it. `run.ts` is the only caller.

import type { z } from "zod";
import type { Guard } from "../core/guard/guard.ts";
import type { CallId } from "../core/names.ts";
import type { Session } from "../core/session/session.ts";
import type { Limits } from "./limits.ts";
import type { ToolResult } from "./result.ts";
import type { Searcher } from "./search/searcher.ts";

/** What a call stands in: whose it is, what judges it, what bounds it. */
export interface Surroundings {
  readonly guard: Guard;
  readonly session: Session;
  readonly call: CallId;
  readonly limits: Limits;
  readonly searcher: Searcher;
}

export interface Tool<Input = unknown> {
  readonly name: string;
  /** For the model: when to use it, and what a refusal means. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  run(input: Input, surroundings: Surroundings): Promise<ToolResult>;
}

/** Keep a tool's own input type while it is made; the list of tools forgets it. */
export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool;
}
