// An editor and our agent, over the Agent Client Protocol: the agent needs a file of the library next door, the editor's person says yes
// in the editor's own dialog, and the library is read.
//
// Run: node examples/08-acp-editor.mjs

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

const home = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-example-")));
mkdirSync(join(home, "app"));
mkdirSync(join(home, "library", ".git"), { recursive: true });
writeFileSync(join(home, "library", "notes.txt"), "the library says hello");

const hallpass = join(import.meta.dirname, "../bin/hallpass.js");
// Whatever may be granted elsewhere on this machine, here it is what lies below the example's own home directory.
const agent = spawn(process.execPath, [hallpass, "acp", "--alone"], {
  stdio: ["pipe", "pipe", "inherit"],
  env: { ...process.env, HOME: home, PROJECT_ROOT_WHITELIST: home },
});

let said = "";
await client({ name: "example-editor" })
  .onRequest(methods.client.session.requestPermission, async ({ params }) => {
    console.log(`asked    ${params.toolCall.title}`);
    // A person reads first. A yes that comes at once is an editor's own, and is not taken.
    await pause(1_000);
    return { outcome: { outcome: "selected", optionId: "session" } };
  })
  .onNotification(methods.client.session.update, ({ params }) => {
    if (params.update.sessionUpdate === "agent_message_chunk") said += params.update.content.text;
  })
  .connectWith(ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)), async (context) => {
    await context.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
    const { sessionId } = await context.request(methods.agent.session.new, { cwd: join(home, "app"), mcpServers: [] });
    const prompt = [{ type: "text", text: `read ${join(home, "library", "notes.txt")}` }];
    const { stopReason } = await context.request(methods.agent.session.prompt, { sessionId, prompt });
    await pause(200);
    assert.equal(stopReason, "end_turn");
  });
agent.kill();

assert.match(said, /the library says hello/u);
console.log("read     the library, after a yes in the editor");
rmSync(home, { recursive: true });
