// A frame made ready once, for however many listeners: its text, and the bytes of the WebSocket message that carries it.

export interface Packet {
  readonly text: string;
  /** A whole unmasked text message, as a server writes it to a connection without extensions. Built when first asked for. */
  bytes(): Buffer;
  /** Bytes of the text. */
  readonly size: number;
  /** What an agent's connection is sent in its place; itself where that is the same, null where it is nothing. */
  readonly agents: Packet | null;
}

export function packet(text: string, forAgents: string | null = text): Packet {
  let built: Buffer | null = null;
  const result: Packet = {
    text,
    size: Buffer.byteLength(text),
    get agents() {
      return forAgents === text ? result : forAgents === null ? null : packet(forAgents);
    },
    bytes() {
      built ??= message(text);
      return built;
    },
  };
  return result;
}

const TEXT_AND_LAST = 0x81;

/** RFC 6455, 5.2: one unfragmented text message; the length in 7, 16 or 64 bits, no mask. */
function message(text: string): Buffer {
  const size = Buffer.byteLength(text);
  const head = size < 126 ? 2 : size < 65_536 ? 4 : 10;
  const bytes = Buffer.allocUnsafe(head + size);
  bytes[0] = TEXT_AND_LAST;
  if (head === 2) bytes[1] = size;
  else if (head === 4) {
    bytes[1] = 126;
    bytes.writeUInt16BE(size, 2);
  } else {
    bytes[1] = 127;
    bytes.writeBigUInt64BE(BigInt(size), 2);
  }
  bytes.write(text, head, "utf8");
  return bytes;
}
