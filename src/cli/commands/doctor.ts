// hallpass doctor: checks everything that the boundary depends on. Prints one line for each check, and one sentence on what to do.

import { programIn } from "../../adapters/install/index.ts";
import { isInside } from "../../core/path/contain.ts";
import { wrap } from "../../repl/columns.ts";
import { type DoctorFinding, noted, wrong } from "../doctor/finding.ts";
import { checkHooks } from "../doctor/hook-checks.ts";
import { checkNode, checkProc, checkRipgrep, checkSandbox } from "../doctor/machine-checks.ts";
import { checkPlaces } from "../doctor/place-checks.ts";
import { checkPolicies } from "../doctor/policy-checks.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import type { Host } from "../host.ts";
import { type Paint, paintFor } from "../paint.ts";
import { withProgress } from "../progress.ts";
import { windowWidth } from "../table.ts";

export async function doctor({ values }: Call<"doctor">, host: Host): Promise<number> {
  const findings = await withProgress(host, "examining", (say) => examine(host, values["no-canary"] !== true, say));
  const ill = findings.filter(({ state }) => state === "wrong").length;
  if (values.json === true) host.output.write(`${JSON.stringify({ ok: ill === 0, findings }, null, 2)}\n`);
  else host.output.write(report(findings, paintFor(host.output, host.env), windowWidth(host.output)));
  return ill === 0 ? exitCodes.done : exitCodes.fault;
}

async function examine(host: Host, canary: boolean, say: (at: string) => void): Promise<readonly DoctorFinding[]> {
  const proc = checkProc();
  // No program that a project brings is started. The home directory, and what is above it, is no project.
  const project = isInside(host.cwd, host.home) ? null : host.cwd;
  const parts: readonly (readonly [string, () => Promise<readonly DoctorFinding[]>])[] = [
    ["node", async () => [checkNode(process.version)]],
    ["/proc", async () => [proc]],
    ["data directory", () => checkPlaces(host)],
    // Whose program bubblewrap is, and which, is looked up through /proc too.
    [
      "sandbox",
      async () => (proc.state === "well" ? checkSandbox() : [noted("bubblewrap", `cannot be examined without ${proc.part}`, null)]),
    ],
    ["ripgrep", async () => [await checkRipgrep(programIn(host.env["PATH"] ?? "", "rg", project))]],
    ["policy", async () => checkPolicies(host)],
    ["agents", () => checkHooks(host, canary)],
  ];
  const findings: DoctorFinding[] = [];
  for (const [name, check] of parts) {
    say(name);
    try {
      findings.push(...(await check()));
    } catch (error) {
      // A check that fails is a finding of its own; the others go on.
      findings.push(wrong(name, `could not be examined: ${error instanceof Error ? error.message : "unknown"}`, "see what that says"));
    }
  }
  return findings;
}

/** One line a part, wrapped under itself, and the remedy below it. */
export function report(findings: readonly DoctorFinding[], paint: Paint, width: number): string {
  const label = Math.max(...findings.map(({ part }) => part.length)) + 2;
  const inner = Math.max(20, width - label - 3);
  const marks = { well: paint.green("✓"), wrong: paint.red("✗"), note: paint.yellow("–") };
  const lines = findings.flatMap(({ part, state, says, remedy }) => [
    ...wrap(says, inner).map((text, at) => `${at === 0 ? marks[state] : " "} ${(at === 0 ? part : "").padEnd(label)}${text}`),
    ...(remedy === null
      ? []
      : wrap(remedy, inner - 2).map((text, at) => `  ${" ".repeat(label)}${at === 0 ? paint.dim("→ ") : "  "}${paint.dim(text)}`)),
  ]);
  const ill = findings.filter(({ state }) => state === "wrong").length;
  const end = ill === 0 ? paint.green("all is well") : paint.red(`${ill} ${ill === 1 ? "thing is" : "things are"} wrong`);
  return `${lines.join("\n")}\n${end}\n`;
}
