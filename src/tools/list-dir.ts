// list_dir: the names in one directory, without what is withheld, and how much that is.

import { z } from "zod";
import { doInTurns, firstInOrder } from "../core/steps.ts";
import { pathInput } from "./path-input.ts";
import { done, failed, refused } from "./result.ts";
import { defineTool } from "./tool.ts";

export const listDir = defineTool({
  name: "list_dir",
  title: "List a directory",
  verb: "list",
  kind: "read",
  description:
    "List the entries of a directory. Secrets and denied names are withheld and only counted. Outside the workspace a refusal tells you how to ask with request_read_access.",
  input: z.strictObject({ path: pathInput.default(".") }),
  async run({ path }, { guard, session, call, limits }) {
    const used = await guard.use({ call, tool: "list_dir", operation: "list", path }, session, async (dir) => ({
      real: dir.path,
      listing: await dir.listInTurns(),
    }));
    if (used.verdict !== "allow") return refused(used);
    if (!used.done.ok) return failed(used.done.code, path, used.done.code === "not-directory" ? "Use read_file for files." : undefined);
    const { real, listing } = used.done.value;
    if (!listing.ok) return failed(listing.code, path);
    const { entries, withheld } = listing.value;
    const first = await doInTurns(firstInOrder(entries, limits.entries, (one, other) => (one.name < other.name ? -1 : 1)));
    return done({
      path: real,
      entries: first.map(({ name, kind }) => ({ name, kind })),
      withheld,
      total: entries.length,
      truncated: entries.length > limits.entries,
    });
  },
});
