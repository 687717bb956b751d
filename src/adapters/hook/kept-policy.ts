// Caches a workspace's parsed policy for as long as none of its files has changed, because parsing takes longer than anything else a hook
// does. A file that cannot be trusted is never cached. The cache is as protected as the policy: mode 0600, in a directory on the list of
// secrets.

import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { policyLocations, policyWords, type ConfigContext } from "../../config/locations.ts";
import { HallpassError } from "../../core/errors.ts";
import { type CompiledPolicy, compilePolicy, recompilePolicy } from "../../core/policy/compile.ts";
import type { Policy } from "../../core/policy/rule.ts";
import { isPrivate } from "./disk.ts";
import { isRecord, parseRecord } from "./host-call.ts";

export interface PolicyCache {
  /** Where it is kept. */
  readonly file: string;
  /** Tells one version of this program from another. */
  readonly version: string;
  readonly clock: () => number;
}

/** The policy from where it is kept, or from its files. Rejects with `invalid-policy` where one is malformed; then nothing is kept. */
export async function policyFor(surroundings: ConfigContext, cache: PolicyCache | null): Promise<(home: string) => CompiledPolicy> {
  // RACE: a file changed since the look has another look next time, so that what was kept under the old one is not used.
  const stamp = cache === null ? null : stampOf(surroundings, cache);
  const cached = cache === null || stamp === null ? null : readCached(cache.file, stamp);
  if (cached !== null) return (home) => recompilePolicy(cached, home);
  // Loaded where it is used: most calls find what is kept.
  const { findingLine, loadPolicy } = await import("../../config/load.ts");
  const loaded = loadPolicy({ ...surroundings, startedBy: "host" });
  if (!loaded.ok) throw new HallpassError("invalid-policy", loaded.errors.map(findingLine).join("; "));
  const { policy } = loaded;
  return (home) => {
    const compiled = compilePolicy(policy, home);
    if (cache !== null && stamp !== null) store(cache.file, stamp, policy);
    return compiled;
  };
}

/** Everything a policy depends on; null where it must be looked at closely each time. */
function stampOf(surroundings: ConfigContext, { version, clock }: PolicyCache): string | null {
  const { home, workspace, operatorFile, platform, data, env } = surroundings;
  const looks: (string | null)[] = [];
  for (const { files } of policyLocations(surroundings)) {
    for (const place of new Set([...files.map((file) => dirname(file)), ...files])) {
      const look = lookAt(place, clock);
      if (look === null) return null;
      looks.push(look);
    }
  }
  return JSON.stringify([version, platform, home, workspace, operatorFile, data, policyWords.map((word) => env[word]), looks]);
}

/** What stands at a place, in words; null where that cannot be told, or says nothing about what will be read there. */
function lookAt(place: string, clock: () => number): string | null {
  try {
    const stat = lstatSync(place, { throwIfNoEntry: false });
    if (stat === undefined) return "none";
    const { dev, ino, uid, mode, size, mtimeMs, ctimeMs } = stat;
    const kind = mode & constants.S_IFMT;
    const isFile = kind === constants.S_IFREG;
    // Behind a link anything may change unseen. A file changed just now may change again within the same tick of its clock.
    if (kind === constants.S_IFLNK || (isFile && clock() - mtimeMs < 2_000)) return null;
    return `${dev} ${ino} ${uid} ${mode}${isFile ? ` ${size} ${mtimeMs} ${ctimeMs}` : ""}`;
  } catch {
    return null;
  }
}

function readCached(file: string, stamp: string): Policy | null {
  let handle: number | null = null;
  try {
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(handle);
    if (!isPrivate(stats) || !stats.isFile()) return null;
    const stored = parseRecord(readFileSync(handle, "utf8"));
    return stored?.["stamp"] === stamp && isPolicy(stored["policy"]) ? stored["policy"] : null;
  } catch {
    // The next one keeps it anew.
    return null;
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

/** Whole or not at all, and no fault of the hook's if it cannot be. Where a rule stands is left out: a hint does not say it. */
function store(file: string, stamp: string, policy: Policy): void {
  const text = JSON.stringify({ stamp, policy }, (key, value: unknown) => (key === "source" ? null : value));
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    renameSync(temporary, file);
  } catch {
    // The next one understands it anew.
  }
}

function isPolicy(value: unknown): value is Policy {
  return isRecord(value) && Object.entries(policyParts).every(([name, isPart]) => isPart(value[name]));
}

/** What each part of a policy must be. One that is missing here does not compile. */
const policyParts: { readonly [Name in keyof Policy]: (part: unknown) => boolean } = {
  layers: (part) => Array.isArray(part) && part.every(isLayer),
  secrets: isExceptAndAdd,
  protect: isExceptAndAdd,
  gitignored: isVerdict,
  hardlinks: isVerdict,
  ceilings: (part) => part === null || isTexts(part),
  projects: isTexts,
  asks: isRecord,
  commands: isRecord,
  sessions: isRecord,
  hooks: (part) => isRecord(part) && (part["withoutDaemon"] === "spool" || part["withoutDaemon"] === "deny"),
};

function isExceptAndAdd(part: unknown): boolean {
  return isRecord(part) && isTexts(part["except"]) && isTexts(part["add"]);
}

function isLayer(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value["defaults"]) || !Array.isArray(value["rules"])) return false;
  const { name, rules } = value;
  return (name === "administrator" || name === "operator" || name === "project") && rules.every((rule) => isRule(rule, name));
}

/** A project's rules never allow. */
function isRule(value: unknown, author: string): boolean {
  if (!isRecord(value)) return false;
  const { id, right, glob, verdict, outsideOnly } = value;
  const texts = typeof id === "string" && id !== "" && typeof glob === "string" && (right === "read" || right === "write");
  return texts && isVerdict(verdict) && !(author === "project" && verdict === "allow") && typeof outsideOnly === "boolean";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function isVerdict(value: unknown): boolean {
  return value === "allow" || value === "ask" || value === "deny";
}
