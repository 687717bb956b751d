// The daemon's HTTP interface and the hook socket, spoken to byte by byte. A text is one request as it is sent; one that begins like the hook's
// goes to the hook socket.

import { connect } from "node:net";
import { hookHosts } from "../../src/adapters/hook/hosts/all.ts";
import { parseRecord } from "../../src/adapters/hook/host-call.ts";
import { readHead, wordsFrom } from "../../src/adapters/hook/socket-protocol.ts";
import { type Route, routes } from "../../src/wire/http.ts";
import { problemSchema } from "../../src/wire/values.ts";
import { sceneWords } from "./scene.ts";
import { openServerScene, type ServerScene, TOKEN } from "./server-scene.ts";
import { answerOf, type Door, hold } from "./target.ts";

const table: readonly Route[] = Object.values(routes);

/** A body for each row that takes one; what it names is there. */
const bodies: Readonly<Record<string, string>> = {
  addProject: '{"path":"$WS","name":"n"}',
  addSession: '{"workspace":"$WS","asking":"by-guard","attended":true,"mounts":[{"path":"$LIB","mode":"read_only"}]}',
  shrinkSession: '{"allowed_read_paths":["$WS"]}',
  reanchor: '{"workspace":"$WS","transcript":"carry"}',
  addMount: '{"path":"$LIB","mode":"extend"}',
  removeMount: '{"path":"$LIB"}',
  explain: '{"path":"$OUT/canary.txt","operation":"read"}',
  addChat: '{"session":"$SESSION","title":"t"}',
  say: '{"text":"hello"}',
  undo: '{"call":"00000000-0000-4000-8000-000000000000"}',
  grantReadAccess: '{"ask_id":"$ASK","decision":"allow","minutes":5,"opens":"folder"}',
  answerUserInput: '{"ask_id":"$ASK","answer":"yes"}',
  answer: '{"decision":"deny_and_stop","note":"no","digest":"x"}',
  lintPolicy: '{"text":"{\\"read\\":{\\"/opt/**\\":\\"allow\\"}}"}',
  tryPolicy: '{"workspace":"$WS","path":"$WS/.env","operation":"read","text":"{}","session":"$SESSION"}',
  savePolicy: '{"text":"{}","before":null}',
  register: '{"host":"h","hostSession":"s","workspace":"$WS","label":"l","parent":"$SESSION","attended":true}',
  decide: '{"call":"c","tool":"Read","operation":"read","path":"$WS/out"}',
  agentAsk: '{"call":"c9","tool":"Read","operation":"read","path":"$LIB/go.mod","reason":"r"}',
  agentRecord: '{"events":[{"kind":"decision","at":1,"session":"$AGENTSESSION","call":"c","verdict":"allow"}]}',
};
const queries: Readonly<Record<string, string>> = {
  listSessions: "?archived=false&limit=5",
  archiveSession: "?why=agent-left",
  tree: "?path=$WS&ask=$ASK&limit=9",
  complete: "?prefix=$WS/s",
  listChats: "?session=$SESSION",
  messages: "?before=x&limit=3",
  picture: "?message=x&place=0",
  listAsks: "?state=open&session=$AGENTSESSION&limit=2",
  listGrants: "?session=$AGENTSESSION",
  grantReads: "?limit=1",
  policy: "?workspace=$WS",
  audit: "?session=$AGENTSESSION&before=9&kind=decision&verdict=deny&since=0&limit=3",
  agentState: "?call=c",
};
/** What the id in a path is one of, by the word before it. */
const ids: Readonly<Record<string, string>> = { sessions: "$SESSION", chats: "$CHAT", asks: "$ASK", grants: "$GRANT" };

const requests = Object.entries<Route>(routes).map(([name, { method, path, role, body }]) => {
  const target = path.replace(/(\w+)\/\{id\}/, (_, word: string) => `${word}/${ids[word] ?? "x"}`);
  const head = `${method} ${target}${queries[name] ?? ""} HTTP/1.1\nHost: $HOST\nAuthorization: Bearer ${role === "agent" ? "$AGENT" : "$TOKEN"}`;
  return body === undefined && method === "GET"
    ? `${head}\n\n`
    : `${head}\nContent-Type: application/json\nContent-Length: $LENGTH\n\n${bodies[name] ?? ""}`;
});
const payload = (name: string): string =>
  JSON.stringify(hookHosts[name as keyof typeof hookHosts].sample({ path: "$OUT/canary.txt", cwd: "$WS" }));

export const http: Door = {
  seeds: [
    ...requests,
    "GET /openapi.json HTTP/1.1\nHost: $HOST\nAuthorization: Bearer $TOKEN\n\n",
    "GET / HTTP/1.1\nHost: $HOST\nOrigin: http://$HOST\n\n",
    "GET /api/socket HTTP/1.1\nHost: $HOST\nAuthorization: Bearer $AGENT\nConnection: upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\n\n",
    "POST /api/chats HTTP/1.1\nHost: $HOST\nAuthorization: Bearer $TOKEN\nContent-Type: application/json\nTransfer-Encoding: chunked\n\n2\r\n{}\r\n0\r\n\r\n",
    ...Object.keys(hookHosts).map((name) => `hallpass 1|$HOOK|${name}|a|$WS|x,y|$LENGTH|${payload(name)}`),
  ],
  words: [
    ...sceneWords,
    "$TOKEN",
    "$AGENT",
    "$HOOK",
    "$HOST",
    "$SESSION",
    "$CHAT",
    "$ASK",
    "$OTHERASK",
    "$GRANT",
    "$AGENTSESSION",
    "$AGENTCHAT",
    "$LENGTH",
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    ...table.map(({ path }) => path),
    "%00",
    "%2e%2e/",
    "..",
    "//",
    "?",
    "&",
    "=",
    "#",
    "%",
    "http://$HOST/",
    "*",
    "HTTP/1.0",
    "HTTP/1.1",
    "\n",
    "\nHost: $HOST",
    "\nOrigin: null",
    "\nAuthorization: Bearer $AGENT",
    "\nContent-Length: 0",
    "\nTransfer-Encoding: chunked",
    "\nConnection: upgrade\nUpgrade: websocket",
    "\nExpect: 100-continue",
    "\nContent-Type: text/plain",
    "\nContent-Encoding: gzip",
    "|",
    "hallpass 1",
    ...Object.keys(hookHosts),
    "a",
    "u",
    '"decision"',
    '"allow"',
    '"allow_once"',
    '"path"',
    '"workspace"',
    '"text"',
    ...Object.values(bodies),
  ],
  async open() {
    const scene = await openServerScene();
    return {
      async check(text) {
        const request = filled(scene, text);
        if (text.startsWith("hallpass")) await atHookSocket(scene, request);
        else await atPort(scene, request);
        scene.holdWell();
      },
      close: () => scene.end(),
    };
  },
};

/** As it is sent: lines of the head end as HTTP's do, and a body says how long it is. */
function filled(scene: ServerScene, text: string): Buffer {
  if (text.startsWith("hallpass")) {
    const at = text.split("|", 7).join("|").length + 1;
    const [head, body] = [scene.filled(text.slice(0, at)), scene.filled(text.slice(at))];
    return Buffer.from(head.replace("$LENGTH", String(Buffer.byteLength(body))) + body);
  }
  const [whole, head = text] = /^(.*?)(?:\r?\n){2}/s.exec(text) ?? [text];
  const body = scene.filled(text.slice(whole.length));
  const begin = scene.filled(whole === text && !text.endsWith("\n\n") ? text : `${head}\n\n`).replaceAll(/\r?\n/g, "\r\n");
  return Buffer.from(begin.replaceAll("$LENGTH", String(Buffer.byteLength(body))) + body);
}

async function atHookSocket(scene: ServerScene, request: Buffer): Promise<void> {
  const { hookSocket } = scene;
  const head = readHead(request);
  const isWhole = typeof head !== "string" && head.token === hookSocket.token && request.length === head.from + head.length;
  // More than a request says it holds is cut off; less is waited for.
  const isShort =
    head === "more" || (typeof head !== "string" && head.token === hookSocket.token && request.length < head.from + head.length);
  const said = await exchange(hookSocket.port, request, isShort, () => false);
  scene.holdShut(said.toString());
  if (!isWhole) return hold(said.length === 0, "the hook socket answered what is no request");
  const words = wordsFrom(said, hookSocket.proof);
  hold(words !== null, "a request on the hook socket was not answered");
  if (words === null) return;
  const host = hookHosts[head.host];
  const record = parseRecord(request.toString("utf8", head.from));
  const decoded = record === null ? null : host.decode(record);
  if (decoded === null || !decoded.ok)
    hold(host.blocks({ stdout: "", stderr: "", ...words }), `${head.host} would go on after what was not understood`);
}

interface Heard {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

async function atPort(scene: ServerScene, request: Buffer): Promise<void> {
  const sent = request.toString();
  const end = sent.indexOf("\r\n\r\n");
  const head = end === -1 ? sent : sent.slice(0, end);
  const body = end === -1 ? "" : sent.slice(end + 4);
  const length = lengthOf(head);
  const isShort = end === -1 || length === null || length > Buffer.byteLength(body) || /wait=|expect/i.test(head);
  const said = await exchange(scene.port, request, isShort, (bytes) => heardIn(bytes, head) !== null);
  scene.holdShut(said.toString());
  hold(!said.includes(TOKEN), "the person's token came out");
  const heard = heardIn(said, head);
  // Somebody who wants a tunnel is let go without a word.
  if (heard === null) return hold(isShort || head.startsWith("CONNECT "), "a request was not answered");
  const { status } = heard;
  hold(status < 500, `a fault: ${status} ${heard.body.slice(0, 200)}`);
  hold(!/^access-control-/im.test(heard.head), "a page elsewhere was let in");
  if (status === 101) return hold(sent.includes(TOKEN) || [...scene.credentials].some((one) => sent.includes(one)), "a socket for nobody");
  if (status >= 300) {
    // What is no HTTP is answered without a word.
    if (heard.body === "" || head.startsWith("HEAD ")) return;
    return hold(problemSchema.safeParse(parsed(heard.body)).success, `a refusal of another shape: ${heard.body.slice(0, 200)}`);
  }
  if (status >= 200 && !isShort) holdMeant(scene, head, body.slice(0, length ?? 0), heard);
}

/** What was done must have been asked for: by who may, at an address that there is, in the shapes of its row. */
function holdMeant(scene: ServerScene, head: string, body: string, { body: answer }: Heard): void {
  const [first = "", ...lines] = head.split("\r\n");
  const [method = "", target = ""] = first.split(" ");
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(":");
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  const all = (name: string): readonly string[] => headers.flatMap(([one, value]) => (one === name ? [value] : []));
  const hosts = all("host");
  hold(hosts.length === 1 && scene.hosts.includes(hosts[0]?.toLowerCase() ?? ""), "another host was answered");
  hold(
    all("origin").every((one) => scene.hosts.some((host) => one === `http://${host}` || one === `https://${host}`)),
    "another origin was answered",
  );
  const url = new URL(target, "http://hallpass");
  const route = table.find(
    (row) => row.method === (method === "HEAD" ? "GET" : method) && isPath(row.path, url.pathname) && !isWord(row.path, url.pathname),
  );
  if (route === undefined)
    return hold(!/^\/(?:api|metrics)(?:\/|$)/.test(url.pathname) && /^(?:GET|HEAD)$/.test(method), "an address that there is not");
  const token = /^Bearer (\S+)$/i.exec(all("authorization").join(","))?.[1] ?? "";
  hold(route.role === "person" ? token === TOKEN : scene.credentials.has(token), `it was done for nobody who may: ${route.path}`);
  const query = [...url.searchParams];
  hold(new Set(query.map(([key]) => key)).size === query.length, "a key twice in a query");
  hold(
    (route.query === undefined && query.length === 0) || route.query?.safeParse(Object.fromEntries(query)).success === true,
    `a query of another shape: ${route.path}`,
  );
  if (route.body !== undefined) hold(route.body.safeParse(parsed(body)).success, `a body of another shape: ${route.path}`);
  if (method === "HEAD") return;
  const value = parsed(answer);
  if (route.media === undefined) hold(route.answer.safeParse(value).success, `an answer of another shape: ${route.path}`);
  // What an agent said itself it may be told again, as the path it asked for.
  const told = scene.others.filter((id) => answer.includes(id) && !body.includes(id) && !url.href.includes(id));
  if (route.role === "agent") hold(token === "" || told.length === 0 || !isOfFirst(scene, token), "an agent was told of others");
  if (route.path === routes.register.path && typeof value === "object" && value !== null && "credential" in value)
    scene.credentials.add(String(value.credential));
}

const isOfFirst = (scene: ServerScene, token: string): boolean => [...scene.credentials][0] === token;

function isPath(template: string, path: string): boolean {
  const [wanted, given] = [template.split("/"), path.split("/")];
  return wanted.length === given.length && wanted.every((part, at) => part === given[at] || (part === "{id}" && given[at] !== ""));
}

/** Is there a row of exactly this path, before which one with an id in it gives way? */
const isWord = (template: string, path: string): boolean => template.includes("{id}") && table.some((row) => row.path === path);

/** Null where it is not told by one plain header. */
function lengthOf(head: string): number | null {
  if (/transfer-encoding/i.test(head)) return null;
  const named = head.match(/content-length/gi) ?? [];
  if (named.length === 0) return 0;
  const told = /\r\ncontent-length: (\d{1,6})(?:\r\n|$)/i.exec(head)?.[1];
  return named.length > 1 || told === undefined ? null : Number(told);
}

/** The first answer, where it is whole. */
function heardIn(bytes: Buffer, sent: string): Heard | null {
  const text = bytes.toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const head = text.slice(0, end);
  const status = Number(head.split(" ")[1]);
  if (status === 100) return heardIn(bytes.subarray(end + 4), sent);
  const rest = bytes.subarray(end + 4);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (status === 101 || status === 204 || sent.startsWith("HEAD ")) return { status, head, body: "" };
  if (length !== undefined) {
    return rest.length < Number(length) ? null : { status, head, body: rest.toString("utf8", 0, Number(length)) };
  }
  // What is no HTTP is answered by a head alone.
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) return { status, head, body: "" };
  const body = unchunked(rest);
  return body === null ? null : { status, head, body };
}

/** Null where the last piece has not come. */
function unchunked(bytes: Buffer): string | null {
  const pieces: Buffer[] = [];
  for (let from = 0; ;) {
    const line = bytes.indexOf("\r\n", from);
    if (line === -1) return null;
    const size = Number.parseInt(bytes.toString("latin1", from, line), 16);
    if (size === 0) return Buffer.concat(pieces).toString();
    pieces.push(bytes.subarray(line + 2, line + 2 + size));
    from = line + 2 + size + 2;
  }
}

/** How long something is waited for that need not come. */
const MOMENT = 15;

/** What comes back until it is whole, or the other side closes. Where more is to be sent before an answer, it is waited for but a moment. */
export function exchange(port: number, bytes: Buffer, isShort: boolean, isWhole: (said: Buffer) => boolean): Promise<Buffer> {
  return answerOf(
    new Promise((resolve) => {
      const pieces: Buffer[] = [];
      const socket = connect(port, "127.0.0.1");
      const end = (): void => {
        socket.destroy();
        resolve(Buffer.concat(pieces));
      };
      socket.on("data", (piece: Buffer) => {
        pieces.push(piece);
        if (isWhole(Buffer.concat(pieces))) end();
      });
      socket.on("error", end);
      socket.on("close", end);
      socket.write(bytes, () => {
        if (isShort) setTimeout(end, MOMENT);
      });
    }),
    "what was sent",
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
