// The layers of a policy for a screen: each author's file with its text, and its rules with their lines.

import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { lintPart } from "../../config/lint-part.ts";
import type { Author, PolicyPart } from "../../core/policy/parse.ts";
import type { Rule, Source } from "../../core/policy/rule.ts";
import { protectedNames } from "../../core/policy/protected.ts";
import { secretDirs, secretNames, secretPlaces } from "../../core/policy/secrets.ts";
import { loadPolicy } from "../../config/load.ts";
import { type PolicyLocation, policyLocations } from "../../config/locations.ts";
import type { Routes } from "../../wire/http.ts";
import type { AppPorts } from "../ports.ts";
import type { ResponseOf } from "./handler.ts";
import { textOf } from "./operator-file.ts";

type PolicyView = ResponseOf<Routes["policy"]>;
type Layer = PolicyView["layers"][number];
export type Findings = PolicyView["findings"];

/** What holds in a workspace, or why nothing does: a policy that is malformed, or that a word of the environment leads into the workspace. */
export function layersOf({ home, env, platform }: AppPorts, workspace: string | null): PolicyView {
  const context = { home, env, platform, workspace };
  const places = policyLocations(context);
  const loaded = loadPolicy(context);
  const parts = loaded.ok ? loaded.parts : [];
  const findings = loaded.ok
    ? findingsOf([...loaded.notices, ...parts.flatMap((part) => lintPart(part, home)).filter(({ kind }) => kind !== "ignored")], "warning")
    : findingsOf(loaded.errors, "error");
  return {
    layers: [builtin, ...places.map((place) => layerOf(place, parts))],
    findings,
    preset: parts.find(({ author }) => author === "operator")?.preset ?? "balanced",
  };
}

export function findingsOf(
  findings: readonly { readonly message: string; readonly source: Source | null }[],
  severity: "error" | "warning",
): Findings {
  return findings.map(({ message, source }) => ({
    file: source?.file ?? null,
    line: source?.line ?? null,
    column: source?.column ?? null,
    severity,
    message,
  }));
}

function layerOf({ author, files }: PolicyLocation, parts: readonly PolicyPart[]): Layer {
  const existing = files.map((file) => ({ file, text: shownText(file, author) })).find(({ text }) => text !== null);
  const rules: readonly Rule[] = parts.find((part) => part.author === author)?.layer.rules ?? [];
  return {
    author,
    file: existing?.file ?? files[0],
    exists: existing !== undefined,
    text: existing?.text ?? null,
    rules: rules.map(({ right, glob, verdict, why, source }) => ({
      right,
      glob,
      verdict,
      why,
      file: source?.file ?? null,
      line: source?.line ?? null,
    })),
  };
}

/** A repository's links lead where its author likes: what lies behind one is not shown as its policy. */
function shownText(file: string, author: Author): string | null {
  try {
    if (author === "project" && !(lstatSync(dirname(file)).isDirectory() && lstatSync(file).isFile())) return null;
    return textOf(file);
  } catch {
    return null;
  }
}

const denyRule = (right: string, glob: string, why: string): Layer["rules"][number] => ({
  right,
  glob,
  verdict: "deny",
  why,
  file: null,
  line: null,
});

/** What is always there: secrets stay shut, and what runs later is not written. */
const builtin: Layer = {
  author: "builtin",
  file: null,
  exists: true,
  text: null,
  rules: [
    ...[...secretDirs, ...secretNames, ...secretPlaces].map((glob) => denyRule("read", glob, "a secret")),
    ...protectedNames.map((glob) => denyRule("write", glob, "runs on this machine later")),
  ],
};
