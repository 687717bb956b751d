// A daemon with nothing but the hook socket: the real one, on sessions kept in memory; or what an ill or hostile program says at its port.

import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { hookSocketLine } from "../../src/adapters/hook/socket-file.ts";
import { createHookHandler, type HookSessions } from "../../src/adapters/hook/socket-handler.ts";
import { type HookListener, listenForHooks } from "../../src/adapters/hook/socket-listener.ts";
import { randomIds, systemClock } from "../../src/core/clock.ts";
import { createGuard } from "../../src/core/guard/guard.ts";
import { callId, sessionId } from "../../src/core/names.ts";
import { reopenGrants } from "../../src/core/session/grant.ts";
import { openSession, type Session } from "../../src/core/session/session.ts";
import { createShellReports } from "../../src/server/shell-reports.ts";

export interface Registered {
  readonly host: string;
  readonly hostSession: string;
  readonly workspace: string;
  readonly label?: string;
  readonly parent?: string;
}

export interface SocketServer {
  readonly port: number;
  readonly registered: readonly Registered[];
  /** Every access that was decided, in order. */
  readonly decided: readonly string[];
  /** What a person does with the next ask; `null`: nothing. */
  answer: "allow" | "deny" | null;
  close(): void;
}

/** Sessions as the daemon keeps them, in memory. */
export function memorySessions(home: string, grants: readonly string[], ceilings: readonly string[]) {
  const guard = createGuard();
  const kept = new Map<string, Session>();
  const registered: Registered[] = [];
  const decided: string[] = [];
  const asked = new Map<string, "waiting" | "allow" | "deny">();
  const granted: string[] = [...grants];
  const answers: { next: "allow" | "deny" | null } = { next: null };
  const live = (id: string): Session => {
    const session = kept.get(id);
    if (session === undefined) throw new Error("no such session");
    return reopenGrants(session, granted, { clock: systemClock, ids: randomIds }).session;
  };
  const sessions: HookSessions = {
    async register(plan) {
      const id = `${plan.host} ${plan.hostSession} ${plan.workspace}`;
      if (!kept.has(id)) {
        const opened = openSession({ id, workspace: plan.workspace, home, ceilings, attended: plan.attended ?? true });
        if (!opened.ok) throw new Error(opened.message);
        kept.set(id, opened.session);
        registered.push(plan);
      }
      return { session: { id: sessionId(id) } };
    },
    whyNoGrant: async () => null,
    async leave({ host, hostSession, workspace: left }) {
      kept.delete(`${host} ${hostSession} ${left}`);
    },
    async decide(session, access) {
      decided.push(`${access.operation} ${access.path}`);
      return guard.judge({ ...access, call: callId(access.call) }, live(typeof session === "string" ? session : session.id));
    },
    async ask(session, access) {
      const state = asked.get(access.call);
      if (state === "allow") return { state: "done", outcome: { ok: true } };
      if (state === "deny") return { state: "done", outcome: { ok: false, code: "person-declined", hint: "a person said no" } };
      const decision = guard.judge({ ...access, call: callId(access.call) }, live(session));
      if (decision.verdict === "ask" && decision.ask.offers === "session" && answers.next === "allow")
        granted.push(decision.ask.proposal.dir);
      asked.set(access.call, answers.next ?? "waiting");
      return { state: "waiting", ask: { id: access.call } };
    },
  };
  return { sessions, registered, decided, answers };
}

export async function startSocket(options: {
  readonly data: string;
  readonly home: string;
  readonly grants?: readonly string[];
  readonly ceilings?: readonly string[];
  /** What is said at the port instead: nothing at all for `SILENCE`, and for `CUT` an end in the middle. */
  readonly instead?: (secrets: { readonly token: string; readonly proof: string }) => string;
}): Promise<SocketServer> {
  const { sessions, registered, decided, answers } = memorySessions(
    options.home,
    options.grants ?? [],
    options.ceilings ?? [options.home, "/opt"],
  );
  const token = randomBytes(24).toString("base64url");
  const proof = randomBytes(24).toString("base64url");
  const answer = createHookHandler({
    data: options.data,
    sessions,
    home: options.home,
    settled: (_ask, milliseconds) =>
      new Promise((resolve) => setTimeout(() => resolve(null), answers.next === null ? Math.min(milliseconds, 300) : 5)),
    around: { env: {}, platform: process.platform },
    shells: createShellReports(),
    ids: randomIds,
  });
  const { instead } = options;
  const listening = await (instead === undefined ? listenForHooks({ token, proof }, answer) : listenOddly(() => instead({ token, proof })));
  const { port } = listening;
  mkdirSync(options.data, { recursive: true, mode: 0o700 });
  writeFileSync(join(options.data, "hook.socket"), hookSocketLine({ port, token, proof }), { mode: 0o600 });
  return {
    port,
    registered,
    decided,
    get answer() {
      return answers.next;
    },
    set answer(next) {
      answers.next = next;
    },
    close: () => listening.close(),
  };
}

export const SILENCE = "(silence)";
export const CUT = "(cut)";

/** Whatever is asked, this is said. */
async function listenOddly(says: () => string): Promise<HookListener> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      const said = says();
      if (said === CUT) socket.destroy();
      else if (said !== SILENCE) socket.end(said);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => void server.close() };
}
