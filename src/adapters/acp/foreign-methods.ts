// Methods that agents call at their editor and that the protocol, in the version we know, does not have. A method that only tells or asks
// the person something passes. One that names a path or a command is judged as a write, and then a person is asked.

import type { Operation } from "../../core/access.ts";
import { shorten, show } from "../../core/path/show.ts";
import { nobodyAnswered } from "./guarding.ts";
import { placesNamed } from "./named-paths.ts";
import type { IncomingRequest, RequestOutcome } from "./requests.ts";
import { type Fields, refusal, textAt } from "./rpc.ts";

/**
 * `passes`: on to the editor as it is. `refused`: by its name it is about files or commands. `judged`: it names places or commands, and is
 * done by `foreignRequest`; as a notification, which nobody can answer, it goes no further. `session`: the session it is about, where there
 * is such a one.
 */
export function meaningOf(method: string, params: Fields, session: string | null): "passes" | "refused" | "judged" {
  if (TELLING.has(method)) return "passes";
  const places = placesNamed(params, session);
  if (method !== LANGUAGE_SERVER && splitName(method).some((word) => ABOUT_FILES.has(word))) return "refused";
  return places !== null && places.paths.length === 0 && places.commands.length === 0 ? "passes" : "judged";
}

/** What an unknown method may do: its places are judged, and a person is asked about the rest. */
export async function foreignRequest({ id, method, params, judge, confirm }: IncomingRequest): Promise<RequestOutcome> {
  const refuse = (code: string, text: string): RequestOutcome => ({ to: "agent", message: refusal(id, code, text) });
  const places = placesNamed(params, textAt(params, "sessionId"));
  if (places === null) return refuse("bad-request", "it names more than is checked");
  const known = operationOf(method, params);
  const realPaths: string[] = [];
  for (const path of places.paths) {
    const judged = await judge({ tool: method, operation: known ?? "replace", path });
    if (judged.verdict === "deny") return refuse(judged.code, judged.text);
    realPaths.push(judged.real);
  }
  if (known !== null) return { to: "editor", params };
  const confirmation = await confirm({
    title: `Let the agent ask your editor for ${show(method)}?`,
    lines: [
      "Hallpass does not know this method, so it cannot say what your editor does with it. Nothing confines it.",
      ...[...new Set(realPaths)].slice(0, MAX_LISTED).map((path) => `It names: ${shorten(show(path), WIDTH)}`),
      ...places.commands.slice(0, MAX_LISTED).map((command) => `It holds a command: ${shorten(show(command), WIDTH)}`),
    ],
    yes: "Pass it on, once",
  });
  if (confirmation === "yes") return { to: "editor", params };
  if (confirmation === "no") return refuse("person-declined", "the person said no");
  const judged = nobodyAnswered(confirmation);
  return judged.verdict === "deny" ? refuse(judged.code, judged.text) : refuse("no-prompt-channel", "nobody was asked");
}

const MAX_LISTED = 10;
const WIDTH = 500;

/** Zed's way to the language servers it runs. */
const LANGUAGE_SERVER = "_zed.dev/lsp/request";

/** What is known of a method that names places; null where nothing is. Language servers answer about files, save where they run a command. */
function operationOf(method: string, params: Fields): Operation | null {
  if (method !== LANGUAGE_SERVER) return null;
  const lspMethod = textAt(params, "method") ?? "";
  return LOOKING.test(lspMethod) ? "read" : null;
}

/** Requests whose answer is all that comes of them: changes are given back, not made. */
const LOOKING =
  /^(?:textDocument|callHierarchy|typeHierarchy|completionItem|codeLens|codeAction|documentLink|inlayHint|workspaceSymbol)\/\w+(?:\/\w+)*$|^workspace\/(?:symbol|diagnostic)$/u;

/** `_vendor.dev/readTextFile` → vendor, dev, read, text, file. */
function splitName(method: string): readonly string[] {
  return method
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/gu, " ")
    .toLowerCase()
    .split(/[^a-z0-9]+/u);
}

const ABOUT_FILES: ReadonlySet<string> = new Set(
  ["fs", "file", "files", "filesystem", "dir", "directory", "folder", "terminal", "terminals", "pty"].concat([
    "shell",
    "bash",
    "exec",
    "execute",
    "spawn",
    "process",
  ]),
);

/** What agents tell their editor, or have it ask the person: by the protocol, and as their makers document it. Editors only show it. */
const TELLING: ReadonlySet<string> = new Set([
  "session/update",
  "elicitation/create",
  "elicitation/complete",
  "auth/status_update",
  "$/cancel_request",
  "_claude/sdkMessage",
  ...["ask_question", "create_plan", "update_todos", "task", "generate_image"].map((name) => `cursor/${name}`),
  ...["slash_command", "start_turn", "end_turn"].map((name) => `_qwencode/${name}`),
  ...["metadata", "session/update", "commands/available", "compaction/status", "clear/status"].map((name) => `_kiro.dev/${name}`),
  ...["oauth_request", "server_initialized", "server_init_failure"].map((name) => `_kiro.dev/mcp/${name}`),
  ...["x.ai", "_x.ai"].flatMap((vendor) =>
    ["ask_user_question", "exit_plan_mode", "session/prompt_complete", "session_notification"].map((name) => `${vendor}/${name}`),
  ),
  "_zed.dev/lsp/servers",
]);
