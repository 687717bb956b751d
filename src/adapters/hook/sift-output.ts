// Removes the lines of shut files from the result of a host's own search before the model sees it. A result that cannot be examined is
// withheld.

import type { Access } from "../../core/access.ts";
import type { Code } from "../../core/errors.ts";
import { createGuard, type Guard } from "../../core/guard/guard.ts";
import { callId } from "../../core/names.ts";
import { isInside } from "../../core/path/contain.ts";
import type { Session } from "../../core/session/session.ts";
import { dataDirectory } from "../../config/own-directory.ts";
import { isNamed } from "./disk.ts";
import { type Sieve, withoutShut } from "./found-lines.ts";
import type { HookHost, HostCall, ToolOutput, Words } from "./host-call.ts";
import { type InProcessJudge, openHere } from "./in-process.ts";
import { judgedOf } from "./judge-call.ts";
import { type DecisionEvent, spoolCall } from "./spool.ts";
import { toolIn, whole } from "./wanted.ts";

/** Opens what tells which files are shut. `record` keeps what was found to be for the record; where that fails nothing goes on. */
export type OpenSieve = () => Promise<Sieve & { record(): Promise<void> }>;

const WITHHELD =
  "hallpass: hook-failed: what was found could not be looked through for files that are shut, and is withheld; search in fewer files";
const UNCHANGED: Words = { exit: 0, stdout: "" };

export async function siftOutput(host: HookHost, { call, texts, nothing, replaced }: ToolOutput, open: OpenSieve): Promise<Words> {
  if (toolIn(host.tools, call.tool)?.finds !== true || texts.every((text) => text === "")) return UNCHANGED;
  try {
    const sieve = await open();
    const sifted = texts.map((text) => withoutShut(text, sieve, nothing));
    if (sifted.every((text, index) => text === texts[index])) return UNCHANGED;
    await sieve.record();
    return replaced(sifted);
  } catch {
    return replaced(texts.map((text) => (text === "" ? "" : WITHHELD)));
  }
}

/** Shut whatever was granted: a grant opens neither a secret nor what a rule keeps. */
const SHUT: ReadonlySet<string> = new Set<Code>(["secret-file", "policy-deny", "policy-ask"]);
/** More names than a search that anybody reads has. */
const MAX_FILES = 5_000;

/** By the policy as it is now. `shut`: the files that were found to be. */
export async function openSieve(
  host: HookHost,
  call: HostCall,
  surroundings: InProcessJudge,
): Promise<Sieve & { readonly shut: readonly string[]; record(): Promise<void> }> {
  const session = await openHere({ ...surroundings, attended: true });
  const events: DecisionEvent[] = [];
  const guard = createGuard({
    audit: (event) => void (event.kind === "decision" && isShutBy(event) && events.push(event)),
    clock: Date.now,
  });
  const hookCall = callId(call.callId ?? `hook-${process.pid}-${Date.now()}`);
  const dir = session.workspace.dir;
  // A host tells paths from where it searched, or from the workspace.
  const keys = toolIn(host.tools, call.tool)?.base ?? [];
  const named = keys.flatMap((key) => call.input[key]).filter((path) => typeof path === "string");
  const bases = [...new Set([dir, ...[call.cwd, ...named].flatMap((path) => (path === null ? [] : [whole(path, dir)]))])];
  const known = new Map<string, boolean>();
  const shut: string[] = [];
  const answeredDirs = named.flatMap((path) =>
    answeredDir(createGuard(), { call: hookCall, tool: call.tool, path: whole(path, dir) }, session),
  );
  const isShutAt = (path: string): boolean => {
    const decision = guard.judge({ call: hookCall, tool: call.tool, operation: "read", path }, session);
    const { real, reason } = decision;
    if (reason === "policy-ask" && real !== null && answeredDirs.some((answered) => isInside(answered, real))) return false;
    return isShutBy(judgedOf(decision));
  };
  const isShut = (path: string): boolean => {
    const cached = known.get(path);
    if (cached !== undefined) return cached;
    if (known.size >= MAX_FILES) throw new Error("more files were found than are looked at");
    const shutPath = bases.map((base) => whole(path, base)).find(isShutAt);
    if (shutPath !== undefined) shut.push(shutPath);
    known.set(path, shutPath !== undefined);
    return shutPath !== undefined;
  };
  return {
    isShut,
    isThere: (path) => bases.some((base) => isNamed(whole(path, base))),
    shut,
    // oxlint-disable-next-line require-await -- whoever has a daemon waits for it here
    async record() {
      const { workspace } = surroundings;
      if (surroundings.isRecorded && events.length > 0)
        spoolCall(dataDirectory(surroundings), { host: host.name, workspace, sessionId: call.sessionId, agentId: call.agentId, events });
    },
  };
}

/**
 * The directory of a search that was done although a rule asks about it: then a person said yes to this very search, and its card told that it
 * shows what is asked about.
 */
function answeredDir(guard: Guard, access: Omit<Access, "operation">, session: Session): readonly string[] {
  const decision = guard.judge({ ...access, operation: "search" }, session);
  if (decision.verdict === "allow") decision.pass.close();
  return decision.verdict === "ask" && decision.ask.offers === "once" ? [decision.ask.path] : [];
}

const isShutBy = ({ verdict, reason }: Pick<DecisionEvent, "verdict" | "reason">): boolean => verdict !== "allow" && SHUT.has(reason);
