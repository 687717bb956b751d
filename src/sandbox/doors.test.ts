import { expect, test } from "vitest";
import { Doors, type DoorPorts, type Sight } from "./doors.ts";
import { errors, opcodes, readRequest } from "./fuse.ts";

/** Doors over a made-up outside, and what they say to each request: an error, `entry N`, or nothing yet. */
function stage(sights: Readonly<Record<string, Sight>>, more: Partial<DoorPorts> = {}) {
  const said = new Map<number, string>();
  const wanted: string[] = [];
  let [count, now] = [0, 0];
  const write = (bytes: Buffer): void => {
    const error = -bytes.readInt32LE(4);
    const name = Object.entries(errors).find(([, number]) => number === error)?.[0] ?? "?";
    said.set(Number(bytes.readBigUInt64LE(8)), error !== 0 ? name : bytes.length === 144 ? `entry ${bytes.readBigUInt64LE(16)}` : "well");
  };
  const doors = new Doors(
    {
      top: "/home",
      write,
      see: async (path) => sights[path] ?? "nothing",
      mayAsk: async (path) => !path.endsWith(".env"),
      wanted: (door, path, pid) => void wanted.push(`${door} ${path} ${pid}`),
      isKilled: (pid) => pid === 666,
      isOwn: (pid) => pid === 1,
      now: () => now,
      patience: 100,
      ...more,
    },
    ["/home/code/ws"],
  );
  const ask = async (opcode: number, node: number, name = "", pid = 7): Promise<string> => {
    count += 1;
    const body = Buffer.from(`${name}\0`);
    const bytes = Buffer.alloc(40 + body.length);
    bytes.writeUInt32LE(bytes.length, 0);
    bytes.writeUInt32LE(opcode, 4);
    bytes.writeBigUInt64LE(BigInt(count), 8);
    bytes.writeBigUInt64LE(BigInt(node), 16);
    bytes.writeUInt32LE(pid, 32);
    body.copy(bytes, 40);
    const request = readRequest(bytes);
    if (request === null) throw new Error("no request");
    const number = count;
    await doors.answer(request);
    return said.get(number) ?? `waits ${number}`;
  };
  const lookup = (node: number, name: string, pid?: number): Promise<string> => ask(opcodes.lookup, node, name, pid);
  return { doors, said, wanted, ask, lookup, pass: (time: number) => (now += time) };
}

const SIGHTS = { "/home/code": "way", "/home/code/lib": "door" } as const;

/** Up to where a program waits at the door; gives the number of its request. */
async function waiting(it: ReturnType<typeof stage>, pid = 7): Promise<number> {
  expect(await it.lookup(1, "code", pid)).toBe("entry 2");
  expect(await it.lookup(2, "lib", pid)).toBe("entry 3");
  expect(await it.lookup(3, "x", pid)).toBe("ESTALE");
  const waits = await it.lookup(2, "lib", pid);
  expect(waits).toMatch(/^waits/);
  return Number(waits.slice("waits ".length));
}

test("what is not there, and a secret behind a door, are missing at once; nobody is asked", async () => {
  const it = stage(SIGHTS);
  expect(await it.lookup(1, ".git")).toBe("ENOENT");
  expect(await it.lookup(1, "code")).toBe("entry 2");
  expect(await it.lookup(2, "node_modules")).toBe("ENOENT");
  expect(await it.lookup(2, "lib")).toBe("entry 3");
  expect(await it.lookup(3, ".env")).toBe("ENOENT");
  expect(it.wanted).toEqual([]);
});

test("whoever reaches into a door waits at its second lookup, and goes on once it is open", async () => {
  const it = stage(SIGHTS);
  const number = await waiting(it);
  expect(it.wanted).toEqual(["/home/code/lib /home/code/lib/x 7"]);
  // Those who mount are never held up.
  expect(await it.lookup(2, "lib", 1)).toBe("entry 3");
  expect(await it.ask(opcodes.getattr, 3, "", 1)).toBe("well");
  expect(await it.lookup(2, "lib", 8)).toMatch(/^waits/);
  it.doors.open("/home/code/lib", "/home/code/lib");
  expect(it.said.get(number)).toBe("entry 3");
  expect(it.doors.waiting).toBe(0);
  expect(it.wanted).toHaveLength(1);
});

test("after a no the walk goes on to a refusal, for everybody", async () => {
  const it = stage(SIGHTS);
  const number = await waiting(it);
  it.doors.deny("/home/code/lib", null);
  expect(it.said.get(number)).toBe("entry 3");
  expect(await it.lookup(3, "x")).toBe("EACCES");
  expect(await it.ask(opcodes.opendir, 3)).toBe("EACCES");
  expect(await it.ask(opcodes.getattr, 3)).toBe("EACCES");
  expect(await it.ask(opcodes.access, 3)).toBe("EACCES");
  expect(await it.lookup(2, "lib", 9)).toBe("entry 3");
  expect(it.wanted).toHaveLength(1);
});

test("who has waited long enough is refused at once until the question is answered", async () => {
  const it = stage(SIGHTS);
  const number = await waiting(it);
  it.doors.tick();
  expect(it.said.has(number)).toBe(false);
  it.pass(100);
  it.doors.tick();
  expect(it.said.get(number)).toBe("entry 3");
  for (let attempt = 0; attempt < 3; attempt += 1) {
    expect(await it.lookup(2, "lib")).toBe("entry 3");
    expect(await it.lookup(3, "x")).toBe("EACCES");
  }
  expect(await it.lookup(2, "lib", 9)).toMatch(/^waits/);
  expect(it.wanted).toHaveLength(1);
  it.doors.open("/home/code/lib", "/home/code/lib");
  expect(await it.lookup(3, "x")).toBe("ESTALE");
});

test("who was killed is let go, since the kernel waits for the answer", async () => {
  const it = stage(SIGHTS);
  const number = await waiting(it, 666);
  it.doors.tick();
  expect(it.said.get(number)).toBe("entry 3");
});

test("of a door only the folder that was granted opens", async () => {
  const it = stage(SIGHTS);
  await waiting(it);
  it.doors.open("/home/code/lib", "/home/code/lib/x");
  expect(await it.lookup(3, "x")).toBe("entry 4");
  expect(await it.lookup(3, "y")).toBe("EACCES");
  it.doors.deny("/home/code/lib", "/home/code/lib/x");
  expect(await it.lookup(3, "x")).toBe("EACCES");
});

test("when the command is to end, nobody waits any longer", async () => {
  const it = stage(SIGHTS);
  const number = await waiting(it);
  it.doors.end();
  expect(it.said.get(number)).toBe("entry 3");
  expect(await it.lookup(3, "x")).toBe("EACCES");
  expect(await it.lookup(2, "new")).toBe("ENOENT");
});

test("what has no sense is no request, a name that is not UTF-8 is not there, and nothing else is known", async () => {
  const it = stage(SIGHTS);
  expect(readRequest(Buffer.alloc(10))).toBeNull();
  expect(readRequest(Buffer.alloc(40))).toBeNull();
  expect(await it.lookup(99, "x")).toBe("ENOENT");
  expect(await it.ask(15, 1)).toBe("ENOSYS");
  expect(await it.lookup(1, "")).toBe("ENOENT");
});
