// The policy that holds for a workspace, as it was understood the last time: kept beside the store, for as long as every file it comes
// from is the very one it was. Understanding a policy anew takes longer than everything else a hook does. A file that is there and
// cannot be trusted is never kept, and what is kept is as shut as the policy itself: 0600, in a directory on the list of secrets.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { HallpassError } from "../../core/errors.ts";
import { plainPieceOf } from "../../core/policy/glob.ts";
import type { AuthorLayer, Policy, Rule } from "../../core/policy/rule.ts";
import { policyLocations, type Surroundings } from "../../config/locations.ts";
import { type RuleBook, ruleBookOf, speakingOf } from "./few-rules.ts";
import { isRecord, parseRecord } from "./host-call.ts";

export interface Kept {
  /** Where it is kept. */
  readonly file: string;
  /** Tells one version of this program from another. */
  readonly version: string;
  readonly clock: () => number;
}

/** The policy from where it is kept, or from `load`, which rejects where a file is malformed; then nothing is kept. */
export async function preparedPolicy(around: Surroundings, kept: Kept, load: () => Promise<Policy>): Promise<RuleBook> {
  const looks = looksOf(around, kept);
  const before = looks === null ? null : readKept(kept.file, looks);
  if (before !== null) return before;
  const policy = await load();
  const book = ruleBookOf(policy);
  // RACE: a file changed since the look has another look next time, so that what was kept under the old one is not used.
  if (looks !== null) write(kept.file, textOf(looks, policy, book.bare));
  return book;
}

/**
 * One line for everything but the rules, then one a rule: its author's place, its longest plain piece, itself. So a rule that cannot
 * speak of a path is passed over unread. Where it stands and why are left out: a hint does not say them.
 */
function textOf(looks: string, policy: Policy, bare: Policy): string {
  const lines = policy.layers.flatMap(({ rules }, at) =>
    rules.map((rule) => {
      const piece = plainPieceOf(rule.glob);
      return `${at}\t${/[\t\n]/u.test(piece) ? "" : piece}\t${JSON.stringify({ ...rule, source: null, why: null })}`;
    }),
  );
  return [JSON.stringify({ looks, bare, rules: lines.length }), ...lines, ""].join("\n");
}

function bookOf(text: string, looks: string): RuleBook | null {
  const end = text.indexOf("\n");
  const head = parseRecord(text.slice(0, end));
  if (head === null || head["looks"] !== looks || !isPolicy(head["bare"])) return null;
  const bare = head["bare"];
  const lines = text.slice(end + 1).split("\n");
  // The last line is empty, or the file is not whole.
  if (lines.pop() !== "" || lines.length !== head["rules"]) return null;
  return {
    bare,
    speakingOf(places) {
      const speaks = speakingOf(places);
      const wanted = lines.filter((line) => {
        const start = line.indexOf("\t") + 1;
        return speaks(line.slice(start, line.indexOf("\t", start)));
      });
      if (wanted.length === 0 && places !== null) return null;
      const rules = wanted.map(ruleOf);
      const layers = bare.layers.map((layer, at) =>
        withRules(
          layer,
          rules.flatMap((one) => (one.layer === at ? [one.rule] : [])),
        ),
      );
      return { ...bare, layers };
    },
  };
}

function ruleOf(line: string): { readonly layer: number; readonly rule: Rule } {
  const [layer = "", , text = ""] = line.split("\t", 3);
  const rule: unknown = JSON.parse(text);
  if (!isRule(rule)) throw new HallpassError("guard-fault", "what was kept of the policy cannot be read");
  return { layer: Number(layer), rule };
}

function withRules(layer: AuthorLayer, rules: readonly Rule[]): AuthorLayer {
  if (layer.name !== "project") return { ...layer, rules };
  return { ...layer, rules: rules.filter(isTightening) };
}

const isTightening = (rule: Rule): rule is Rule<"ask" | "deny"> => rule.verdict !== "allow";

/** Everything the policy depends on, in words; null where it must be looked at closely each time. */
function looksOf(around: Surroundings, { version, clock }: Kept): string | null {
  const looks: string[] = [version, around.home, around.workspace ?? "", around.env["PROJECT_ROOT_WHITELIST"] ?? ""];
  const missing = new Set<string>();
  for (const { files } of policyLocations(around)) {
    // A directory before what is in it: in one that is not there nothing is.
    for (const file of [...new Set(files.map((one) => dirname(one))), ...files]) {
      const stat = missing.has(dirname(file)) ? undefined : lookAt(file);
      if (stat === null) return null;
      // Behind a link anything may change unseen. A file changed just now may change again within the same tick of its clock.
      if (stat?.isSymbolicLink() === true || (stat !== undefined && stat.isFile() && clock() - stat.mtimeMs < 2_000)) return null;
      if (stat === undefined) missing.add(file);
      looks.push(
        stat === undefined
          ? `${file} none`
          : `${file} ${stat.dev} ${stat.ino} ${stat.uid} ${stat.mode}${stat.isFile() ? ` ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : ""}`,
      );
    }
  }
  return looks.join("\n");
}

/** Undefined: there is nothing. Null: it cannot be told. */
function lookAt(file: string): Stats | undefined | null {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return null;
  }
}

function readKept(file: string, looks: string): RuleBook | null {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return null;
  }
  try {
    const facts = fstatSync(handle);
    if (!facts.isFile() || (process.getuid !== undefined && (facts.uid !== process.getuid() || (facts.mode & 0o077) !== 0))) return null;
    return bookOf(readFileSync(handle, "utf8"), looks);
  } catch {
    return null;
  } finally {
    closeSync(handle);
  }
}

/** Whole or not at all, and no fault of the hook's if it cannot be. */
function write(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const aside = `${file}.${process.pid}`;
    writeFileSync(aside, text, { mode: 0o600, flag: "wx" });
    renameSync(aside, file);
  } catch {
    // The next one understands it anew.
  }
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
  if (!isRecord(value) || !Array.isArray(value["rules"]) || !isRecord(value["defaults"]) || !Array.isArray(value["speaksOf"])) return false;
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
