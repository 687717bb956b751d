// The policy that holds for a workspace, as it was understood the last time: kept beside the store, for as long as every file it comes
// from is the very one it was. Understanding a policy anew takes longer than everything else a hook does. A file that is there and
// cannot be trusted is never kept, and what is kept is as shut as the policy itself: 0600, in a directory on the list of secrets.

import { closeSync, constants, fstatSync, openSync, readFileSync, readvSync } from "node:fs";
import { HallpassError } from "../../core/errors.ts";
import type { AuthorLayer, Policy, Rule } from "../../core/policy/rule.ts";
import type { Environment, Surroundings } from "../../config/locations.ts";
import { textFrom } from "./bytes-text.ts";
import { type RuleBook, speakingOf } from "./few-rules.ts";
import { isRecord, parseRecord } from "./host-call.ts";
import { type Kept, lookOf, stampOf } from "./policy-looks.ts";

/**
 * The policy from where it is kept, or from `load`, which rejects where a file is malformed; then nothing is kept. Where the files are is
 * kept too: it is told by what `around` holds and by those words of the environment that were asked for, and these are compared.
 */
export async function preparedPolicy(around: Surroundings, kept: Kept, load: (around: Surroundings) => Promise<Policy>): Promise<RuleBook> {
  const before = readKept(around, kept);
  if (before !== null) return before;
  // Loaded where it is used: most calls find what is kept.
  const { understoodAndKept } = await import("./keep-policy.ts");
  return understoodAndKept(around, kept, load);
}

/** The book of an open file, which it closes. A new file under this name is another one. */
function bookOf(handle: number, size: number, around: Surroundings, kept: Kept): RuleBook | null {
  const { head, bytes } = headOf(handle);
  if (head === null || head["of"] !== stampOf(around, kept) || !isSame(head["env"], around.env) || !isPolicy(head["bare"])) return null;
  if (!isAsItWas(head["looks"], kept.clock)) return null;
  const { bare, rules, pieces } = head;
  if (typeof pieces !== "string") return null;
  // The file is not whole.
  if (rules !== size - bytes) return null;
  let lines: readonly string[] | null = null;
  return {
    bare,
    speakingOf(places) {
      const speaks = speakingOf(places);
      if (places !== null && (rules === 0 || !pieces.split("\n").some(speaks))) return null;
      lines ??= readFileSync(handle, "utf8").split("\n").slice(1, -1);
      const found = lines.flatMap((line) => {
        const start = line.indexOf("\t") + 1;
        return speaks(line.slice(start, line.indexOf("\t", start))) ? [ruleOf(line)] : [];
      });
      const layers = bare.layers.map((layer, at) =>
        withRules(
          layer,
          found.flatMap((one) => (one.layer === at ? [one.rule] : [])),
        ),
      );
      return { ...bare, layers };
    },
    close: () => closeSync(handle),
  };
}

/** The first line, and its bytes. Mostly it is short, and what comes after it is not wanted. */
function headOf(handle: number): { readonly head: Readonly<Record<string, unknown>> | null; readonly bytes: number } {
  for (let most = HEAD_BYTES; ; most *= 16) {
    const bytes = new Uint8Array(most);
    const count = readvSync(handle, [bytes], 0);
    const end = bytes.subarray(0, count).indexOf(NEWLINE);
    if (end !== -1) return { head: parseRecord(textFrom(bytes.subarray(0, end))), bytes: end + 1 };
    if (count < most) return { head: null, bytes: count };
  }
}
const HEAD_BYTES = 16_384;
const NEWLINE = 0x0a;

function ruleOf(line: string): { readonly layer: number; readonly rule: Rule } {
  const [layer = "", , text = ""] = line.split("\t", 3);
  const rule: unknown = JSON.parse(text);
  if (!isRule(rule)) throw unreadable();
  return { layer: Number(layer), rule };
}

const unreadable = (): HallpassError => new HallpassError("guard-fault", "what was kept of the policy cannot be read");

function withRules(layer: AuthorLayer, rules: readonly Rule[]): AuthorLayer {
  if (layer.name !== "project") return { ...layer, rules };
  return { ...layer, rules: rules.filter(isTightening) };
}

const isTightening = (rule: Rule): rule is Rule<"ask" | "deny"> => rule.verdict !== "allow";

function isSame(words: unknown, env: Environment): boolean {
  return isRecord(words) && Object.keys(words).every((word) => (env[word] ?? null) === words[word]);
}

function isAsItWas(looks: unknown, clock: () => number): boolean {
  if (!Array.isArray(looks) || looks.length === 0) return false;
  return looks.every((look) => Array.isArray(look) && typeof look[0] === "string" && lookOf(look[0], clock) === look[1]);
}

function readKept(around: Surroundings, kept: Kept): RuleBook | null {
  let handle: number;
  try {
    handle = openSync(kept.file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return null;
  }
  let book: RuleBook | null = null;
  try {
    const { mode, uid, size } = fstatSync(handle);
    const ours = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
    if (ours && (mode & constants.S_IFMT) === constants.S_IFREG) book = bookOf(handle, size, around, kept);
  } catch {
    // The next one keeps it anew.
  }
  if (book === null) closeSync(handle);
  return book;
}

function isPolicy(value: unknown): value is Policy {
  if (!isRecord(value)) return false;
  const { layers, secrets, protect, gitignored, hardlinks, ceilings, projects, asks } = value;
  const lists = (one: unknown): boolean => isRecord(one) && isTexts(one["except"]) && isTexts(one["add"]);
  return (
    Array.isArray(layers) &&
    layers.every(isLayer) &&
    lists(secrets) &&
    lists(protect) &&
    isVerdict(gitignored) &&
    isVerdict(hardlinks) &&
    (ceilings === null || isTexts(ceilings)) &&
    isTexts(projects) &&
    isRecord(asks)
  );
}

function isLayer(value: unknown): boolean {
  if (!isRecord(value) || !Array.isArray(value["rules"]) || !isRecord(value["defaults"])) return false;
  return value["rules"].length === 0 && ["administrator", "operator", "project"].some((name) => name === value["name"]);
}

function isRule(value: unknown): value is Rule {
  if (!isRecord(value)) return false;
  const { id, right, glob, verdict, outsideOnly } = value;
  const texts = typeof id === "string" && id !== "" && typeof glob === "string" && (right === "read" || right === "write");
  return texts && isVerdict(verdict) && typeof outsideOnly === "boolean";
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === "string");
const isVerdict = (value: unknown): boolean => value === "allow" || value === "ask" || value === "deny";
