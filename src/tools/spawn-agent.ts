// spawn_agent: another agent at another repository. Here it is judged and, where the person has to say yes first, asked; the loop
// starts the agent. It needs no yes where this session could write anyway; it never gets more than that, or than the yes gave.

import { z } from "zod";
import type { AskId, CallId, RealPath } from "../core/names.ts";
import { show } from "../core/path/show.ts";
import { gives } from "../core/session/root.ts";
import type { Session } from "../core/session/session.ts";
import { survey } from "../core/session/survey.ts";
import { askFirst, isAnswered } from "./ask-first.ts";
import { pathInput } from "./path-input.ts";
import { badInput, done, failed, refused, type ToolResult } from "./result.ts";
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
    const access = { call, tool: "spawn_agent", operation: "list", path } as const;
    const used = await guard.use(access, withLook(session, call), async (dir) => dir.path);
    if (used.verdict === "deny") return refused(used);
    const [first] = used.trace;
    const request = { requested: path, task, links: first.at === "resolve" ? first.links : [] };
    if (used.verdict === "ask") {
      // The guard asks about a directory that the path only passes through: an agent there is not what was asked for.
      if (used.ask.onTheWay === true)
        return badInput("invalid-path", `\`${show(path)}\` passes through another directory; name the repository by its path without ..`);
      return ask({ ...request, id: used.ask.id, path: used.ask.path, wasReadOnly: false }, context);
    }
    if (!used.done.ok) return failed(used.done.code, path);
    const workspace = used.done.value;
    const writable = used.root !== null && gives(used.root, "write");
    return writable || isAnswered(workspace, context)
      ? done({ workspace })
      : ask({ ...request, path: workspace, wasReadOnly: used.root !== null }, context);
  },
});

/** The yes to start an agent in a directory is one to look there, so that the look is judged, and recorded, as answered. */
const withLook = (session: Session, call: CallId): Session => ({
  ...session,
  grants: session.grants.flatMap((grant) =>
    grant.until === "call" && grant.call === call && grant.right === "write"
      ? [grant, { ...grant, right: "read" as const, operation: "list" as const }]
      : [grant],
  ),
});

interface SpawnRequest {
  /** Of the guard's ask, which the decision names. */
  readonly id?: AskId;
  readonly path: RealPath;
  readonly links: readonly string[];
  readonly requested: string;
  readonly task: string;
  readonly wasReadOnly: boolean;
}

function ask({ id, path, links, requested, task, wasReadOnly }: SpawnRequest, context: ToolContext): ToolResult {
  const { session } = context;
  if (!session.attended) return { ...failed("no-prompt-channel", requested), verdict: "deny" };
  return askFirst("out-of-scope", `\`${show(requested)}\`: a person is asked before an agent works there.`, context, {
    ...(id === undefined ? {} : { id }),
    tool: "spawn_agent",
    requested,
    path,
    ...(links.length === 0 ? {} : { links }),
    reason: "out-of-scope",
    about: { what: "agent", task, survey: survey(path, session.policy), wasReadOnly },
  });
}
