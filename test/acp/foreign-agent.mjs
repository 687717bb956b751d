// Somebody else's agent, for the proxy's tests: it asks its editor for whatever the prompt says, one JSON request a line, and tells
// what it got. `notify` instead of `method` only tells; `with` holds parameters of these names; `die` ends it in the middle.

import { agent, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { Readable, Writable } from "node:stream";

agent({ name: "foreign" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: { loadSession: true } }))
  .onRequest(methods.agent.session.new, ({ params }) => ({
    sessionId: "foreign-1",
    _meta: { servers: params.mcpServers.map(({ name }) => name) },
  }))
  .onRequest(methods.agent.session.setMode, () => ({}))
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    for (const line of params.prompt[0].text.split("\n")) {
      const { method, notify, die, with: more, ...rest } = JSON.parse(line);
      const request = { ...rest, ...more };
      if (die === true) process.exit(7);
      if (notify !== undefined) {
        await client.notify(notify, { sessionId: params.sessionId, ...request });
        continue;
      }
      const got = await client.request(method, { sessionId: params.sessionId, ...request }).catch((error) => ({
        refused: error.message,
        code: error.data?.code,
      }));
      const text = `${JSON.stringify(got)}\n`;
      await client.notify(methods.client.session.update, {
        sessionId: params.sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      });
    }
    return { stopReason: "end_turn" };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
