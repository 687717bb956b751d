// edit_file: one piece of text in a file exchanged for another. Reading and writing are judged each for itself, and the write insists
// that the file is still the one that was read.

import { z } from "zod";
import { pathInput } from "./path-input.ts";
import { badInput, done, failed, refused } from "./result.ts";
import { readBefore } from "./text-file.ts";
import { defineTool } from "./tool.ts";

export const editFile = defineTool({
  name: "edit_file",
  title: "Edit a file",
  verb: "change",
  kind: "edit",
  writes: true,
  description:
    "Replace a piece of text in a file inside the workspace. `old` must occur exactly once (or set all). Refused where write_file is refused, and when the file changed in between: then read it again.",
  input: z.strictObject({
    path: pathInput,
    old: z.string().min(1).describe("The text to replace, exactly as it stands"),
    new: z.string().describe("The text to put in its place"),
    all: z.boolean().default(false).describe("Replace every occurrence"),
  }),
  plans: ({ path, old, new: text, all }) => [{ what: "edits", path, edits: [{ old, new: text, all }], loose: false }],
  async run({ path, old, new: text, all }, context) {
    const { guard, session, call, limits } = context;
    if (old === text) return badInput("bad-request", "`old` and `new` are the same; nothing would change");
    // The write is judged first: where nothing may be written there is no reason to read.
    const decision = guard.judge({ call, tool: "edit_file", operation: "replace", path }, session);
    if (decision.verdict !== "allow") return refused(decision);
    decision.pass.close();
    const before = await readBefore("edit_file", path, context);
    if ("ok" in before) return before;
    const parts = before.text.split(old);
    if (parts.length === 1)
      return badInput("bad-request", "`old` does not occur in the file; read it again and give the text exactly as it stands");
    if (parts.length > 2 && !all)
      return badInput("bad-request", `\`old\` occurs ${parts.length - 1} times; give more of the text around it, or set all`);
    const bytes = Buffer.from(before.mark + parts.join(text));
    if (bytes.length > limits.writeBytes) return failed("too-large", path);
    const used = await guard.use({ call, tool: "edit_file", operation: "replace", path }, session, async (file) => ({
      real: file.path,
      written: file.replace(bytes, { unchangedSince: before.version }),
    }));
    if (used.verdict !== "allow") return refused(used);
    if (!used.done.ok) return failed(used.done.code, path);
    const { real, written } = used.done.value;
    return written.ok ? done({ path: real, bytes_written: bytes.length, replaced: parts.length - 1 }) : failed(written.code, path);
  },
});
