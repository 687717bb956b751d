// grep: lines that match a pattern, below one directory or in one file.

import { z } from "zod";
import { show } from "../core/path/show.ts";
import { searchGlob, joinFound } from "./find-files.ts";
import { pathInput } from "./path-input.ts";
import { badInput, done, failed, refused } from "./result.ts";
import { searchWithRest } from "./search-with-rest.ts";
import { defineTool } from "./tool.ts";

export const grep = defineTool({
  name: "grep",
  title: "Search in files",
  verb: "search",
  kind: "search",
  description:
    "Search file contents for a regular expression (JavaScript's), below a directory or in one file (default: the workspace). " +
    "Set literal to search for plain text, glob to choose files. What git ignores is left out unless ignored is true. Secrets are never searched and only counted. Where more was found than is shown, view_truncated_output shows the rest by the handle.",
  input: z.strictObject({
    pattern: z.string().min(1).max(4096),
    path: pathInput.default("."),
    glob: z.string().min(1).max(4096).optional().describe("Only files that match, for example `*.ts`"),
    literal: z.boolean().default(false),
    ignore_case: z.boolean().default(false),
    ignored: z.boolean().default(false).describe("Also what git ignores"),
  }),
  async run({ pattern, path, glob, literal, ignore_case, ignored }, { guard, session, call, limits, searcher, outputs }) {
    const chosen = glob === undefined ? null : searchGlob(glob);
    if (chosen?.ok === false) return badInput("bad-request", `glob \`${show(glob ?? "")}\`: ${chosen.why}`);
    const plain = literal || !/[\\^$.*+?()[\]{}|]/.test(pattern);
    const wrong = plain ? null : faultIn(pattern);
    if (wrong !== null)
      return badInput("bad-request", `\`${show(pattern)}\` is not a regular expression: ${wrong}. Set literal to search for plain text.`);
    const query = {
      kind: "grep",
      pattern,
      literal: plain,
      ignoreCase: ignore_case,
      glob: glob ?? null,
      ignored,
      most: limits.matches,
      time: limits.searchTime,
      fileBytes: limits.searchFileBytes,
      lineLength: limits.lineLength,
    } as const;
    const used = await guard.use({ call, tool: "grep", operation: "search", path }, session, (start) =>
      searchWithRest(start, query, { searcher, outputs }, ({ matches }) =>
        matches.map(({ file, line, text }) => `${joinFound(path, file)}:${line}:${text}`),
      ),
    );
    if (used.verdict !== "allow") return refused(used);
    if (!used.done.ok) return failed(used.done.code, path);
    const { outcome, handle } = used.done.value;
    if (!outcome.ok)
      return failed(
        outcome.code,
        path,
        outcome.code === "timeout" ? "The search was stopped; use a simpler pattern or a smaller directory." : undefined,
      );
    const { matches, withheld, truncated, tooLarge } = outcome;
    return done({
      path: used.real,
      matches: matches.map(({ file, line, text }) => ({ file: joinFound(path, file), line, text })),
      withheld,
      too_large: tooLarge,
      truncated,
      ...(handle === null ? {} : { handle }),
    });
  },
});

function faultIn(pattern: string): string | null {
  try {
    new RegExp(pattern);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : "it cannot be read";
  }
}
