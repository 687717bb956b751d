// A daemon with nothing but the hook's door: the real handler over real HTTP, on sessions kept in memory.

import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createHookDoor, doorLine, type HookDesk } from "../../src/adapters/hook/index.ts";
import { randomIds, systemClock } from "../../src/core/clock.ts";
import { createGuard } from "../../src/core/guard/guard.ts";
import { callId, sessionId } from "../../src/core/names.ts";
import { reopenGrants } from "../../src/core/session/grant.ts";
import { openSession, type Session } from "../../src/core/session/session.ts";

export interface Registered {
  readonly host: string;
  readonly hostSession: string;
  readonly workspace: string;
  readonly label?: string;
  readonly parent?: string;
}

export interface DoorServer {
  readonly port: number;
  readonly registered: readonly Registered[];
  /** Every access that was decided, in order. */
  readonly decided: readonly string[];
  /** What a person does with the next ask; `null`: nothing. */
  answer: "allow" | "deny" | null;
  close(): Promise<void>;
}

/** Sessions as the daemon keeps them, in memory. */
export function memoryDesk(home: string, grants: readonly string[], ceilings: readonly string[]) {
  const guard = createGuard();
  const sessions = new Map<string, Session>();
  const registered: Registered[] = [];
  const decided: string[] = [];
  const asked = new Map<string, "waiting" | "allow" | "deny">();
  const granted: string[] = [...grants];
  const answers: { next: "allow" | "deny" | null } = { next: null };
  const live = (id: string): Session => {
    const session = sessions.get(id);
    if (session === undefined) throw new Error("no such session");
    return reopenGrants(session, granted, { clock: systemClock, ids: randomIds }).session;
  };
  const desk: HookDesk = {
    async register(plan) {
      const id = `${plan.host} ${plan.hostSession} ${plan.workspace}`;
      if (!sessions.has(id)) {
        const opened = openSession({ id, workspace: plan.workspace, home, ceilings, attended: plan.attended ?? true });
        if (!opened.ok) throw new Error(opened.message);
        sessions.set(id, opened.session);
        registered.push(plan);
      }
      return { session: { id: sessionId(id) } };
    },
    async decide(session, access) {
      decided.push(`${access.operation} ${access.path}`);
      return guard.judge({ ...access, call: callId(access.call) }, live(typeof session === "string" ? session : session.id));
    },
    async ask(session, access) {
      const state = asked.get(access.call);
      if (state === "allow") return { state: "done", outcome: { ok: true } };
      if (state === "deny") return { state: "done", outcome: { ok: false, hint: "a person said no" } };
      const decision = guard.judge({ ...access, call: callId(access.call) }, live(session));
      if (decision.verdict === "ask" && decision.ask.offers === "session" && answers.next === "allow")
        granted.push(decision.ask.proposal.dir);
      asked.set(access.call, answers.next ?? "waiting");
      return { state: "waiting", ask: { id: access.call } };
    },
  };
  return { desk, registered, decided, answers };
}

export async function startDoor(options: {
  readonly data: string;
  readonly home: string;
  readonly grants?: readonly string[];
  readonly ceilings?: readonly string[];
  /** Put before the handler: what an ill or hostile server would do. */
  readonly instead?: (request: {
    readonly token: string | undefined;
    /** What only the real daemon knows. */
    readonly proof: string;
  }) =>
    | { readonly status: number; readonly headers: Record<string, string>; readonly body: string }
    | { readonly raw: string }
    | "silence"
    | "cut"
    | null;
}): Promise<DoorServer> {
  const { desk, registered, decided, answers } = memoryDesk(options.home, options.grants ?? [], options.ceilings ?? [options.home, "/opt"]);
  const token = randomBytes(24).toString("base64url");
  const proof = randomBytes(24).toString("base64url");
  const handle = createHookDoor({
    desk,
    door: { token, proof },
    home: options.home,
    settled: (_ask, milliseconds) => new Promise((resolve) => setTimeout(resolve, answers.next === null ? Math.min(milliseconds, 300) : 5)),
    ids: randomIds,
  });
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    const answerIt = async (): Promise<void> => {
      const odd = options.instead?.({ token: request.headers.authorization, proof }) ?? null;
      if (odd === "silence") return;
      if (odd === "cut") return void request.socket.destroy();
      if (odd !== null && "raw" in odd) return void request.socket.end(odd.raw);
      const answer =
        odd ??
        (await handle({
          host: (request.url ?? "").slice("/api/hook/".length),
          header: (name) => {
            const value = request.headers[name];
            return typeof value === "string" ? value : null;
          },
          payload: Buffer.concat(parts).toString("utf8"),
        }));
      // As the daemon does: what the handler says is all that is sent.
      response.sendDate = false;
      response.writeHead(answer.status, answer.headers).end(answer.body);
    };
    request.on("end", () => void answerIt());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  mkdirSync(options.data, { recursive: true, mode: 0o700 });
  writeFileSync(join(options.data, "hook.door"), doorLine({ port, token, proof }), { mode: 0o600 });
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
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
