// Which agents are here: by their programs on the PATH, and by the directories they keep in a project or a home directory.

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isInside } from "../../core/path/contain.ts";
import { hostTable, type InstallHost, installHosts } from "../hook/host-table.ts";
import type { InstallPlace } from "./host-plan.ts";

/** The hosts found on this machine and in this project. */
export function foundHosts({ workspace, home, env }: InstallPlace): readonly InstallHost[] {
  const isThere = (dir: string): boolean => statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true;
  return installHosts.filter((host) => {
    const { programs, directories } = hostTable[host];
    return (
      programs.some((name) => programIn(env["PATH"] ?? "", name) !== null) ||
      directories.some((dir) => isThere(join(workspace, dir)) || isThere(join(home, dir)))
    );
  });
}

/** Where a program of that name is, links followed; null where the PATH has none. `project`: none in it counts. */
export function programIn(path: string, name: string, project: string | null = null): string | null {
  for (const dir of path.split(":").filter(isAbsolute)) {
    const file = join(dir, name);
    try {
      accessSync(file, constants.X_OK);
      const real = realpathSync(file);
      if (project === null || !isInside(realpathSync(project), real)) return real;
    } catch {
      // Not here.
    }
  }
  return null;
}
