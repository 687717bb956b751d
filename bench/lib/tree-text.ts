// The contents of a tree's files: text like source code, 0.5 to 8 KB, most of it near
// 2 KB and ASCII, and binary files that betray themselves by a NUL near their start.

export interface TextSource {
  /** A text with the literal on that many lines of its own. */
  readonly source: (literals: number) => Buffer;
  /** Bytes with a NUL near the start, and the literal after it. */
  readonly binary: () => Buffer;
}

const BASE_BYTES = 256 * 1024;
const SMALLEST = 512;
const LARGEST = 8 * 1024;
const WORDS = "const return function value index result import export await string number items next".split(" ");

/** Texts are cut from one base text, so that making a tree costs writing, not thinking. */
export function createTextSource(random: () => number, literal: string): TextSource {
  const base = baseText(random);
  const mark = Buffer.from(`  const mark = "${literal}" + "${literal}";\n`);
  const accent = Buffer.from("// Größe, naïve, 東京\n");
  const header = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d]);
  const cut = (): Buffer => {
    const wished = SMALLEST - Math.log(1 - random()) * 1_500;
    const size = Math.min(LARGEST, Math.floor(wished));
    const from = Math.floor(random() * (BASE_BYTES - size));
    // From the start of a line, so that lines are whole.
    const start = base.lastIndexOf(0x0a, from) + 1;
    return base.subarray(start, start + size);
  };
  return {
    source: (literals) => {
      const parts = [cut()];
      if (random() < 0.03) parts.unshift(accent);
      for (let time = 0; time < literals; time += 1) parts.push(Buffer.from("\n"), mark, cut());
      return parts.length === 1 ? (parts[0] ?? base) : Buffer.concat(parts);
    },
    binary: () => {
      const noise = Buffer.alloc(1_000 + Math.floor(random() * 4_000));
      for (let at = 0; at < noise.length; at += 1) noise[at] = Math.floor(random() * 256);
      return Buffer.concat([header, noise, Buffer.from(`\n${literal}\n`)]);
    },
  };
}

function baseText(random: () => number): Buffer {
  const lines: string[] = [];
  let size = 0;
  while (size < BASE_BYTES) {
    const words = Array.from({ length: 3 + Math.floor(random() * 8) }, () => WORDS[Math.floor(random() * WORDS.length)] ?? "value");
    const line = `${" ".repeat(2 * Math.floor(random() * 4))}${words.join(" ")};\n`;
    lines.push(line);
    size += line.length;
  }
  return Buffer.from(lines.join("")).subarray(0, BASE_BYTES);
}
