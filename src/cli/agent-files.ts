// The files that a known agent keeps in the home directory, for `hallpass run`. The agent can use its login and history. It cannot change
// files that are executed or obeyed later, since that may happen outside the sandbox.

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { realOf } from "../adapters/hook/disk.ts";
import { hostTable } from "../adapters/hook/host-table.ts";
import { isInside } from "../core/path/contain.ts";
import type { MountMode } from "../core/session/root.ts";
import type { Host } from "./host.ts";

export interface AgentFiles {
  readonly title: string;
  readonly mounts: readonly { readonly path: string; readonly mode: MountMode }[];
  /** Paths in them that are secrets to every other program. */
  readonly login: readonly string[];
  /** Paths in them that the agent cannot change. */
  readonly executes: readonly string[];
  /** Paths in them that must exist when it starts: a directory ends with a slash. */
  readonly makes: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * By the name of the program; null for one we do not know, one that keeps nothing there yet, or one that keeps it elsewhere. What is mounted by
 * a flag is not among them: it is as its flag says.
 */
export function findAgentFiles(
  program: string,
  { home, env }: Pick<Host, "home" | "env">,
  mounted: readonly { readonly path: string }[],
): AgentFiles | null {
  const row = Object.values(hostTable).find(({ programs }) => programs.includes(basename(program)));
  if (row?.own === undefined) return null;
  const { directories, reads = [], login, executes, makes = [], env: names } = row.own;
  const variable = row.settings?.variable;
  const first = join(home, directories[0] ?? "");
  // Where a variable leads is no place that this table knows.
  if (variable !== undefined && ![undefined, "", first].includes(env[variable])) return null;
  const places = [...directories, ...reads].flatMap((dir) => {
    const path = realOf(join(home, dir));
    if (path === null || mounted.some((mount) => isInside(mount.path, path) || isInside(mount.path, join(home, dir)))) return [];
    return [{ dir, path, mode: reads.includes(dir) ? ("read_only" as const) : ("extend" as const) }];
  });
  if (places.length === 0) return null;
  const pathsIn = (names: readonly string[]): readonly string[] =>
    places.flatMap(({ dir, path }) => names.flatMap((name) => (name.startsWith(`${dir}/`) ? [`${path}${name.slice(dir.length)}`] : [])));
  const passedVariables = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return {
    title: row.title,
    mounts: places.map(({ path, mode }) => ({ path, mode })),
    login: pathsIn(login),
    executes: pathsIn(executes),
    makes: pathsIn(makes),
    env: Object.fromEntries([...passedVariables, ...(variable === undefined ? [] : [[variable, first] as const])]),
  };
}

/** Create the files that the agent creates when it starts, since it cannot where they are protected. Leaves existing files alone. */
export function createAgentFiles({ makes }: AgentFiles): void {
  for (const path of makes) {
    try {
      if (path.endsWith("/")) mkdirSync(path);
      else writeFileSync(path, "", { flag: "wx" });
    } catch {
      // It is there, or cannot be made: the agent says what it misses.
    }
  }
}
