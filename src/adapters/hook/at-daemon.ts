// The daemon's side of the hook's door: a raw payload in, the host's exact words out. Knows nothing of HTTP frameworks or of stores;
// whoever mounts it gives the sessions (`Hosted` of the agent is one) and checks nothing further.

import { createHash, timingSafeEqual } from "node:crypto";
import type { Operation } from "../../core/access.ts";
import type { Decision } from "../../core/guard/decision.ts";
import { type SessionId, sessionId } from "../../core/names.ts";
import { show } from "../../core/path/show.ts";
import { type Door, doorHeaders, PAYLOAD_BYTES, wordsToHttp } from "./door.ts";
import { blocked, isHostName, parseRecord, type HostCall, type Words } from "./host-call.ts";
import { hookHosts } from "./hosts/all.ts";
import { type Asked, type CallPorts, judgeCall, judgedOf } from "./judge-call.ts";

interface HookAccess {
  readonly call: string;
  readonly tool: string;
  readonly operation: Operation;
  readonly path: string;
}

/** What the door needs of the daemon; `Hosted` fits. */
export interface HookDesk {
  register(plan: {
    readonly host: string;
    readonly hostSession: string;
    readonly workspace: string;
    readonly label?: string;
    readonly parent?: SessionId;
    readonly attended?: boolean;
  }): Promise<{ readonly session: { readonly id: SessionId } }>;
  decide(session: SessionId, access: HookAccess): Promise<Decision>;
  ask(
    session: SessionId,
    access: HookAccess,
    words: string | null,
  ): Promise<
    | { readonly state: "waiting"; readonly ask: { readonly id: string } }
    | { readonly state: "done"; readonly outcome: { readonly ok: true } | { readonly ok: false; readonly hint: string } }
  >;
}

export interface HookDoorPorts {
  readonly desk: HookDesk;
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
export function createHookDoor(ports: HookDoorPorts): (request: HookRequest) => Promise<HookResponse> {
  return async (request) => {
    const { host, header, payload } = request;
    // No proof for whoever has not shown the token: it would teach an impostor what to say.
    if (!sameText(header("authorization") ?? "", `Bearer ${ports.door.token}`)) return refused(401);
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

async function wordsFor(
  ports: HookDoorPorts,
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
  const lets = (header(doorHeaders.lets) ?? "").split(",").filter((one) => one !== "");
  const callPorts: CallPorts = {
    workspace,
    home: ports.home,
    lets: lets.map(decodeURIComponent),
    session: null,
    judge: async (access) => judgedOf(await ports.desk.decide(session, { call: callName, ...access })),
    ask: header(doorHeaders.ask) === "1" ? (access) => askThrough(ports, session, { call: callName, ...access }) : null,
  };
  return host.encode(await judgeCall(host, call, callPorts), call);
}

/** Our session of the agent that calls; below the session's first agent one for each agent, with its parent. */
async function registered(
  desk: HookDesk,
  {
    name,
    call,
    workspace,
    attended,
  }: { readonly name: string; readonly call: HostCall; readonly workspace: string; readonly attended: boolean },
): Promise<SessionId> {
  const first = nameOf(call.sessionId === "" ? `in ${workspace}` : call.sessionId);
  const { session } = await desk.register({ host: name, hostSession: first, workspace, label: name, attended });
  if (call.agentId === null || call.agentId === "") return session.id;
  const hostSession = nameOf(`${call.sessionId}/${call.agentId}`);
  const label = (call.agentType ?? call.agentId).slice(0, 120);
  const child = await desk.register({ host: name, hostSession, workspace, label, parent: sessionId(session.id), attended });
  return child.session.id;
}

/** Names too long to be kept are kept by their digest. */
function nameOf(text: string): string {
  return text.length <= 200 ? text : `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

async function askThrough(ports: HookDoorPorts, session: SessionId, access: HookAccess): Promise<Asked> {
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

function sameText(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
