// A person's answer on its way: sent once, and whatever comes back is where the ask stands now. An answer that lost, came late or could
// not be sent is no yes.

import { show } from "../core/path/show.ts";
import { type Client, WireError } from "../wire/client.ts";
import { type AnswerBody, routes } from "../wire/http.ts";
import type { WireAsk } from "../wire/values.ts";

/** The ask as it now is, or why it is still open. */
export async function sendAnswer(
  client: Client,
  ask: WireAsk,
  answer: AnswerBody,
): Promise<{ readonly ask: WireAsk; readonly kept: string | null } | { readonly message: string }> {
  try {
    const { ask: settled, grant, kept, notKept } = await client.send(routes.answer, { id: ask.id, body: answer });
    return { ask: { ...settled, grant: settled.grant ?? grant?.id ?? null }, kept: keptWords(kept, notKept) };
  } catch (error) {
    // Somebody else was faster, or it was closed: the card shows that.
    if (error instanceof WireError && error.problem?.ask !== undefined && error.problem.ask.state !== "open")
      return { ask: error.problem.ask, kept: null };
    return { message: sentence(error) };
  }
}

/** Where a grant was kept, or why it could not be; null where it was not to be. */
function keptWords(kept: { readonly file: string; readonly line: number } | null, notKept: string | null): string | null {
  if (kept !== null) return `kept: written to ${show(kept.file)}:${kept.line}; \`hallpass grants\` lists it`;
  return notKept === null ? null : `allowed for this session, and not kept: ${notKept}`;
}

/** What went wrong, in one sentence for a person. */
export function sentence(error: unknown): string {
  if (error instanceof WireError) return error.code === "bad-request" ? error.message : `${error.code}: ${error.message}`;
  return error instanceof Error ? show(error.message) : "something failed";
}
