// The tools in a scene: called by name with plain input, as an agent's host does, with limits a test may lower.

import { afterAll } from "vitest";
import type { Guard } from "../src/core/guard/guard.ts";
import { callId } from "../src/core/names.ts";
import type { Session } from "../src/core/session/session.ts";
import { defaultLimits, type Limits } from "../src/tools/limits.ts";
import { createOutputs } from "../src/tools/outputs.ts";
import type { Failure } from "../src/tools/result.ts";
import { runTool } from "../src/tools/run.ts";
import { createSearcher, type Searcher } from "../src/tools/search/searcher.ts";
import { counter, type Scene } from "./scene.ts";

export interface ToolPlan {
  readonly session?: Session;
  readonly guard?: Guard;
  readonly limits?: Partial<Limits>;
  readonly call?: string;
}

export interface Toolbox {
  /** The output of a call that must succeed. */
  done(name: string, input: object, plan?: ToolPlan): Promise<unknown>;
  /** The failure of a call that must not. */
  failed(name: string, input: unknown, plan?: ToolPlan): Promise<Failure>;
  /** Its code alone. */
  code(name: string, input: unknown, plan?: ToolPlan): Promise<string>;
}

/** One searcher for a test file; its threads end with it. */
export function searcherOf(): () => Searcher {
  let searcher: Searcher | null = null;
  afterAll(() => searcher?.close());
  return () => (searcher ??= createSearcher());
}

export function toolbox(it: Scene, searcher: Searcher): Toolbox {
  const outputs = createOutputs(counter());
  const run = (name: string, input: unknown, { session = it.session, guard = it.guard, limits = {}, call = "call-1" }: ToolPlan = {}) =>
    runTool(name, input, { guard, session, call: callId(call), limits: { ...defaultLimits, ...limits }, searcher, outputs });
  const failed: Toolbox["failed"] = async (name, input, plan) => {
    const result = await run(name, input, plan);
    if (result.ok) throw new Error(`done: ${JSON.stringify(result.output).slice(0, 200)}`);
    return result;
  };
  return {
    async done(name, input, plan) {
      const result = await run(name, input, plan);
      if (!result.ok) throw new Error(`${result.code}: ${result.hint}`);
      return result.output;
    },
    failed,
    code: async (name, input, plan) => (await failed(name, input, plan)).code,
  };
}
