// A decision in words for a model: what was asked, why not and what to do next, and no more about what is denied than that it is. Pure.

import { needs, type Operation } from "../access.ts";
import type { Code } from "../errors.ts";
import { show } from "../path/show.ts";
import type { Ask } from "../session/ask.ts";
import type { Decision } from "./decision.ts";
import { allowances, meanings } from "./meanings.ts";

/**
 * Can a model ask for it with `request_read_access`? A yes to that shows the names in a directory, and never what lies below: a search that is
 * allowed once alone is put to a person itself, as a write is. So is the network, which is no path.
 */
export const isRequestable = ({ right, offers, operation }: Pick<Ask, "right" | "offers"> & { readonly operation?: Operation }): boolean =>
  right === "read" && operation !== undefined && !(offers === "once" && operation === "search");

/** What a model should do next. Names the ask with its arguments where asking can help; several lines at the most. */
export function hint(decision: Decision): string {
  const path = `\`${show(String(decision.access.path))}\``;
  if (decision.verdict === "allow") return `${path} ${allowances[decision.reason]}`;
  const why = `${path} ${meanings[decision.reason]}`;
  if (decision.verdict === "ask") {
    if (!isRequestable(decision.ask))
      return `${why}. A person is asked before it is ${decision.ask.right === "write" ? "written" : "searched"}.`;
    const what = decision.ask.offers === "session" ? "read it for this session" : "read it once";
    return `${why}. Use request_read_access(path, reason) to ask for permission to ${what}:\nrequest_read_access({"path": ${quoteJson(absolutePath(decision))}, "reason": "<why you need it>"})`;
  }
  return `${why}. ${nextStep(decision.reason, needs[decision.access.operation])}`;
}

/** The text as a JSON string that a model can copy, with what `show` would escape written as JSON escapes. */
export function quoteJson(text: string): string {
  return JSON.stringify(text).replaceAll(/[^\\]/gu, (character) => (show(character) === character ? character : escapedUnits(character)));
}

function escapedUnits(text: string): string {
  return text
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** The path to ask with, which must be absolute: as it was asked for, seen from the workspace. */
function absolutePath({ access, trace }: Decision): string {
  const [first] = trace;
  return first.at === "resolve" ? first.absolute : access.path;
}

function nextStep(reason: Code, right: "read" | "write"): string {
  switch (reason) {
    case "secret-file":
    case "protected-path":
    case "policy-deny":
    case "virtual-fs":
      return "Do not try other spellings or ways around; go on without it, or tell the person what you need.";
    case "write-out-of-scope":
    case "read-only-grant":
    case "read-only-mount":
      return "Write inside the workspace instead.";
    case "symlink-write":
      return "Write to the file it leads to, by its own path, if that is inside the workspace.";
    case "out-of-whitelist":
    case "no-grant-root":
    case "root-too-broad":
      return "Do not ask for it; go on without it, or tell the person what you need.";
    case "no-prompt-channel":
      return "Go on without it.";
    case "person-declined":
    case "recently-denied":
      return "Do not ask again; go on without it.";
    case "invalid-path":
      return "Give one path as a plain string, absolute or relative to the workspace.";
    case "not-regular-file":
      return right === "read" ? "Only regular files are read." : "Only regular files are written.";
    case "stale-path":
    case "io-error":
    case "timeout":
      return "Try again.";
    case "is-directory":
      return "Use list_dir for directories.";
    case "not-directory":
      return "Use read_file for files.";
    case "too-large":
      return "Read it by lines with offset and limit, or search it.";
    case "binary-file":
      return "Only text is read and edited.";
    case "unresolvable-path":
      return "Use a shorter path.";
    case "spans-roots":
      return "Use one of them at a time.";
    case "root-moved":
      return "Only the person can mount it again: tell them.";
    case "not-found":
    case "symlink-loop":
      return "Check the path.";
    case "already-in-scope":
      return "Read it directly.";
    case "rate-limited":
      return "Wait a minute before you ask again.";
    case "grant-changed":
    case "grant-expired":
    case "grant-revoked":
    case "request-closed":
    case "request-withdrawn":
      return "Ask again if you still need it.";
    case "files-elsewhere":
    case "grant-stale":
    case "guard-fault":
    case "no-network":
    case "os-denied":
    case "out-of-scope":
    case "output-truncated":
    case "policy-ask":
    case "stopped":
    case "unauthenticated":
    case "forbidden":
    case "wrong-session":
    case "session-closed":
    case "bad-host":
    case "bad-origin":
    case "bad-content-type":
    case "method-not-allowed":
    case "bad-request":
    case "invalid-policy":
    case "unknown-tool":
    case "hook-failed":
    case "sandbox-unavailable":
      return "Go on without it, or tell the person what you need.";
  }
}
