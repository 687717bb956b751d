// The front door for programs that have tools of their own: `open` finds the home directory and the policy files, says what it found, and
// gives an object that reads, lists, writes and removes. Every method returns a promise of one flat result, and none of them throws over what
// an agent asked for.

import type { Access, Operation } from "../core/access.ts";
import type { Audit } from "../core/audit.ts";
import { randomIds } from "../core/clock.ts";
import { type Code, HallpassError } from "../core/errors.ts";
import type { Decision } from "../core/guard/decision.ts";
import { hint, meanings } from "../core/guard/explain.ts";
import { createGuard, type Guard } from "../core/guard/guard.ts";
import type { FileResult, ReplaceOptions, Version } from "../core/guard/handle.ts";
import type { OpenedTarget } from "../core/guard/open.ts";
import { callId, type GrantId } from "../core/names.ts";
import { show } from "../core/path/show.ts";
import { compilePolicy } from "../core/policy/compile.ts";
import { emptyPolicy } from "../core/policy/rule.ts";
import type { Answer, Ask } from "../core/session/ask.ts";
import type { Grant } from "../core/session/grant.ts";
import type { MountMode } from "../core/session/root.ts";
import type { FoundPolicy } from "../config/load.ts";
import { openSession, realHome, type Session } from "../core/session/session.ts";

/** What `open` is told. Only the workspace is needed. */
export interface OpenOptions {
  /** The directory that the agent works in. A relative path is taken from the current directory, `~/` from the home directory. */
  readonly workspace: string;
  /** The home directory of the user; by default the one of this process. */
  readonly home?: string;
  /** The environment in which policy files are looked for; by default the one of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Further directories that are open from the start. */
  readonly mounts?: readonly { readonly path: string; readonly mode: MountMode }[];
  /**
   * `files`, the default: what the administrator, the operator and the project say in their policy files holds, and is read again when one of
   * them changes. `none`: no file is looked for, and only the built-in policy holds.
   */
  readonly policy?: "files" | "none";
  /** Is there a person to ask? Where there is none, what would be asked is denied. True by default. */
  readonly attended?: boolean;
  /** Is told of every decision, answer, grant and revocation. Where it throws, the access is denied. */
  readonly audit?: Audit;
}

/** What `open` found, for the program's own log. */
export interface OpenReport {
  /** The workspace by its real path. */
  readonly workspace: string;
  /** The home directory by its real path. */
  readonly home: string;
  /** The directory of Hallpass's own data (token, store, record), which no agent can open. */
  readonly data: string;
  /** The policy files that hold, the administrator's first. */
  readonly policies: readonly FoundPolicy[];
  /** What those files say that does not count, and what their owner should know. One line each. */
  readonly notices: readonly string[];
}

/** It was allowed, and done. */
export type AllowResult<T> = { readonly verdict: "allow"; readonly path: string } & T;
/** Nothing was done: a person must say yes first. Show `ask`, then call `answer`. */
export interface AskFirst {
  readonly verdict: "ask";
  readonly reason: Code;
  /** What to tell the model. */
  readonly hint: string;
  readonly ask: Ask;
}
/** Nothing was done, and nobody is asked. */
export interface DenyResult {
  readonly verdict: "deny";
  readonly reason: Code;
  /** What to tell the model. */
  readonly hint: string;
}
/** What became of one access. */
export type Outcome<T> = AllowResult<T> | AskFirst | DenyResult;

/** A file that was read. */
export interface FileContent {
  readonly bytes: Uint8Array;
  /** Which file this was: a later `write` can insist that it still is (`unchangedSince`). */
  readonly version: Version;
  /** The bytes as UTF-8. */
  readonly text: () => string;
}

/** A directory that was listed. */
export interface DirectoryContent {
  readonly entries: readonly { readonly name: string; readonly kind: "file" | "dir" | "link" | "other" }[];
  /** How many more there are that stay shut. */
  readonly withheld: number;
}

/** What became of an answer. */
export type AnswerEffect =
  | { readonly ok: true; readonly grant: Grant }
  | { readonly ok: false; readonly reason: Code; readonly message: string };

/** One agent's session on one workspace. */
export interface Hallpass {
  readonly found: OpenReport;
  /** Read a whole file. Larger than `limit` bytes (1 MiB by default) is denied with `too-large`. */
  read(path: string, options?: { readonly limit?: number }): Promise<Outcome<FileContent>>;
  list(path: string): Promise<Outcome<DirectoryContent>>;
  /** Put the content there, whole or not at all. */
  write(path: string, content: string | Uint8Array, options?: ReplaceOptions): Promise<Outcome<{ readonly created: boolean }>>;
  /** Remove a file or a link. */
  remove(path: string): Promise<Outcome<unknown>>;
  /** Decide, and open nothing. */
  check(path: string, operation?: Operation): Promise<Outcome<unknown>>;
  /**
   * Take a person's answer. `until: "session"` opens what the ask proposes for reading; `until: "call"` serves the next access to the path that
   * was asked about, once.
   */
  answer(ask: Ask, answer: Answer): Promise<AnswerEffect>;
  /** End a grant. The next access is judged without it. */
  revoke(grant: GrantId, by: string): Promise<void>;
  /** The grants that hold now. */
  readonly grants: () => readonly Grant[];
}

const LIMIT = 1_048_576;

/**
 * Open a session on a workspace. Rejects with a `HallpassError` where there is no such directory, it is too broad to be a workspace
 * (`root-too-broad`), a policy file is malformed (`invalid-policy`) or this machine cannot hold the boundary (`guard-fault`).
 */
export async function open(options: OpenOptions): Promise<Hallpass> {
  const { env = process.env, mounts = [], attended = true, audit } = options;
  // Loaded here, so that who imports the library for its types or its guard loads core alone.
  const [{ homedir }, { findingLine, loadPolicy }, { createPolicyFor }, { dataDirectory }] = await Promise.all([
    import("node:os"),
    import("../config/load.ts"),
    import("../config/policy-for.ts"),
    import("../config/own-directory.ts"),
  ]);
  const home = realHome(options.home ?? homedir());
  const guard = createGuard(audit === undefined ? {} : { audit });
  const surroundings = { home, env, platform: process.platform };
  const builtIn = compilePolicy(emptyPolicy, home);
  const policyFor = options.policy === "none" ? () => builtIn : createPolicyFor(surroundings);
  const opened = openSession({
    id: randomIds(),
    workspace: await absolute(options.workspace, home),
    mounts,
    home,
    attended,
    policy: (_home, real) => policyFor(real, [], mounts),
  });
  if (!opened.ok) throw new HallpassError(opened.code, opened.message);
  const workspace = opened.session.workspace.dir;
  const loaded = options.policy === "none" ? null : loadPolicy({ ...surroundings, workspace, mounts });
  const usable = loaded?.ok === true ? loaded : null;
  return {
    ...operate(guard, opened.session, () => policyFor(workspace, [], mounts)),
    found: {
      workspace,
      home,
      data: dataDirectory(surroundings),
      policies: usable?.files ?? [],
      notices: usable?.notices.map(findingLine) ?? [],
    },
  };
}

async function absolute(path: string, home: string): Promise<string> {
  const { join, resolve } = await import("node:path");
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : resolve(path);
}

/** The session as it is now, and what can be done in it. */
function operate(guard: Guard, first: Session, policyNow: () => Session["policy"]): Omit<Hallpass, "found"> {
  let session = first;

  /** What it is judged in. An unused yes for this path and right lends the access the call that it was given to. */
  const prepareAccess = <O extends Operation>(path: string, operation: O): { readonly access: Access<O>; readonly now: Session } => {
    session = { ...session, policy: policyNow() };
    const yes = onceAnswers.find((ask) => ask.requested === path && ask.operation === operation);
    return { access: { call: yes?.call ?? callId(randomIds()), tool: "library", operation, path }, now: session };
  };
  const onceAnswers: Ask[] = [];
  const useOnceAnswer = (access: Access): void => {
    const index = onceAnswers.findIndex(({ call }) => call === access.call);
    if (index === -1) return;
    onceAnswers.splice(index, 1);
    session = { ...session, grants: session.grants.filter((grant) => grant.until !== "call" || grant.call !== access.call) };
  };

  const use = async <O extends Operation, T>(
    path: string,
    operation: O,
    work: (opened: OpenedTarget<O>) => Promise<FileResult<T>>,
  ): Promise<Outcome<T>> => {
    let judged: ReturnType<typeof prepareAccess<O>>;
    try {
      judged = prepareAccess(path, operation);
    } catch (error) {
      return denyUnjudged(path, error);
    }
    const used = await guard.use(judged.access, judged.now, work);
    if (used.verdict !== "allow") return refusal(used);
    useOnceAnswer(judged.access);
    const done = used.done.ok ? used.done.value : used.done;
    return done.ok ? { ...done.value, verdict: "allow", path: used.real ?? path } : failed(path, done.code);
  };

  return {
    read: (path, { limit = LIMIT } = {}) =>
      use(path, "read", async (file) => {
        const { version } = file;
        const read = await file.bytes(limit);
        return read.ok ? { ok: true, value: { bytes: read.value, version, text: () => new TextDecoder().decode(read.value) } } : read;
      }),
    list: (path) => use(path, "list", (directory) => directory.listInTurns()),
    write: (path, content, options) => use(path, "replace", async (file) => file.replace(Buffer.from(content), options)),
    remove: (path) =>
      use(path, "remove", async (file) => {
        const done = file.remove();
        return done.ok ? { ok: true, value: {} } : done;
      }),
    async check(path, operation = "read") {
      try {
        const { access, now } = prepareAccess(path, operation);
        const decision = guard.judge(access, now);
        if (decision.verdict !== "allow") return refusal(decision);
        decision.pass.close();
        return { verdict: "allow", path: decision.real ?? path };
      } catch (error) {
        return denyUnjudged(path, error);
      }
    },
    async answer(ask, answer) {
      const settled = guard.answer({ ...session, policy: policyNow() }, ask, answer);
      if (!settled.ok) return { ok: false, reason: settled.code, message: settled.message };
      session = settled.session;
      if (settled.grant.until === "call") onceAnswers.push(ask);
      return { ok: true, grant: settled.grant };
    },
    async revoke(grant, by) {
      session = guard.revoke(session, grant, by);
    },
    grants: () => session.grants,
  };
}

function refusal(decision: Exclude<Decision, { readonly verdict: "allow" }>): AskFirst | DenyResult {
  const { reason } = decision;
  return decision.verdict === "ask"
    ? { verdict: "ask", reason, hint: hint(decision), ask: decision.ask }
    : { verdict: "deny", reason, hint: hint(decision) };
}

/** It was allowed, and could not be done. */
function failed(path: string, code: Code): DenyResult {
  return { verdict: "deny", reason: code, hint: `\`${show(path)}\` ${meanings[code]}.` };
}

/** The policy cannot be read any more, so nothing is judged by it. */
function denyUnjudged(path: string, error: unknown): DenyResult {
  return failed(path, error instanceof HallpassError ? error.code : "guard-fault");
}
