// The filter, run instruction by instruction as the kernel does.

import { describe, expect, test } from "vitest";
import { callFilter } from "./system-calls.ts";

interface Call {
  readonly convention: number;
  readonly number: number;
  readonly arguments?: readonly number[];
}

/** What the filter answers: `allow`, or the number of the error. */
function answer(filter: Buffer, { convention, number, arguments: [first = 0, ...more] = [] }: Call): "allow" | number {
  const others = more.map((value, index) => [24 + 8 * index, value]);
  const data: Readonly<Record<number, number>> = { 0: number, 4: convention, 16: first, ...Object.fromEntries(others) };
  let held = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const value = filter.readUInt32LE(at + 4);
    switch (filter.readUInt16LE(at)) {
      case 0x20:
        held = data[value] ?? Number.NaN;
        break;
      case 0x15:
      case 0x35:
      case 0x45: {
        const code = filter.readUInt16LE(at);
        const holds = code === 0x15 ? held === value : code === 0x35 ? held >= value : (held & value) !== 0;
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

const [CREATE, TEMPORARY, TRUNCATE] = [0o100, 0o20200000, 0o1000];
/** The calls that give a mode, by name: number, and the arguments before the mode where a file is made. */
const giving: Readonly<Record<"x64" | "arm64", readonly (readonly [name: string, number: number, before: readonly number[]])[]>> = {
  x64: [
    ["open", 2, [0, CREATE]],
    ["open of a file without a name", 2, [0, TEMPORARY]],
    ["openat", 257, [0, 0, CREATE]],
    ["creat", 85, [0]],
    ["chmod", 90, [0]],
    ["fchmod", 91, [0]],
    ["fchmodat", 268, [0, 0]],
    ["fchmodat2", 452, [0, 0]],
    ["mknod", 133, [0]],
    ["mknodat", 259, [0, 0]],
  ],
  arm64: [
    ["openat", 56, [0, 0, CREATE]],
    ["openat of a file without a name", 56, [0, 0, TEMPORARY]],
    ["fchmod", 52, [0]],
    ["fchmodat", 53, [0, 0]],
    ["fchmodat2", 452, [0, 0]],
    ["mknodat", 33, [0, 0]],
  ],
};

describe.each([
  { arch: "x64", convention: 0xc000003e, socket: 41, read: 0, keyctl: 250, ioUring: 425, openat: 257 },
  { arch: "arm64", convention: 0xc00000b7, socket: 198, read: 63, keyctl: 219, ioUring: 425, openat: 56 },
] as const)("on $arch", ({ arch, convention, socket, read, keyctl, ioUring, openat }) => {
  const filter = callFilter(arch) ?? Buffer.alloc(0);
  const of = (number: number, ...given: number[]): "allow" | number => answer(filter, { convention, number, arguments: given });

  test("what programs need passes", () => {
    expect([of(read), of(socket, 1), of(socket, 2), of(socket, 10), of(socket, 16)]).toEqual(Array.from({ length: 5 }, () => "allow"));
  });

  test("other sockets, keyrings and doors to the kernel do not", () => {
    expect([of(socket, 40), of(socket, 38), of(socket, 0)]).toEqual([97, 97, 97]);
    expect([of(keyctl), of(ioUring)]).toEqual([1, 1]);
  });

  test.each(giving[arch])("no file gets its owner's powers for others by %s", (_name, number, before) => {
    for (const mode of [0o4755, 0o2755, 0o6755, 0o104000]) expect(of(number, ...before, mode)).toBe(1);
    for (const mode of [0o755, 0o1777, 0o100644, 0]) expect(of(number, ...before, mode)).toBe("allow");
  });

  test("what opens a file that is there passes whatever stands where a mode would; openat2 is not there", () => {
    expect([of(openat, 0, 0, 0, 0o6755), of(openat, 0, 0, TRUNCATE, 0o6755), of(437)]).toEqual(["allow", "allow", 38]);
  });

  test("nor does anything in another calling convention", () => {
    expect(answer(filter, { convention: 0x40000003, number: read })).toBe(38);
    if (arch === "x64") expect(of(0x40000000 + 41, 40)).toBe(38);
  });
});

test("no filter is made up for a processor whose numbers are not known", () => {
  expect([callFilter("riscv64"), callFilter("constructor")]).toEqual([null, null]);
});
