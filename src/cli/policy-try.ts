// hallpass policy try: what would be done with a path, under the policy as it is and as another file would make it. Nothing is opened.

import { explain } from "../core/guard/explain.ts";
import { createGuard } from "../core/guard/guard.ts";
import { callId } from "../core/names.ts";
import type { Verdict } from "../core/policy/rule.ts";
import { plainDecision } from "../core/guard/plain-decision.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Call } from "./flags.ts";
import { type Host, UsageError } from "./host.ts";
import { openPlace, operationOf } from "./judge-flags.ts";
import { type Paint, paintFor } from "./paint.ts";

/** Exit code: of the verdict with the other file where one is given, else of the verdict as things are. */
export async function tryPolicy({ values, words: [, path] }: Call<"policy">, host: Host): Promise<number> {
  if (path === undefined) throw new UsageError("policy try takes one path");
  const operation = operationOf(values.operation);
  const judge = async (file: string | undefined) => {
    const session = await openPlace({ ...values, policy: file }, host);
    const decision = createGuard().judge({ call: callId("try"), tool: "hallpass", operation, path }, session);
    if (decision.verdict === "allow") decision.pass.close();
    return decision;
  };
  const now = await judge(values.policy);
  const then = values.with === undefined ? null : await judge(values.with);
  if (values.json === true)
    host.output.write(`${JSON.stringify({ now: plainDecision(now), with: then === null ? null : plainDecision(then) })}\n`);
  else {
    const paint = paintFor(host.output, host.env);
    const summarize = (decision: typeof now): string => `${markVerdict(decision.verdict, paint)}  ${explain(decision).headline}`;
    host.output.write(
      then === null
        ? `${summarize(now)}\n${explain(now)
            .steps.map((step) => `  ${step}\n`)
            .join("")}`
        : `now   ${summarize(now)}\nwith  ${summarize(then)}\n${explain(then)
            .steps.map((step) => `      ${step}\n`)
            .join("")}`,
    );
  }
  return exitCodes[(then ?? now).verdict];
}

function markVerdict(verdict: Verdict, paint: Paint): string {
  return { allow: paint.green("✓ allow"), ask: paint.yellow("? ask  "), deny: paint.red("✗ deny ") }[verdict];
}
