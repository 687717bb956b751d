// The words for every code and reason, each one sentence without its subject. Everything that words a refusal takes them from here.

import type { Code } from "../errors.ts";
import type { AllowReason } from "./decision.ts";

/**
 * What each refusal means, in a sentence without its subject: "`path` …". None of them uses a word that could be the name of a
 * directory next door; what a refusal says must not be mistaken for something that was found.
 */
export const meanings: Record<Code, string> = {
  "invalid-path": "is not a path that can be used",
  "not-found": "does not exist",
  "is-directory": "is a directory",
  "not-directory": "is not a directory",
  "symlink-loop": "goes through a loop of links",
  "os-denied": "cannot be opened: the operating system denies it",
  "io-error": "could not be read or written: the system reported an error",
  "too-large": "is too large to be read or written at once",
  "binary-file": "is not a text file",
  timeout: "took too long",
  stopped: "was stopped by the person",
  "output-truncated": "produced more output than is shown",
  "out-of-scope": "is not in the workspace, a mount or anything granted",
  "write-out-of-scope": "is not in the workspace; nothing is written there",
  "read-only-grant": "is in a directory that was granted for reading only",
  "read-only-mount": "is in a directory that is mounted for reading only",
  "secret-file": "is on the list of secrets, which stay hidden everywhere",
  "protected-path": "runs on this machine later (git, editor, shell or agent configuration), so it is not written",
  "policy-deny": "is denied by a rule of the policy",
  "policy-ask": "needs permission: the policy says to ask",
  "no-network": "needs the network, which commands have only after a person's yes",
  "not-regular-file": "is not a regular file",
  "virtual-fs": "is part of the system's own state, which is always denied",
  "stale-path": "was replaced while it was being checked; try again",
  "unresolvable-path": "is, or leads to, a path that is too long for the system",
  "symlink-write": "is a link; nothing is written through links",
  "root-moved": "is in a mounted directory that was replaced",
  "spans-roots": "is used together with a path in another root, which a sandboxed root does not allow",
  "guard-fault": "could not be judged, and what cannot be judged is denied",
  "out-of-whitelist": "cannot be opened by an answer, only by a rule of the policy",
  "no-grant-root": "is in no project or repository that could be granted",
  "root-too-broad": "is in a project or repository that is too broad to grant",
  "already-in-scope": "is already in scope; nobody needs to be asked",
  "grant-changed": "has changed since the question was asked",
  "files-elsewhere": "is on another machine, and only that machine can check it",
  "grant-stale": "was granted, but another directory is in its place now",
  "grant-expired": "was granted, but the grant has expired",
  "grant-revoked": "was granted, but the grant has been revoked",
  "person-declined": "was denied by the person",
  "request-closed": "is no longer an open question: it was answered, or is no longer needed",
  "request-withdrawn": "was withdrawn: the person said something else instead of answering",
  "recently-denied": "was refused a moment ago; do not ask again until the person speaks",
  "no-prompt-channel": "needs a person's yes, and nobody is there to ask",
  "rate-limited": "was one of too many requests at once",
  unauthenticated: "came without a valid credential",
  forbidden: "is not allowed with this credential",
  "wrong-session": "belongs to another session",
  "session-closed": "belongs to a session that has ended",
  "bad-host": "was sent to a host name this server does not answer to",
  "bad-origin": "came from a page this server does not trust",
  "bad-content-type": "was not sent as JSON",
  "method-not-allowed": "does not support this method",
  "bad-request": "was not understood",
  "invalid-policy": "cannot be judged: the policy file is invalid, and everything is denied until it is fixed",
  "unknown-tool": "names no tool",
  "hook-failed": "could not be judged by the hook",
  "sandbox-unavailable": "needs a sandbox, and there is none on this machine",
};

/** The same for what is allowed. */
export const allowances: Record<AllowReason, string> = {
  "in-workspace": "is in the workspace",
  "in-mount": "is in a mounted directory",
  "in-grant": "is in a directory that was granted for reading",
  "policy-allow": "is allowed by a rule of the policy",
  "network-granted": "has the network, which was granted for the session",
  answered: "was allowed by a person, for this call",
};
