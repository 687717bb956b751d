// The closed list of codes, each with its category and what can help. Kebab-case and forever: tests, documents and clients rely on them; add deliberately,
// never rename. `docs/reasons.md` has a line for each, and a test compares the two.

import type { Right } from "./access.ts";

/** The kinds of error a caller may want to tell apart without knowing every code. */
export type Category =
  | "invalid-input"
  | "denied-by-policy"
  | "denied-by-person"
  | "file-too-large"
  | "not-found"
  | "not-accessible"
  | "not-text"
  | "read-failed";

/** What can help: a read that a person can be asked about, only what a person does by themselves, or nothing. */
export type RemedyKind = "ask" | "person" | "none";

/** The category is null for an ask: nothing has been refused yet. */
type CodeRows = Readonly<Record<string, readonly [category: Category | null, ways: RemedyKind]>>;

/** The doing failed, or there was nothing to judge. Not a refusal by policy. */
const errors = {
  "invalid-path": ["invalid-input", "none"],
  "not-found": ["not-found", "none"],
  "is-directory": ["invalid-input", "none"],
  "not-directory": ["invalid-input", "none"],
  "symlink-loop": ["not-accessible", "none"],
  "os-denied": ["not-accessible", "none"],
  "io-error": ["read-failed", "none"],
  "too-large": ["file-too-large", "none"],
  "binary-file": ["not-text", "none"],
  timeout: ["read-failed", "none"],
  stopped: ["denied-by-person", "none"],
  "output-truncated": ["read-failed", "none"],
} satisfies CodeRows;

/** The boundary refused, or asks first. */
const boundary = {
  "out-of-scope": [null, "ask"],
  "write-out-of-scope": ["denied-by-policy", "person"],
  "read-only-grant": ["denied-by-policy", "person"],
  "read-only-mount": ["denied-by-policy", "person"],
  "secret-file": ["denied-by-policy", "none"],
  "protected-path": ["denied-by-policy", "none"],
  "policy-deny": ["denied-by-policy", "none"],
  "policy-ask": [null, "ask"],
  "no-network": [null, "ask"],
  "not-regular-file": ["denied-by-policy", "none"],
  "virtual-fs": ["denied-by-policy", "none"],
  "stale-path": ["read-failed", "none"],
  "unresolvable-path": ["not-accessible", "none"],
  "symlink-write": ["denied-by-policy", "none"],
  "root-moved": ["denied-by-policy", "none"],
  "spans-roots": ["denied-by-policy", "none"],
  "guard-fault": ["denied-by-policy", "none"],
} satisfies CodeRows;

/** About asking, answering and granting. */
const grants = {
  "out-of-whitelist": ["denied-by-policy", "person"],
  "no-grant-root": ["denied-by-policy", "person"],
  "root-too-broad": ["denied-by-policy", "person"],
  "already-in-scope": ["denied-by-policy", "none"],
  "grant-changed": ["denied-by-policy", "none"],
  "grant-stale": [null, "ask"],
  "files-elsewhere": ["denied-by-policy", "none"],
  "grant-expired": ["denied-by-policy", "none"],
  "grant-revoked": ["denied-by-policy", "none"],
  "person-declined": ["denied-by-person", "none"],
  "request-closed": ["denied-by-policy", "none"],
  "request-withdrawn": ["denied-by-person", "none"],
  "recently-denied": ["denied-by-person", "none"],
  "no-prompt-channel": ["denied-by-policy", "none"],
  "rate-limited": ["denied-by-policy", "none"],
} satisfies CodeRows;

/** About who is calling, and how. */
const callers = {
  unauthenticated: ["denied-by-policy", "none"],
  forbidden: ["denied-by-policy", "none"],
  "wrong-session": ["denied-by-policy", "none"],
  "session-closed": ["denied-by-policy", "none"],
  "bad-host": ["denied-by-policy", "none"],
  "bad-origin": ["denied-by-policy", "none"],
  "bad-content-type": ["denied-by-policy", "none"],
  "method-not-allowed": ["denied-by-policy", "none"],
  "bad-request": ["invalid-input", "none"],
  "invalid-policy": ["invalid-input", "none"],
  "unknown-tool": ["invalid-input", "none"],
  "hook-failed": ["denied-by-policy", "none"],
  "sandbox-unavailable": ["denied-by-policy", "none"],
} satisfies CodeRows;

export type ErrorCode = keyof typeof errors;
export type BoundaryCode = keyof typeof boundary;
export type GrantCode = keyof typeof grants;
export type CallerCode = keyof typeof callers;
/** Why something was refused or failed. docs/reasons.md says what to do about each. */
export type Code = ErrorCode | BoundaryCode | GrantCode | CallerCode;

const rows: Readonly<Record<Code, CodeRows[string]>> = { ...errors, ...boundary, ...grants, ...callers };

/** Is it one of the closed list? */
export function isCode(word: string): word is Code {
  return Object.hasOwn(rows, word);
}

/** Every code. */
export const codes: readonly Code[] = /* @__PURE__ */ Object.keys(rows).filter(isCode);

/** Null for an ask. A code of somebody else's is a refusal. */
export function categoryOf(code: string): Category | null {
  return isCode(code) ? rows[code][0] : "denied-by-policy";
}

/** The ways on after a refusal with this code. A yes to reading never helps a write. */
export function waysOn(code: string, right: Right): RemedyKind {
  const ways = isCode(code) ? rows[code][1] : "none";
  return ways === "ask" && right === "write" ? "person" : ways;
}

/** A refusal as a model reads it: the code with what to do. A plain `denied` comes first, as the contract of request_read_access has it. */
export function wordRefusal(code: string, text: string): string {
  return /^denied\b/u.test(text) ? `${text} [${code}]` : `${code}: ${text}`;
}

/** The error that is thrown where something cannot be done, with a code. What an agent may ask for is never an error: it is refused with a value. */
export class HallpassError extends Error {
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "HallpassError";
    this.code = code;
  }
}
