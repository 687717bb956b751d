// The list of tools, by name. Looked up as own properties only, so `constructor` and `__proto__` are unknown tools like any other.

import { applyPatch } from "./apply-patch.ts";
import { askAccess } from "./ask-access.ts";
import { askPerson } from "./ask-person.ts";
import { bash } from "./bash.ts";
import { editFile } from "./edit-file.ts";
import { findFiles } from "./find-files.ts";
import { grep } from "./grep.ts";
import { listAccess } from "./list-access.ts";
import { listDir } from "./list-dir.ts";
import { readFile } from "./read-file.ts";
import { spawnAgent } from "./spawn-agent.ts";
import type { Tool } from "./tool.ts";
import { viewTruncatedOutput } from "./view-truncated-output.ts";
import { writeFile } from "./write-file.ts";

/** A tool by its name, if there is one. */
export const toolNamed = (name: string): Tool | undefined => (Object.hasOwn(tools, name) ? tools[name] : undefined);

/** The guarded tools, by name. */
export const tools: Readonly<Record<string, Tool>> = {
  [readFile.name]: readFile,
  view_file: readFile,
  [listDir.name]: listDir,
  [findFiles.name]: findFiles,
  [grep.name]: grep,
  [writeFile.name]: writeFile,
  [editFile.name]: editFile,
  [applyPatch.name]: applyPatch,
  [bash.name]: bash,
  [viewTruncatedOutput.name]: viewTruncatedOutput,
  [listAccess.name]: listAccess,
  [askPerson.name]: askPerson,
  [spawnAgent.name]: spawnAgent,
  [askAccess.name]: askAccess,
};
