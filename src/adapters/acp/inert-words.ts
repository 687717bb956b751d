// Passes an agent's command through the editor. Editors start terminals through a shell, and some join the words without quoting them, so
// a shell's special characters would run in the editor's shell, outside the sandbox. Such words are encoded as one word without special
// characters, and decoded where the sandbox is set up.

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
