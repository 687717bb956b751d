// spawn_agent: another agent at another repository. Here it is judged and, where the person has to say yes first, asked; the loop
// starts the agent. It needs no yes where this session could write anyway; it never gets more than that, or than the yes gave.

import { z } from "zod";
import type { RealPath } from "../core/names.ts";
import { show } from "../core/path/show.ts";
import { gives } from "../core/session/root.ts";
import { survey } from "../core/session/survey.ts";
import { askFirst, isAnswered } from "./ask-first.ts";
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
  async run({ path, task }, context) {
    const { guard, session, call } = context;
    const used = await guard.use({ call, tool: "spawn_agent", operation: "list", path }, session, async (dir) => dir.path);
    if (used.verdict === "deny") return refused(used);
    if (used.verdict === "ask")
      return isAnswered(used.ask.path, context)
        ? done({ workspace: used.ask.path })
        : ask({ path: used.ask.path, requested: path, task, wasReadOnly: false }, context);
    if (!used.done.ok) return failed(used.done.code, path);
    const workspace = used.done.value;
    const writable = used.root !== null && gives(used.root, "write");
    return writable || isAnswered(workspace, context)
      ? done({ workspace })
      : ask({ path: workspace, requested: path, task, wasReadOnly: used.root !== null }, context);
  },
});

interface SpawnRequest {
  readonly path: RealPath;
  readonly requested: string;
  readonly task: string;
  readonly wasReadOnly: boolean;
}

function ask({ path, requested, task, wasReadOnly }: SpawnRequest, context: ToolContext): ToolResult {
  const { session } = context;
  if (!session.attended) return { ...failed("no-prompt-channel", requested), verdict: "deny" };
  return askFirst("out-of-scope", `\`${show(requested)}\`: a person is asked before an agent works there.`, context, {
    tool: "spawn_agent",
    requested,
    path,
    reason: "out-of-scope",
    about: { what: "agent", task, survey: survey(path, session.policy), wasReadOnly },
  });
}
