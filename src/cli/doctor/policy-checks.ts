// Checks of the policy files: which exist, who may write them, and whether their rules make sense.

import { realpathSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { findingLine, loadPolicyFrom, projectRootWhitelist } from "../../config/load.ts";
import { type PolicyLocation, policyLocations } from "../../config/locations.ts";
import { untrustedLocations } from "../../config/untrusted-locations.ts";
import { isInside } from "../../core/path/contain.ts";
import { show } from "../../core/path/show.ts";
import { lintPart } from "../../config/lint-part.ts";
import { realHome } from "../../core/session/session.ts";
import type { Host } from "../host.ts";
import { type DoctorFinding, noted, well, wrong } from "./finding.ts";

export function checkPolicies(host: Host): readonly DoctorFinding[] {
  const { home, env, platform, cwd: workspace } = host;
  return policyLocations({ home, env, platform, workspace }).map((location) => checkPolicy(location, host));
}

function checkPolicy(location: PolicyLocation, { home, env, cwd, platform }: Host): DoctorFinding {
  const part = `policy (${location.author})`;
  const [untrusted] =
    location.author === "operator"
      ? untrustedLocations({ home, env, platform, workspace: cwd }).filter(({ what }) => what === "policy")
      : [];
  if (untrusted !== undefined) return wrong(part, untrusted.says, `${untrusted.remedy}; until then everything is denied here`);
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
      "fix it (`hallpass policy lint`); until then everything is denied",
    );
  }
  const [exposed] = location.author === "operator" ? exposures(file, cwd, part) : [];
  if (exposed !== undefined) return exposed;
  const rules = loaded.parts.reduce((sum, one) => sum + one.layer.rules.length, 0);
  const remarks = [...loaded.notices, ...loaded.parts.flatMap((one) => lintPart(one, home)).filter(({ kind }) => kind !== "ignored")];
  if (remarks[0] !== undefined) return noted(part, `${who}: ${findingLine(remarks[0])}`, "`hallpass policy lint` says more");
  return well(part, `${who}, ${rules} ${rules === 1 ? "rule" : "rules"}`);
}

/** Whoever may write the operator's rules makes them: the worst of what lets others do that, first. */
function exposures(file: string, workspace: string, part: string): readonly DoctorFinding[] {
  if (process.getuid === undefined) return [];
  const { uid, mode } = statSync(file);
  const printable = show(file);
  return [
    ...(uid !== process.getuid() && uid !== 0
      ? [
          wrong(
            part,
            `${printable} belongs to user ${uid}, who can change your rules`,
            `check it, then take it over: chown ${process.getuid()} ${printable}`,
          ),
        ]
      : []),
    ...((mode & 0o002) === 0
      ? []
      : [wrong(part, `anybody on this machine may change ${printable}`, `check it, then: chmod go-w ${printable}`)]),
    ...((mode & 0o020) === 0
      ? []
      : [noted(part, `the group of ${printable} may change it`, `if others are in that group: chmod g-w ${printable}`)]),
    ...(isInside(realpathSync(workspace), realpathSync(file))
      ? [
          noted(
            part,
            `${printable} lies in this workspace; no file tool writes it, but a command that runs unconfined could`,
            "start agents in a directory below, not here",
          ),
        ]
      : []),
  ];
}

function ownerOf(file: string): string {
  const { uid } = statSync(file);
  if (process.getuid !== undefined && uid === process.getuid()) return show(userInfo().username);
  return uid === 0 ? "root" : `user ${uid}`;
}
