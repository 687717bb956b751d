// The Agent Client Protocol, both ways. A text is what an editor says to our own agent, line by line; in one that begins with `proxy` an editor
// (`E `) and somebody else's agent (`A `) speak through the guard between them.

import { realpathSync } from "node:fs";
import { createProxy } from "../../src/adapters/acp/proxy.ts";
import { serveAcp } from "../../src/adapters/acp/agent.ts";
import type { Script } from "../../src/agent/models/scripted.ts";
import { createFileReader } from "../../src/cli/file-reader.ts";
import { type AppScene, openAppScene, ports } from "./app-scene.ts";
import { type Asked, fieldsOf, isFault, type Message, openLines, parsed, plainRequests } from "./lines.ts";
import { sceneWords } from "./scene.ts";
import { answerOf, type Door, hold } from "./target.ts";

const rpc = (id: string, method: string, params: string): string => `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
const hello = rpc(
  "0",
  "initialize",
  '{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"elicitation":{"form":{}}}}',
);
const begin = rpc("1", "session/new", '{"cwd":"$WS","mcpServers":[]}');
/** The session of the line before. */
const prompt = (text: string): string => rpc("2", "session/prompt", `{"sessionId":"$NOW","prompt":[{"type":"text","text":"${text}"}]}`);
const agentAsks = [
  rpc("7", "fs/read_text_file", '{"sessionId":"s","path":"$WS/a.txt","line":1,"limit":2}'),
  rpc("7", "fs/read_text_file", '{"sessionId":"s","path":"$LIB/go.mod"}'),
  rpc("7", "fs/write_text_file", '{"sessionId":"s","path":"$WS/new.txt","content":"x"}'),
  rpc("7", "terminal/create", '{"sessionId":"s","command":"cat","args":["a"],"env":[{"name":"A","value":"b"}],"cwd":"$WS"}'),
  rpc("7", "terminal/output", '{"sessionId":"s","terminalId":"t"}'),
  rpc(
    "7",
    "session/request_permission",
    '{"sessionId":"s","toolCall":{"toolCallId":"c","kind":"read","title":"t","locations":[{"path":"$OUT/canary.txt"}],"rawInput":{"path":"$WS/.env"}},"options":[{"optionId":"y","kind":"allow_once","name":"Yes"},{"optionId":"n","kind":"reject_once","name":"No"}]}',
  ),
  rpc("7", "_x/open", '{"sessionId":"s","path":"$WS/a.txt"}'),
  '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","kind":"edit","content":[{"type":"diff","path":"$WS/a.txt","oldText":"a","newText":"b"}]}}}',
  '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}',
  '{"jsonrpc":"2.0","id":7,"result":{"sessionId":"s2"}}',
];

export const acp: Door = {
  seeds: [
    `${hello}\n${begin}\n${prompt("read_file $WS/.env")}`,
    `${hello}\n${begin}\n${prompt("read_file $WS/out")}`,
    `${hello}\n${begin}\n${prompt("read_file $LIB/go.mod")}\n{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"$NOW"}}`,
    `${hello}\n${begin}\n${prompt("list_dir $WS/outside")}\n${rpc("3", "session/load", '{"sessionId":"$NOW","cwd":"$WS","mcpServers":[]}')}`,
    `${begin}\n${rpc("2", "session/prompt", '{"sessionId":"$NOW","prompt":[{"type":"resource_link","uri":"file://$OUT/canary.txt","name":"n"},{"type":"resource","resource":{"uri":"u","text":"t"}}]}')}`,
    `${hello}\n${rpc("2", "session/set_mode", '{"sessionId":"$NOW","modeId":"m"}')}\n${rpc("3", "authenticate", '{"methodId":"x"}')}`,
    ...agentAsks.map((line) => `proxy\nA ${line}`),
    `proxy\nE ${rpc("5", "session/new", '{"cwd":"$WS","mcpServers":[]}')}\nA {"jsonrpc":"2.0","id":5,"result":{"sessionId":"t"}}\nA ${agentAsks[1] ?? ""}`,
    `proxy\nE ${rpc("5", "session/load", '{"sessionId":"s","cwd":"$WS","mcpServers":[]}')}\nE ${rpc("6", "session/fork", '{"sessionId":"s","cwd":"$WS"}')}`,
    `proxy\nA ${agentAsks[3] ?? ""}\nE {"jsonrpc":"2.0","id":7,"result":{"terminalId":"t"}}\nA ${rpc("8", "terminal/kill", '{"sessionId":"s","terminalId":"t"}')}`,
  ],
  words: [
    ...sceneWords,
    '"jsonrpc"',
    '"2.0"',
    '"id"',
    '"method"',
    '"params"',
    '"result"',
    '"error"',
    '"sessionId"',
    '"s"',
    '"$NOW"',
    '"path"',
    '"cwd"',
    '"prompt"',
    '"content"',
    '"uri"',
    '"type"',
    '"text"',
    '"toolCall"',
    '"rawInput"',
    '"locations"',
    '"options"',
    '"optionId"',
    '"kind"',
    '"read"',
    '"edit"',
    '"execute"',
    '"allow_always"',
    '"line"',
    '"limit"',
    '"command"',
    '"args"',
    '"env"',
    '"_meta"',
    '"initialize"',
    '"session/new"',
    '"session/load"',
    '"session/prompt"',
    '"session/cancel"',
    '"session/update"',
    '"fs/read_text_file"',
    '"fs/write_text_file"',
    '"terminal/create"',
    '"terminal/output"',
    '"terminal/kill"',
    '"session/request_permission"',
    '"elicitation/create"',
    '"$/cancel_request"',
    '"_x/do"',
    '"requestId"',
    '"hallpass-1"',
    '"terminalId"',
    '"outcome"',
    '"selected"',
    "\n",
    "\nA ",
    "\nE ",
    "proxy\n",
    ...agentAsks,
    begin,
    "read_file",
    "grep",
    "list_dir",
    "write_file",
    "file://",
  ],
  async open() {
    const scene = await openAppScene(doing);
    return {
      check: (text) => (text.startsWith("proxy\n") ? throughProxy(scene, text.slice(6)) : withAgent(scene, text)),
      close: () => scene.end(),
    };
  },
};

const DOES = new Set(["read_file", "list_dir", "grep", "find_files", "write_file"]);

/** An agent that does what it is told: the name of a tool, and a path. */
const doing: Script = async (transcript) => {
  const last = transcript.at(-1);
  const [name = "", path = ""] = last?.role === "person" ? last.text.split(" ", 2) : [];
  return DOES.has(name) ? { calls: [{ name, input: { path, pattern: "-", content: "x" } }] } : "well";
};

/** A workspace that the editor's person opened elsewhere is theirs to open. */
const isMoved = (scene: AppScene, text: string): boolean => text.replaceAll(`"cwd":"${scene.workspace}"`, "").includes("cwd");

async function withAgent(scene: AppScene, text: string): Promise<void> {
  const filled = scene.filled(text).split("\n");
  const held = openLines(({ id, method }, say) => {
    // A person who closes every dialog.
    if (method !== undefined && id !== undefined)
      say(JSON.stringify({ jsonrpc: "2.0", id, result: { outcome: { outcome: "cancelled" }, action: "cancel" } }));
  });
  const serving = serveAcp({ connection: scene.own, version: "1", asking: "by-guard" }, held);
  const sent: string[] = [];
  try {
    for (const line of filled) {
      const session = held.messages.map(({ result }) => fieldsOf(result)["sessionId"]).findLast((one) => typeof one === "string") ?? "";
      const now = line.replaceAll("$NOW", String(session));
      sent.push(now);
      held.say(now);
      const [made] = /session\/(?:new|load)/.test(now) ? plainRequests([now]).keys() : [];
      if (made !== undefined) await held.answered(made);
    }
    const requests = plainRequests(sent);
    held.say('{"jsonrpc":"2.0","id":"the end","method":"_end","params":{}}');
    await held.answered("the end");
    for (const id of requests.keys()) await held.answered(id);
    scene.holdShut(held.text(), isMoved(scene, sent.join("\n")));
    hold(held.odd.length === 0, `a line that is no message: ${held.odd[0]?.slice(0, 200) ?? ""}`);
    for (const message of held.messages) holdMeant(message, requests.get(message.id));
  } finally {
    held.input.end();
    await answerOf(serving, "the end of the input");
  }
}

/** What was done must have been asked for: a method that there is, and what it cannot be done without. */
function holdMeant({ method, result, error }: Message, request: Asked | undefined): void {
  if (method !== undefined) return;
  hold(!isFault(error), `a fault: ${JSON.stringify(error)}`);
  if (request === undefined || result === undefined) return;
  const { cwd, sessionId, prompt: said } = fieldsOf(request.params);
  const fits: Readonly<Record<string, boolean>> = {
    initialize: true,
    "session/new": typeof cwd === "string" && cwd.startsWith("/"),
    "session/load": typeof cwd === "string" && typeof sessionId === "string",
    "session/prompt": typeof sessionId === "string" && Array.isArray(said),
  };
  hold(Object.hasOwn(fits, request.method) && fits[request.method] === true, `\`${request.method}\` was done, which cannot be`);
}

async function throughProxy(scene: AppScene, text: string): Promise<void> {
  const filled = scene.filled(text);
  const lines = filled.split("\n");
  const [editor, agent]: [Message[], Message[]] = [[], []];
  const waiting = new Set<() => void>();
  const heard = (to: Message[], line: string): void => {
    to.push(fieldsOf(parsed(line)));
    for (const look of waiting) look();
  };
  const proxy = createProxy({
    ...ports,
    openHostSession: (workspace, session) => scene.hostSession("acp", workspace, `${session} ${ports.ids()}`),
    toAgent: (line) => heard(agent, line),
    toEditor(line) {
      const { id, method } = fieldsOf(parsed(line));
      if (!String(id).startsWith("hallpass-")) return heard(editor, line);
      if (method === undefined) return;
      proxy.fromEditor(JSON.stringify({ jsonrpc: "2.0", id, result: { outcome: { outcome: "cancelled" } } }));
    },
    read: createFileReader(ports),
    confined: (workspace, cwd, words) => ["confined", workspace, cwd, ...words],
    mcpServer: null,
    patience: 2000,
  });
  try {
    proxy.fromEditor(rpc('"open"', "session/new", JSON.stringify({ cwd: scene.workspace, mcpServers: [] })));
    proxy.fromAgent('{"jsonrpc":"2.0","id":"open","result":{"sessionId":"s"}}');
    [editor.length, agent.length] = [0, 0];
    for (const line of lines) {
      if (line.startsWith("A ")) proxy.fromAgent(line.slice(2));
      if (line.startsWith("E ")) proxy.fromEditor(line.slice(2));
    }
    const asked = plainRequests(lines.map((line) => line.slice(2)));
    const ids = lines.flatMap((line) => (line.startsWith("A ") ? [...plainRequests([line.slice(2)])] : []));
    for (const [id, { method }] of ids) {
      if (!asked.has(id)) continue;
      await answerOf(
        new Promise<void>((resolve) => {
          const look = (): void => {
            if (![...editor, ...agent].some((message) => message.id === id)) return;
            waiting.delete(look);
            resolve();
          };
          waiting.add(look);
          look();
        }),
        `the agent's \`${method}\``,
      );
    }
  } finally {
    await answerOf(proxy.close(), "the end");
  }
  const moved = isMoved(scene, filled);
  scene.holdShut(JSON.stringify(agent), moved);
  if (!moved) for (const message of editor) holdWithin(scene, message);
}

/** What reaches the editor is confined, or a file of the workspace that is no secret. */
function holdWithin({ workspace }: AppScene, { method, params }: Message): void {
  const { path, command } = fieldsOf(params);
  if (method === "terminal/create") return hold(command === "confined", "a command that nothing confines");
  if (method !== "fs/read_text_file" && method !== "fs/write_text_file") return;
  const real = typeof path === "string" ? realOf(path) : "";
  hold(real.startsWith(`${workspace}/`) && !/\/(?:\.env|id_rsa)$/.test(real), `the editor was asked for ${JSON.stringify(path)}`);
}

/** Where a path leads; itself where nothing is there. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
