// Guarded tools for other people's agents on the AI SDK: the same tools, judged by the same guard, over one session. A refusal is an
// answer the model can read; a question goes to whoever the host names, and nothing the model says can stand for their answer.

import { tool, type ToolSet } from "ai";
import { randomIds } from "../../core/clock.ts";
import { createGuard, type Guard } from "../../core/guard/guard.ts";
import { callId } from "../../core/names.ts";
import type { Answer, Ask } from "../../core/session/ask.ts";
import type { Session } from "../../core/session/session.ts";
import { defaultLimits, type Limits } from "../../tools/limits.ts";
import { createOutputs } from "../../tools/outputs.ts";
import { toolNamed, tools as allTools } from "../../tools/registry.ts";
import type { ToolResult } from "../../tools/result.ts";
import { runTool } from "../../tools/run.ts";
import { createSearcher, type Searcher } from "../../tools/search/searcher.ts";
import { type Tool, wordsOf } from "../../tools/tool.ts";
import { createGivenYeses } from "./given-yeses.ts";

/** What the tools are made with. Only the session is needed. */
export interface GuardedToolsOptions {
  readonly session: Session;
  readonly guard?: Guard;
  /** Put an ask to a person and give their answer, with the agent's own words beside it. Without it nobody is asked: asks are refused. */
  readonly ask?: (ask: Ask, words: string | null) => Promise<Answer>;
  /** Only these; default: all that need no host of their own. */
  readonly only?: readonly string[];
  readonly limits?: Limits;
  readonly searcher?: Searcher;
}

/** The tools, and the session they work in. */
export interface GuardedTools {
  /** For `streamText({ tools })` and its like. */
  readonly tools: ToolSet;
  /** The session as it is now: grants given meanwhile are in it. */
  session(): Session;
  /** End the threads that search. */
  close(): Promise<void>;
}

/** Waiting for a person and starting an agent take a loop that can stop; a single step of somebody else's cannot. Second names are left out. */
const isForOneStep = ([name, { name: first, asks, starts }]: readonly [string, Tool]): boolean =>
  name === first && asks !== "person" && starts === undefined;

/** The guarded tools for the AI SDK. */
export function guardedTools(options: GuardedToolsOptions): GuardedTools {
  const { guard = createGuard(), ask, limits = defaultLimits, searcher = createSearcher() } = options;
  const outputs = createOutputs(randomIds);
  const names =
    options.only ??
    Object.entries(allTools)
      .filter(isForOneStep)
      .map(([name]) => name);
  let session = options.ask === undefined ? { ...options.session, attended: false } : options.session;
  const yeses = createGivenYeses(guard);

  /** Run, ask where a person is needed, and run again: an answer opens nothing by itself. */
  const execute = async (name: string, input: unknown): Promise<unknown> => {
    const call = callId(randomIds());
    // Asking again takes no yes.
    const isRequest = toolNamed(name)?.asks === "access";
    const guardNow = isRequest ? guard : yeses.guardOfCall();
    const run = (): Promise<ToolResult> => runTool(name, input, { guard: guardNow, session, call, limits, searcher, outputs });
    const first = await run();
    const pendingAsk = first.ok ? null : first.ask;
    // Nothing here confines a command, so none asks for the network.
    if (pendingAsk === null || !("operation" in pendingAsk) || ask === undefined || (pendingAsk.right === "read" && !isRequest))
      return wordResult(first);
    const settled = guard.answer(session, pendingAsk, await ask(pendingAsk, wordsOf(input)));
    if (!settled.ok) return { error: settled.code, hint: `denied: ${settled.message}` };
    if (isRequest && settled.grant.until === "call") yeses.add(settled.grant);
    else session = settled.session;
    if (isRequest)
      return settled.grant.until === "session" ? `granted: ${settled.grant.root.dir}` : `granted: ${settled.grant.path} (once)`;
    return wordResult(await run());
  };

  const tools: ToolSet = {};
  for (const name of names) {
    const known = Object.hasOwn(allTools, name) ? allTools[name] : undefined;
    if (known === undefined) throw new TypeError(`guardedTools: there is no tool ${name}`);
    tools[name] = tool({ description: known.description, inputSchema: known.input, execute: (input: unknown) => execute(name, input) });
  }
  return { tools, session: () => session, close: () => (options.searcher === undefined ? searcher.close() : Promise.resolve()) };
}

function wordResult(result: ToolResult): unknown {
  return result.ok ? result.output : { error: result.code, hint: result.hint };
}
