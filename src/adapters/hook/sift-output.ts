// What a host's own search gives back, on its way to the model: lines of files that are shut are taken out. Of a result that cannot be looked through
// nothing goes on.

import { createGuard } from "../../core/guard/guard.ts";
import { callId } from "../../core/names.ts";
import { dataDirectory } from "../../config/own-directory.ts";
import { isNamed } from "./disk.ts";
import { type Sieve, withoutShut } from "./found-lines.ts";
import type { HookHost, HostCall, ToolOutput, Words } from "./host-call.ts";
import { type InProcess, openHere } from "./in-process.ts";
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
    const left = texts.map((text) => withoutShut(text, sieve, nothing));
    if (left.every((text, index) => text === texts[index])) return UNCHANGED;
    await sieve.record();
    return replaced(left);
  } catch {
    return replaced(texts.map((text) => (text === "" ? "" : WITHHELD)));
  }
}

/** Shut whatever was granted: a grant opens neither a secret nor what a rule keeps. */
const SHUT: ReadonlySet<string> = new Set(["secret-file", "policy-deny", "policy-ask"]);
/** More names than a search that anybody reads has. */
const MOST = 5_000;

/** By the policy as it is now. `shut`: the files that were found to be. */
export async function openSieve(
  host: HookHost,
  call: HostCall,
  around: InProcess,
): Promise<Sieve & { readonly shut: readonly string[]; record(): Promise<void> }> {
  const session = await openHere({ ...around, attended: true });
  const events: DecisionEvent[] = [];
  const guard = createGuard({
    audit: (event) => void (event.kind === "decision" && isShutBy(event) && events.push(event)),
    clock: Date.now,
  });
  const name = callId(call.callId ?? `hook-${process.pid}-${Date.now()}`);
  const dir = session.workspace.dir;
  // A host tells paths from where it searched, or from the workspace.
  const keys = toolIn(host.tools, call.tool)?.base ?? [];
  const named = keys.flatMap((key) => call.input[key]).filter((one) => typeof one === "string");
  const bases = [...new Set([dir, ...[call.cwd, ...named].flatMap((one) => (one === null ? [] : [whole(one, dir)]))])];
  const known = new Map<string, boolean>();
  const shut: string[] = [];
  const isShutAt = (path: string): boolean =>
    isShutBy(judgedOf(guard.judge({ call: name, tool: call.tool, operation: "read", path }, session)));
  const isShut = (path: string): boolean => {
    const before = known.get(path);
    if (before !== undefined) return before;
    if (known.size >= MOST) throw new Error("more files were found than are looked at");
    const found = bases.map((base) => whole(path, base)).find(isShutAt);
    if (found !== undefined) shut.push(found);
    known.set(path, found !== undefined);
    return found !== undefined;
  };
  return {
    isShut,
    isThere: (path) => bases.some((base) => isNamed(whole(path, base))),
    shut,
    // oxlint-disable-next-line require-await -- whoever has a daemon waits for it here
    async record() {
      const { workspace } = around;
      if (around.isRecorded && events.length > 0)
        spoolCall(dataDirectory(around), { host: host.name, workspace, sessionId: call.sessionId, agentId: call.agentId, events });
    },
  };
}

const isShutBy = ({ verdict, reason }: Pick<DecisionEvent, "verdict" | "reason">): boolean => verdict !== "allow" && SHUT.has(reason);
