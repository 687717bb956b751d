// Questions about methods nobody here knows: one at a time, and a no to one of them holds for its method until the person speaks again, so
// that an agent cannot wear its person down with them.

import type { EditorDialogs, PlainQuestion } from "./dialogs.ts";

type Word = Awaited<ReturnType<EditorDialogs["confirm"]>>;

export interface Confirming {
  confirm(about: { readonly session: string; readonly method: string }, question: PlainQuestion, gone: AbortSignal): Promise<Word>;
  /** The person said something in this session. */
  spoken(session: string): void;
}

export function createConfirming(dialogs: Pick<EditorDialogs, "confirm">): Confirming {
  /** By session: what was not said yes to, and how. */
  const refused = new Map<string, Map<string, Word>>();
  let before: Promise<unknown> = Promise.resolve();

  const next = async (
    turn: Promise<unknown>,
    ...[{ session, method }, question, gone]: Parameters<Confirming["confirm"]>
  ): Promise<Word> => {
    await turn;
    if (gone.aborted) return "nothing";
    const known = refused.get(session)?.get(method);
    if (known !== undefined) return known;
    const word = await dialogs.confirm(session, question, gone);
    if (word !== "yes" && !gone.aborted) refused.set(session, (refused.get(session) ?? new Map<string, Word>()).set(method, word));
    return word;
  };

  return {
    confirm(about, question, gone) {
      const word = next(before, about, question, gone);
      before = word.catch(() => {});
      return word;
    },
    spoken: (session) => void refused.delete(session),
  };
}
