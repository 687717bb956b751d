// hallpass policy try: what would be done with a path, under the policy as it is and as another file would make it. Nothing is opened.

import { isOperation, needs } from "../core/access.ts";
import { explain } from "../core/guard/explain.ts";
import { createGuard } from "../core/guard/guard.ts";
import { callId } from "../core/names.ts";
import { show } from "../core/path/show.ts";
import type { Verdict } from "../core/policy/rule.ts";
import { plainDecision } from "../core/guard/plain-decision.ts";
import { exitCodes } from "./exit-codes.ts";
import { readWords } from "./flags.ts";
import { type Host, UsageError } from "./host.ts";
import { openPlace, placeOptions } from "./judge-flags.ts";
import { type Paint, paintFor } from "./paint.ts";

const options = {
  ...placeOptions,
  operation: { type: "string", short: "o" },
  with: { type: "string" },
  json: { type: "boolean" },
} as const;

/** Exit code: of the verdict with the other file where one is given, else of the verdict as things are. */
export async function tryPolicy(words: readonly string[], host: Host): Promise<number> {
  const { values, positionals } = readWords(words, options);
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new UsageError("policy try takes one path");
  const operation = values.operation ?? "read";
  if (!isOperation(operation))
    throw new UsageError(`--operation must be one of ${Object.keys(needs).join(", ")}; found ${show(operation)}`);
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
    const said = (decision: typeof now): string => `${marked(decision.verdict, paint)}  ${explain(decision).headline}`;
    host.output.write(
      then === null
        ? `${said(now)}\n${explain(now)
            .steps.map((step) => `  ${step}\n`)
            .join("")}`
        : `now   ${said(now)}\nwith  ${said(then)}\n${explain(then)
            .steps.map((step) => `      ${step}\n`)
            .join("")}`,
    );
  }
  return exitCodes[(then ?? now).verdict];
}

function marked(verdict: Verdict, paint: Paint): string {
  return { allow: paint.green("✓ allow"), ask: paint.yellow("? ask  "), deny: paint.red("✗ deny ") }[verdict];
}
