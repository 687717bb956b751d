// Runs commands in bubblewrap: own namespaces, no capabilities, no network unless it is allowed, and of the disk only what the profile shows.
// Mounts go by name. Before the command starts the kernel's table of mounts is read back, and what is mounted is compared with what was judged.

import { totalmem } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { type Clock, systemClock } from "../core/clock.ts";
import { descriptorOf } from "../core/fs/pin.ts";
import { isInside } from "../core/path/contain.ts";
import { show } from "../core/path/show.ts";
import { listRoots } from "../core/session/session.ts";
import { doInTurns, type Steps } from "../core/steps.ts";
import { shutsAbstractSockets } from "./abstract-sockets.ts";
import { type Ability, type AbilityOptions, firstLine, lookForAbility } from "./ability.ts";
import { areasOf, type CommandLineOptions, GIT_SETTINGS, keptDirectoriesOf, type LaidCovers, SCRATCH_BYTES } from "./command-line.ts";
import { bytesOf, isClosedToRoot } from "./disk.ts";
import { gitIdentity } from "./git-identity.ts";
import { GitLinks } from "./git-links.ts";
import { Inventory } from "./inventory.ts";
import { Journal } from "./journal.ts";
import { coversToLay, findLayer, LEAST_LAID } from "./laid-covers.ts";
import { launch, mountTable } from "./launch.ts";
import { type LeftoverProcesses, startLeftRunning } from "./left-running.ts";
import { type startRoom, whyNoKeeper } from "./keeper.ts";
import type { Area, ProcessHolderPlan } from "./keeper-messages.ts";
import { Life } from "./life.ts";
import { type LiveGrants, openLiveGrants } from "./live-grants.ts";
import { type LeftProcesses, Membership } from "./membership.ts";
import { misplaced, type PlacedMount, strayCover } from "./mount-table.ts";
import {
  type CommandAsking,
  type Delay,
  endOf,
  type CommandOutcome,
  type RunOptions,
  type Sandbox,
  type RenamedEntry,
  type StopCode,
  stopped,
  type CommandStop,
} from "./port.ts";
import { type CommandNote, type Notes, openNotes, writableDirs } from "./notes.ts";
import type { CoveredEntry } from "./mount-draft.ts";
import { passedOn } from "./passed-environment.ts";
import { wake } from "./pause.ts";
import { commandOf, firstProcess, isGone, isHalted, isHandedOver, type ProcessId } from "./processes.ts";
import { withAllowedDirs } from "./allowed-dirs.ts";
import { openProfile, type Profile } from "./profile.ts";
import { type StoppedCommands, quieten as quietenDirs } from "./quiet.ts";
import { createRooms, roomOf } from "./rooms.ts";
import { memoryShelf, openShelf } from "./shelf.ts";
import { openToolchains, type Toolchains } from "./toolchains.ts";
import { type CommandTurn, Turns } from "./turns.ts";
import { startWatch } from "./watch.ts";

export interface BubblewrapOptions extends AbilityOptions {
  /** The caller's PATH. What of it the command can see is kept. */
  readonly path?: string;
  /** The caller's environment, of which a command is told what `passedOn` lets pass. Not where the command is attached, which has its own. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How many processes and threads a command may have at a time. */
  readonly processes?: number;
  /** How many bytes of memory each of them may have; half of the machine's, and at most 8 GiB, unless said. */
  readonly memory?: number;
  readonly clock?: Clock;
  /** Do a session's /tmp, home directory and processes last from one command to the next? For a program that runs many commands. */
  readonly lasting?: boolean;
  /** How it is made sure that nothing moves while directories are looked through; for tests that show what happens if it is not. */
  readonly quieten?: typeof quietenDirs;
  /** From how many covers on they are laid before bubblewrap starts; for tests that show it with few, or without. */
  readonly leastLaid?: number;
  /** How it is told whether processes that go on hold what another command saw; for tests that show what happens if it is not. */
  readonly handedOver?: typeof isHandedOver;
  /** How a keeper is started; for tests that end it at each of its steps. */
  readonly startRoom?: typeof startRoom;
  /** Milliseconds between two reports about a look that takes long; for tests with trees that are looked through quickly. */
  readonly tellEvery?: number;
}

const PROCESSES = 4096;
const MEMORY = 8 * 1024 ** 3;
/** What moves under us while it is looked at and mounted is looked at and mounted anew this often, after a pause in milliseconds. */
const TRIES = 8;
const PAUSE = 10;
/** As a shell tells that a program was killed. */
const KILLED = 137;
/** Milliseconds for which it is not tried again to make programs wait, where that failed. */
const UNABLE = 60_000;
/** Milliseconds between two reports about a look that takes long. */
const TELLING = 1000;

export function createBubblewrap(options: BubblewrapOptions = {}): Sandbox {
  const {
    clock = systemClock,
    processes = PROCESSES,
    memory: bytes = Math.min(totalmem() / 2, MEMORY),
    path,
    quieten = quietenDirs,
    leastLaid = LEAST_LAID,
    tellEvery = TELLING,
    handedOver = isHandedOver,
    lasting = false,
    env = {},
  } = options;
  const passed = passedOn(env);
  const rooms = createRooms(lasting, SCRATCH_BYTES, options.startRoom);
  const memory = memoryShelf(clock);
  const inventory = new Inventory(clock);
  const links = new GitLinks(clock);
  const turns = new Turns();
  const roomTurns = new Turns();
  /** What another process starts may run for hours. It waits for commands of its own session alone; all others know of it as of a command of another program. */
  const takeTurn = ({ session, attached }: RunOptions, signal?: AbortSignal): Promise<CommandTurn | null> =>
    attached?.start === undefined
      ? turns.take(writableDirs(session), roomOf(session), signal)
      : roomTurns.take([`/${encodeURIComponent(roomOf(session))}`], roomOf(session), signal);
  const running = new Set<Life>();
  const leftRunning = new Set<LeftoverProcesses>();
  /** By room: what became of processes that were left running, for the result of the next command. */
  const unreported = new Map<string, { readonly ended: string[]; readonly setAside: RenamedEntry[] }>();
  const user = { uid: process.geteuid?.() ?? -1, groups: [process.getegid?.() ?? -1, ...(process.getgroups?.() ?? [])] };
  let looked: Promise<Ability | string> | null = null;
  const ability = (): Promise<Ability | string> => (looked ??= lookForAbility(options));

  let shutting: ReturnType<typeof shutsAbstractSockets> | null = null;
  /** Without the network there is no socket to be shut. */
  const beforeCommand = async (network: "none" | "host"): Promise<readonly string[]> =>
    network === "none" ? [] : ((await (shutting ??= shutsAbstractSockets())) ?? []);
  let layer: ReturnType<typeof findLayer> | null = null;
  const layCovers = async ({ mounts, covered }: Profile, { session }: RunOptions): Promise<{ readonly laid?: LaidCovers }> => {
    const roots = listRoots(session).map(({ dir }) => bytesOf(dir));
    const covers = coversToLay(mounts, roots, leastLaid);
    const perl = covers.length === 0 ? null : await (layer ??= findLayer());
    return perl === null ? {} : { laid: { perl, covers, judged: new Map(covered.map((cover) => [bytesOf(cover.path), cover])) } };
  };
  let lastLook: Promise<unknown> = Promise.resolve();
  /** Looks go by what is remembered of trees, and change it: they are taken one after the other. Other work of this process goes on meanwhile. */
  const look = <T>(steps: () => Steps<T>): Promise<T> => {
    const next = lastLook.then(() => inventory.whenUpToDate(() => doInTurns(steps())));
    lastLook = next.catch(() => {});
    return next;
  };

  /** Does the profile cover all that a second look finds to be covered? Null where there is no second look. */
  const isStillAll = async ({ mounts }: Profile, { session, cwd }: RunOptions): Promise<boolean | null> => {
    const again = await look(() => openProfile(session, { inventory, clock, user, links, shared: true, cwd }));
    if ("ok" in again) return null;
    again.close("keep");
    const covered = new Set(mounts.map(({ make, path }) => `${make} ${path}`));
    return again.mounts.every(({ make, path }) => covered.has(`${make} ${path}`));
  };

  const attempt = async (command: string, runOptions: CommandLineOptions, work: Work): Promise<CommandOutcome | SetupRetry> => {
    const { able, life, noted, journal, quiet } = work;
    const draft = () => openProfile(runOptions.session, { inventory, clock, user, links, shared: noted.isShared(), cwd: runOptions.cwd });
    const profile = await whileTelling(runOptions, () => ({ for: "look", directories: inventory.seen }), tellEvery, look(draft));
    if ("ok" in profile) {
      noted.end(true);
      return life.reason() ?? (profile.code === "stale-path" ? { again: profile.why } : profile);
    }
    let live: LiveGrants | null = null;
    let members: Membership | null = null;
    let stays = false;
    const close = async (): Promise<void> => {
      await live?.close();
      members?.close();
      tools.close();
      // RACE: our own note goes first. Of two commands that end at once, each would otherwise leave the empty directories to the other.
      noted.end(true);
      profile.close(noted.isShared() ? "keep" : undefined);
    };
    const tools = openToolchains(runOptions.session, runOptions.path);
    const mounts = [...tools.mounts, ...profile.mounts];
    try {
      const before = life.sees(profile.grants);
      if (before !== null) return before;
      const room = roomOf(runOptions.session);
      for (const group of leftRunning) if (group.room === room) await group.admit(runOptions.network, mounts);
      const opened = await openLive(runOptions, profile, work, tools);
      const notAsked = opened.notAsked === undefined ? {} : { notAsked: opened.notAsked };
      live = opened.live;
      const meanwhile = life.reason();
      if (meanwhile !== null) return meanwhile;
      // INVARIANT: what another process starts ends when this one does, and that only a room sees to.
      if (runOptions.attached?.start !== undefined && (live?.keeper.processes ?? null) === null)
        return stopped("sandbox-unavailable", "the session has no processes of its own here");
      const keptDirs = opened.live === null ? {} : { keptDirectories: keptDirectoriesOf(opened.live.keeper, opened.live.areas) };
      const laid = await layCovers(profile, runOptions);
      const covers = laid.laid === undefined ? coversToFind(profile) : [];
      const child = launch(
        command,
        { ...runOptions, ...keptDirs, ...laid, covers: covers.map(({ cover }) => cover) },
        able,
        mounts,
        descriptorOf,
      );
      const liveGrants = live;
      const joined = liveGrants?.keeper.processes ?? null;
      life.holds({
        kill(code) {
          void liveGrants?.keeper.letGo();
          child.kill();
          if (OWN_ENDS.has(code)) members?.kill();
          else members?.killAll();
        },
      });
      const drop = async (why: string): Promise<CommandOutcome | SetupRetry> => {
        child.kill();
        await child.ended;
        return life.reason() ?? { again: why };
      };
      const [channel] = child.channels;
      const { table, fault } = channel === undefined ? { table: null } : await mountTable(channel, child);
      if (table === null || channel === undefined) {
        const { stderr } = await child.ended;
        return life.reason() ?? { again: firstLine(fault ?? stderr) };
      }
      const stray =
        misplaced(mounts, table) ??
        strayCover(
          covers.map(({ mount }) => mount),
          table,
        );
      if (stray !== null) return await drop("a directory was replaced while it was mounted");
      const id = child.pid === null ? null : firstProcess(child.pid);
      if (id === null) return await drop("the first process of the sandbox was not found");
      members = joined === null ? null : new Membership(joined.first, id, handedOver);
      const firsts = joined === null ? [id] : [joined.first, id];
      // INVARIANT: what stood there is on disk before the command starts, so that whatever ends us, the next can tell what is new.
      try {
        noted.describe(profile.before, firsts, runOptions.time === null);
      } catch (error) {
        child.kill();
        await child.ended;
        throw error;
      }
      // INVARIANT: nothing that could carry a secret past the look has run since before the look. What is to be covered is looked up once more:
      // a mistake in stopping others would show there.
      if ((quiet.disturbed && (await isStillAll(profile, runOptions)) !== true) || !quiet.holds()) return await drop(MOVED);
      const dirs = writableDirs(runOptions.session);
      // RACE: from here on the covers are in place; the watch sees when one is lost, and it looks once before the command starts.
      const deep = runOptions.attached !== undefined;
      const revive = (): void => reviveUnlessQuiet(firsts, journal, dirs);
      const watching = { clock, user, processes, look, beat: noted.beat };
      const watch = startWatch(endingWith(profile, runOptions), { ...watching, deep, revive }, life.stop);
      live?.start(firsts, profile);
      runOptions.attached?.starts?.(profile.hiddenDirs);
      if (life.reason() === null) channel.end("go\n");
      quiet.end();
      const ended = await child.ended;
      await watch.end();
      // Whoever is left asks nobody, and nobody waits for an answer: such a one could not be stopped.
      const isLetGo = joined === null ? null : liveGrants?.keeper.letGo();
      // RACE: what the session runs ends with its keeper, a moment before we are told that the keeper has ended.
      if (ended.exitCode === KILLED) await isLetGo;
      const sweepAll = (first: () => Promise<boolean>): Promise<readonly RenamedEntry[] | null> =>
        sweepInQuiet(
          async () => ((await first()) ? look(() => sweep(profile)) : null),
          () => quieten(journal, dirs, () => false),
        );
      let rest: LeftProcesses = { pids: [], goOn: () => {} };
      const swept = await sweepAll(async () => {
        // RACE: bubblewrap ends a moment before what it was started for; whatever is left in there could make something behind our back.
        if (!(await isGone(id))) return false;
        if (members !== null)
          rest = await members.settle(life.reason() === null && !ended.endless && runOptions.attached?.leavesNothing !== true);
        return true;
      });
      if (swept === null) {
        life.stop("stale-path", UNSWEPT);
        // What holds the mounts together is let go of below.
        if (members !== null) await isGone(members.first);
      }
      const setAside = [...watch.setAside, ...(swept ?? [])];
      stays = rest.pids.length > 0 && life.reason() === null && members !== null;
      const names = rest.pids.map(commandOf);
      if (stays && members !== null) {
        const leftMembers = members;
        life.holds({ kill: () => leftMembers.killAll() });
        await liveGrants?.leave();
        const group = startLeftRunning({
          room,
          network: runOptions.network,
          members: leftMembers,
          life,
          watch: (tick) => {
            const both = (): void => (revive(), tick());
            return startWatch(endingWith(profile, runOptions), { ...watching, deep: true, background: true, revive: both }, life.stop);
          },
          isCovered: () => isStillAll(profile, runOptions),
          seesNoMoreThan(otherMounts) {
            const granted = liveGrants?.granted() ?? { dirs: [], mounts: [] };
            const roots = [
              ...listRoots(runOptions.session).map(({ dir }) => dir),
              ...granted.dirs,
              ...tools.mounts.map(({ pin }) => pin.real),
            ];
            return seesNoMore({ roots, mounts: [...mounts, ...granted.mounts] }, otherMounts);
          },
          async over(fileWatch) {
            await fileWatch.end();
            // Not while another command of the session runs, which may hold something that these saw.
            const done = await takeTurn(runOptions);
            const aside = await sweepAll(() => leftMembers.release().then(() => true));
            if (aside === null) leftMembers.killAll();
            running.delete(life);
            leftRunning.delete(group);
            const report = unreported.get(room) ?? { ended: [], setAside: [] };
            unreported.set(room, report);
            report.setAside.push(...fileWatch.setAside, ...(aside ?? []));
            const why = life.reason();
            if (why !== null && why.code !== "session-closed") report.ended.push(why.why);
            try {
              noted.end(aside !== null);
              if (aside === null) await isGone(leftMembers.first);
              await close();
            } catch {
              // The notes cannot be read or written any more. Once this process has ended they say that nobody has looked.
            }
            done?.leave();
          },
        });
        leftRunning.add(group);
      } else noted.end(swept !== null);
      rest.goOn();
      const reason =
        life.reason() ?? (ended.endless ? stopped("output-truncated", "the command printed without end and was stopped") : null);
      if (reason !== null) return { ...reason, setAside, printed: reason.code === "timeout" || ended.endless ? endOf(ended) : "" };
      const { exitCode, stdout, stderr, truncated } = ended;
      const hidden = profile.hiddenDirs.length === 0 ? {} : { hiddenDirs: profile.hiddenDirs };
      const optionalFields = { ...hidden, ...notAsked, ...(stays ? { left: names } : {}) };
      return { ok: true, exitCode: exitCode ?? 127, stdout, stderr, truncated, setAside, leftOut: profile.leftOut, ...optionalFields };
    } finally {
      if (!stays) await close();
    }
  };

  /** The result of a command, with what became of processes that earlier ones left. */
  const withUnreported = (ran: CommandOutcome, room: string): CommandOutcome => {
    const report = unreported.get(room);
    if (report === undefined) return ran;
    unreported.delete(room);
    const setAside = [...report.setAside, ...ran.setAside];
    return ran.ok && report.ended.length > 0 ? { ...ran, setAside, ended: report.ended } : { ...ran, setAside };
  };

  /** What the processes of a command are held by where they may go on after it: not where it has the network for this once. */
  const holdingFor = ({ network, networkGrant, attached }: RunOptions, { bwrap, bash, machine }: Ability): ProcessHolderPlan | null =>
    lasting && (attached === undefined || attached.start !== undefined) && (networkGrant?.call ?? null) === null
      ? { bwrap, bash, network, machine: machine.args(network) }
      : null;

  /** Why programs could not be made to wait when that was last tried, and until when that is believed; the same of rooms. */
  let unable: { readonly why: string; readonly until: number } | null = null;
  let roomless = 0;
  /** The command's room, and why programs cannot be made to wait in it where somebody could be asked. */
  const openLive = async (
    runOptions: CommandLineOptions,
    profile: Profile,
    { able, life, turn, journal, noted }: Work,
    tools: Toolchains,
  ): Promise<{ readonly live: (LiveGrants & { readonly areas: readonly Area[] }) | null; readonly notAsked?: string }> => {
    const { session, asking } = runOptions;
    const all = areasOf(session, profile, able);
    const open = async (askingOrNull: CommandAsking | null, areas: readonly Area[]) => {
      const live = await openLiveGrants({
        rooms,
        session,
        asking: askingOrNull === null ? null : restingWhile(turn, askingOrNull),
        areas,
        // They are always there, and nobody is asked about what is on the way to them.
        tools: tools.mounts.map(({ pin }) => pin.real),
        holding: holdingFor(runOptions, able),
        beside: () => [...leftRunning].some((group) => group.room === roomOf(session) && group.isThere()),
        life,
        look: (granted, { dir }) => look(() => openProfile(granted, { inventory, clock, user, links, shared: true, only: dir })),
        quieten: (dirs) => quieten(journal, dirs, () => life.reason() !== null),
        watch: (grantProfile) =>
          startWatch(grantProfile, { clock, user, processes, deep: false, look, beat: noted.beat, revive: () => {} }, life.stop),
      });
      return typeof live === "string" ? live : { ...live, areas };
    };
    let notAsked: { readonly notAsked?: string } = {};
    if (asking !== undefined && all.length > 0) {
      const isTried = unable === null || clock() >= unable.until || asking.required === true;
      const live = isTried ? (whyNoKeeper() ?? (await open(asking, all))) : (unable?.why ?? "");
      if (typeof live !== "string") return { live };
      if (life.reason() !== null) return { live: null };
      if (asking.required === true) throw new Error(live);
      if (isTried) unable = { why: live, until: clock() + UNABLE };
      notAsked = { notAsked: live };
    }
    if (!lasting || clock() < roomless) return { live: null, ...notAsked };
    const live = await open(
      null,
      all.filter(({ writable }) => writable),
    );
    if (typeof live !== "string") return { live, ...notAsked };
    if (life.reason() === null) roomless = clock() + UNABLE;
    return { live: null, ...notAsked };
  };

  return {
    name: "bubblewrap",

    async ready() {
      const able = await ability();
      return typeof able === "string" ? able : null;
    },

    async run(command, requested) {
      const runOptions = { ...requested, session: withAllowedDirs(requested.session) };
      const life = new Life(runOptions);
      running.add(life);
      let turn: CommandTurn | null = null;
      try {
        const able = await ability();
        if (typeof able === "string") return stopped("sandbox-unavailable", able);
        turn = await whileTelling(runOptions, () => ({ for: "turn" }), tellEvery, takeTurn(runOptions, runOptions.signal));
        if (turn === null) return CALLED_OFF;
        const before = await beforeCommand(runOptions.network);
        life.start();
        const journal = new Journal(openShelf(runOptions.session.home, clock) ?? memory, clock);
        const rootDirs = listRoots(runOptions.session).map(({ dir }) => dir);
        let notes: Notes | null = null;
        for (let triesLeft = TRIES; ; triesLeft -= 1) {
          const quiet = await quieten(journal, rootDirs, () => life.reason() !== null);
          if (quiet === null || "ok" in quiet) return life.reason() ?? quiet ?? CALLED_OFF;
          try {
            const opened: Notes | CommandStop =
              notes ?? (await look(() => openNotes(runOptions.session, { journal, inventory, user, links })));
            if ("ok" in opened) return opened;
            if (notes === null && opened.left.length > 0) runOptions.attached?.told?.(opened.left);
            notes = opened;
            const work = { able, life, turn, noted: notes.begin(), journal, quiet };
            const ran = await attempt(
              command,
              {
                ...runOptions,
                processes,
                memory: bytes,
                path: runOptions.attached?.path ?? path,
                before,
                passed,
                files: filesFor(runOptions),
                covers: [],
              },
              work,
            );
            if (!("again" in ran))
              return withUnreported({ ...ran, setAside: [...notes.left, ...ran.setAside] }, roomOf(runOptions.session));
            if (triesLeft === 1) return notSetUp(ran.again);
          } finally {
            quiet.end();
          }
          await pause(PAUSE);
        }
      } catch (error) {
        return stopped(
          "sandbox-unavailable",
          `the sandbox could not be set up: ${error instanceof Error ? show(error.message) : "a fault"}`,
        );
      } finally {
        life.end();
        if (![...leftRunning].some((group) => group.life === life)) running.delete(life);
        turn?.leave();
      }
    },

    revoke(grant, how = "ended") {
      for (const life of running) life.revoke(grant, how);
    },

    endSession(session) {
      for (const life of running) life.endSession(session);
      rooms.end(session);
    },
  };
}

/** Does one with these mounts, and these roots among them, see no more of any directory than one with the others does, and change no more of it? */
function seesNoMore(
  { roots, mounts }: { readonly roots: readonly string[]; readonly mounts: readonly PlacedMount[] },
  others: readonly PlacedMount[],
): boolean {
  const mountKey = ({ make, path }: PlacedMount): string => `${make} ${path}`;
  const [own, theirs] = [new Set(mounts.map(mountKey)), new Set(others.map(mountKey))];
  const dirs = roots.map(bytesOf);
  return (
    mounts.every((mount) => !dirs.includes(mount.path) || theirs.has(mountKey(mount))) &&
    others.every((mount) => own.has(mountKey(mount)) || !dirs.some((dir) => isInside(dir, mount.path)))
  );
}

/** For these a command is stopped by itself, and what others of its session left goes on. For all others nothing of the session may. */
const OWN_ENDS: ReadonlySet<StopCode> = new Set<StopCode>(["timeout", "session-closed", "output-truncated", "protected-path", "too-large"]);

/** What bubblewrap covers: each with the directory that it was judged in. */
function coversToFind({ mounts, covered }: Profile): readonly { readonly mount: PlacedMount; readonly cover: CoveredEntry }[] {
  const seen = new Map(mounts.map((mount) => [mount.path, mount]));
  const hiddenDirs = mounts.flatMap(({ make, path }) => (make === "hidden-dir" ? [path] : []));
  return covered.flatMap((cover) => {
    const path = bytesOf(cover.path);
    const mount = seen.get(path);
    // What lies in a directory that is hidden is found nowhere, and what nobody inside can look at is not looked for.
    const isOutOfSight = hiddenDirs.some((dir) => dir !== path && isInside(dir, path)) || isClosedToRoot(cover.path);
    return mount === undefined || isOutOfSight ? [] : [{ mount, cover }];
  });
}

/** The profile, which also ends with the grant by which the command has the network. */
function endingWith(profile: Profile, { networkGrant }: RunOptions): Profile {
  const ends = networkGrant?.expires ?? null;
  return ends === null ? profile : { ...profile, expires: Math.min(profile.expires ?? ends, ends) };
}

/** Small files of the command's own: who commits, and where this machine is found where there is no network. */
function filesFor({ session, network }: RunOptions): CommandLineOptions["files"] {
  const identity = gitIdentity(session.home);
  return [
    ...(identity === null ? [] : [{ path: GIT_SETTINGS, text: Buffer.from(identity, "utf8").toString("latin1") }]),
    ...(network === "none" ? [{ path: "/etc/hosts", text: "127.0.0.1 localhost\n::1 localhost\n" }] : []),
  ];
}

/** Wait, and tell every second for what. */
async function whileTelling<T>({ delayed }: RunOptions, why: () => Delay, every: number, over: Promise<T>): Promise<T> {
  if (delayed === undefined) return over;
  let isTold = false;
  const timer = setInterval(() => {
    isTold = true;
    delayed(why());
  }, every);
  try {
    return await over;
  } finally {
    clearInterval(timer);
    if (isTold) delayed(null);
  }
}

/** A command whose program waits for a person keeps no command of another session from starting. */
function restingWhile(turn: CommandTurn, asking: CommandAsking): CommandAsking {
  return {
    ...asking,
    async ask(reached) {
      const goOn = turn.rest();
      // The question may outlast the program's patience, and the command then goes on.
      const timer = setTimeout(goOn, asking.patience).unref();
      try {
        return await asking.ask(reached);
      } finally {
        clearTimeout(timer);
        goOn();
      }
    },
  };
}

/** One attempt's surroundings. */
interface Work {
  readonly able: Ability;
  readonly life: Life;
  readonly turn: CommandTurn;
  readonly noted: CommandNote;
  readonly journal: Journal;
  readonly quiet: StoppedCommands;
}

const CALLED_OFF = stopped("session-closed", "the command was called off before it began");
const MOVED = "directories were moved by another command while the sandbox was set up";
const UNSWEPT = "the workspace could not be looked through after the command had ended; it may have made what executes later";

function* sweep(profile: Profile): Steps<readonly RenamedEntry[]> {
  return [...(yield* profile.sweep()), ...(yield* profile.sweepOrders())];
}

/**
 * What was set aside, while no other command moves anything: what it made could be carried past this look too. Null where the workspace could
 * not be looked through.
 */
async function sweepInQuiet(
  swept: () => Promise<readonly RenamedEntry[] | null>,
  quietly: () => ReturnType<typeof quietenDirs>,
): Promise<readonly RenamedEntry[] | null> {
  try {
    const quiet = await quietly();
    if (quiet === null || "ok" in quiet) return null;
    try {
      return await swept();
    } finally {
      quiet.end();
    }
  } catch {
    return null;
  }
}

/** Let a command go on that is stopped, where whoever stopped it is gone. */
function reviveUnlessQuiet(firsts: readonly ProcessId[], journal: Journal, dirs: readonly string[]): void {
  try {
    for (const first of firsts) if (isHalted(first) && !journal.hasLine(dirs)) wake(first);
  } catch {
    // The line cannot be read now; it is tried again.
  }
}

function notSetUp(why: string): CommandOutcome {
  const moving = /moved|replaced|Race condition|No such file|Not a directory|Can't create file|Too many levels|Can't bind mount/.test(why);
  return stopped(moving ? "stale-path" : "sandbox-unavailable", `the sandbox could not be set up: ${why}`);
}

/** It could not be set up this time. */
interface SetupRetry {
  readonly again: string;
}
