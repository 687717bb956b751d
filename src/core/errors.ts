// The closed list of codes. Kebab-case and forever: tests, documents and clients rely on them; add deliberately, never rename.
// `docs/reasons.md` has a line for each, and a test compares the two.

/** The doing failed, or there was nothing to judge. Not a refusal by policy. */
export const errorCodes = [
  "invalid-path",
  "not-found",
  "is-directory",
  "not-directory",
  "symlink-loop",
  "os-denied",
  "io-error",
  "too-large",
  "binary-file",
  "timeout",
  "stopped",
  "output-truncated",
] as const;

/** The boundary refused, or asks first. */
export const boundaryCodes = [
  "out-of-scope",
  "write-out-of-scope",
  "read-only-grant",
  "read-only-mount",
  "secret-file",
  "protected-path",
  "policy-deny",
  "policy-ask",
  "not-regular-file",
  "virtual-fs",
  "stale-path",
  "unresolvable-path",
  "symlink-write",
  "root-moved",
  "spans-roots",
  "guard-fault",
] as const;

/** About asking, answering and granting. */
export const grantCodes = [
  "out-of-whitelist",
  "no-grant-root",
  "root-too-broad",
  "already-in-scope",
  "grant-changed",
  "grant-stale",
  "files-elsewhere",
  "grant-expired",
  "grant-revoked",
  "person-declined",
  "request-closed",
  "request-withdrawn",
  "recently-denied",
  "no-prompt-channel",
  "rate-limited",
] as const;

/** About who is calling, and through which door. */
export const doorCodes = [
  "unauthenticated",
  "forbidden",
  "wrong-session",
  "session-closed",
  "bad-host",
  "bad-origin",
  "bad-content-type",
  "method-not-allowed",
  "bad-request",
  "invalid-policy",
  "unknown-tool",
  "hook-failed",
  "sandbox-unavailable",
] as const;

export type ErrorCode = (typeof errorCodes)[number];
export type BoundaryCode = (typeof boundaryCodes)[number];
export type GrantCode = (typeof grantCodes)[number];
export type DoorCode = (typeof doorCodes)[number];
/** Why something was refused or failed. docs/reasons.md says what to do about each. */
export type Code = ErrorCode | BoundaryCode | GrantCode | DoorCode;

// Pure, so that a bundle in which nobody asks for it has none of the lists.
/** Every code. */
export const codes: readonly Code[] = /* @__PURE__ */ [errorCodes, boundaryCodes, grantCodes, doorCodes].flat();

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

/** Null for an ask: nothing has been refused yet. */
export function categoryOf(code: string): Category | null {
  switch (code) {
    case "out-of-scope":
    case "policy-ask":
    case "grant-stale":
      return null;
    case "invalid-path":
    case "bad-request":
    case "unknown-tool":
    case "is-directory":
    case "not-directory":
    case "invalid-policy":
      return "invalid-input";
    case "not-found":
      return "not-found";
    case "too-large":
      return "file-too-large";
    case "binary-file":
      return "not-text";
    case "os-denied":
    case "symlink-loop":
    case "unresolvable-path":
      return "not-accessible";
    case "io-error":
    case "timeout":
    case "stale-path":
    case "output-truncated":
      return "read-failed";
    case "person-declined":
    case "recently-denied":
    case "request-withdrawn":
    case "stopped":
      return "denied-by-person";
    default:
      return "denied-by-policy";
  }
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
