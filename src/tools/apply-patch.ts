// apply_patch: a unified diff applied to one or more files. Every file is judged and the whole patch is worked out before the first
// file is written; a patch that does not fit exactly changes nothing.

import type { StructuredPatch } from "diff";
import { z } from "zod";
import type { Version } from "../core/guard/handle.ts";
import { show } from "../core/path/show.ts";
import { applyFilePatch, namesOf, parsePatchText } from "./patch.ts";
import { badInput, done, failed, type Failure, refused } from "./result.ts";
import { readBefore } from "./text-file.ts";
import { defineTool, type ToolContext } from "./tool.ts";

interface PatchedFile {
  readonly path: string;
  readonly text: string;
  /** The version the hunks were applied to; null for a new file. */
  readonly version: Version | null;
}

export const applyPatch = defineTool({
  name: "apply_patch",
  title: "Apply a patch",
  verb: "change",
  kind: "edit",
  writes: true,
  description:
    "Apply a unified diff to files inside the workspace. Paths as in `git diff` (a/…, b/…) or plain; a new file has /dev/null as its old side. " +
    "The patch must fit exactly; if any file is refused or does not fit, nothing is changed.",
  input: z.strictObject({
    patch: z
      .string()
      .min(1)
      .max(4 * 1_048_576),
  }),
  plans: ({ patch }) => [{ what: "patch", patch }],
  async run({ patch }, context) {
    const files = parsePatchText(patch);
    if (files === null || files.length === 0) return badInput("bad-request", "this is not a unified diff");
    const plan: PatchedFile[] = [];
    for (const file of files) {
      const planned = await planFile(file, context);
      if ("ok" in planned) return planned;
      if (plan.some(({ path }) => path === planned.path))
        return badInput("bad-request", `the patch names \`${show(planned.path)}\` twice; put its hunks together`);
      plan.push(planned);
    }
    const written: string[] = [];
    for (const planned of plan) {
      const result = await write(planned, context);
      if (result !== null)
        return written.length === 0 ? result : { ...result, hint: `${result.hint} Written before that: ${written.map(show).join(", ")}.` };
      written.push(planned.path);
    }
    return done({ files: written });
  },
});

/** Judge the write, read what is there, apply the hunks: everything but the writing. */
async function planFile(file: StructuredPatch, context: ToolContext): Promise<PatchedFile | Failure> {
  const { guard, session, call } = context;
  const { before: oldName, after } = namesOf(file);
  const isNew = oldName === null;
  const path = after ?? oldName;
  if (path === null) return badInput("bad-request", "a file of the patch has no name");
  if (after === null) return badInput("bad-request", `\`${show(path)}\`: a patch does not remove files`);
  const decision = guard.judge({ call, tool: "apply_patch", operation: "replace", path }, session);
  if (decision.verdict !== "allow") return refused(decision);
  decision.pass.close();
  const before = isNew ? { text: "", mark: "", version: null } : await readBefore("apply_patch", path, context);
  if ("ok" in before) return before;
  const text = applyFilePatch(before.text, file);
  if (text === null)
    return badInput("bad-request", `the patch could not be matched with \`${show(path)}\` in good time; give the right line numbers`);
  if (text === false) return badInput("bad-request", `the patch does not fit \`${show(path)}\` as it stands; read it again`);
  return { path, text: before.mark + text, version: before.version };
}

async function write({ path, text, version }: PatchedFile, { guard, session, call }: ToolContext): Promise<Failure | null> {
  const used = await guard.use({ call, tool: "apply_patch", operation: "replace", path }, session, async (file) =>
    version === null && file.current() !== null
      ? ({ ok: false, code: "stale-path" } as const)
      : file.replace(Buffer.from(text), version === null ? { createParents: true } : { unchangedSince: version }),
  );
  if (used.verdict !== "allow") return refused(used);
  const outcome = used.done.ok ? used.done.value : used.done;
  return outcome.ok ? null : failed(outcome.code, path);
}
