// Policy files → one policy, or why not. The only file here that touches the disk. Promise: a file that is not there says nothing;
// one that is there and cannot be read, trusted or understood is an error, never an empty policy, and the caller denies everything.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, isAbsolute, join, posix } from "node:path";
import type { DoorCode } from "../core/errors.ts";
import { isInside } from "../core/path/contain.ts";
import { show } from "../core/path/show.ts";
import { combinePolicies } from "../core/policy/combine.ts";
import { parseGlob } from "../core/policy/glob.ts";
import { type Author, parsePolicy, type PolicyPart } from "../core/policy/parse.ts";
import type { Policy } from "../core/policy/rule.ts";
import { type Finding, readJsonc } from "./jsonc.ts";
import { type Environment, type PolicyLocation, ownPlaces, policyLocations, type Surroundings } from "./locations.ts";
import { misled } from "./misled.ts";

export interface InvalidPolicy {
  readonly ok: false;
  readonly code: Extract<DoorCode, "invalid-policy">;
  readonly errors: readonly Finding[];
}

export type LoadedPolicy =
  | {
      readonly ok: true;
      readonly policy: Policy;
      /** One for each file that was there; the operator's also where only the environment spoke. */
      readonly parts: readonly PolicyPart[];
      /** What a file says that does not count, and what its owner should know about the file. */
      readonly notices: readonly Finding[];
    }
  | InvalidPolicy;

export type ParsedText = { readonly ok: true; readonly part: PolicyPart } | InvalidPolicy;

const FILE_BYTES = 1024 * 1024;
/** More errors than anybody mends at once. */
const ERRORS = 50;

/**
 * The policy that holds for a workspace: the administrator's, the operator's and the project's, as far as they exist. Where home or
 * environment lead to what the workspace holds, that is an error: neither obeyed nor passed over.
 */
export function loadPolicy(surroundings: Surroundings): LoadedPolicy {
  const { home, env, workspace, operatorFile } = surroundings;
  // A relative path would be looked for in the current directory, which is a repository's: it could speak as the operator.
  const relative = [home, workspace ?? "/", operatorFile ?? "/"].filter((path) => !isAbsolute(path));
  if (relative.length > 0)
    return invalid(relative.map((path) => said(`\`${show(path)}\` is not an absolute path, so no policy can be looked for there`)));
  const why = misled(surroundings);
  if (why !== null) return invalid([said(why)]);
  return loadPolicyFrom(policyLocations(surroundings), { home, ceilings: projectRootWhitelist(env), own: ownPlaces(surroundings) });
}

/** The same for files at other places. `ceilings` stand for the operator's, whatever the operator's file says about them. */
export function loadPolicyFrom(
  locations: readonly PolicyLocation[],
  {
    home,
    ceilings,
    own: places = [],
  }: { readonly home: string; readonly ceilings: readonly string[] | null; readonly own?: readonly string[] },
): LoadedPolicy {
  const loaded = locations.map((location) => loadPart(location, home));
  const errors = loaded.flatMap((one) => one.errors);
  if (errors.length > 0) return invalid(errors);
  const parts = withCeilings(
    loaded.flatMap(({ part }) => (part === null ? [] : [part])),
    ceilings,
    home,
  );
  const combined = combinePolicies(parts);
  const own = locations.filter(({ author }) => author !== "project").flatMap((location) => patternsOf(location, home));
  // INVARIANT: whoever may write a policy file is its author, so no file tool may, wherever the file was put.
  const secrets = places.flatMap((place) => patternsOf({ place, files: [place] }, home));
  const policy: Policy = {
    ...combined,
    secrets: { ...combined.secrets, add: [...combined.secrets.add, ...secrets] },
    protect: { ...combined.protect, add: [...combined.protect.add, ...own] },
  };
  return { ok: true, policy, parts, notices: [...loaded.flatMap((one) => one.notices), ...outvoted(parts, combined)] };
}

/** One policy text. `file` is only named. A byte order mark is passed over. */
export function parsePolicyText(
  text: string,
  { file, author, home }: { readonly file: string; readonly author: Author; readonly home: string },
): ParsedText {
  const read = readJsonc(text.startsWith("\uFEFF") ? text.slice(1) : text, file);
  if (!read.ok) return invalid(read.errors);
  const { value, locate } = read.jsonc;
  const parsed = parsePolicy(value, { author, home, locate });
  if (parsed.ok) return parsed;
  const errors = parsed.errors.map(({ message, source }) => ({ message, source }));
  return invalid(
    errors.toSorted(
      (one, other) => (one.source?.line ?? 0) - (other.source?.line ?? 0) || (one.source?.column ?? 0) - (other.source?.column ?? 0),
    ),
  );
}

/**
 * `PROJECT_ROOT_WHITELIST`: absolute directories with colons between them → ceilings; null where it is unset or empty. What is not
 * an absolute path is left out, which only makes less grantable. `loadPolicy` has counted it in already, as the operator's word.
 */
export function projectRootWhitelist(env: Environment): readonly string[] | null {
  const list = env["PROJECT_ROOT_WHITELIST"];
  if (list === undefined || list === "") return null;
  const places = list.split(":").filter((place) => place.startsWith("/") && !place.includes("\0") && !place.split("/").includes(".."));
  return places
    .map((place) => posix.normalize(place))
    .map((place) => (place.length > 1 && place.endsWith("/") ? place.slice(0, -1) : place));
}

/** A finding on one line: `policy.json:4:5: …`. */
export function findingLine({ message, source }: Finding): string {
  return source === null ? message : `${show(source.file)}:${source.line}:${source.column}: ${message}`;
}

interface LoadedPart {
  readonly part: PolicyPart | null;
  readonly errors: readonly Finding[];
  readonly notices: readonly Finding[];
}
const nothing: LoadedPart = { part: null, errors: [], notices: [] };
const failed = (message: string): LoadedPart => ({ ...nothing, errors: [said(message)] });

function loadPart({ author, files, named }: PolicyLocation, home: string): LoadedPart {
  const found = files.flatMap((file) => {
    const read = readPolicyFile(file, author);
    return read.found === "nothing" ? [] : [{ file, read }];
  });
  const [first, second] = found;
  if (first === undefined) return named ? failed(`\`${show(files[0])}\` was named as the policy and does not exist`) : nothing;
  const { file, read } = first;
  if (read.found === "fault") return failed(`\`${show(file)}\` ${read.why}`);
  if (second !== undefined) return failed(`\`${show(file)}\` and \`${show(second.file)}\` both exist; keep one of them`);
  const parsed = parsePolicyText(read.text, { file, author, home });
  if (!parsed.ok) return { ...nothing, errors: atMost(parsed.errors, file) };
  const exposed = author === "operator" && (read.facts.mode & OTHERS_WRITE) !== 0 && process.platform !== "win32";
  const notices = parsed.part.ignored.map(({ message, source }) => ({ message, source }));
  return {
    part: parsed.part,
    errors: [],
    notices: exposed ? [...notices, said(`anybody on this machine may change \`${show(file)}\`; take that away with chmod o-w`)] : notices,
  };
}

type PolicyFile =
  | { readonly found: "nothing" }
  | { readonly found: "fault"; /** What is wrong with the file, without its name. */ readonly why: string }
  | { readonly found: "text"; readonly text: string; readonly facts: Stats };
const absent: PolicyFile = { found: "nothing" };
const fault = (why: string): PolicyFile => ({ found: "fault", why });

function readPolicyFile(file: string, author: Author): PolicyFile {
  // A repository's links lead where its author likes, and errors quote what they find. Owners may keep their files where they want.
  const follow = author !== "project";
  if (!follow && isLink(dirname(file))) return fault("lies behind a link; a repository's policy must be a file of its own");
  let descriptor: number;
  try {
    // Opened without waiting: a pipe in the place of the file would otherwise hold everything up.
    descriptor = openSync(file, constants.O_RDONLY | NONBLOCK | (follow ? 0 : NOFOLLOW));
  } catch (error) {
    return unopened(file, codeOf(error));
  }
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) return fault("is not a regular file");
    if (author === "administrator" && !(rootsAlone(facts) && rootsAlone(statSync(dirname(file))))) {
      return fault(
        "and its directory must belong to root and be writable by nobody else, or it is not the administrator's; use chown root and chmod go-w",
      );
    }
    const bytes = readAtMost(descriptor, FILE_BYTES);
    if (bytes === null) return fault("is larger than 1 MiB, which no policy needs to be");
    return { found: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), facts };
  } catch (error) {
    return fault(
      codeOf(error) === "ERR_ENCODING_INVALID_ENCODED_DATA"
        ? "is not UTF-8 text; save it as UTF-8"
        : `could not be read (${codeOf(error)})`,
    );
  } finally {
    closeSync(descriptor);
  }
}

function unopened(file: string, code: string): PolicyFile {
  if (code === "ENOENT" || code === "ENOTDIR") {
    // A link that leads nowhere was put there by somebody who meant to have a policy.
    return isLink(file) || dangles(dirname(file))
      ? fault("is a link, or lies behind one, that leads nowhere; mend the link or take it away")
      : absent;
  }
  if (code === "ELOOP" || code === "EMLINK")
    return fault("is a link; a repository's policy must be a file of its own, and links must not go in a circle");
  if (code === "EACCES" || code === "EPERM") return fault("may not be read by this user; check its owner and mode");
  return fault(`could not be opened (${code})`);
}

/** All bytes of an open file; null if there are more than `limit`. */
function readAtMost(descriptor: number, limit: number): Uint8Array | null {
  const bytes = new Uint8Array(limit + 1);
  let length = 0;
  for (let count = -1; count !== 0 && length <= limit; length += count)
    count = readSync(descriptor, bytes, length, bytes.length - length, null);
  return length > limit ? null : bytes.subarray(0, length);
}

/** What the environment says about ceilings is the operator's word, so the administrator's bounds it. */
function withCeilings(parts: readonly PolicyPart[], ceilings: readonly string[] | null, home: string): readonly PolicyPart[] {
  if (ceilings === null) return parts;
  if (parts.some(({ author }) => author === "operator"))
    return parts.map((part) => (part.author === "operator" ? { ...part, ceilings } : part));
  const silent = parsePolicy({}, { author: "operator", home });
  const at = parts.findIndex(({ author }) => author === "project");
  return silent.ok ? parts.toSpliced(at === -1 ? parts.length : at, 0, { ...silent.part, ceilings }) : parts;
}

/** What the operator said and the administrator's policy does not let count. */
function outvoted(parts: readonly PolicyPart[], policy: Policy): readonly Finding[] {
  const lost = parts
    .filter(({ author }) => author === "operator")
    .flatMap(({ secrets, protect, ceilings }) => [
      ...secrets.except
        .filter((pattern) => !policy.secrets.except.includes(pattern))
        .map((pattern) => ["secrets.except", pattern] as const),
      ...protect.except
        .filter((pattern) => !policy.protect.except.includes(pattern))
        .map((pattern) => ["protected.except", pattern] as const),
      ...(ceilings ?? []).filter((place) => policy.ceilings?.includes(place) !== true).map((place) => ["ceilings", place] as const),
    ]);
  return lost.map(([key, text]) =>
    said(`\`${show(text)}\` in the operator's \`${key}\` does not count: the administrator's policy does not have it`),
  );
}

/** An author's files as patterns of `protected`: as they were named, and where they really are. */
function patternsOf({ place, files }: Pick<PolicyLocation, "place" | "files">, home: string): readonly string[] {
  const real = realPlace(place);
  const linked = files.map(realPlace).filter((file) => !isInside(real, file));
  // Two stars in a name would be no pattern; one matches them too.
  const patterns = new Set([place, real, ...linked].map((path) => path.replaceAll(/\*{2,}/g, "*")));
  return [...patterns].filter((pattern) => pattern.startsWith("/") && parseGlob(pattern, home).ok);
}

/** Where `place` is or would be, links followed as far as there are any. */
function realPlace(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    const above = dirname(place);
    return above === place ? place : join(realPlace(above), place.slice(above.length));
  }
}

function atMost(errors: readonly Finding[], file: string): readonly Finding[] {
  return errors.length <= ERRORS
    ? errors
    : [...errors.slice(0, ERRORS), said(`\`${show(file)}\` has ${errors.length - ERRORS} more errors`)];
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function dangles(path: string): boolean {
  try {
    return isLink(path) && statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return true;
  }
}

const rootsAlone = ({ uid, mode }: Stats): boolean => uid === 0 && (mode & (GROUP_WRITE | OTHERS_WRITE)) === 0;
const GROUP_WRITE = 0o020;
const OTHERS_WRITE = 0o002;
// Windows has neither.
const NONBLOCK = constants.O_NONBLOCK ?? 0;
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}

const said = (message: string): Finding => ({ message, source: null });
const invalid = (errors: readonly Finding[]): InvalidPolicy => ({ ok: false, code: "invalid-policy", errors });
