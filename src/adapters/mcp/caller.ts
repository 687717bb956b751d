// The client of a call: what its dialogs can do, how one is put to it, and what it said in one. The two eras differ here: one lets the
// server speak in the middle of a call, the other does not.

import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  inputResponse,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { HallpassError } from "../../core/errors.ts";
import type { WireAsk } from "../../wire/values.ts";
import type { HostSession } from "../host-session/host-session.ts";
import type { McpCaller } from "./asking.ts";
import { cardForm, cardText, type DialogReply } from "./card.ts";

export type Era = "legacy" | "modern";

/** The key of our one question in what a call asks of its client. */
export const ANSWER = "answer";

export function callerOf(server: Server, context: ServerContext, era: Era, hostSession: HostSession): McpCaller {
  const { signal, _meta: meta } = context.mcpReq;
  const token = meta?.progressToken;
  const supported = dialogOf(capabilitiesOf(server, context, era));
  // A page to open is only of use where there is one.
  const dialog = supported === "url" && !hostSession.shared ? null : supported;
  let steps = 0;
  return {
    signal,
    dialog,
    put:
      era === "modern" || dialog === null ? null : (ask, until) => put(server, context, dialog, ask, hostSession.addressOf(ask.id), until),
    progress(message) {
      if (token === undefined) return;
      const params = { progressToken: token, progress: (steps += 1), message };
      // A client that has gone is told nothing more; its signal says so.
      context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}

/** A dialog in the middle of a call. Taken away from the client when the signal aborts. */
async function put(
  server: Server,
  { mcpReq }: ServerContext,
  dialog: "form" | "url",
  ask: WireAsk,
  page: string | null,
  signal: AbortSignal,
): Promise<DialogReply> {
  const dialect = (server.getNegotiatedProtocolVersion() ?? "") >= "2025-11-25" ? "titles" : "names";
  const params =
    dialog === "form" || page === null
      ? { mode: "form", message: cardText(ask), requestedSchema: cardForm(ask, dialect) }
      : { mode: "url", message: cardText(ask), url: page, elicitationId: ask.id };
  // Not by `elicitInput`, which throws away an answer that does not fit: such an answer is a no, and must count as one.
  return mcpReq.send({ method: "elicitation/create", params }, { signal, timeout: LONGEST, maxTotalTimeout: LONGEST });
}

/** A dialog ends with the ask; the SDK's own limit, a minute, would end it sooner. */
const LONGEST = 24 * 60 * 60_000;

export function replyIn({ mcpReq }: ServerContext): DialogReply | null {
  const view = inputResponse(mcpReq.inputResponses, ANSWER);
  return view.kind === "elicit" ? view : null;
}

/** What the client can do, as far as it matters here: as it said with this call, or when it connected. */
const capabilitiesSchema = z.object({
  elicitation: z.object({ form: z.unknown(), url: z.unknown() }).partial().optional(),
  roots: z.unknown().optional(),
});
export type Capabilities = z.infer<typeof capabilitiesSchema>;
const envelopeSchema = z.object({ [CLIENT_CAPABILITIES_META_KEY]: capabilitiesSchema });

/** What cannot be read is nothing: then nobody is asked through this client. */
export function capabilitiesOf(server: Server, { mcpReq }: ServerContext, era: Era): Capabilities {
  const capabilities =
    era === "modern"
      ? envelopeSchema.safeParse(mcpReq.envelope).data?.[CLIENT_CAPABILITIES_META_KEY]
      : capabilitiesSchema.safeParse(server.getClientCapabilities()).data;
  return capabilities ?? {};
}

const clientSchema = z.object({ name: z.string(), title: z.string().optional(), version: z.string().optional() });
const clientEnvelopeSchema = z.object({ [CLIENT_INFO_META_KEY]: clientSchema });

/** What the client calls itself, with its version; null where it does not say. Its own word: it opens nothing. */
export function clientName(server: Server, { mcpReq }: ServerContext, era: Era): string | null {
  const client =
    era === "modern"
      ? clientEnvelopeSchema.safeParse(mcpReq.envelope).data?.[CLIENT_INFO_META_KEY]
      : clientSchema.safeParse(server.getClientVersion()).data;
  if (client === undefined) return null;
  const { name, title, version } = client;
  return `${title ?? clients[name] ?? name}${version === undefined || version === "" ? "" : ` ${version}`}`.slice(0, LONGEST_LABEL);
}

/** Clients by the names they greet with, where those are not for people. */
const clients: Readonly<Record<string, string>> = {
  "claude-code": "Claude Code",
  "claude-ai": "Claude",
  "codex-mcp-client": "Codex",
  "cursor-vscode": "Cursor",
  "gemini-cli-mcp-client": "Gemini CLI",
};
const LONGEST_LABEL = 80;

/** An empty object means forms: it is older than the words for the two kinds. */
export function dialogOf({ elicitation }: Capabilities): "form" | "url" | null {
  if (elicitation === undefined) return null;
  return elicitation.form !== undefined || elicitation.url === undefined ? "form" : "url";
}

export async function rootsOf({ mcpReq }: ServerContext): Promise<readonly string[]> {
  try {
    const { roots } = await mcpReq.send({ method: "roots/list" }, { timeout: 10_000 });
    return roots.map(({ uri }) => uri);
  } catch (cause) {
    throw new HallpassError("io-error", "the client does not say which directory it works in; give the server --workspace", { cause });
  }
}
