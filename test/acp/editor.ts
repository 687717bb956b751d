// An editor for the tests: the official client, on a program of ours as a real process. It answers permission requests as it is told,
// and remembers everything it heard.

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import {
  client as acpClient,
  type ClientContext,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { slowClock } from "../support/slow-clock.ts";

export const program = process.env["HALLPASS_PROGRAM"] ?? join(import.meta.dirname, "../../bin/hallpass.js");

export interface Editor {
  readonly agent: ClientContext;
  readonly asked: RequestPermissionRequest[];
  readonly updates: SessionUpdate[];
  /** Paths the editor itself was asked to read, write or run in. */
  readonly touched: { readonly method: string; readonly params: unknown }[];
  text(): string;
  newSession(cwd: string): Promise<string>;
  prompt(sessionId: string, text: string): Promise<string>;
  /** Until nothing more is told. */
  heard(): Promise<void>;
  readonly child: ChildProcess;
}

type Answer = (request: RequestPermissionRequest) => Promise<RequestPermissionResponse> | RequestPermissionResponse;

export interface EditorPlan {
  readonly words: readonly string[];
  readonly home: string;
  readonly cwd: string;
  readonly answer?: Answer;
  /** Answers before anybody can have read what is asked, by the program's clock. */
  readonly hasty?: boolean;
  readonly forms?: (message: string) => Readonly<Record<string, string>>;
  /** What tells it where its daemon is; default: it goes without one. */
  readonly env?: Readonly<Record<string, string>>;
  /** The agent itself, with no program of ours before it: to show what it does then. */
  readonly bare?: readonly string[];
  /** Methods beside the protocol's that this editor knows, requests and notifications. */
  readonly extensions?: readonly string[];
}

/** Answers overtake what was told before them: wait until nothing more comes. */
async function quiet(heard: readonly unknown[]): Promise<void> {
  for (let before = -1; before !== heard.length; await pause(60)) before = heard.length;
}

/** As a person chooses: after having read it. */
export const choose =
  (optionId: string): Answer =>
  async (request) => {
    await pause(READING);
    return chooseAtOnce(optionId)(request);
  };

/** As an editor chooses that is set to answer by itself. */
export const chooseAtOnce =
  (optionId: string): Answer =>
  () => ({ outcome: { outcome: "selected", optionId } });

/** How long a person of these tests reads, in milliseconds. */
export const READING = 900;

export async function withEditor(plan: EditorPlan, work: (editor: Editor) => Promise<void>): Promise<void> {
  const { words, home, cwd, answer = choose("deny"), hasty = false, forms, bare, env, extensions = [] } = plan;
  const alone = env === undefined ? ["--alone"] : [];
  const child = spawn(process.execPath, bare === undefined ? [program, "acp", ...alone, ...words] : [...bare], {
    stdio: ["pipe", "pipe", "pipe"],
    cwd,
    env: { PATH: process.env["PATH"], HOME: home, PROJECT_ROOT_WHITELIST: home, ...env, ...(hasty ? slowClock : {}) },
  });
  const complaints: string[] = [];
  child.stderr.on("data", (part: Buffer) => complaints.push(part.toString()));
  const asked: RequestPermissionRequest[] = [];
  const updates: SessionUpdate[] = [];
  const touched: { method: string; params: unknown }[] = [];
  try {
    const app = acpClient({ name: "editor" });
    const record = (method: string) => (params: unknown) => {
      touched.push({ method, params });
      return { done: method };
    };
    for (const method of extensions) {
      const known = record(method);
      app.onRequest(
        method,
        (params) => params,
        ({ params }) => known(params),
      );
      app.onNotification(
        method,
        (params) => params,
        ({ params }) => void known(params),
      );
    }
    await app
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        asked.push(params);
        return answer(params);
      })
      .onRequest(methods.client.fs.readTextFile, ({ params }) => {
        touched.push({ method: "read", params });
        return { content: `the editor's ${params.path}` };
      })
      .onRequest(methods.client.fs.writeTextFile, ({ params }) => void touched.push({ method: "write", params }))
      .onRequest(methods.client.terminal.create, ({ params }) => {
        touched.push({ method: "terminal", params });
        return { terminalId: "t1" };
      })
      .onRequest(methods.client.elicitation.create, ({ params }) => ({
        action: "accept",
        content: forms?.("message" in params ? String(params.message) : "") ?? {},
      }))
      .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
      .connectWith(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)), async (agent) => {
        await agent.request(methods.agent.initialize, {
          protocolVersion: PROTOCOL_VERSION,
          clientCapabilities: {
            fs: { readTextFile: true, writeTextFile: true },
            terminal: true,
            ...(forms === undefined ? {} : { elicitation: { form: {} } }),
          },
        });
        await work({
          agent,
          asked,
          updates,
          touched,
          child,
          heard: () => quiet(updates),
          text: () =>
            updates
              .flatMap((update) =>
                update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? [update.content.text] : [],
              )
              .join(""),
          newSession: async (directory) => (await agent.request(methods.agent.session.new, { cwd: directory, mcpServers: [] })).sessionId,
          prompt: async (sessionId, text) => {
            const { stopReason } = await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
            await quiet(updates);
            return stopReason;
          },
        });
      });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${complaints.join("")}`, { cause: error });
  } finally {
    child.kill();
  }
}
