// A grant kept for good: one more line in the operator's policy file, everything else in it as it was, comments too.

import { applyEdits, modify } from "jsonc-parser";
import { lintPolicy } from "../../core/policy/lint.ts";
import type { PolicyPart } from "../../core/policy/parse.ts";
import type { StoredGrant } from "../../agent/ports.ts";
import { findingLine, parsePolicyText } from "../../config/load.ts";
import type { AppPorts } from "../ports.ts";
import { Refusal } from "../problem.ts";
import { operatorFileOf, replaceOperatorFile } from "./operator-file.ts";

export interface Kept {
  readonly file: string;
  readonly line: number;
  /** The file's text before and after; null where the rule was there already. */
  readonly changed: { readonly before: string | null; readonly after: string } | null;
}

export function keepForGood(ports: AppPorts, grant: StoredGrant): Kept {
  if (grant.revokedAt !== null) throw new Refusal("grant-revoked", "the grant has been revoked; only one that holds can be kept");
  // The language of patterns has no escapes, so such a name would mean more than itself.
  if (/[*?]/.test(grant.path))
    throw new Refusal("bad-request", "the directory's name holds `*` or `?`, which a rule would read as a pattern");
  const { file, text } = operatorFileOf(ports);
  const glob = `${grant.path}/**`;
  const known = text === null ? null : lineOf(read(ports, file, text), glob);
  if (known !== null) return { file, line: known, changed: null };
  const changed = withRule(text ?? "{}\n", glob);
  const part = read(ports, file, changed);
  const line = lineOf(part, glob);
  if (line === null || lintPolicy(part, ports.home).some(({ kind, source }) => kind === "unreachable-rule" && source?.line === line))
    throw new Refusal("bad-request", "a rule above it speaks about everything in the directory already; change that one", { status: 409 });
  replaceOperatorFile(ports, text, changed);
  return { file, line, changed: { before: text, after: changed } };
}

function read({ home }: AppPorts, file: string, text: string): PolicyPart {
  const parsed = parsePolicyText(text, { file, author: "operator", home });
  if (!parsed.ok) throw new Refusal("invalid-policy", parsed.errors.map(findingLine).join("; "));
  return parsed.part;
}

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

/** One more rule at the end of `read`. A single word in its place becomes the list it stands for. */
function withRule(text: string, glob: string): string {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const bare = text.slice(mark.length);
  const options = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: bare.includes("\r\n") ? "\r\n" : "\n" } };
  const word = /^"(?:allow|ask|deny)"$/.exec(valueAt(bare, options))?.[0];
  const listed = word === undefined ? bare : applyEdits(bare, modify(bare, ["read"], { "*": word.slice(1, -1) }, options));
  return mark + applyEdits(listed, modify(listed, ["read", glob], "allow", options));
}

/** The text of `read`'s value, as far as it is a plain word. */
function valueAt(text: string, options: Parameters<typeof modify>[3]): string {
  // What taking it out would take away tells where it stands.
  const [edit] = modify(text, ["read"], "?", options);
  return edit === undefined ? "" : text.slice(edit.offset, edit.offset + edit.length);
}
