// The daemon's side of the hook's door: a raw payload in, the host's exact words out. Knows nothing of HTTP frameworks or of stores;
// whoever mounts it gives the sessions (`Hosted` of the agent is one) and checks nothing further.

import { createHash, timingSafeEqual } from "node:crypto";
import type { Operation } from "../../core/access.ts";
import type { Decision } from "../../core/guard/decision.ts";
import type { SessionId } from "../../core/names.ts";
import { show } from "../../core/path/show.ts";
import { type Door, doorHeaders, PAYLOAD_BYTES, wordsToHttp } from "./door.ts";
import { blocked, isHostName, parseRecord, type HostCall, type Words } from "./host-call.ts";
import { hookHosts } from "./hosts/all.ts";
import { type Asked, type CallPorts, type Judged, judgeCall, judgedOf } from "./judge-call.ts";

interface HookAccess {
  readonly call: string;
  readonly tool: string;
  readonly operation: Operation;
  readonly path: string;
}

/** A session as the desk keeps it. */
export interface HookSession {
  readonly id: SessionId;
}

/** What the door needs of the daemon; `Hosted` fits. */
export interface HookDesk<S extends HookSession = HookSession> {
  register(plan: {
    readonly host: string;
    readonly hostSession: string;
    readonly workspace: string;
    readonly label?: string;
    readonly parent?: SessionId;
    readonly attended?: boolean;
  }): Promise<{ readonly session: S }>;
  /** The session by its name, or as `register` has just given it: then it is not looked up once more. */
  decide(session: SessionId | S, access: HookAccess): Promise<Decision>;
  ask(
    session: SessionId,
    access: HookAccess,
    words: string | null,
  ): Promise<
    | { readonly state: "waiting"; readonly ask: { readonly id: string } }
    | { readonly state: "done"; readonly outcome: { readonly ok: true } | { readonly ok: false; readonly hint: string } }
  >;
}

export interface HookDoorPorts<S extends HookSession = HookSession> {
  readonly desk: HookDesk<S>;
  readonly door: Pick<Door, "token" | "proof">;
  readonly home: string;
  /** Wait until the ask is settled, so many milliseconds at the most. */
  readonly settled: (ask: string, milliseconds: number) => Promise<unknown>;
  /** A fresh id, for calls whose host names none. */
  readonly ids: () => string;
}

export interface HookRequest {
  /** The last part of the address. */
  readonly host: string;
  readonly header: (name: string) => string | null;
  readonly payload: string;
}

export interface HookResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How long an ask is waited for, under the hook's own deadline. */
const PATIENCE = 3_500;

/** Make the handler of `POST /api/hook/<host>`. It never throws; what goes wrong is a refusal without the proof, or the host's blocking words. */
export function createHookDoor<S extends HookSession>(ports: HookDoorPorts<S>): (request: HookRequest) => Promise<HookResponse> {
  const wanted = Buffer.from(`Bearer ${ports.door.token}`);
  return async (request) => {
    const { host, header, payload } = request;
    // No proof for whoever has not shown the token: it would teach an impostor what to say.
    if (!isToken(header("authorization") ?? "", wanted)) return refused(401);
    if (!isHostName(host)) return refused(404);
    if (payload.length > PAYLOAD_BYTES) return refused(413);
    let words: Words;
    try {
      words = await wordsFor(ports, { ...request, host });
    } catch (error) {
      words = blocked(show(error instanceof Error ? error.message : String(error)));
    }
    return { status: 200, ...wordsToHttp(words, ports.door.proof) };
  };
}

async function wordsFor<S extends HookSession>(
  ports: HookDoorPorts<S>,
  { host: name, header, payload }: HookRequest & { readonly host: keyof typeof hookHosts },
): Promise<Words> {
  const host = hookHosts[name];
  const record = parseRecord(payload);
  if (record === null) return blocked("the payload is no JSON object");
  const decoded = host.decode(record);
  if (!decoded.ok) return blocked(decoded.why);
  const { call } = decoded;
  const workspace = decodeURIComponent(header(doorHeaders.workspace) ?? "");
  if (!workspace.startsWith("/")) return blocked("the hook named no workspace");
  const attended = header(doorHeaders.attended) !== "0";
  const session = await registered(ports.desk, { name, call, workspace, attended });
  const callName = call.callId ?? ports.ids();
  // What was read a moment ago serves the first access. Whatever comes after it may come much later, and is judged in what is kept then.
  let known: S | null = session;
  // A call may name a path twice. A yes for once that it has just used is used for both.
  const used = new Map<string, Judged>();
  const judge: CallPorts["judge"] = async (access) => {
    const name = JSON.stringify([access.operation, access.path]);
    const before = used.get(name);
    if (before !== undefined) return before;
    const current = known ?? session.id;
    known = null;
    const judged = judgedOf(await ports.desk.decide(current, { call: callName, ...access }));
    if (judged.verdict === "allow" && judged.reason === "answered") used.set(name, judged);
    return judged;
  };
  const lets = (header(doorHeaders.lets) ?? "").split(",").filter((one) => one !== "");
  const callPorts: CallPorts = {
    workspace,
    home: ports.home,
    lets: lets.map(decodeURIComponent),
    session: null,
    judge,
    ask: header(doorHeaders.ask) === "1" ? (access) => askThrough(ports, session.id, { call: callName, ...access }) : null,
  };
  return host.encode(await judgeCall(host, call, callPorts), call);
}

/** Our session of the agent that calls; below the session's first agent one for each agent, with its parent. */
async function registered<S extends HookSession>(
  desk: HookDesk<S>,
  {
    name,
    call,
    workspace,
    attended,
  }: { readonly name: string; readonly call: HostCall; readonly workspace: string; readonly attended: boolean },
): Promise<S> {
  const first = nameOf(call.sessionId === "" ? `in ${workspace}` : call.sessionId);
  const { session } = await desk.register({ host: name, hostSession: first, workspace, label: name, attended });
  if (call.agentId === null || call.agentId === "") return session;
  const hostSession = nameOf(`${call.sessionId}/${call.agentId}`);
  const label = (call.agentType ?? call.agentId).slice(0, 120);
  return (await desk.register({ host: name, hostSession, workspace, label, parent: session.id, attended })).session;
}

/** Names too long to be kept are kept by their digest. */
function nameOf(text: string): string {
  return text.length <= 200 ? text : `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

async function askThrough<S extends HookSession>(ports: HookDoorPorts<S>, session: SessionId, access: HookAccess): Promise<Asked> {
  const asked = await ports.desk.ask(session, access, null);
  if (asked.state === "done") return asked.outcome.ok ? { granted: true } : { granted: false, text: asked.outcome.hint };
  await ports.settled(asked.ask.id, PATIENCE);
  const after = await ports.desk.ask(session, access, null);
  if (after.state === "done") return after.outcome.ok ? { granted: true } : { granted: false, text: after.outcome.hint };
  const path = `\`${show(access.path)}\``;
  return {
    granted: false,
    text: `a person has been asked about ${path}; do something else, and make the same call again after the answer`,
  };
}

const refused = (status: number): HookResponse => ({ status, headers: { "content-length": "0", connection: "close" }, body: "" });

/** In a time that tells nothing but how long the token is, which is no secret: all of them are equally long. */
function isToken(given: string, wanted: Buffer): boolean {
  const bytes = Buffer.from(given);
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}
