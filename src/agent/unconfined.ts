// A command that nothing on the machine can confine, as another program puts it before a person: it is no access to a path, so no guard
// can judge it. A yes is for that one call and to everything the person can do, and the card says so: it names the command and `/`.

import { HallpassError } from "../core/errors.ts";
import { askId, type CallId, type SessionId } from "../core/names.ts";
import type { Ask } from "../core/session/ask.ts";
import { filesystemRoot } from "../sandbox/none.ts";
import type { StoredAsk } from "./ports.ts";

/** Is the ask about such a command? */
export const isAboutCommand = ({ about }: Pick<StoredAsk, "about">): boolean => about?.what === "command";

export function unconfinedAsk(
  { session, call, command }: { readonly session: SessionId; readonly call: CallId; readonly command: string },
  { id, at }: { readonly id: string; readonly at: number },
): Ask {
  const path = filesystemRoot();
  if (path === null) throw new HallpassError("no-prompt-channel", "this machine has no place that a yes could name");
  const askFields = { id: askId(id), session, call, tool: "bash", operation: "replace" as const, requested: command, path };
  return { ...askFields, reason: "policy-ask", at, offers: "once", right: "write", about: { what: "command" } };
}
