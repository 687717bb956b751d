// The filter, run instruction by instruction as the kernel does.

import { describe, expect, test } from "vitest";
import { callFilter } from "./system-calls.ts";

interface Call {
  readonly convention: number;
  readonly number: number;
  readonly argument?: number;
}

/** What the filter answers: `allow`, or the number of the error. */
function answer(filter: Buffer, { convention, number, argument = 0 }: Call): "allow" | number {
  const data: Readonly<Record<number, number>> = { 0: number, 4: convention, 16: argument };
  let held = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const value = filter.readUInt32LE(at + 4);
    switch (filter.readUInt16LE(at)) {
      case 0x20:
        held = data[value] ?? Number.NaN;
        break;
      case 0x15:
      case 0x35: {
        const holds = filter.readUInt16LE(at) === 0x15 ? held === value : held >= value;
        at += 8 * filter.readUInt8(at + (holds ? 2 : 3));
        break;
      }
      case 0x06:
        return value === 0x7fff0000 ? "allow" : value & 0xffff;
      default:
        throw new Error("no such instruction");
    }
  }
  throw new Error("the filter gives no answer");
}

describe.each([
  { arch: "x64", convention: 0xc000003e, socket: 41, read: 0, keyctl: 250, ioUring: 425 },
  { arch: "arm64", convention: 0xc00000b7, socket: 198, read: 63, keyctl: 219, ioUring: 425 },
])("on $arch", ({ arch, convention, socket, read, keyctl, ioUring }) => {
  const filter = callFilter(arch) ?? Buffer.alloc(0);
  const of = (number: number, argument?: number): "allow" | number =>
    answer(filter, { convention, number, ...(argument === undefined ? {} : { argument }) });

  test("what programs need passes", () => {
    expect([of(read), of(socket, 1), of(socket, 2), of(socket, 10), of(socket, 16)]).toEqual(Array.from({ length: 5 }, () => "allow"));
  });

  test("other sockets, keyrings and doors to the kernel do not", () => {
    expect([of(socket, 40), of(socket, 38), of(socket, 0)]).toEqual([97, 97, 97]);
    expect([of(keyctl), of(ioUring)]).toEqual([1, 1]);
  });

  test("nor does anything in another calling convention", () => {
    expect(answer(filter, { convention: 0x40000003, number: read })).toBe(38);
    if (arch === "x64") expect(of(0x40000000 + 41, 40)).toBe(38);
  });
});

test("no filter is made up for a processor whose numbers are not known", () => {
  expect([callFilter("riscv64"), callFilter("constructor")]).toEqual([null, null]);
});
