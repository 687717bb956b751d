// hallpass check: one decision as JSON, or any number of them through the line protocol.

import { isOperation, needs } from "../../core/access.ts";
import { createGuard } from "../../core/guard/guard.ts";
import { callId } from "../../core/names.ts";
import { plainDecision } from "../../core/guard/plain-decision.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import type { Host } from "../host.ts";
import { readFlags } from "../judge-flags.ts";
import { onlyKeys, type Protocol, serveLines } from "../line-protocol.ts";
import { bad, openSituations, situationKeys } from "../situation.ts";

const LONGEST_LINE = 1_048_576;

export async function check(call: Call<"check">, host: Host): Promise<number> {
  const { stdin, access, session } = await readFlags(call, host);
  if (stdin) {
    await serveLines(host, await checkProtocol(host));
    return exitCodes.done;
  }
  if (access === null || session === null) return exitCodes.usage;
  const decision = createGuard().judge(access, session);
  if (decision.verdict === "allow") decision.pass.close();
  host.output.write(`${JSON.stringify(plainDecision(decision))}\n`);
  return exitCodes[decision.verdict];
}

/** `{id?, …situation…, operation, path}` → a decision. */
async function checkProtocol(host: Host): Promise<Protocol> {
  const guard = createGuard();
  const situationOf = await openSituations(host);
  return {
    longest: LONGEST_LINE,
    async answer(line) {
      onlyKeys(line, ["id", "operation", "path", ...situationKeys]);
      const { operation, path } = line;
      if (!isOperation(operation)) throw bad(`\`operation\` must be one of ${Object.keys(needs).join(", ")}`);
      if (typeof path !== "string") throw bad("`path` must be a string", "invalid-path");
      const { session, lost } = situationOf(line);
      const decision = guard.judge({ call: callId("line"), tool: "check", operation, path }, session);
      if (decision.verdict === "allow") decision.pass.close();
      const [first] = decision.trace;
      if (first.at === "unresolved") throw bad(first.why, "invalid-path");
      return { ...plainDecision(decision), ...(lost.length === 0 ? {} : { lost }) };
    },
    wrong: (code, message) => ({ error: { code, message } }),
  };
}
