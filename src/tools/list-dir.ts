// list_dir: the names in one directory, without what is withheld, and how much that is.

import { z } from "zod";
import { pathInput } from "./path-input.ts";
import { done, failed, refused } from "./result.ts";
import { defineTool } from "./tool.ts";

export const listDir = defineTool({
  name: "list_dir",
  description:
    "List the entries of a directory. Secrets and denied names are withheld and only counted. Outside the workspace a refusal tells you how to ask with request_read_access.",
  input: z.strictObject({ path: pathInput.default(".") }),
  async run({ path }, { guard, session, call, limits }) {
    const used = await guard.use({ call, tool: "list_dir", operation: "list", path }, session, (dir) => ({
      real: dir.path,
      listing: dir.list(),
    }));
    if (used.verdict !== "allow") return refused(used);
    if (!used.done.ok) return failed(used.done.code, path, used.done.code === "not-directory" ? "Use read_file for files." : undefined);
    const { real, listing } = used.done.value;
    if (!listing.ok) return failed(listing.code, path);
    const { entries, withheld } = listing.value;
    const sorted = entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    return done({
      path: real,
      entries: sorted.slice(0, limits.entries).map(({ name, kind }) => ({ name, kind })),
      withheld,
      total: sorted.length,
      truncated: sorted.length > limits.entries,
    });
  },
});
