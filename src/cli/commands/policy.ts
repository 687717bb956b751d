// hallpass policy lint|print|schema|try|keep: what the policy says, what in it can hardly be meant, what it would say about a path, and
// a grant made into a rule.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { lintPart } from "../../config/lint-part.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Call, oneOf } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { paintFor } from "../paint.ts";

export async function policy(call: Call<"policy">, host: Host): Promise<number> {
  const { values, words } = call;
  const [what = "", file] = words;
  const verb = oneOf("policy", what, ["lint", "print", "schema", "try", "keep"]);
  if (verb === "try") return (await import("../policy-try.ts")).tryPolicy(call, host);
  const other = Object.keys(values).find((name) => name !== "json");
  if (other !== undefined) throw new UsageError(`policy ${verb} takes no --${other}`);
  if (verb === "keep") return (await import("../policy-keep.ts")).keepGrant(file, values.json === true, host);
  if (verb === "schema" && file !== undefined) throw new UsageError("policy schema takes no file");
  switch (verb) {
    case "schema":
      host.output.write(readFileSync(new URL("../policy.schema.json", import.meta.url), "utf8"));
      return exitCodes.done;
    case "lint":
      return lint(file, values.json === true, host);
    case "print":
      return print(file, values.json === true, host);
  }
}

async function load(file: string | undefined, host: Host) {
  const { loadPolicy } = await import("../../config/load.ts");
  const place = { home: host.home, env: host.env, platform: host.platform, workspace: host.cwd };
  return loadPolicy(file === undefined ? place : { ...place, operatorFile: resolve(host.cwd, file) });
}

/** Errors make exit code 2, findings 1, nothing to say 0. */
async function lint(file: string | undefined, json: boolean, host: Host): Promise<number> {
  const paint = paintFor(host.output, host.env);
  const { findingLine } = await import("../../config/load.ts");
  const loaded = await load(file, host);
  if (!loaded.ok) {
    if (json) return writeFindings(false, loaded.errors.map(findingLine), exitCodes.usage, host);
    for (const error of loaded.errors) host.output.write(`${paint.red("error")}  ${findingLine(error)}\n`);
    host.output.write(
      `${loaded.errors.length} ${loaded.errors.length === 1 ? "error" : "errors"}: every request is denied until this is fixed\n`,
    );
    return exitCodes.usage;
  }
  // What a file says that does not count is among the notices already.
  const findings = [
    ...loaded.notices,
    ...loaded.parts.flatMap((part) => lintPart(part, host.home)).filter(({ kind }) => kind !== "ignored"),
  ];
  if (json) return writeFindings(true, findings.map(findingLine), findings.length === 0 ? exitCodes.done : exitCodes.fault, host);
  for (const finding of findings) host.output.write(`${paint.yellow("note")}  ${findingLine(finding)}\n`);
  const rules = loaded.parts.reduce((sum, part) => sum + part.layer.rules.length, 0);
  host.output.write(
    `${loaded.parts.length} ${loaded.parts.length === 1 ? "policy" : "policies"}, ${rules} ${rules === 1 ? "rule" : "rules"}, ${findings.length === 0 ? "nothing to say" : `${findings.length} to look at`}\n`,
  );
  return findings.length === 0 ? exitCodes.done : exitCodes.fault;
}

/** The same for programs; `ok` is false where the policy does not hold and everything is denied. */
function writeFindings(ok: boolean, findings: readonly string[], code: number, host: Host): number {
  host.output.write(`${JSON.stringify({ ok, findings }, null, 2)}\n`);
  return code;
}

/** The policy as JSON, which it is anyway; `--json` changes what is said where there is none to print. */
async function print(file: string | undefined, json: boolean, host: Host): Promise<number> {
  const loaded = await load(file, host);
  if (!loaded.ok) return lint(file, json, host);
  host.output.write(`${JSON.stringify(loaded.policy, null, 2)}\n`);
  return exitCodes.done;
}
