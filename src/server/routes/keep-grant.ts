// A grant kept for the workspace that asked: one more line in the operator's policy file, everything else in it as it was, comments too. And
// taken out again.

import { applyEdits, modify } from "jsonc-parser";
import { NETWORK } from "../../core/access.ts";
import { lintPolicy } from "../../core/policy/lint.ts";
import type { PolicyPart } from "../../core/policy/parse.ts";
import type { StoredGrant } from "../../agent/ports.ts";
import { findingLine, parsePolicyText } from "../../config/load.ts";
import type { AppPorts } from "../ports.ts";
import { Refusal } from "../problem.ts";
import { operatorFileOf, policyChanged, replaceOperatorFile } from "./operator-file.ts";

export interface KeepRequest {
  readonly grant: StoredGrant;
  /** The workspace of the session that it was given to. */
  readonly workspace: string;
}

/** The operator's file, before and after. */
export interface FileEdit {
  readonly before: string | null;
  readonly after: string;
}

export interface WrittenRule {
  readonly file: string;
  readonly line: number;
  /** Null where the rule was there already. */
  readonly changed: FileEdit | null;
}

/** Keep it, and say so in the record. */
export async function keepAndRecord(ports: AppPorts, { grant, workspace }: KeepRequest, by: string): Promise<Omit<WrittenRule, "changed">> {
  const { file, line, changed } = keepForWorkspace(ports, { grant, workspace });
  const { path, session, id, ask } = grant;
  const at = ports.clock();
  if (changed !== null)
    await ports.store.record([
      { kind: "rule-kept", at, session, grant: id, ask, path, file, line, by },
      policyChanged({ file, ...changed, by, at }),
    ]);
  return { file, line };
}

function keepForWorkspace(ports: AppPorts, { grant, workspace }: KeepRequest): WrittenRule {
  if (grant.revokedAt !== null) throw new Refusal("grant-revoked", "the grant has been revoked; only one that holds can be kept");
  // The language of patterns has no escapes, so such a name would mean more than itself.
  if (/[*?]/.test(grant.path))
    throw new Refusal("bad-request", "the directory's name holds `*` or `?`, which a rule would read as a pattern");
  const { file, text } = operatorFileOf(ports);
  const isNetwork = grant.path === NETWORK;
  const glob = `${grant.path}/**`;
  const ruleLine = (part: PolicyPart): number | null => (isNetwork ? networkLine(part) : lineOf(part, glob));
  const existing = text === null ? null : ruleLine(parseOperatorPolicy(ports, file, text, workspace));
  if (existing !== null) return { file, line: existing, changed: null };
  const rule = isNetwork ? (["commands", "network", "host"] as const) : (["read", glob, "allow"] as const);
  const changed = setValue(text ?? "{}\n", ["workspaces", workspace, rule[0], rule[1]], rule[2]);
  const part = parseOperatorPolicy(ports, file, changed, workspace);
  const line = ruleLine(part);
  if (line === null || lintPolicy(part, ports.home).some(({ kind, source }) => kind === "unreachable-rule" && source?.line === line))
    throw new Refusal("bad-request", "a rule above it speaks about everything in the directory already; change that one", { status: 409 });
  replaceOperatorFile(ports, text, changed);
  return { file, line, changed: { before: text, after: changed } };
}

/** Take the rule at these keys out of the operator's file. Null where there is none. */
export function forgetRule(ports: AppPorts, keys: readonly string[]): (FileEdit & { readonly file: string }) | null {
  const { file, text } = operatorFileOf(ports);
  if (text === null) return null;
  const after = setValue(text, [...keys], undefined);
  if (after === text) return null;
  replaceOperatorFile(ports, text, after);
  return { file, before: text, after };
}

function parseOperatorPolicy({ home }: AppPorts, file: string, text: string, workspace: string): PolicyPart {
  const parsed = parsePolicyText(text, { file, author: "operator", home, workspace });
  if (!parsed.ok) throw new Refusal("invalid-policy", parsed.errors.map(findingLine).join("; "));
  return parsed.part;
}

/** Where it is said that commands have the network; null where it is not. */
const networkLine = ({ commands: { network, source } }: PolicyPart): number | null => (network === "host" ? (source?.line ?? null) : null);

/** Where a rule that allows exactly this stands; null for none. */
function lineOf({ layer }: PolicyPart, glob: string): number | null {
  const rules: readonly {
    readonly right: string;
    readonly glob: string;
    readonly verdict: string;
    readonly source: { readonly line: number } | null;
  }[] = layer.rules;
  return rules.find((rule) => rule.right === "read" && rule.glob === glob && rule.verdict === "allow")?.source?.line ?? null;
}

/** The text with one value set, or taken out where it is undefined; everything else stays as it was. */
function setValue(text: string, keys: string[], value: "allow" | "host" | undefined): string {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const bare = text.slice(mark.length);
  const options = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: bare.includes("\r\n") ? "\r\n" : "\n" } };
  return mark + applyEdits(bare, modify(bare, keys, value, options));
}
