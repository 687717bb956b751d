// Where a session may begin: directories completed as they are typed, repositories found in the home directory, and a sample. For the
// person, whose machine it is; names alone are looked at, and each look has an end.

import { opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createGuard } from "../../core/guard/guard.ts";
import { realHome } from "../../core/session/session.ts";
import type { AppPorts } from "../ports.ts";
import { Refusal } from "../problem.ts";
import { plantSample, sampleDirectory, sampleFiles } from "../sample.ts";
import { viewSession } from "./find-rows.ts";
import type { Handlers } from "./handler.ts";
import { judgeOnly } from "./looking.ts";
import { fromHome } from "./root-paths.ts";
import { openRoots } from "./sessions.ts";

/** So many are offered. */
const OFFERED = 30;
/** So many names of one directory are looked at. */
const NAMES = 5000;
/** So deep in the home directory, in so many directories and for so long are repositories looked for. */
const DEPTH = 4;
const LOOKED_IN = 1500;
const PATIENCE = 5000;
/** Where nobody keeps their work, and where there is much. */
const PASSED_OVER = new Set(["node_modules", "Library", "Applications", "snap", "go", "vendor", "target", "dist", "build"]);

export function placeRoutes(ports: AppPorts): Pick<Handlers, "directories" | "foundProjects" | "addSample"> {
  const { store, agent, home, clock, ids } = ports;
  const guard = createGuard({ clock, ids });
  return {
    async directories({ query: { prefix } }) {
      const typed = prefix === "" || prefix === "~" ? "~/" : prefix;
      const cut = typed.lastIndexOf("/") + 1;
      const begun = typed.slice(cut).toLowerCase();
      const directory = fromHome(typed.slice(0, cut), home);
      if (directory.includes("\0")) return [];
      const names = (await directoriesIn(directory)).filter(
        (name) => name.toLowerCase().startsWith(begun) && (begun.startsWith(".") || !name.startsWith(".")),
      );
      return Promise.all(
        names
          .sort((one, other) => one.localeCompare(other))
          .slice(0, OFFERED)
          .map(async (name) => ({
            path: `${typed.slice(0, cut)}${name}`,
            isRepository: (await changedAt(join(directory, name, ".git"))) !== null,
          })),
      );
    },

    async foundProjects() {
      const known = new Set((await store.projects()).map(({ path }) => path));
      const repositories = (await repositoriesIn(realHome(home))).filter(({ path }) => !known.has(path));
      return repositories
        .sort((one, other) => other.at - one.at)
        .slice(0, OFFERED)
        .map(({ path }) => ({ path, isRepository: true }));
    },

    async addSample() {
      const workspace = plantSample(realHome(home));
      // What the page promises, a question, must come: whatever model answers, and whatever the policy says.
      if (judgeOnly(guard, openRoots(ports, workspace, [], []), "read", sampleFiles.asks).verdict !== "ask")
        throw new Refusal(
          "out-of-whitelist",
          `your policy lets nobody ask for anything in ~/${sampleDirectory}, so there is no question to show; see its ceilings and rules`,
        );
      const session = await agent.newSession({ workspace, asking: "by-guard" });
      return { session: await viewSession(ports, session.id), ...sampleFiles };
    },
  };
}

/** The names of the directories in one, links to directories too; none where it cannot be looked into. */
async function directoriesIn(directory: string): Promise<string[]> {
  const names: string[] = [];
  try {
    let count = 0;
    for await (const entry of await opendir(directory)) {
      if ((count += 1) > NAMES) break;
      if (entry.isDirectory() || (entry.isSymbolicLink() && (await isDirectory(join(directory, entry.name))))) names.push(entry.name);
    }
  } catch {
    // Not there, or not for this user: nothing to offer.
  }
  return names;
}

/** Breadth first: what lies near the home directory is found before the time is over. */
async function repositoriesIn(home: string): Promise<{ readonly path: string; readonly at: number }[]> {
  const repositories: { readonly path: string; readonly at: number }[] = [];
  const until = performance.now() + PATIENCE;
  let level = [home];
  let count = 0;
  for (let depth = 0; depth <= DEPTH; depth += 1) {
    const next: string[] = [];
    for (const directory of level) {
      if ((count += 1) > LOOKED_IN || performance.now() > until) return repositories;
      const at = directory === home ? null : await changedAt(join(directory, ".git"));
      if (at !== null) repositories.push({ path: directory, at });
      else if (depth < DEPTH)
        for (const name of await directoriesIn(directory))
          if (!name.startsWith(".") && !PASSED_OVER.has(name)) next.push(join(directory, name));
    }
    level = next;
  }
  return repositories;
}

async function changedAt(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
