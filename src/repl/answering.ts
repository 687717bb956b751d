// Sends a person's answer once and returns the ask as it is afterwards. An answer that lost to another one, came late or could not be sent
// is no yes.

import { show } from "../core/path/show.ts";
import { type Client, WireError } from "../wire/client.ts";
import { type AnswerBody, routes } from "../wire/http.ts";
import type { WireAsk } from "../wire/values.ts";

export interface SentAnswer {
  /** The ask as it now is; null where that is not known. */
  readonly ask: WireAsk | null;
  /** Where it was kept, or why not. */
  readonly keptNote: string | null;
  /** Why it is still open. */
  readonly message: string | null;
}

export async function sendAnswer(client: Client, ask: WireAsk, answer: AnswerBody): Promise<SentAnswer> {
  try {
    const { ask: settled, grant, kept, notKept } = await client.send(routes.answer, { id: ask.id, body: answer });
    return { ask: { ...settled, grant: settled.grant ?? grant?.id ?? null }, keptNote: describeKept(kept, notKept), message: null };
  } catch (error) {
    const now = error instanceof WireError ? (error.problem?.ask ?? null) : null;
    // Somebody else was faster, or it was closed: the card shows that. Where what it showed has changed, it is another card now.
    return { ask: now, keptNote: null, message: now === null || now.state === "open" ? sentence(error) : null };
  }
}

/** Where a grant was kept, or why it could not be; null where it was not to be. */
function describeKept(kept: { readonly file: string; readonly line: number } | null, notKept: string | null): string | null {
  if (kept !== null) return `kept: written to ${show(kept.file)}:${kept.line}; \`hallpass grants\` lists it`;
  return notKept === null ? null : `allowed for this session, but not kept: ${notKept}`;
}

/** What went wrong, in one sentence for a person. */
export function sentence(error: unknown): string {
  if (error instanceof WireError) return error.code === "bad-request" ? error.message : `${error.code}: ${error.message}`;
  return error instanceof Error ? show(error.message) : "something failed";
}
