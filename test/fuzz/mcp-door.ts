// The MCP server, in both eras of its protocol and on both of its transports. A text is what a client says, line by line; one that begins with an
// HTTP method is requests over HTTP, parted by a line of hyphens.

import { isJSONRPCRequest } from "@modelcontextprotocol/server";
import { createMcpHttp } from "../../src/adapters/mcp/http.ts";
import { offeredTools } from "../../src/adapters/mcp/offered-tools.ts";
import { createMcp, type Mcp } from "../../src/adapters/mcp/server.ts";
import { serveStdio } from "../../src/adapters/mcp/stdio.ts";
import type { Sandbox } from "../../src/sandbox/port.ts";
import { createSearcher } from "../../src/tools/search/searcher.ts";
import { type AppScene, openAppScene, ports } from "./app-scene.ts";
import { type Asked, fieldsOf, isFault, type Message, openLines, parsed, plainRequests } from "./lines.ts";
import { sceneWords } from "./scene.ts";
import { answerOf, type Door, hold } from "./target.ts";

const { tools } = offeredTools();

/** An input for each tool that is offered. */
const inputs: Readonly<Record<string, string>> = {
  read_file: '{"path":"$WS/a.txt","offset":1,"limit":5}',
  view_file: '{"path":".env"}',
  list_dir: '{"path":"."}',
  find_files: '{"pattern":"**/*.txt","path":"."}',
  grep: '{"pattern":"S[A-Z]+","path":".","ignored":true}',
  write_file: '{"path":"new.txt","content":"x"}',
  edit_file: '{"path":"a.txt","old_text":"inside","new_text":"in"}',
  bash: '{"command":"cat .env"}',
  view_truncated_output: '{"id":"x","offset":1}',
  request_read_access: '{"path":"$LIB/go.mod","reason":"to look"}',
  list_access: "{}",
};
const initialize =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{}},"roots":{}},"clientInfo":{"name":"c","version":"1"}}}';
const greeting = `${initialize}\n{"jsonrpc":"2.0","method":"notifications/initialized"}`;
const meta =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}';
const call = (name: string, more = ""): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${inputs[name] ?? "{}"}${more}}}`;
const post = (body: string, more = ""): string =>
  `POST /mcp\nhost: 127.0.0.1:7\nauthorization: Bearer $TOKEN\ncontent-type: application/json\naccept: application/json, text/event-stream${more}\n\n${body}`;

const TOKEN = "mcp-token-0123456789abcdef0123456789";

export const mcp: Door = {
  seeds: [
    ...Object.keys(inputs).map((name) => `${greeting}\n${call(name)}`),
    ...Object.keys(inputs).map((name) => call(name, `,${meta}`)),
    `${greeting}\n${call("grep")}\n{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"r"}}`,
    `${greeting}\n{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"x"}}\n{"jsonrpc":"2.0","id":3,"method":"ping"}`,
    `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{${meta}}}`,
    call(
      "request_read_access",
      `,${meta},"requestState":"x","inputResponses":{"answer":{"action":"accept","content":{"decision":"once"}}}`,
    ),
    post(call("read_file", `,${meta}`), "\nmcp-protocol-version: 2026-07-28\nmcp-method: tools/call\nmcp-name: read_file"),
    `${post(initialize)}\n---\n${post(call("read_file"), "\nmcp-session-id: $NOW")}\n---\nDELETE /mcp\nhost: 127.0.0.1:7\nauthorization: Bearer $TOKEN\nmcp-session-id: $NOW\n\n`,
    `${post(initialize)}\n---\nGET /mcp\nhost: 127.0.0.1:7\nauthorization: Bearer $TOKEN\naccept: text/event-stream\nmcp-session-id: $NOW\n\n`,
  ],
  words: [
    ...sceneWords,
    ...Object.keys(inputs).map((name) => `"${name}"`),
    ...Object.values(inputs),
    '"jsonrpc"',
    '"2.0"',
    '"id"',
    '"method"',
    '"params"',
    '"result"',
    '"error"',
    '"name"',
    '"arguments"',
    '"path"',
    '"pattern"',
    '"initialize"',
    '"tools/call"',
    '"tools/list"',
    '"ping"',
    '"resources/read"',
    '"prompts/get"',
    '"completion/complete"',
    '"logging/setLevel"',
    '"roots/list"',
    '"notifications/cancelled"',
    '"notifications/initialized"',
    '"server/discover"',
    '"2024-11-05"',
    '"2025-06-18"',
    '"2026-07-28"',
    `,${meta}`,
    '"progressToken"',
    '"requestId"',
    '"action"',
    '"accept"',
    '"decision"',
    "\n",
    greeting,
    "GET /mcp",
    "DELETE /mcp",
    "\n---\n",
    "\nmcp-session-id: $NOW",
    "\nmcp-protocol-version: 2025-03-26",
    "$TOKEN",
    "$NOW",
    "\nmcp-method: tools/list",
    "\nlast-event-id: 1",
    "\ncontent-type: text/plain",
    "\norigin: null",
  ],
  async open() {
    const scene = await openAppScene(async () => "well");
    scene.name("$TOKEN", TOKEN);
    const searcher = createSearcher();
    const served = (): Mcp =>
      createMcp({
        ...ports,
        openDesk: (workspace) => scene.desk("mcp", workspace, ports.ids()),
        shared: false,
        places: { given: scene.workspace, variable: null, cwd: scene.workspace },
        roots: true,
        version: "1",
        asking: "by-guard",
        patience: { deadline: 2000 },
        searcher,
        sandbox: noCommands,
        key: new Uint8Array(32).fill(7),
      });
    return {
      check: (text) => (/^[A-Z]+ \//.test(text) ? overHttp(scene, served(), text) : onStreams(scene, served(), text)),
      async close() {
        await searcher.close();
        await scene.end();
      },
    };
  },
};

/** Commands are confined elsewhere; here it is seen that their words are read. */
const noCommands: Sandbox = {
  name: "bubblewrap",
  ready: () => Promise.resolve(null),
  run: () => Promise.resolve({ ok: true, exitCode: 0, stdout: "", stderr: "", truncated: false, setAside: [], leftOut: [] }),
  revoke() {},
  endSession() {},
};

async function onStreams(scene: AppScene, server: Mcp, text: string): Promise<void> {
  const lines = scene.filled(text).split("\n");
  const requests = plainRequests(lines, isJSONRPCRequest);
  const held = openLines(({ id, method }, say) => {
    // A person who says no at once.
    if (method !== undefined && id !== undefined) say(JSON.stringify({ jsonrpc: "2.0", id, result: { action: "decline", roots: [] } }));
  });
  const serving = serveStdio(server, held.input, held.output);
  try {
    for (const line of lines) held.say(line);
    held.say('{"jsonrpc":"2.0","id":"the end","method":"ping"}');
    await held.answered("the end");
    for (const id of requests.keys()) await held.answered(id);
  } finally {
    held.input.end();
    await answerOf(serving, "the end of the input");
  }
  scene.holdShut(held.text());
  hold(held.odd.length === 0, `a line that is no message: ${held.odd[0]?.slice(0, 200) ?? ""}`);
  for (const message of held.messages) holdMeant(message, requests.get(message.id));
}

/** What was done must have been asked for, in the shape that the tool takes. */
function holdMeant({ method, result, error }: Message, request: Asked | undefined): void {
  if (method !== undefined) return;
  hold(!isFault(error), `a fault: ${JSON.stringify(error)}`);
  const { isError, structuredContent, resultType } = fieldsOf(result);
  const code = fieldsOf(structuredContent)["code"];
  hold(isError !== true || (code !== "guard-fault" && code !== "io-error"), `a fault: ${JSON.stringify(structuredContent)}`);
  if (request?.method !== "tools/call" || result === undefined || isError === true || resultType === "input_required") return;
  const { name, arguments: input } = fieldsOf(request.params);
  const tool = typeof name === "string" && Object.hasOwn(tools, name) ? tools[name] : undefined;
  hold(tool !== undefined, "a tool that there is not was called");
  // One key is left out by the SDK before anybody sees it.
  const { ["__proto__"]: _left, ...seen } = fieldsOf(input ?? {});
  hold(!Array.isArray(input) && tool?.input.safeParse(seen).success === true, `an input of another shape was taken by ${String(name)}`);
}

async function overHttp(scene: AppScene, server: Mcp, text: string): Promise<void> {
  const served = createMcpHttp({ mcp: server, token: TOKEN, port: () => 7, ids: ports.ids });
  let session = "";
  try {
    for (const one of scene.filled(text).split("\n---\n")) {
      const request = requestOf(one.replaceAll("$NOW", session));
      if (request === null) return;
      const response = await answerOf(served.fetch(request), "a request");
      session = response.headers.get("mcp-session-id") ?? session;
      const said = await answerOf(bodyOf(response, request.method), "a request's body");
      scene.holdShut(said);
      hold(response.status < 500 || response.status === 501, `a fault: ${response.status} ${said.slice(0, 200)}`);
      if (response.ok) hold(request.headers.get("authorization")?.toLowerCase() === `bearer ${TOKEN}`, "nobody was served");
      for (const message of messagesIn(said)) holdMeant(message, plainRequests([one.slice(one.indexOf("\n\n") + 2)]).get(message.id));
    }
  } finally {
    await served.close();
    await server.close();
  }
}

/** Null where it is nothing that can be sent. */
function requestOf(text: string): Request | null {
  const [head = "", ...rest] = text.split("\n\n");
  const [first = "", ...lines] = head.split("\n");
  const [method = "", target = ""] = first.split(" ");
  try {
    const headers = new Headers(
      lines.map((line): [string, string] => [line.split(":")[0] ?? "", line.slice(line.indexOf(":") + 1).trim()]),
    );
    const body = rest.join("\n\n");
    return new Request(`http://127.0.0.1:7${target}`, { method, headers, ...(/^(?:GET|HEAD)$/i.test(method) ? {} : { body }) });
  } catch {
    return null;
  }
}

/** A stream that a client opens to listen has no end of its own. */
async function bodyOf(response: Response, method: string): Promise<string> {
  if (method !== "GET") return response.text();
  await response.body?.cancel();
  return "";
}

const messagesIn = (said: string): readonly Message[] =>
  [said, ...said.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []))].flatMap((one) => {
    const message = parsed(one);
    return typeof message === "object" && message !== null && !Array.isArray(message) ? [message] : [];
  });
