// The list of tools, by name. Looked up as own properties only, so `constructor` and `__proto__` are unknown tools like any other.

import { askAccess } from "./ask-access.ts";
import { editFile } from "./edit-file.ts";
import { findFiles } from "./find-files.ts";
import { grep } from "./grep.ts";
import { listDir } from "./list-dir.ts";
import { readFile } from "./read-file.ts";
import { writeFile } from "./write-file.ts";

export const tools = {
  [readFile.name]: readFile,
  view_file: readFile,
  [listDir.name]: listDir,
  [findFiles.name]: findFiles,
  [grep.name]: grep,
  [writeFile.name]: writeFile,
  [editFile.name]: editFile,
  [askAccess.name]: askAccess,
} as const;
