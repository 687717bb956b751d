// The plugin for opencode as it is copied: the built module, and before it the one thing only the installation knows.

import { hookWait } from "../hook/host-table.ts";
import type { PinnedWords } from "./pinned-words.ts";
import type { Programs } from "./programs.ts";

/** The first line is ours to find again; the second is what the module looks for. */
export function pluginTextFor(built: string, { node, hook, entry, shell }: Programs, env: PinnedWords): string {
  return `// Written by hallpass install opencode; hallpass uninstall opencode removes it.\nconst HALLPASS = ${JSON.stringify({ node, hook, entry, shell, env, wait: hookWait("opencode") })};\n${built}`;
}
