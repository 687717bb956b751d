// What a process printed, within a limit: the beginning and the end, and how much was left out between them.

export class KeptOutput {
  readonly #half: number;
  #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  /** All that was printed. */
  total = 0;

  /** Keeps up to `limit` bytes. */
  constructor(limit: number) {
    this.#half = Math.floor(limit / 2);
  }

  get truncated(): boolean {
    return this.total > 2 * this.#half;
  }

  add(chunk: Buffer): void {
    this.total += chunk.length;
    const room = this.#half - this.#headBytes;
    const head = room > 0 ? chunk.subarray(0, room) : EMPTY;
    if (head.length > 0) {
      this.#head.push(head);
      this.#headBytes += head.length;
    }
    const rest = chunk.subarray(head.length);
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    for (let first = this.#tail[0]; first !== undefined && this.#tailBytes - first.length >= this.#half; first = this.#tail[0]) {
      this.#tail.shift();
      this.#tailBytes -= first.length;
    }
  }

  /** As text; what is not UTF-8 is replaced. */
  text(): string {
    const tail = Buffer.concat(this.#tail);
    if (!this.truncated) return Buffer.concat([...this.#head, tail]).toString("utf8");
    // Streaming, so that half a character at the cut is left out and not shown as a wrong one.
    const head = new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(this.#head), { stream: true });
    const last = fromCharacter(tail.subarray(Math.max(0, tail.length - this.#half)));
    const out = this.total - this.#headBytes - last.length;
    return `${head}\n[… ${out} bytes left out …]\n${last.toString("utf8")}`;
  }
}

/** The bytes from the first that begins a character. */
function fromCharacter(bytes: Buffer): Buffer {
  let at = 0;
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return bytes.subarray(at);
}

const EMPTY = Buffer.alloc(0);
