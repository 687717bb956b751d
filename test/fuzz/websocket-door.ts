// The daemon's WebSocket, frame by frame. The first line of a text says who connects, each line after it is a frame: its opcode, then letters
// for what is odd about it (`p`: more pieces follow, `u`: no mask, `r`: a reserved bit, `l`: a length that is not its own), and what it holds.

import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { agentFrameSchema, clientFrameSchema, frameSchema } from "../../src/wire/frames.ts";
import { sceneWords } from "./scene.ts";
import { openServerScene, type ServerScene, TOKEN } from "./server-scene.ts";
import { answerOf, type Door, hold } from "./target.ts";

const subscribe = (chats: string, after = "null"): string => `1 {"type":"subscribe","chats":${chats},"after":${after}}`;

export const websocket: Door = {
  seeds: [
    `$TOKEN\n${subscribe('"all"')}\n1 {"type":"pong"}\n1 {"type":"unsubscribe","chats":"all"}`,
    `$TOKEN\n${subscribe('["$CHAT","$AGENTCHAT"]')}\n${subscribe('["$CHAT"]', '"x-1"')}`,
    `$AGENT\n${subscribe('["$AGENTCHAT"]')}\n${subscribe('"all"')}\n${subscribe('["$CHAT"]')}`,
    `$TOKEN\n1p {"type":\n9 ping\n0 "pong"}\n8 \u0003\u00e8`,
    `$TOKEN\n2 {"type":"pong"}\n1u x\n1r x\n1l x\n3 x\nf x\n9p x`,
    "nobody\n1 {}",
  ],
  words: [
    ...sceneWords,
    "$TOKEN",
    "$AGENT",
    '"$CHAT"',
    '"$AGENTCHAT"',
    '"$SESSION"',
    '"all"',
    '"subscribe"',
    '"unsubscribe"',
    '"pong"',
    '"ping"',
    '"type"',
    '"chats"',
    '"after"',
    '"cursor"',
    '"live"',
    '"x-1"',
    "\n1 ",
    "\n0 ",
    "\n0p ",
    "\n1p ",
    "\n2 ",
    "\n8 ",
    "\n9 ",
    "\na ",
    "u",
    "r",
    "l",
    "p",
    subscribe('"all"'),
    subscribe('["$CHAT"]'),
  ],
  async open() {
    const scene = await openServerScene();
    return {
      async check(text) {
        const [first = "", ...lines] = scene.filled(text).split("\n");
        await converse(scene, first, lines.map(frameOf));
        scene.holdWell();
      },
      close: () => scene.end(),
    };
  },
};

interface Sent {
  readonly bytes: Buffer;
  /** The whole message that it is by itself; null where it is none, or part of one, or control. */
  readonly message: string | null;
  /** Is it as the protocol wants a frame to be? */
  readonly isPlain: boolean;
}

const CONTROL = 8;
/** The protocol allows no longer control frame. */
const LONGEST_CONTROL = 125;

function frameOf(line: string): Sent {
  const [, code = "1", odd = "", held = line] = /^([0-9a-f])([purl]*) (.*)$/s.exec(line) ?? [];
  const opcode = Number.parseInt(code, 16);
  const content = Buffer.from(held);
  const length = odd.includes("l") ? content.length * 3 + 200 : content.length;
  const head = length < 126 ? [length] : length < 65_536 ? [126, length >> 8, length & 0xff] : [126, 255, 255];
  const mask = odd.includes("u") ? Buffer.alloc(0) : randomBytes(4);
  const masked = mask.length === 0 ? content : content.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  const [size = 0, ...more] = head;
  const begin = [(odd.includes("p") ? 0 : 0x80) | (odd.includes("r") ? 0x40 : 0) | opcode, size | (mask.length === 0 ? 0 : 0x80), ...more];
  const isText = opcode === 1 && odd === "" && !/\ufffd/.test(held);
  const isKept = isText || (odd === "" && opcode > CONTROL && opcode <= 10 && content.length <= LONGEST_CONTROL);
  return { bytes: Buffer.concat([Buffer.from(begin), mask, masked]), message: isText ? held : null, isPlain: isKept };
}

/** The last thing that is said; it is nothing the server knows, so it answers. */
const LAST = frameOf('1 {"type":"last"}');
const MOMENT = 15;
/** Who sends so many at once is let go. */
const MANY = 60;

async function converse(scene: ServerScene, token: string, frames: readonly Sent[]): Promise<void> {
  const isPerson = token === TOKEN;
  const isKnown = isPerson || scene.credentials.has(token);
  const socket = connect(scene.port, "127.0.0.1");
  const heard = listen(socket);
  const protocols = /^[\w.-]+$/.test(token) ? `hallpass, hallpass.token.${token}` : "hallpass";
  socket.write(
    `GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1:${scene.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nSec-WebSocket-Protocol: ${protocols}\r\n\r\n`,
  );
  try {
    const answer = await answerOf(heard.head, "the upgrade");
    hold(answer.startsWith("HTTP/1.1 101") === isKnown, "somebody was let in, or kept out, for another reason than the token");
    if (!isKnown) return;
    hold(!answer.includes(token), "the token came back in a header");
    for (const { bytes } of frames) socket.write(bytes);
    socket.write(LAST.bytes);
    const isPlain = frames.length < MANY && frames.every((frame) => frame.isPlain);
    const wrong = frames.filter(({ message }) => message !== null && !clientFrameSchema.safeParse(parsed(message)).success).length + 1;
    // What the protocol allows is answered to the last; of the rest nobody knows where a message ends, so it is not waited for long.
    if (isPlain) await answerOf(heard.refused(wrong), "a frame");
    else await Promise.race([heard.closed, new Promise((resolve) => setTimeout(resolve, MOMENT))]);
    if (isPlain) hold(!heard.isClosed, "a client that kept to the protocol was let go");
    socket.end();
    await answerOf(heard.closed, "the end of a connection");
    for (const text of heard.messages()) {
      scene.holdShut(text);
      hold(!text.includes(TOKEN), "the person's token came out");
      const read = (isPerson ? frameSchema : agentFrameSchema).safeParse(parsed(text));
      hold(read.success, `a frame of another shape: ${text.slice(0, 200)}`);
      if (!isPerson) hold(!scene.others.some((id) => text.includes(id)), "an agent was told of others");
    }
    // Every wrong frame was told so, and none but these was taken for wrong.
    if (isPlain) hold(heard.wrong() === wrong, `${heard.wrong()} frames were refused as unknown and not ${wrong}`);
  } finally {
    socket.destroy();
  }
}

interface Heard {
  /** The answer to the upgrade. */
  readonly head: Promise<string>;
  readonly closed: Promise<void>;
  readonly isClosed: boolean;
  /** Whole text messages so far. */
  messages(): readonly string[];
  /** How many frames of ours were refused as unknown. */
  wrong(): number;
  /** When so many were, or the connection has ended. */
  refused(count: number): Promise<void>;
}

function listen(socket: Socket): Heard {
  let bytes = Buffer.alloc(0);
  let isClosed = false;
  const waiting = new Set<() => void>();
  const tell = (): void => waiting.forEach((look) => look());
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  socket.on("data", (piece: Buffer) => {
    bytes = Buffer.concat([bytes, piece]);
    tell();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
    tell();
  });
  const headEnd = (): number => bytes.indexOf("\r\n\r\n");
  const messages = (): readonly string[] => (headEnd() === -1 ? [] : messagesIn(bytes.subarray(headEnd() + 4)));
  const wrong = (): number => messages().filter((text) => text.includes('"unknown frame"')).length;
  return {
    head: until(() => headEnd() !== -1 || isClosed).then(() => bytes.toString("latin1", 0, Math.max(0, headEnd()))),
    closed: until(() => isClosed),
    get isClosed() {
      return isClosed;
    },
    messages,
    wrong,
    refused: (count) => until(() => isClosed || wrong() >= count),
  };
}

/** The whole text messages in what a server has sent. A server masks nothing, and ours sends messages whole. */
function messagesIn(bytes: Buffer): readonly string[] {
  const messages: string[] = [];
  for (let from = 0; from + 2 <= bytes.length;) {
    const [first = 0, second = 0] = bytes.subarray(from, from + 2);
    hold((first & 0x70) === 0 && (second & 0x80) === 0 && (first & 0x80) !== 0, "the server sent a frame it may not send");
    const short = second & 0x7f;
    const begin = from + (short < 126 ? 2 : short === 126 ? 4 : 10);
    if (begin > bytes.length) break;
    const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(from + 2) : Number(bytes.readBigUInt64BE(from + 2));
    if (begin + length > bytes.length) break;
    if ((first & 0x0f) === 1) messages.push(bytes.toString("utf8", begin, begin + length));
    from = begin + length;
  }
  return messages;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
