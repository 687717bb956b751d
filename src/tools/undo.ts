// A change of an agent's, undone by the person. Every file is judged as a write in the session's scope, and must be as the change left it;
// all of that is looked at before the first file is written.

import type { StructuredPatch } from "diff";
import type { Access } from "../core/access.ts";
import { type Code, HallpassError } from "../core/errors.ts";
import { meanings } from "../core/guard/explain.ts";
import type { Version } from "../core/guard/handle.ts";
import { show } from "../core/path/show.ts";
import type { Session } from "../core/session/session.ts";
import type { ChangeContext } from "./change.ts";
import { parsePatchText } from "./patch.ts";
import { decodeText } from "./text.ts";
import { digestOf, textBefore, type UndoFile } from "./undo-file.ts";

interface PlannedUndo {
  readonly path: string;
  readonly version: Version;
  /** Null: the file was made, and is removed. */
  readonly text: string | null;
}

const TOOL = "undo";

/** Put the files back as they were before the change that this difference tells. Throws a HallpassError that says why, where it cannot be done. */
export async function undoChanges(files: readonly UndoFile[], diff: string, by: string, looking: ChangeContext): Promise<void> {
  const patches = parsePatchText(diff) ?? [];
  let next = 0;
  const planned: PlannedUndo[] = [];
  let { session } = looking;
  for (const file of files) {
    // A file that was made empty has no lines to tell of, and no part in the difference.
    const patch = file.after === (file.before ?? (await digestOf(""))) ? undefined : patches[next++];
    for (const operation of ["read", file.before === null ? "remove" : "replace"] as const)
      session = sessionAllowing({ call: looking.call, tool: TOOL, operation, path: file.path }, session, by, looking);
    planned.push(await planUndo(file, patch, { ...looking, session }));
  }
  for (const one of planned) await write(one, { ...looking, session });
}

/** The session in which this access passes. Where a rule asks, the person has just said so. */
function sessionAllowing(access: Access<"read" | "remove" | "replace">, session: Session, by: string, { guard }: ChangeContext): Session {
  const decision = guard.judge(access, session);
  if (decision.verdict === "allow") {
    decision.pass.close();
    return session;
  }
  const settled = decision.verdict === "ask" ? guard.answer(session, decision.ask, { verdict: "allow", until: "call", by }) : null;
  return settled?.ok === true ? settled.session : refuse(decision.reason, access.path);
}

async function planUndo(
  file: UndoFile,
  patch: StructuredPatch | undefined,
  { guard, session, call, limits }: ChangeContext,
): Promise<PlannedUndo> {
  const { path } = file;
  const read = await guard.use({ call, tool: TOOL, operation: "read", path }, session, async (opened) => ({
    version: opened.version,
    content: await opened.lend(limits.fileBytes, decodeText),
  }));
  if (read.verdict !== "allow") return refuse(read.reason, path);
  if (!read.done.ok) return refuse(read.done.code, path);
  const { version, content } = read.done.value;
  const text = content.ok ? content.value : null;
  if (text === null || (await digestOf(text)) !== file.after) return changedSince(path);
  if (file.before === null) return { path, version, text: null };
  const before = await textBefore(file, text, patch);
  return before === null ? changedSince(path) : { path, version, text: before };
}

async function write({ path, version, text }: PlannedUndo, { guard, session, call }: ChangeContext): Promise<void> {
  const used =
    text === null
      ? await guard.use({ call, tool: TOOL, operation: "remove", path }, session, async (file) => file.remove({ unchangedSince: version }))
      : await guard.use({ call, tool: TOOL, operation: "replace", path }, session, async (file) =>
          file.replace(Buffer.from(text), { unchangedSince: version }),
        );
  if (used.verdict !== "allow") return refuse(used.reason, path);
  const outcome = used.done.ok ? used.done.value : used.done;
  if (outcome.ok) return;
  if (outcome.code === "stale-path") return changedSince(path);
  refuse(outcome.code, path);
}

const changedSince = (path: string): never => {
  throw new HallpassError(
    "stale-path",
    `\`${show(path)}\` was changed since the agent wrote it, so that change is not undone; change it by hand`,
  );
};

function refuse(code: Code, path: string): never {
  throw new HallpassError(code, `\`${show(path)}\` ${meanings[code]}, so the change is not undone`);
}
