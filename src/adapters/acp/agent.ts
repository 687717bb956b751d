// Our agent in any editor that speaks the Agent Client Protocol. The editor's session is a chat of ours: it stops for a person, goes on
// when somebody answers, can be loaded again, and its asks are in the inbox like any other's.

import { Readable, Writable } from "node:stream";
import {
  agent as acpAgent,
  type AgentApp,
  type ContentBlock,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import { routes } from "../../wire/http.ts";
import { WireError } from "../../wire/client.ts";
import type { AppConnection } from "../../wire/connection.ts";
import { EditorConversation } from "./conversation.ts";

/** What our agent in an editor needs. */
export interface AcpAgentPorts {
  /** The app that the agent runs in. */
  readonly connection: AppConnection;
  readonly version: string;
  readonly asking: "by-model" | "by-guard";
}

/** The agent, not yet connected. One for each connection: what an editor can do is remembered from its first words. */
export function createAcpAgent({ connection, version, asking }: AcpAgentPorts): { readonly app: AgentApp; close(): void } {
  const { client } = connection;
  const conversations = new Map<string, EditorConversation>();
  let forms = false;

  const conversationOf = (id: string): EditorConversation => {
    const conversation = conversations.get(id);
    if (conversation === undefined) throw RequestError.invalidParams({ sessionId: id }, "there is no such session; make or load one first");
    return conversation;
  };

  const app = acpAgent({ name: "hallpass" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      forms = params.clientCapabilities?.elicitation?.form !== undefined && params.clientCapabilities.elicitation.form !== null;
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "hallpass", title: "Hallpass", version },
        agentCapabilities: { loadSession: true, promptCapabilities: { embeddedContext: true } },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.session.new, ({ params, client: editor }) =>
      asRequestErrors(async () => {
        const session = await client.send(routes.addSession, { body: { workspace: params.cwd, asking } });
        const chat = await client.send(routes.addChat, { body: { session: session.id } });
        conversations.set(chat.id, new EditorConversation({ connection, chat: chat.id, editor, forms }));
        return { sessionId: chat.id };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params, client: editor }) =>
      asRequestErrors(async () => {
        const id = params.sessionId;
        const chat = await client.send(routes.chat, { id });
        const session = await client.send(routes.session, { id: chat.session });
        // INVARIANT: loading moves nothing. A workspace is changed by a person, with reanchor.
        if (session.workspace !== params.cwd)
          throw RequestError.invalidParams({ cwd: params.cwd }, `this session works in ${session.workspace}`);
        conversations.get(id)?.close();
        const conversation = new EditorConversation({ connection, chat: id, editor, forms });
        conversations.set(id, conversation);
        await conversation.replay();
        return {};
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params }) =>
      asRequestErrors(async () => ({ stopReason: await conversationOf(params.sessionId).prompt(params.prompt.map(textOf).join("\n")) })),
    )
    .onNotification(methods.agent.session.cancel, async ({ params }) => conversations.get(params.sessionId)?.cancel());

  return {
    app,
    close() {
      for (const conversation of conversations.values()) conversation.close();
      conversations.clear();
    },
  };
}

/** Serve one editor over its streams until they end. */
export async function serveAcp(ports: AcpAgentPorts, streams: { readonly input: Readable; readonly output: Writable }): Promise<void> {
  const { app, close } = createAcpAgent(ports);
  try {
    const input: ReadableStream<Uint8Array> = Readable.toWeb(streams.input);
    await app.connect(ndJsonStream(Writable.toWeb(streams.output), input)).closed;
  } finally {
    close();
  }
}

/** A prompt's piece as text. What the editor attaches is named, not opened: reading it goes through the tools like any other. */
function textOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return block.uri;
    case "resource":
      return "text" in block.resource ? `${block.resource.uri}\n${block.resource.text}` : block.resource.uri;
    case "audio":
    case "image":
      return "";
  }
}

/** A refusal of the app as the protocol's own error, with its code and sentence. */
async function asRequestErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    const data = { code: error.code };
    throw error.status >= 500 || error.status === 0
      ? RequestError.internalError(data, error.message)
      : RequestError.invalidParams(data, error.message);
  }
}
