// hallpass tool --stdin: tool calls through the line protocol, judged and done.

import { createGuard } from "../../core/guard/guard.ts";
import { callId } from "../../core/names.ts";
import { randomIds } from "../../core/clock.ts";
import { createSandbox } from "../../sandbox/sandbox.ts";
import { defaultLimits } from "../../tools/limits.ts";
import { createOutputs } from "../../tools/outputs.ts";
import { tools } from "../../tools/registry.ts";
import type { ToolResult } from "../../tools/result.ts";
import { runTool } from "../../tools/run.ts";
import { createSearcher } from "../../tools/search/searcher.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { onlyKeys, serveLines } from "../line-protocol.ts";
import { openSituations, situationKeys } from "../situation.ts";

const LONGEST_LINE = 16 * 1_048_576;

/** A line is one call: there is nobody to ask, and no agent to start. */
const offered = Object.fromEntries(Object.entries(tools).filter(([, { asks, starts }]) => asks !== "person" && starts === undefined));

export async function tool({ values }: Call<"tool">, host: Host): Promise<number> {
  if (values.stdin !== true) throw new UsageError("tool takes its calls as JSON lines: hallpass tool --stdin");
  const situationOf = await openSituations(host);
  const guard = createGuard();
  const searcher = createSearcher();
  const outputs = createOutputs(randomIds);
  const sandbox = createSandbox(host.env["PATH"] === undefined ? {} : { path: host.env["PATH"] });
  let calls = 0;
  try {
    await serveLines(host, {
      longest: LONGEST_LINE,
      async answer(line) {
        onlyKeys(line, ["id", "tool", "input", ...situationKeys]);
        const { session, lost } = situationOf(line);
        calls += 1;
        const surroundings = { guard, session, call: callId(`line-${calls}`), limits: defaultLimits, searcher, outputs, sandbox };
        const result = await runTool(line["tool"], line["input"], surroundings, offered);
        return { ...withoutAsk(result), ...(lost.length === 0 ? {} : { lost }) };
      },
      // A line that could not be served is a call that failed, in the words of both.
      wrong: (code, message) => ({
        ok: false,
        code,
        category: "invalid-input",
        hint: message,
        verdict: null,
        proposal: null,
        flags: [],
        error: { code, message },
      }),
    });
  } finally {
    await searcher.close();
  }
  return exitCodes.done;
}

/** The ask is for whoever can put it to a person; here the proposal and the flags say what it would be. */
function withoutAsk(result: ToolResult): Readonly<Record<string, unknown>> {
  if (result.ok) return result;
  const { ask: _ask, ...answer } = result;
  return answer;
}
