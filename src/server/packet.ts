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
  return new FramePacket(text, forAgents);
}

/** A class, since thousands of them are held for clients that come back: a closure each for its methods would weigh more than many a text. */
class FramePacket implements Packet {
  readonly text: string;
  readonly size: number;
  readonly #forAgents: string | null;
  #bytes: Buffer | null = null;

  constructor(text: string, forAgents: string | null) {
    this.text = text;
    this.size = Buffer.byteLength(text);
    this.#forAgents = forAgents;
  }

  get agents(): Packet | null {
    const forAgents = this.#forAgents;
    return forAgents === this.text ? this : forAgents === null ? null : packet(forAgents);
  }

  bytes(): Buffer {
    this.#bytes ??= message(this.text);
    return this.#bytes;
  }
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
