// write_file: a whole file put in place at once, or not at all.

import { z } from "zod";
import { pathInput } from "./path-input.ts";
import { badInput, done, failed, refused } from "./result.ts";
import { defineTool } from "./tool.ts";

export const writeFile = defineTool({
  name: "write_file",
  title: "Write a file",
  verb: "write",
  kind: "edit",
  idempotent: true,
  writes: true,
  description:
    "Create or replace a text file inside the workspace. The directory must exist unless create_parents is true. " +
    "Nothing is written outside the workspace, through links, to secrets, or to files that git, editors, shells or agents execute later.",
  input: z.strictObject({
    path: pathInput,
    content: z.string(),
    create_parents: z.boolean().default(false).describe("Make missing directories above the file"),
  }),
  plans: ({ path, content }) => [{ what: "whole", path, content }],
  async run({ path, content, create_parents }, { guard, session, call, limits }) {
    if (!content.isWellFormed()) return badInput("bad-request", "`content` holds half of a surrogate pair, which no text file can");
    const bytes = Buffer.from(content);
    if (bytes.length > limits.writeBytes) return failed("too-large", path, `At most ${limits.writeBytes} bytes are written at once.`);
    const used = await guard.use({ call, tool: "write_file", operation: "replace", path }, session, async (file) => ({
      real: file.path,
      written: file.replace(bytes, { createParents: create_parents }),
    }));
    if (used.verdict !== "allow") return refused(used);
    if (!used.done.ok) return failed(used.done.code, path);
    const { real, written } = used.done.value;
    if (!written.ok)
      return failed(
        written.code,
        path,
        written.code === "not-found" ? "Its directory does not exist; set create_parents to make it." : undefined,
      );
    return done({ path: real, bytes_written: bytes.length, created: written.value.created });
  },
});
