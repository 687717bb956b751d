// hallpass policy lint|print|schema|try|keep: what the policy says, what in it can hardly be meant, what it would say about a path, and
// a grant made into a rule.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { lintPolicy } from "../../core/policy/lint.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Host, UsageError } from "../host.ts";
import { paintFor } from "../paint.ts";

export async function policy(words: readonly string[], host: Host): Promise<number> {
  const [what, file, ...more] = words;
  if (what === "try") return (await import("../policy-try.ts")).tryPolicy(words.slice(1), host);
  if (what === "keep") return (await import("../policy-keep.ts")).keepGrant(words.slice(1), host);
  if (more.length > 0) throw new UsageError("policy takes one word and at most one file");
  switch (what) {
    case "schema":
      host.output.write(readFileSync(new URL("../policy.schema.json", import.meta.url), "utf8"));
      return exitCodes.done;
    case "lint":
    case "print":
      return what === "lint" ? lint(file, host) : print(file, host);
    default:
      throw new UsageError("policy takes one of lint, print, schema, try, keep");
  }
}

async function load(file: string | undefined, host: Host) {
  const { loadPolicy } = await import("../../config/load.ts");
  const place = { home: host.home, env: host.env, platform: host.platform, workspace: host.cwd };
  return loadPolicy(file === undefined ? place : { ...place, operatorFile: resolve(host.cwd, file) });
}

/** Errors make exit code 2, findings 1, nothing to say 0. */
async function lint(file: string | undefined, host: Host): Promise<number> {
  const paint = paintFor(host.output, host.env);
  const { findingLine } = await import("../../config/load.ts");
  const loaded = await load(file, host);
  if (!loaded.ok) {
    for (const error of loaded.errors) host.output.write(`${paint.red("error")}  ${findingLine(error)}\n`);
    host.output.write(`${loaded.errors.length} ${loaded.errors.length === 1 ? "error" : "errors"}: everything is denied until mended\n`);
    return exitCodes.usage;
  }
  // What a file says that does not count is among the notices already.
  const findings = [
    ...loaded.notices,
    ...loaded.parts.flatMap((part) => lintPolicy(part, host.home)).filter(({ kind }) => kind !== "ignored"),
  ];
  for (const finding of findings) host.output.write(`${paint.yellow("note")}  ${findingLine(finding)}\n`);
  const rules = loaded.parts.reduce((sum, part) => sum + part.layer.rules.length, 0);
  host.output.write(
    `${loaded.parts.length} ${loaded.parts.length === 1 ? "policy" : "policies"}, ${rules} rules, ${findings.length === 0 ? "nothing to say" : `${findings.length} to look at`}\n`,
  );
  return findings.length === 0 ? exitCodes.done : exitCodes.fault;
}

async function print(file: string | undefined, host: Host): Promise<number> {
  const loaded = await load(file, host);
  if (!loaded.ok) return lint(file, host);
  host.output.write(`${JSON.stringify(loaded.policy, null, 2)}\n`);
  return exitCodes.done;
}
