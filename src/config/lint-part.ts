// What is odd about one author's policy, on this machine: what its text alone tells, and which places it names that are not there.

import { existsSync } from "node:fs";
import { lintPolicy, type LintFinding } from "../core/policy/lint.ts";
import type { PolicyPart } from "../core/policy/policy-part.ts";

export const lintPart = (part: PolicyPart, home: string): readonly LintFinding[] => lintPolicy(part, home, existsSync);
