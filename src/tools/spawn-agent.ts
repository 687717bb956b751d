// spawn_agent: another agent at another repository. Here it is judged and, where the person has to say yes first, asked; the loop
// starts the agent. It needs no yes where this session could write anyway; it never gets more than that, or than the yes gave.

import { z } from "zod";
import { randomIds, systemClock } from "../core/clock.ts";
import { askId, type RealPath } from "../core/names.ts";
import { show } from "../core/path/show.ts";
import { gives } from "../core/session/root.ts";
import { survey } from "../core/session/survey.ts";
import { pathInput } from "./path-input.ts";
import { done, failed, refused, type ToolResult } from "./result.ts";
import { defineTool, type ToolContext } from "./tool.ts";

export const spawnInput = z.strictObject({
  path: pathInput.describe("The repository it works in"),
  task: z.string().min(1).max(8000).describe("What it is to do, complete in itself: it does not see this conversation"),
});

export const spawnAgent = defineTool({
  name: "spawn_agent",
  title: "Start an agent",
  verb: "start an agent",
  starts: "agent",
  description:
    "Start another agent that works in another repository and tells you its result. Outside your own scope the person is asked first. " +
    "It knows nothing of this conversation; give it everything it needs in task.",
  writes: true,
  input: spawnInput,
  async run({ path, task }, surroundings) {
    const { guard, session, call } = surroundings;
    const used = await guard.use({ call, tool: "spawn_agent", operation: "list", path }, session, async (dir) => dir.path);
    if (used.verdict === "deny") return refused(used);
    if (used.verdict === "ask")
      return answered(used.ask.path, surroundings)
        ? done({ workspace: used.ask.path })
        : ask({ path: used.ask.path, requested: path, task, wasReadOnly: false }, surroundings);
    if (!used.done.ok) return failed(used.done.code, path);
    const workspace = used.done.value;
    const writable = used.root !== null && gives(used.root, "write");
    return writable || answered(workspace, surroundings)
      ? done({ workspace })
      : ask({ path: workspace, requested: path, task, wasReadOnly: used.root !== null }, surroundings);
  },
});

/** Did a person say yes to an agent there, for this very call? */
function answered(path: RealPath, { session, call }: ToolContext): boolean {
  return session.grants.some((grant) => grant.until === "call" && grant.call === call && grant.right === "write" && grant.path === path);
}

interface Wish {
  readonly path: RealPath;
  readonly requested: string;
  readonly task: string;
  readonly wasReadOnly: boolean;
}

function ask({ path, requested, task, wasReadOnly }: Wish, { session, call }: ToolContext): ToolResult {
  if (!session.attended) return { ...failed("no-prompt-channel", requested), verdict: "deny" };
  return {
    ok: false,
    code: "out-of-scope",
    category: null,
    hint: `\`${show(requested)}\`: a person is asked before an agent works there.`,
    verdict: "ask",
    proposal: null,
    flags: [],
    // Once, and for writing: the agent there works, and the yes is for this call alone.
    ask: {
      id: askId(randomIds()),
      session: session.id,
      call,
      tool: "spawn_agent",
      operation: "replace",
      requested,
      path,
      reason: "out-of-scope",
      at: systemClock(),
      offers: "once",
      right: "write",
      about: { what: "agent", task, survey: survey(path, session.policy), wasReadOnly },
    },
  };
}
