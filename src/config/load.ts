// Policy files → one policy, or why not. Promise: a file that is not there says nothing; one that is there and cannot be read, trusted or
// understood is an error, never an empty policy, and the caller denies everything.

import { isAbsolute, posix } from "node:path";
import type { CallerCode } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import { combinePolicies } from "../core/policy/combine.ts";
import { parsePolicy } from "../core/policy/parse.ts";
import type { Author, PolicyPart } from "../core/policy/policy-part.ts";
import type { Policy } from "../core/policy/rule.ts";
import { type PolicyFinding, readJsonc } from "./jsonc.ts";
import { type Environment, type PolicyLocation, policyLocations, type ConfigContext } from "./locations.ts";
import { whyUntrusted } from "./untrusted-locations.ts";
import { keepingOwn, type OwnFiles, ownFilesAt, ownFilesOf, realPlace } from "./own-files.ts";
import { readPolicyFile } from "./policy-file.ts";

export interface InvalidPolicy {
  readonly ok: false;
  readonly code: Extract<CallerCode, "invalid-policy">;
  readonly errors: readonly PolicyFinding[];
}

/** A policy file that holds, and whose it is. */
export interface FoundPolicy {
  readonly author: Author;
  readonly file: string;
}

export type LoadedPolicy =
  | {
      readonly ok: true;
      readonly policy: Policy;
      /** One for each file that was there; the operator's also where only the environment spoke. */
      readonly parts: readonly PolicyPart[];
      /** The files that were there, the administrator's first. */
      readonly files: readonly FoundPolicy[];
      /** What a file says that does not count, and what its owner should know about the file. */
      readonly notices: readonly PolicyFinding[];
    }
  | InvalidPolicy;

export type ParsedText = { readonly ok: true; readonly part: PolicyPart } | InvalidPolicy;

/** More errors than anybody mends at once. */
const ERRORS = 50;

/**
 * The policy that holds for a workspace: the administrator's, the operator's and the project's, as far as they exist. Where home or
 * environment lead to what the workspace holds, that is an error: neither obeyed nor passed over.
 */
export function loadPolicy(surroundings: ConfigContext): LoadedPolicy {
  const { home, env, workspace, operatorFile, startedBy } = surroundings;
  // A relative path would be looked for in the current directory, which is a repository's: it could speak as the operator.
  const relative = [home, workspace ?? "/", operatorFile ?? "/"].filter((path) => !isAbsolute(path));
  if (relative.length > 0)
    return invalid(relative.map((path) => finding(`\`${show(path)}\` is not an absolute path, so no policy can be looked for there`)));
  const why = whyUntrusted(surroundings);
  if (why !== null) return invalid([finding(why)]);
  // Not even asked for: what a host was told to set is no operator's word.
  const ceilings = startedBy === "host" ? null : projectRootWhitelist(env);
  const loaded = loadPolicyFrom(policyLocations(surroundings), {
    home,
    ceilings,
    own: ownFilesOf(surroundings),
    // What is kept for a workspace holds in it under whatever name it is entered.
    workspace: workspace === null ? null : realPlace(workspace),
  });
  if (!loaded.ok || ceilings === null) return loaded;
  const invalidEntries = whitelisted(env).filter((place) => !isPlace(place));
  const notices = invalidEntries.map((place) =>
    finding(`\`${show(place)}\` in PROJECT_ROOT_WHITELIST is ignored: it must be an absolute path without \`..\``),
  );
  return { ...loaded, notices: [...loaded.notices, ...notices] };
}

/** The same for files at other places. `ceilings` stand for the operator's, whatever the operator's file says about them. */
export function loadPolicyFrom(
  locations: readonly PolicyLocation[],
  {
    home,
    ceilings,
    own = ownFilesAt(locations, [], home),
    workspace = null,
  }: {
    readonly home: string;
    readonly ceilings: readonly string[] | null;
    readonly own?: OwnFiles;
    readonly workspace?: string | null;
  },
): LoadedPolicy {
  const loaded = locations.map((location) => loadPart(location, home, workspace));
  const errors = loaded.flatMap((part) => part.errors);
  if (errors.length > 0) return invalid(errors);
  const fileParts = loaded.flatMap(({ part }) => (part === null ? [] : [part]));
  const parts = ceilings === null ? fileParts : sayAsOperator(fileParts, { ceilings }, home);
  const combined = combinePolicies(parts);
  const policy = keepingOwn(combined, own);
  const files = loaded.flatMap(({ file }) => (file === null ? [] : [file]));
  return { ok: true, policy, parts, files, notices: [...loaded.flatMap((part) => part.notices), ...outvoted(parts, combined)] };
}

/** One policy text. `file` is only named. A byte order mark is passed over. */
export function parsePolicyText(
  text: string,
  {
    file,
    author,
    home,
    workspace = null,
  }: { readonly file: string; readonly author: Author; readonly home: string; readonly workspace?: string | null },
): ParsedText {
  const read = readJsonc(text.startsWith("\uFEFF") ? text.slice(1) : text, file);
  if (!read.ok) return invalid(read.errors);
  const { value, locate } = read.jsonc;
  const parsed = parsePolicy(value, { author, home, workspace, locate });
  if (parsed.ok) return parsed;
  const errors = parsed.errors.map(({ message, source }) => ({ message, source }));
  return invalid(
    errors.toSorted(
      (left, right) => (left.source?.line ?? 0) - (right.source?.line ?? 0) || (left.source?.column ?? 0) - (right.source?.column ?? 0),
    ),
  );
}

/**
 * `PROJECT_ROOT_WHITELIST`: absolute directories with colons between them → ceilings; null where it is unset or empty. What is not
 * an absolute path is left out, which only makes less grantable. `loadPolicy` has counted it in already, as the operator's word.
 */
export function projectRootWhitelist(env: Environment): readonly string[] | null {
  const listed = whitelisted(env);
  if (listed.length === 0) return null;
  return listed
    .filter(isPlace)
    .map((place) => posix.normalize(place))
    .map((place) => (place.length > 1 && place.endsWith("/") ? place.slice(0, -1) : place));
}

function whitelisted(env: Environment): readonly string[] {
  const list = env["PROJECT_ROOT_WHITELIST"];
  return list === undefined || list === "" ? [] : list.split(":");
}

const isPlace = (place: string): boolean => place.startsWith("/") && !place.includes("\0") && !place.split("/").includes("..");

/** A finding on one line: `policy.json:4:5: …`. */
export function findingLine({ message, source }: PolicyFinding): string {
  return source === null ? message : `${show(source.file)}:${source.line}:${source.column}: ${message}`;
}

interface LoadedPart {
  readonly part: PolicyPart | null;
  readonly file: FoundPolicy | null;
  readonly errors: readonly PolicyFinding[];
  readonly notices: readonly PolicyFinding[];
}
const emptyPart: LoadedPart = { part: null, file: null, errors: [], notices: [] };
const failed = (message: string): LoadedPart => ({ ...emptyPart, errors: [finding(message)] });

function loadPart({ author, files, named }: PolicyLocation, home: string, workspace: string | null): LoadedPart {
  const existing = files.flatMap((file) => {
    const read = readPolicyFile(file, author);
    return read.found === "nothing" ? [] : [{ file, read }];
  });
  const [first, second] = existing;
  if (first === undefined) return named ? failed(`\`${show(files[0])}\` was given as the policy, but does not exist`) : emptyPart;
  const { file, read } = first;
  if (read.found === "fault") return failed(`\`${show(file)}\` ${read.why}`);
  if (second !== undefined) return failed(`\`${show(file)}\` and \`${show(second.file)}\` both exist; keep one of them`);
  const parsed = parsePolicyText(read.text, { file, author, home, workspace });
  if (!parsed.ok) return { ...emptyPart, errors: atMost(parsed.errors, file) };
  const exposed = author === "operator" && read.exposed && process.platform !== "win32";
  const notices = parsed.part.ignored.map(({ message, source }) => ({ message, source }));
  return {
    part: parsed.part,
    file: { author, file },
    errors: [],
    notices: exposed ? [...notices, finding(`anybody on this machine may change \`${show(file)}\`; run chmod o-w on it`)] : notices,
  };
}

/**
 * The parts with what the environment or the command line says in place of the operator's own word: ceilings, a preset. The
 * administrator's word bounds it as it bounds the operator's file.
 */
export function sayAsOperator(
  parts: readonly PolicyPart[],
  overrides: Partial<Pick<PolicyPart, "ceilings" | "preset">>,
  home: string,
): readonly PolicyPart[] {
  if (parts.some(({ author }) => author === "operator"))
    return parts.map((part) => (part.author === "operator" ? { ...part, ...overrides } : part));
  const silent = parsePolicy({}, { author: "operator", home });
  const at = parts.findIndex(({ author }) => author === "project");
  return silent.ok ? parts.toSpliced(at === -1 ? parts.length : at, 0, { ...silent.part, ...overrides }) : parts;
}

/** What the operator said and the administrator's policy does not let count. */
function outvoted(parts: readonly PolicyPart[], policy: Policy): readonly PolicyFinding[] {
  const ineffective = parts
    .filter(({ author }) => author === "operator")
    .flatMap(({ secrets, protect, ceilings, sources }) =>
      [
        ...secrets.except
          .filter((pattern) => !policy.secrets.except.includes(pattern))
          .map((pattern) => ["secrets.except", pattern] as const),
        ...protect.except
          .filter((pattern) => !policy.protect.except.includes(pattern))
          .map((pattern) => ["protected.except", pattern] as const),
        ...(ceilings ?? []).filter((place) => policy.ceilings?.includes(place) !== true).map((place) => ["ceilings", place] as const),
      ].map(([key, text]) => ({ key, text, source: sources[`${key} ${text}`] ?? null })),
    );
  return ineffective.map(({ key, text, source }) => ({
    message: `\`${show(text)}\` in the operator's \`${key}\` has no effect: the administrator's policy does not have it`,
    source,
  }));
}

function atMost(errors: readonly PolicyFinding[], file: string): readonly PolicyFinding[] {
  return errors.length <= ERRORS
    ? errors
    : [...errors.slice(0, ERRORS), finding(`\`${show(file)}\` has ${errors.length - ERRORS} more errors`)];
}

const finding = (message: string): PolicyFinding => ({ message, source: null });
const invalid = (errors: readonly PolicyFinding[]): InvalidPolicy => ({ ok: false, code: "invalid-policy", errors });
