// A situation to judge in, from plain data: workspace, mounts, grants, policy. The same for flags and for the line protocol.

import { randomIds, systemClock } from "../core/clock.ts";
import { type Code, HallpassError } from "../core/errors.ts";
import { isInside } from "../core/path/contain.ts";
import { show } from "../core/path/show.ts";
import { isRecord } from "../core/record.ts";
import { combinePolicies } from "../core/policy/combine.ts";
import { type CompiledPolicy, compilePolicy } from "../core/policy/compile.ts";
import { parsePolicy, type PolicyPart } from "../core/policy/parse.ts";
import { reopenGrants } from "../core/session/grant.ts";
import { type MountMode, mountModes } from "../core/session/root.ts";
import { openSession, realHome, type Session } from "../core/session/session.ts";
import { keepingOwn, type OwnFiles } from "../config/own-files.ts";
import type { Host } from "./host.ts";

/** What a line may say about where it is to be judged. */
export const situationKeys = ["workspace", "mounts", "grants", "projects", "ceilings", "home", "policy", "attended"] as const;

export interface Situation {
  readonly session: Session;
  /** Grants whose directory is no longer there. */
  readonly lost: readonly string[];
}

/**
 * Opens situations for the lines of one process. Policies that come again and again are compiled once. The administrator's policy and
 * ceilings bound every line: whoever writes lines is at most an operator. Throws `invalid-policy` where that policy is malformed.
 */
export async function openSituations(host: Host): Promise<(line: Readonly<Record<string, unknown>>) => Situation> {
  const { findingLine, loadPolicyFrom, projectRootWhitelist } = await import("../config/load.ts");
  const { policyLocations } = await import("../config/locations.ts");
  const { ownFilesOf } = await import("../config/own-files.ts");
  const home = realHome(host.home);
  const surroundings = { home: host.home, env: host.env, platform: host.platform, workspace: null };
  const locations = policyLocations(surroundings).filter(({ author }) => author === "administrator");
  const loaded = loadPolicyFrom(locations, { home, ceilings: null });
  if (!loaded.ok) throw new HallpassError("invalid-policy", loaded.errors.map(findingLine).join("; "));
  return createSituations(home, { ceilings: projectRootWhitelist(host.env), administrator: loaded.parts, own: ownFilesOf(surroundings) });
}

export interface Bounds {
  /** Ceilings where a line names none; null for the default. */
  readonly ceilings: readonly string[] | null;
  readonly administrator: readonly PolicyPart[];
  /** Our own files on this machine: lines bring their policies along, and none of them speaks of these. */
  readonly own: OwnFiles;
}

export function createSituations(
  home: string,
  { ceilings, administrator, own }: Bounds,
): (line: Readonly<Record<string, unknown>>) => Situation {
  const compiled = new Map<string, CompiledPolicy>();
  const bound = administrator.find((part) => part.ceilings !== null)?.ceilings ?? null;
  return (line) => {
    const homePath = textAt(line, "home");
    const lineHome = homePath === undefined ? home : realHome(homePath);
    if (!lineHome.startsWith("/")) throw bad("`home` must be an absolute path");
    const workspace = textAt(line, "workspace");
    if (workspace === undefined) throw bad("`workspace` is missing: the directory the session works in");
    const namedCeilings = listAt(line, "ceilings") ?? ceilings;
    const lineCeilings =
      namedCeilings === null || bound === null
        ? namedCeilings
        : namedCeilings.filter((place) => bound.some((ceiling) => isInside(ceiling, place)));
    const opened = openSession({
      workspace,
      mounts: mountsAt(line),
      projects: listAt(line, "projects") ?? [],
      ...(lineCeilings === null ? {} : { ceilings: lineCeilings }),
      home: lineHome,
      policy: policyFor(line["policy"], lineHome, { administrator, own }, compiled),
      attended: booleanAt(line, "attended") ?? true,
    });
    if (!opened.ok) throw new HallpassError(opened.code, opened.message);
    return reopenGrants(opened.session, listAt(line, "grants") ?? [], { clock: systemClock, ids: randomIds });
  };
}

function policyFor(
  value: unknown,
  home: string,
  { administrator, own }: Pick<Bounds, "administrator" | "own">,
  known: Map<string, CompiledPolicy>,
): CompiledPolicy {
  const key = `${home}\n${JSON.stringify(value ?? null)}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const operator = value === undefined || value === null ? [] : [parseLinePolicy(value, home)];
  const made = compilePolicy(keepingOwn(combinePolicies([...administrator, ...operator]), own), home);
  if (known.size >= POLICIES) known.clear();
  known.set(key, made);
  return made;
}

function parseLinePolicy(value: unknown, home: string) {
  const result = parsePolicy(value, { author: "operator", home });
  if (result.ok) return result.part;
  const [first] = result.errors;
  const where = first === undefined || first.keys.length === 0 ? "" : `${first.keys.map(String).map(show).join(".")}: `;
  const more = result.errors.length > 1 ? ` (and ${result.errors.length - 1} more)` : "";
  throw new HallpassError("invalid-policy", `${where}${first?.message ?? "the policy is malformed"}${more}`);
}

const POLICIES = 64;

function mountsAt(line: Readonly<Record<string, unknown>>): readonly { path: string; mode: MountMode }[] {
  const mounts = line["mounts"];
  if (mounts === undefined || mounts === null) return [];
  if (!Array.isArray(mounts)) throw bad("`mounts` must be a list of {path, mode}");
  return mounts.map((mount: unknown) => {
    const { path, mode, ...rest } = recordOf(mount, "a mount");
    const known = mountModes.find((one) => one === mode);
    if (typeof path !== "string" || known === undefined || Object.keys(rest).length > 0)
      throw bad(`a mount is {path, mode}, its mode one of ${mountModes.join(", ")}`);
    return { path, mode: known };
  });
}

/** Reads what may stand at a key; undefined where nothing does. Throws where it is something else. */
const reader =
  <T>(is: (value: unknown) => value is T, what: string) =>
  (line: Readonly<Record<string, unknown>>, key: string): T | undefined => {
    const value = line[key] ?? undefined;
    if (value === undefined || is(value)) return value;
    throw bad(`\`${key}\` must be ${what}`);
  };
const isText = (value: unknown): value is string => typeof value === "string";
const textAt = reader(isText, "a text");
const booleanAt = reader((value): value is boolean => typeof value === "boolean", "true or false");
const listAt = reader((value): value is readonly string[] => Array.isArray(value) && value.every(isText), "a list of paths");

/** A plain object, or an error that names what it should have been. */
export function recordOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw bad(`${what} must be an object`);
  return { ...value };
}

export const bad = (message: string, code: Code = "bad-request"): HallpassError => new HallpassError(code, message);
