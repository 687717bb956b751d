// The keeper: a process in namespaces of its own, in which what a sandbox sees around its roots is mounted. It decides nothing. It mounts what it
// is told to, where it is what it was when that was decided, read-only and with its secrets covered, and ends with whoever started it.

import { spawn } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, open, openSync, read, readFileSync, writeFileSync, writeSync } from "node:fs";
import { errnoOf } from "../core/errno.ts";
import { isStillIt } from "../core/fs/identity.ts";
import { below, isInside } from "../core/path/contain.ts";
import { type DoorPorts, Doors, type Sight } from "./doors.ts";
import { readRequest, REQUEST_BYTES } from "./fuse.ts";
import type { FromKeeper, Granting, KeeperOpening, Staging, ToKeeper } from "./keeper-messages.ts";
import { misplaced, mountIn, numberedMounts, parseTable } from "./mount-table.ts";

/** Where everything is mounted: a place that every machine has and no sandbox shows. Nobody else sees this mount. */
const STAGE = "/sys";
/** Milliseconds between two looks at those who wait. */
const TICK = 200;
const O_PATH = 0o10000000;
const DIRECTORY = O_PATH | 0o200000 | 0o400000; // O_DIRECTORY | O_NOFOLLOW
const EMPTY = "ro,size=4k,mode=0555,nosuid,nodev";

interface Place {
  /** The mount that is shared with the sandbox. */
  readonly at: string;
  readonly top: number;
  readonly device: number;
  readonly writable: boolean;
  /** Where the command sees it, and what stands there; nothing before it is known for which command it is. */
  dir: string | null;
  doors: Doors;
}

interface Shown {
  readonly granting: Granting;
  /** The grant where no sandbox sees it; null once it is shown. */
  private: string | null;
  /** The top of the mount that the sandbox sees; null until it is shown. */
  mounted: number | null;
}

const places: Place[] = [];
const shown = new Map<string, Shown>();
const helpers = new Set<number>();
const sights = new Map<number, (answer: Sight) => void>();
const permits = new Map<number, (answer: boolean) => void>();
let counted = 0;

const tell = (message: FromKeeper): void => void process.send?.(message);

process.on("message", (message: ToKeeper) => void hear(message));
// INVARIANT: nothing of ours outlives whoever started us. With us our namespaces end, and all that is mounted in them.
process.on("disconnect", end);
for (const name of ["SIGINT", "SIGQUIT", "SIGHUP", "SIGTERM"] as const) process.on(name, () => {}); // the terminal's business is the program's

/** At once: an ordinary exit waits for the thread that waits for the kernel's next question. */
function end(): void {
  process.kill(process.pid, "SIGKILL");
}

async function hear(message: ToKeeper): Promise<void> {
  switch (message.say) {
    case "stage":
      return reported(message.number, () => stage(message));
    case "open":
      return reported(message.number, async () => openPlaces(message));
    case "prepare":
      return reported(message.number, () => prepare(message));
    case "show":
      return reported(message.number, () => show(message.dir));
    case "hide":
      return reported(message.number, () => hide(message.dir));
    case "deny":
      return placeOf(message.door)?.doors.deny(message.door, null);
    case "end":
      for (const { doors } of places) doors.end();
      return undefined;
    case "seen":
      return settled(sights, message.number, message.sight);
    case "may-ask":
      return settled(permits, message.number, message.may);
  }
}

async function reported(number: number, work: () => Promise<readonly string[] | void>): Promise<void> {
  try {
    const made = await work();
    tell({ say: "done", number, why: null, ...(made === undefined ? {} : { places: made }) });
  } catch (error) {
    tell({ say: "done", number, why: error instanceof Error ? error.message : "a fault" });
  }
}

function settled<T>(asked: Map<number, (answer: T) => void>, number: number, answer: T): void {
  asked.get(number)?.(answer);
  asked.delete(number);
}

const see = (path: string): Promise<Sight> =>
  new Promise((resolve) => {
    counted += 1;
    sights.set(counted, resolve);
    tell({ say: "see", number: counted, path });
  });

const mayAsk = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    counted += 1;
    permits.set(counted, resolve);
    tell({ say: "ask-whether", number: counted, path });
  });

// ── What is around the roots ──

async function stage({ places: wanted, bytes }: Staging): Promise<readonly string[]> {
  await mount("-t", "tmpfs", "-o", `mode=0700,nosuid,nodev,size=${bytes}`, "stage", STAGE);
  for (const name of ["private", "texts"]) mkdirSync(`${STAGE}/${name}`);
  for (const writable of wanted) places.push(await mountPlace(writable, `${STAGE}/${places.length}`));
  setInterval(() => {
    for (const { doors } of places) if (doors.waiting > 0) doors.tick();
  }, TICK).unref();
  return places.map(({ at }) => at);
}

async function mountPlace(writable: boolean, base: string): Promise<Place> {
  for (const name of ["", "/fuse", "/upper", "/work", "/place"]) mkdirSync(`${base}${name}`, { mode: 0o755 });
  // Opened here: the kernel wants it opened and mounted in the same user namespace.
  const device = openSync("/dev/fuse", "r+");
  const options = "rootmode=40000,user_id=0,group_id=0,allow_other,nodev,nosuid";
  await run("mount", ["-i", "-t", "fuse", "-o", `fd=3,${options}`, "hallpass", `${base}/fuse`], [device]);
  const at = `${base}/place`;
  const closed = doorsFor(device, { top: "/", patience: 0, see: async () => "nothing" }, []);
  const place = { at, top: -1, device, writable, dir: null, doors: closed };
  serve(place);
  if (writable) {
    const layers = `lowerdir=${base}/fuse,upperdir=${base}/upper,workdir=${base}/work,userxattr`;
    await mount("-t", "overlay", "-o", `${layers},nosuid,nodev`, "hallpass", at);
  } else {
    await mount("--bind", `${base}/fuse`, at);
    await mount("-o", "remount,bind,ro,nosuid,nodev", at);
  }
  await mount("--make-shared", at);
  return Object.assign(place, { top: await openDir(at) });
}

/** From now on the places are this command's. Nobody has seen anything of them before. */
function openPlaces({ areas, fixed, patience }: KeeperOpening): void {
  if (areas.length !== places.length || places.some(({ dir }) => dir !== null)) throw new Error("these places are for another command");
  for (const [index, area] of areas.entries()) {
    const place = places[index];
    if (place === undefined || place.writable !== area.writable) throw new Error("these places are for another command");
    place.dir = area.dir;
    place.doors = doorsFor(
      place.device,
      { top: area.dir, patience, see },
      fixed.filter((path) => isInside(area.dir, path)),
    );
  }
}

function doorsFor(device: number, its: Pick<DoorPorts, "top" | "patience" | "see">, fixed: readonly string[]): Doors {
  const ports: DoorPorts = {
    ...its,
    write: (bytes) => write(device, bytes),
    mayAsk,
    wanted: (door, path, pid) => tell({ say: "wanted", door, path, pid }),
    isKilled,
    isOwn: (pid) => helpers.has(pid) || tgidOf(pid) === process.pid,
    now: () => performance.now(),
  };
  return new Doors(ports, fixed);
}

/** Answer the kernel for as long as it asks. One read is always under way, in a thread of its own. */
function serve(place: Place): void {
  const bytes = Buffer.alloc(REQUEST_BYTES);
  const next = (): void =>
    read(place.device, bytes, 0, bytes.length, null, (error, length) => {
      const errno = errnoOf(error);
      // ENOENT: the one who asked was ended before the question was read.
      if (error !== null && errno !== "ENOENT" && errno !== "EINTR" && errno !== "EAGAIN") return end();
      const request = error === null ? readRequest(Buffer.from(bytes.subarray(0, length))) : null;
      if (request !== null) void place.doors.answer(request);
      next();
    });
  next();
}

function write(device: number, bytes: Buffer): void {
  try {
    writeSync(device, bytes);
  } catch (error) {
    // Whoever asked is gone; there is nobody to be told.
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}

/** The innermost: outer ones come first. */
const placeOf = (path: string): Place | undefined => places.findLast(({ dir }) => dir !== null && isInside(dir, path));

// ── Grants ──

/** Build it where no sandbox sees it, and look whether it is what it should be. */
async function prepare(granting: Granting): Promise<void> {
  const { dir, covers } = granting;
  counted += 1;
  const at = `${STAGE}/private/${counted}`;
  mkdirSync(at);
  const from = await openDir(dir);
  try {
    if (!isStillIt(granting, fstatSync(from))) throw new Error("it is no longer the directory that was granted");
    // Mounts in it come along: the kernel does not let a part be shown that a mount covers.
    await run("mount", ["-c", "--rbind", "/proc/self/fd/3/.", at], [from]);
  } finally {
    closeSync(from);
  }
  try {
    for (const [index, cover] of covers.entries()) await lay(`${at}/${cover.path}`, cover, index);
    const inner = [...table()].filter(([point]) => isInside(at, point));
    for (const [point, { options, readOnly }] of inner)
      if (!readOnly) await mount("-o", ["remount", "bind", "ro", "nosuid", "nodev", ...kept(options)].join(","), point);
    const now = table();
    const wrong = misplaced(
      [{ make: "read-only", path: at }, ...covers.map(({ make, path }) => ({ make, path: `${at}/${path}` }))],
      text(),
    );
    const open = [...now].find(([point, { readOnly }]) => isInside(at, point) && !readOnly);
    if (wrong !== null || open !== undefined) throw new Error("a directory was replaced while it was mounted");
    await confirm(granting, at);
  } catch (error) {
    await unmount(await openDir(at));
    throw error;
  }
  shown.set(dir, { granting, private: at, mounted: null });
}

async function lay(point: string, { make, text }: Granting["covers"][number], index: number): Promise<void> {
  if (make === "hidden-dir") return mount("-t", "tmpfs", "-o", EMPTY, "hallpass", point);
  const file = make === "hidden-file" ? "/dev/null" : `${STAGE}/texts/${counted}-${index}`;
  if (make === "shown-file") writeFileSync(file, Buffer.from(text, "latin1"), { mode: 0o444 });
  await mount("--bind", file, point);
  return mount("-o", "remount,bind,ro,nosuid,nodev,noexec", point);
}

/**
 * Show what was prepared, as a whole: what is changed in a shared place later does not reach those who share it. Gives the groups by which
 * these mounts are known in the sandbox.
 */
async function show(dir: string): Promise<readonly string[]> {
  const it = shown.get(dir);
  const place = placeOf(dir);
  if (it === undefined || it.private === null || place === undefined) throw new Error("there is nothing to show");
  await confirm(it.granting, it.private);
  const made = await openDir(it.private);
  // INVARIANT: name by name and through no link: the command can write beside the place where this is mounted.
  const target = await walk(place, dir);
  try {
    await run("mount", ["-c", "--rbind", "/proc/self/fd/3/.", "/proc/self/fd/4/."], [made, target.at]);
    it.mounted = await openDir(`/proc/self/fd/${target.above}/${target.name}`);
    await confirm(it.granting, `/proc/self/fd/${it.mounted}/.`);
    // RACE: it may have been taken back while it was mounted.
    if (shown.get(dir) !== it) throw new Error("the grant was revoked");
  } catch (error) {
    shown.delete(dir);
    if (it.mounted !== null) await unmount(it.mounted);
    throw error;
  } finally {
    closeSync(target.at);
    closeSync(target.above);
    await unmount(made);
    it.private = null;
  }
  if (shown.get(dir) !== it) throw new Error("the grant was revoked");
  const groups = it.mounted === null ? [] : groupsAt(it.mounted);
  place.doors.open(it.granting.door, dir);
  return groups;
}

/** The groups of the mount that the descriptor is the top of, and of all that is mounted in it. */
function groupsAt(descriptor: number): readonly string[] {
  const top = mountIn(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"));
  const ids = new Set<number>();
  return numberedMounts(text()).flatMap(({ id, parent, groups }) => {
    if (id !== top && !ids.has(parent)) return [];
    ids.add(id);
    return groups.map(String);
  });
}

/** Take it away from whoever sees it. */
async function hide(dir: string): Promise<void> {
  const it = shown.get(dir);
  const place = placeOf(dir);
  shown.delete(dir);
  // Not shown yet: who is about to show it finds it gone.
  if (it === undefined || it.mounted === null || place === undefined) return;
  place.doors.deny(it.granting.door, dir);
  await unmount(it.mounted);
}

async function confirm(granting: Granting, at: string): Promise<void> {
  const descriptor = await openDir(at);
  try {
    if (!isStillIt(granting, fstatSync(descriptor))) throw new Error("it is no longer the directory that was granted");
  } finally {
    closeSync(descriptor);
  }
}

/** The directory that stands for `dir` in the place, and the one around it. */
async function walk(place: Place, dir: string): Promise<{ readonly at: number; readonly above: number; readonly name: string }> {
  const names = below(place.dir ?? "/", dir).split("/");
  const last = names.pop() ?? "";
  let above = await openDir(`/proc/self/fd/${place.top}/.`);
  for (const name of names) {
    const next = await openDir(`/proc/self/fd/${above}/${name}`);
    closeSync(above);
    above = next;
  }
  return { at: await openDir(`/proc/self/fd/${above}/${last}`), above, name: last };
}

/** Held, and not through a link. Never at once: it is we who answer the kernel's questions about these directories. */
function openDir(path: string): Promise<number> {
  return new Promise((resolve, reject) =>
    open(path, DIRECTORY, (error, descriptor) => (error === null ? resolve(descriptor) : reject(error))),
  );
}

// ── Mounting ──

const mount = (...words: readonly string[]): Promise<void> => run("mount", words, []);

/** All that is mounted at the top of which this is the descriptor; closes it. */
async function unmount(descriptor: number): Promise<void> {
  try {
    await run("umount", ["-l", "-c", "-i", "/proc/self/fd/3"], [descriptor]);
  } finally {
    closeSync(descriptor);
  }
}

/** `words`: bytes, one character each, where they are paths; `descriptors`: from 3 on. */
function run(program: "mount" | "umount", words: readonly string[], descriptors: readonly number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const stdio = ["ignore", "ignore", "pipe", ...descriptors] as const;
    const args = words.map((word) => Buffer.from(word, "latin1").toString("utf8"));
    const it = spawn(`/usr/bin/${program}`, args, { env: { LC_ALL: "C" }, cwd: "/", stdio: [...stdio] });
    if (it.pid !== undefined) helpers.add(it.pid);
    let said = "";
    it.stderr?.on("data", (part: Buffer) => (said += part.toString("latin1")));
    it.on("error", reject);
    it.on("close", (code) => {
      if (it.pid !== undefined) helpers.delete(it.pid);
      if (code === 0) resolve();
      else reject(new Error(said.split("\n")[0] ?? `${program} failed`));
    });
  });
}

const text = (): string => readFileSync("/proc/self/mountinfo", "latin1");
const table = (): ReturnType<typeof parseTable> => parseTable(text());

/** Of how something is mounted, what must be said again or would be lost; the kernel refuses to lose it. */
const kept = (options: readonly string[]): readonly string[] => options.filter((word) => word === "noexec" || word === "nosymfollow");

// ── Processes ──

const KILL = 1n << 8n;

/** Is a signal that ends it on its way? Gone counts too. */
function isKilled(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return [...status.matchAll(/^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$/gm)].some(([, set]) => (BigInt(`0x${set ?? "0"}`) & KILL) !== 0n);
  } catch {
    return true;
  }
}

function tgidOf(pid: number): number {
  try {
    return Number(/^Tgid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
  } catch {
    return -1;
  }
}
