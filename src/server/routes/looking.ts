// What an agent would see, for the person: one directory judged entry by entry, completion of paths, one access explained. Nothing of
// it is recorded as an access, since none is made; and nothing outside the session's roots is listed.

import { opendir } from "node:fs/promises";
import { basename, join } from "node:path";
import { errnoOf } from "../../core/errno.ts";
import type { Operation } from "../../core/access.ts";
import { createGuard, type Guard } from "../../core/guard/guard.ts";
import { meanings } from "../../core/guard/explain.ts";
import { callId } from "../../core/names.ts";
import { show } from "../../core/path/show.ts";
import type { GrantExtent } from "../../core/session/ask.ts";
import { reopenGrants } from "../../core/session/grant.ts";
import { isSame } from "../../core/session/root.ts";
import { listRoots, type Session } from "../../core/session/session.ts";
import { doInTurns, firstInOrder, type Steps } from "../../core/steps.ts";
import { liveSession } from "../../agent/live-session.ts";
import type { StoredAsk } from "../../agent/ports.ts";
import { wireDecision } from "../views/decision.ts";
import type { AppPorts } from "../ports.ts";
import { notFound, Refusal } from "../problem.ts";
import { findAsk, findOpenSessionHere, findOpenSession } from "./find-rows.ts";
import type { ResponseOf, Handlers } from "./handler.ts";
import type { Routes } from "../../wire/http.ts";
import { type PathOffer, rankPaths } from "./rank-paths.ts";

type Entry = ResponseOf<Routes["tree"]>["entries"][number];

const LISTED = 500;
/** As many paths are offered. */
const COMPLETIONS = 50;
/** Names that are read from the disk at a time. */
const AT_ONCE = 512;

type LookRoute = "tree" | "complete" | "explain";

/** As they are looked at here, or on the machine that has the session's files. */
export function lookingRoutes(ports: AppPorts): Pick<Handlers, LookRoute> {
  const here = lookingHere(ports);
  const { elsewhere } = ports;
  if (elsewhere === null) return here;
  const machineOf = async (id: string): Promise<string | null> => {
    const { machine } = await findOpenSession(ports, id);
    return machine === ports.machine ? null : machine;
  };
  return {
    async tree(call) {
      const machine = await machineOf(call.id);
      return machine === null ? here.tree(call) : elsewhere.look(machine, "tree", call);
    },
    async complete(call) {
      const machine = await machineOf(call.id);
      return machine === null ? here.complete(call) : elsewhere.look(machine, "complete", call);
    },
    async explain(call) {
      const machine = await machineOf(call.id);
      return machine === null ? here.explain(call) : elsewhere.look(machine, "explain", call);
    },
  };
}

/** The same for files of this machine alone. */
export function lookingHere(ports: AppPorts): Pick<Handlers, LookRoute> {
  const { clock, ids, agent } = ports;
  const guard = createGuard({ clock, ids });
  return {
    async tree({ id, query: { path, ask, opens, limit = LISTED } }) {
      const stored = await findOpenSessionHere(ports, id);
      const live = await liveSession(ports, stored, null);
      const session = ask === undefined ? live : afterYes(ports, live, offeredDirectory(await askOf(ports, id, ask), opens));
      const decision = guard.judge({ call: LOOK, tool: "tree", operation: "list", path }, session);
      if (decision.verdict !== "allow") throw new Refusal(decision.reason, `\`${show(path)}\` ${meanings[decision.reason]}`);
      decision.pass.close();
      const real = decision.real ?? path;
      const names = await namesIn(real, path);
      const first = await doInTurns(
        firstInOrder(names, limit, (one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1)),
      );
      const entries = await doInTurns(judgeEntries(guard, session, real, first));
      return { path: real, entries, more: names.length > limit };
    },

    async complete({ id, query: { prefix } }) {
      const session = await liveSession(ports, await findOpenSessionHere(ports, id), null);
      const offers = new Map<string, PathOffer>();
      const offer = (path: string, name: string): void => void (offers.has(path) || offers.set(path, { path, name }));
      // What stands where the path is spelled out to; and unless it says a place of its own, everything in the session's roots.
      const cut = prefix.lastIndexOf("/") + 1;
      const listed = await guard.use(
        { call: LOOK, tool: "complete", operation: "list", path: prefix.slice(0, cut) || "." },
        session,
        (dir) => dir.listInTurns(),
      );
      if (listed.verdict === "allow" && listed.done.ok && listed.done.value.ok)
        for (const { name, kind } of listed.done.value.value.entries) {
          const path = `${prefix.slice(0, cut)}${name}${kind === "dir" ? "/" : ""}`;
          offer(path, path);
        }
      if (prefix !== "" && !/^(\/|~|\.\.?\/)/.test(prefix))
        for (const { dir } of listRoots(session, clock)) {
          const isWorkspace = dir === session.workspace.dir;
          for (const file of await agent.filesIn(dir, session))
            for (let end = file.length; end > 0; end = file.lastIndexOf("/", end - 2) + 1) {
              const inside = file.slice(0, end);
              const path = isWorkspace ? inside : join(dir, inside);
              // Its directories are known with the first file of each.
              if (offers.has(path)) break;
              offer(path, isWorkspace ? inside : `${basename(dir)}/${inside}`);
            }
        }
      return [...(await doInTurns(rankPaths(prefix, offers.values(), COMPLETIONS)))];
    },

    async explain({ id, body: { path, operation = "read" } }) {
      const session = await liveSession(ports, await findOpenSessionHere(ports, id), null);
      return wireDecision(judgeOnly(guard, session, operation, path));
    },
  };
}

/** Judge without doing: the pass, if there is one, is let go. */
export function judgeOnly(guard: Guard, session: Session, operation: Operation, path: string) {
  const decision = guard.judge({ call: LOOK, tool: "explain", operation, path }, session);
  if (decision.verdict === "allow") decision.pass.close();
  return decision;
}

async function askOf(ports: AppPorts, session: string, id: string): Promise<StoredAsk> {
  const ask = await findAsk(ports, id);
  if (ask.session !== session) throw notFound();
  return ask;
}

/** The directory that a yes opens: the proposed one, the folder in it, or the repository around it. A folder is known by its name alone. */
function offeredDirectory({ proposal, folder, repository }: StoredAsk, opens: GrantExtent = "proposal") {
  const directory = { proposal, folder: folder === undefined ? undefined : { dir: folder }, repository }[opens];
  if (directory === undefined) throw new Refusal("bad-request", `this ask offers no ${opens}`);
  return directory;
}

/** The session as a yes would make it: what it opens, as a grant that is nowhere stored. */
function afterYes(ports: AppPorts, session: Session, opened: ReturnType<typeof offeredDirectory>): Session {
  if (opened === null) return session;
  const { session: after } = reopenGrants(session, [opened.dir], ports);
  const granted = after.grants.at(-1);
  // Only the very directory that was shown: another one in its place is not what a yes would open.
  if (granted?.until !== "session" || granted.root.dir !== opened.dir || ("dev" in opened && !isSame(opened, granted.root)))
    throw new Refusal("grant-changed", "what a yes would open is no longer what was shown");
  return after;
}

interface NamedEntry {
  readonly name: string;
  readonly kind: Entry["kind"];
}

/** The names of a directory. The person may know them all: it is their machine. */
async function namesIn(real: string, requested: string): Promise<readonly NamedEntry[]> {
  try {
    const names: NamedEntry[] = [];
    // One by one: of very many at once even their names hold up everybody else.
    for await (const entry of await opendir(real, { bufferSize: AT_ONCE }))
      names.push({
        name: entry.name,
        kind: entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other",
      });
    return names;
  } catch (error) {
    const missing = ["ENOENT", "ENOTDIR"].includes(errnoOf(error));
    throw new Refusal(
      missing ? "not-directory" : "os-denied",
      `\`${show(requested)}\` ${meanings[missing ? "not-directory" : "os-denied"]}`,
    );
  }
}

const rank = ({ kind }: NamedEntry): number => (kind === "directory" ? 0 : 1);

function* judgeEntries(guard: Guard, session: Session, real: string, names: readonly NamedEntry[]): Steps<Entry[]> {
  const entries: Entry[] = [];
  for (const { name, kind } of names) {
    entries.push(judgeEntry(guard, session, join(real, name), name, kind));
    yield;
  }
  return entries;
}

/** One entry as the agent has it: judged for reading, and where that is given for writing; of a directory, for making a file in it. */
function judgeEntry(guard: Guard, session: Session, path: string, name: string, kind: Entry["kind"]): Entry {
  const read = judgeOnly(guard, session, kind === "directory" ? "list" : "read", path);
  const entry = { name, path, kind, leads: kind === "link" ? read.real : null };
  if (read.verdict === "deny") return { ...entry, state: "withheld", reason: read.reason };
  if (read.verdict === "ask") return { ...entry, state: "outside", reason: read.reason };
  const write = kind === "directory" ? judgeOnly(guard, session, "create", join(path, NEW)) : judgeOnly(guard, session, "replace", path);
  return { ...entry, state: write.verdict === "deny" ? "readable" : "writable", reason: read.reason };
}

const LOOK = callId("look");
/** A name that is like any other: may a file be made here at all? */
const NEW = "new-file";
