// find_files: files whose path matches a pattern, below one directory.

import { z } from "zod";
import { parseGlob } from "../core/policy/glob.ts";
import { show } from "../core/path/show.ts";
import { pathInput } from "./path-input.ts";
import { badInput, done, failed, refused } from "./result.ts";
import { searchWithRest } from "./search-with-rest.ts";
import { defineTool } from "./tool.ts";

export const findFiles = defineTool({
  name: "find_files",
  title: "Find files",
  verb: "find",
  kind: "search",
  description:
    "Find files by a pattern below a directory (default: the workspace). `*` and `?` match inside a name, `**` any number of directories; a pattern without a slash matches at any depth. " +
    "What git ignores is left out unless ignored is true. Secrets are withheld and only counted. Where more was found than is shown, view_truncated_output shows the rest by the handle.",
  input: z.strictObject({
    pattern: z.string().min(1).max(4096).describe("For example `*.ts` or `src/**/*.test.ts`"),
    path: pathInput.default("."),
    ignored: z.boolean().default(false).describe("Also what git ignores"),
  }),
  async run({ pattern, path, ignored }, { guard, session, call, limits, searcher, outputs }) {
    const glob = searchGlob(pattern);
    if (!glob.ok) return badInput("bad-request", `pattern \`${show(pattern)}\`: ${glob.why}`);
    const used = await guard.use({ call, tool: "find_files", operation: "search", path }, session, (start) =>
      searchWithRest(
        start,
        { kind: "find", pattern, ignored, most: limits.files, time: limits.searchTime },
        { searcher, outputs },
        ({ files }) => files.map((file) => joinFound(path, file)),
      ),
    );
    if (used.verdict !== "allow") return refused(used);
    if (!used.done.ok) return failed(used.done.code, path);
    const { outcome, handle } = used.done.value;
    if (!outcome.ok) return failed(outcome.code, path, "Search a smaller directory.");
    const { files, withheld, truncated } = outcome;
    return done({
      path: used.real,
      files: files.map((file) => joinFound(path, file)),
      withheld,
      truncated,
      ...(handle === null ? {} : { handle }),
    });
  },
});

/** A pattern for searching: like a policy's, but read from the directory that is searched. */
export function searchGlob(pattern: string): ReturnType<typeof parseGlob> {
  if (pattern === "*" || pattern === "**" || pattern === "**/*") return parseGlob("**/*", "/");
  if (pattern.startsWith("/") || pattern.startsWith("~"))
    return { ok: false, why: "a pattern is relative to the directory that is searched; give that as path" };
  return parseGlob(pattern.includes("/") && !pattern.startsWith("**") ? `/${pattern.replace(/^\.\//, "")}` : pattern, "/");
}

/** A found path as the caller can use it: below the path they searched, as they wrote it. */
export function joinFound(path: string, found: string): string {
  if (path === ".") return found;
  if (found === "") return path;
  return path.endsWith("/") ? `${path}${found}` : `${path}/${found}`;
}
