// The rules of the operator's policy that let every agent in one workspace read, or have the network: listed with their place, and with what was read by each.

import { NETWORK } from "../../core/access.ts";
import { type RuleId, ruleId } from "../../core/names.ts";
import type { DefaultVerdict, Rule } from "../../core/policy/rule.ts";
import { readJsonc } from "../../config/jsonc.ts";
import { findingLine, parsePolicyText } from "../../config/load.ts";
import type { Store } from "../../agent/ports.ts";
import type { WireKeptRule, WireRead } from "../../wire/values.ts";
import { digestOf } from "../auth.ts";
import type { AppPorts } from "../ports.ts";
import { notFound, Refusal } from "../problem.ts";
import { operatorFileOf } from "./operator-file.ts";

export interface KeptRule {
  readonly id: string;
  readonly rule: RuleId;
  readonly workspace: string;
  /** As it is written: a pattern, or `*` for everything; or `network`. */
  readonly path: string;
  /** Where in the file it stands, by keys and by line. */
  readonly keys: readonly string[];
  readonly file: string;
  readonly line: number;
}

/** So many of the decisions that rules allowed are looked through, newest first. */
const LOOKED = 10_000;

/** Throws `invalid-policy` where the file cannot be read: then nobody knows what it allows. */
export function keptRules(ports: AppPorts): readonly KeptRule[] {
  const { file, text } = operatorFileOf(ports);
  if (text === null) return [];
  return workspacesIn(text, file).flatMap((name) => rulesOf(ports, { file, text, name }));
}

export function findKeptRule(ports: AppPorts, id: string): KeptRule {
  const rule = keptRules(ports).find((one) => one.id === id);
  if (rule === undefined) throw notFound();
  return rule;
}

/** The directory that a rule opens whole, or the network; null where it is another pattern. */
export function dirOf({ path }: Pick<KeptRule, "path">): string | null {
  if (path === NETWORK) return NETWORK;
  const dir = path.endsWith("/**") ? path.slice(0, -3) : null;
  return dir === null || /[*?]/.test(dir) ? null : dir;
}

export async function wireKeptRules(store: Store, rules: readonly KeptRule[]): Promise<WireKeptRule[]> {
  if (rules.length === 0) return [];
  const [allowed, keptRecords] = await Promise.all([decisionsByRule(store), store.audit({ kind: "rule-kept", newestFirst: true })]);
  return rules.map(({ id, rule, workspace, path, file, line }) => {
    const reads = allowed.filter((one) => one.rule === rule);
    const keptEvent = keptRecords.find(
      ({ event }) => event.kind === "rule-kept" && event.file === file && (event.path === path || `${event.path}/**` === path),
    )?.event;
    return {
      id,
      workspace,
      path,
      at: { file, line },
      kept: keptEvent?.kind === "rule-kept" ? { by: keptEvent.by, at: keptEvent.at } : null,
      reads: reads.length,
      lastRead: reads[0]?.at ?? null,
      complete: allowed.length < LOOKED,
    };
  });
}

export async function readsBy(store: Store, { rule }: KeptRule, limit: number): Promise<WireRead[]> {
  return (await decisionsByRule(store))
    .filter((one) => one.rule === rule)
    .slice(0, limit)
    .map(({ path, at, tool, operation }) => ({ path, at, tool, operation }));
}

/** What rules allowed, newest first. */
async function decisionsByRule(store: Store): Promise<readonly (WireRead & { readonly rule: RuleId })[]> {
  const records = await store.audit({ kind: "decision", verdict: "allow", reason: "policy-allow", newestFirst: true, limit: LOOKED });
  return records.flatMap(({ event }) =>
    event.kind === "decision" && event.rule !== null
      ? [{ rule: event.rule, path: event.real ?? event.requested, at: event.at, tool: event.tool, operation: event.operation }]
      : [],
  );
}

function workspacesIn(text: string, file: string): readonly string[] {
  const parsed = readJsonc(text.replace(/^\uFEFF/u, ""), file);
  if (!parsed.ok) throw new Refusal("invalid-policy", parsed.errors.map(findingLine).join("; "));
  const { value } = parsed.jsonc;
  const workspaces = typeof value === "object" && value !== null && "workspaces" in value ? value.workspaces : null;
  return typeof workspaces === "object" && workspaces !== null ? Object.keys(workspaces) : [];
}

interface WorkspaceEntry {
  readonly file: string;
  readonly text: string;
  /** The workspace as the file names it. */
  readonly name: string;
}

function rulesOf({ home }: AppPorts, { file, text, name }: WorkspaceEntry): readonly KeptRule[] {
  const workspace = `/${(name.startsWith("~/") ? `${home}${name.slice(1)}` : name)
    .split("/")
    .filter((one) => one !== "" && one !== ".")
    .join("/")}`;
  const parsed = parsePolicyText(text, { file, author: "operator", home, workspace });
  if (!parsed.ok) throw new Refusal("invalid-policy", parsed.errors.map(findingLine).join("; "));
  const { layer, commands } = parsed.part;
  const { rules, defaults } = layer;
  const read = ["workspaces", name, "read"];
  // A rule is known by the keys it stands under.
  const toKeptRules = (rule: Rule | DefaultVerdict, path: string, keys: readonly string[]): KeptRule[] => {
    if (rule.verdict !== "allow" || rule.source === null || rule.id !== ruleId(`operator:${keys.join(".")}`)) return [];
    return [{ id: digestOf(rule.id).slice(0, 32), rule: rule.id, workspace, path, keys, file, line: rule.source.line }];
  };
  const { read: everything } = defaults;
  const places = [read, ...["*", "**", "/**"].map((last) => [...read, last])];
  const all = everything === null ? [] : places.flatMap((keys) => toKeptRules(everything, "*", keys));
  const networkRules =
    commands.network === "host" && commands.rule !== null
      ? toKeptRules({ id: commands.rule, verdict: "allow", source: commands.source }, NETWORK, ["workspaces", name, "commands", "network"])
      : [];
  return [...rules.flatMap((rule) => toKeptRules(rule, rule.glob, [...read, rule.glob])), ...all, ...networkRules];
}
