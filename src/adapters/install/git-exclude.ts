// What an installation leaves in a project holds paths of this machine, which nobody else has: git is told not to share it, in the one
// file of its own that is never shared either.

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join, relative } from "node:path";
import { isInside } from "../../core/path/contain.ts";
import { isThere } from "./disk.ts";
import { programIn } from "./found-hosts.ts";
import type { InstallPlace } from "./host-plan.ts";
import type { Records } from "./records.ts";
import type { WantedFile } from "./wanted-file.ts";

/**
 * Lines for `.git/info/exclude`: the files that are ours alone, and the backups beside the others. None outside a project, and none where the
 * project's git directory is elsewhere.
 */
export function excluded(
  files: readonly WantedFile[],
  { level, workspace, isShared }: InstallPlace,
  owner: string,
  records: Records,
): readonly WantedFile[] {
  const git = join(workspace, ".git");
  if (level !== "project" || statSync(git, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const lines = files
    .flatMap((wanted) => wanted.files)
    .filter((file) => isInside(workspace, file) && !isInside(git, file))
    .flatMap((file) => {
      const name = `/${relative(workspace, file).replaceAll(/[\\*?[\]!# ]/g, "\\$&")}`;
      const record = records.find(owner, file);
      const isOurs = record === null ? !isThere(file) : record.before === null;
      if (isOurs) return isShared === true ? [] : [name];
      return isThere(file) ? [`${name}.hallpass-backup*`] : [];
    });
  return lines.length === 0 ? [] : [{ kind: "lines", files: [join(git, "info", "exclude")], name: owner, lines }];
}

/** By these git is told to start no program that the repository's own settings name: to watch files, as a hook, or to fetch what is missing. */
const STARTS_NOTHING = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
const FETCHES_NOTHING = { GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1" };

/** Which of these git shares already; none where there is no git to say so. */
export function sharedByGit(files: readonly WantedFile[], { level, workspace, env }: InstallPlace): readonly string[] {
  const existing = files.flatMap((wanted) => wanted.files).filter((file) => isInside(workspace, file) && isThere(file));
  const git = level === "project" && existing.length > 0 ? programIn(env["PATH"] ?? "", "git", workspace) : null;
  if (git === null) return [];
  const { status, stdout } = spawnSync(git, [...STARTS_NOTHING, "-C", workspace, "ls-files", "-z", "--", ...existing], {
    encoding: "utf8",
    timeout: 10_000,
    env: { ...env, ...FETCHES_NOTHING },
  });
  return status === 0 ? stdout.split("\0").flatMap((name) => (name === "" ? [] : [join(workspace, name)])) : [];
}
