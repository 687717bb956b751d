// Understands the policy files and keeps what was understood, with everything it depends on, for the hook's next call.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { plainPieceOf } from "../../core/policy/glob.ts";
import type { Policy } from "../../core/policy/rule.ts";
import { type Environment, policyLocations, type Surroundings } from "../../config/locations.ts";
import { type RuleBook, ruleBookOf } from "./few-rules.ts";
import { type Kept, type Look, lookOf, NONE, stampOf } from "./policy-looks.ts";

/** The policy by `load`; kept where every file it comes from can be told apart from what may stand there later. */
export async function understoodAndKept(
  around: Surroundings,
  kept: Kept,
  load: (around: Surroundings) => Promise<Policy>,
): Promise<RuleBook> {
  const { env, asked } = watched(around.env);
  const looks = looksOf({ ...around, env }, kept.clock);
  const policy = await load({ ...around, env });
  const book = ruleBookOf(policy);
  // RACE: a file changed since the look has another look next time, so that what was kept under the old one is not used.
  if (looks !== null && !asked.all) {
    const head = { of: stampOf(around, kept), env: Object.fromEntries(asked.words), looks, bare: book.bare };
    write(kept.file, textOf(head, policy));
  }
  return book;
}

/** Which words of an environment are asked for, and what they were; `all`: somebody went through it, so that every word counts. */
function watched(env: Environment): {
  readonly env: Environment;
  readonly asked: { readonly words: Map<string, string | null>; all: boolean };
} {
  const asked = { words: new Map<string, string | null>(), all: false };
  const watching = new Proxy(env, {
    get(target, word) {
      if (typeof word !== "string") return undefined;
      asked.words.set(word, target[word] ?? null);
      return target[word];
    },
    has(target, word) {
      asked.all = true;
      return Reflect.has(target, word);
    },
    ownKeys(target) {
      asked.all = true;
      return Reflect.ownKeys(target);
    },
  });
  return { env: watching, asked };
}

interface Head {
  readonly of: string;
  readonly env: Readonly<Record<string, string | null>>;
  readonly looks: readonly Look[];
  readonly bare: Policy;
}

/**
 * One line for everything but the rules, with the longest plain piece of each; then one line a rule: its author's place, its piece, itself.
 * So where no rule can speak of a path none is read, and else those that cannot are passed over. Where a rule stands and why are left
 * out: a hint does not say them.
 */
function textOf(head: Head, policy: Policy): string {
  const pieces = new Set<string>();
  const lines = policy.layers.flatMap(({ rules }, at) =>
    rules.map((rule) => {
      const plain = plainPieceOf(rule.glob);
      const piece = /[\t\n]/u.test(plain) ? "" : plain;
      pieces.add(piece);
      return `${at}\t${piece}\t${JSON.stringify({ ...rule, source: null, why: null })}`;
    }),
  );
  const rules = lines.map((line) => `${line}\n`).join("");
  return `${JSON.stringify({ ...head, pieces: [...pieces].join("\n"), rules: Buffer.byteLength(rules) })}\n${rules}`;
}

/** Every place where a policy could be, as it is now; null where it must be looked at closely each time. */
function looksOf(around: Surroundings, clock: () => number): readonly Look[] | null {
  const looks: Look[] = [];
  const missing = new Set<string>();
  for (const { files } of policyLocations(around)) {
    // A directory before what is in it: in one that is not there nothing is.
    for (const file of [...new Set(files.map((one) => dirname(one))), ...files]) {
      if (missing.has(dirname(file))) continue;
      const words = lookOf(file, clock);
      if (words === null) return null;
      if (words === NONE) missing.add(file);
      looks.push([file, words]);
    }
  }
  return looks;
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
