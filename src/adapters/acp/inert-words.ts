// An agent's command on its way through the editor. Editors start terminals by a shell, and some put the words together without quoting
// them: whatever a shell reads something into would then run in the editor's shell, before and outside of the sandbox. So such words
// travel as one that no shell reads anything into, and are taken apart where the sandbox is made.

import { fieldsOf, textAt } from "./rpc.ts";

export interface GivenCommand {
  readonly cwd: string;
  readonly words: readonly string[];
}

/** The flags and words for `hallpass run`: as they are where every one of them is inert, so that a person can read them; else one flag. */
export function commandWords({ cwd, words }: GivenCommand): readonly string[] {
  if (isInert(cwd) && words.every(isInert)) return [`--cwd=${cwd}`, "--", ...words];
  return [`--given=${Buffer.from(JSON.stringify({ cwd, words })).toString("base64url")}`];
}

/** What `--given` holds; null where it holds no command. */
export function readGiven(text: string): GivenCommand | null {
  if (!/^[\w-]+$/u.test(text)) return null;
  try {
    const fields = fieldsOf(JSON.parse(Buffer.from(text, "base64url").toString("utf8"))) ?? {};
    const cwd = textAt(fields, "cwd");
    const words: unknown = fields["words"];
    if (cwd === null || !Array.isArray(words) || words.length === 0 || !words.every((word) => typeof word === "string")) return null;
    return { cwd, words };
  } catch {
    return null;
  }
}

/** Letters, numbers and a few signs; not `=` at the beginning, which one shell looks a program up by. */
const isInert = (word: string): boolean => /^[\w@+:,./-][\w@+=:,./-]*$/u.test(word);
