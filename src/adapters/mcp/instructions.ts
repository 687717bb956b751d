// What the server tells a client's model about the boundary, before anything is called and when it asks what it may see.

import type { CallToolResult } from "@modelcontextprotocol/server";
import { show } from "../../core/path/show.ts";
import { plainText } from "./results.ts";

export function instructions(workspace: string | null, shared: boolean, asking: "by-model" | "by-guard"): string {
  const where = workspace === null ? "one workspace, the project you work in" : `the workspace ${show(workspace)}`;
  return [
    `These tools read and write inside ${where}. Everything else on the disk is outside the boundary.`,
    "Secrets (keys, .env files and the like) stay hidden everywhere: do not look for ways around that.",
    asking === "by-model"
      ? "A read outside is refused; if you need it, call request_read_access with the path and the reason, and a person decides."
      : "A read outside waits for a person's answer and then goes on or is refused.",
    "A no is final until the person speaks again. Outside, nothing is written but where a mount or a rule of the person's policy allows it.",
    "Other tools of yours that touch files are not guarded by this server: prefer these.",
    sharing(shared),
  ].join(" ");
}

/** What `list_access` adds for a client: where grants live, and which of its roots open nothing. */
export function withPlaces(result: CallToolResult, shared: boolean, ignored: readonly string[]): CallToolResult {
  const { structuredContent: said } = result;
  if (result.isError === true || typeof said !== "object" || said === null) return result;
  const data = {
    ...said,
    grants: sharing(shared),
    ...(ignored.length === 0
      ? {}
      : {
          ignored_roots: ignored,
          ignored_why: "there is one workspace; further roots of the client, and a CLAUDE_PROJECT_DIR that leads elsewhere, open nothing",
        }),
  };
  return plainText(JSON.stringify(data), data);
}

function sharing(shared: boolean): string {
  return shared
    ? "Grants are kept: a person sees, answers and revokes them in the inbox, for this agent and all others."
    : "Nothing is kept: what a person grants ends with this server's process.";
}
