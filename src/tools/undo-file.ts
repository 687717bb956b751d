// What is stored about a changed file so that a person can undo it: no content, only hashes of the content before and after. Together with
// the diff, which is stored anyway, that is enough.

import { reversePatch, type StructuredPatch } from "diff";
import { applyFilePatch } from "./patch.ts";

export interface UndoFile {
  /** As the agent wrote it. */
  readonly path: string;
  /** Digests of the text before, null where the file was not there, and after. */
  readonly before: string | null;
  readonly after: string;
  /** The file began with a byte order mark. */
  readonly mark?: true;
}

export async function undoFile(path: string, before: string | null, mark: boolean, after: string): Promise<UndoFile> {
  const [was, is] = await Promise.all([before === null ? null : digestOf(before), digestOf(after)]);
  return { path, before: was, after: is, ...(mark ? { mark: true } : {}) };
}

/** SHA-256 of a text. */
export async function digestOf(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(text))).toString("hex");
}

/** The text from before, from the one that is there and the difference; null where the two do not lead back to it exactly. */
export async function textBefore({ before, mark }: UndoFile, now: string, patch: StructuredPatch | undefined): Promise<string | null> {
  if (patch === undefined || before === null) return null;
  const text = applyFilePatch(now, reversePatch(patch));
  return typeof text === "string" && (await digestOf(text)) === before ? `${mark === true ? "\ufeff" : ""}${text}` : null;
}
