// The policy files: which there are, who wrote them, and whether they say anything that cannot be.

import { statSync } from "node:fs";
import { userInfo } from "node:os";
import { findingLine, loadPolicyFrom, projectRootWhitelist } from "../../config/load.ts";
import { type PolicyLocation, policyLocations } from "../../config/locations.ts";
import { show } from "../../core/path/show.ts";
import { lintPolicy } from "../../core/policy/lint.ts";
import { realHome } from "../../core/session/session.ts";
import type { Host } from "../host.ts";
import { type Finding, noted, well, wrong } from "./finding.ts";

export function checkPolicies(host: Host): readonly Finding[] {
  const { home, env, platform, cwd: workspace } = host;
  return policyLocations({ home, env, platform, workspace }).map((location) => checkPolicy(location, host));
}

function checkPolicy(location: PolicyLocation, { home, env }: Host): Finding {
  const part = `policy (${location.author})`;
  const file = location.files.find((one) => statSync(one, { throwIfNoEntry: false }) !== undefined);
  if (file === undefined) return noted(part, `none at ${show(location.files[0])}`, null);
  const loaded = loadPolicyFrom([location], {
    home: realHome(home),
    ceilings: location.author === "operator" ? projectRootWhitelist(env) : null,
  });
  const who = `${show(file)}, by ${ownerOf(file)}`;
  if (!loaded.ok) {
    const [first] = loaded.errors;
    return wrong(
      part,
      first === undefined ? `${who}: malformed` : findingLine(first),
      "mend it (`hallpass policy lint`); until then everything is denied",
    );
  }
  const rules = loaded.parts.reduce((sum, one) => sum + one.layer.rules.length, 0);
  const remarks = [...loaded.notices, ...loaded.parts.flatMap((one) => lintPolicy(one, home)).filter(({ kind }) => kind !== "ignored")];
  if (remarks[0] !== undefined) return noted(part, `${who}: ${findingLine(remarks[0])}`, "`hallpass policy lint` says more");
  return well(part, `${who}, ${rules} ${rules === 1 ? "rule" : "rules"}`);
}

function ownerOf(file: string): string {
  const { uid } = statSync(file);
  if (process.getuid !== undefined && uid === process.getuid()) return show(userInfo().username);
  return uid === 0 ? "root" : `user ${uid}`;
}
