// The plugin for opencode. Every tool call is judged by the hook before it runs; what is refused, and any fault, is thrown, which is how
// opencode blocks. A person's yes opens one directory for reading for one session, and opencode's own question about reading there is
// then answered for this call. The shell of a call that was judged is led into the sandbox. Holds no rules of its own. One export: opencode takes each export for a plugin.

import { realpathSync } from "node:fs";
import { isRecord } from "../../core/record.ts";
import { createDialogs } from "./asking.ts";
import { type Hooks, type PluginInput, textAt, type OpencodeToolCall, type OpencodeToolContext } from "./host-types.ts";
import { type ProgramPaths, installedOf, objectOf, run } from "./programs.ts";

declare const HALLPASS: unknown;

const ASKING = "request_read_access";
/** Its tools that start a shell. */
const SHELLS: ReadonlySet<string> = new Set(["bash", "shell"]);
/** Its tools that show lines of files that they find. */
const SEARCHES: ReadonlySet<string> = new Set(["grep"]);
/** Over the hook's own deadline. */
const PATIENCE = 10_000;

// oxlint-disable-next-line require-await -- opencode awaits what a plugin returns
export const Hallpass = async (input: PluginInput): Promise<Hooks> => {
  const { directory, client } = input;
  const parents = new Map<string, string>();
  const grants = new Map<string, Set<string>>();
  const judgedReads = new Set<string>();
  const judgedCommands = new Set<string>();
  const dialogs = createDialogs(Date.now);
  const installed = (): ProgramPaths => installedOf(typeof HALLPASS === "undefined" ? undefined : HALLPASS);

  /** One name for the hook and the shell, whatever links lead here. Throws inside a call, which blocks it. */
  const workspace = (): string => realpathSync(directory);

  const runOptions = (env: ProgramPaths["env"]) => ({ cwd: directory, milliseconds: PATIENCE, env });

  const rootSession = (session: string): string => {
    let at = session;
    for (let steps = 0; steps < 64; steps += 1) at = parents.get(at) ?? at;
    return at;
  };
  /** `asking`: put it before a person, and wait as long as one may need. */
  const judge = async ({ tool, sessionID, callID }: OpencodeToolCall, args: unknown, asking?: OpencodeToolContext): Promise<string> => {
    const { node, hook, env, wait } = installed();
    const session = rootSession(sessionID);
    const agent = session === sessionID ? {} : { agent: sessionID };
    const payload = JSON.stringify({ event: "tool.execute.before", tool, args: args ?? {}, session, call: callID, ...agent });
    // A child agent never has its parent's grants.
    const grantFlags = [...(grants.get(sessionID) ?? [])].flatMap((grant) => ["--grant", grant]);
    const askFlags = asking === undefined ? [] : ["--ask", `--wait=${wait}`];
    const place =
      asking === undefined ? runOptions(env) : { ...runOptions(env), milliseconds: wait * 1000 + 3 * PATIENCE, abort: asking.abort };
    const answer = objectOf(
      await run([node, hook, "opencode", "--workspace", workspace(), ...grantFlags, ...askFlags], payload, place),
      [0],
    );
    const { decision } = answer;
    if (decision === "pass" || decision === "allow") return decision;
    throw new Error(textAt(answer, "reason") || "hallpass: hook-failed: the answer is not understood; what cannot be judged is denied");
  };

  /** The session was deleted: the daemon ends its own. Without one nobody keeps any. */
  const leave = async (session: string): Promise<void> => {
    grants.delete(session);
    const { node, hook, env } = installed();
    const payload = JSON.stringify({ event: "session.deleted", session });
    try {
      await run([node, hook, "opencode", "--workspace", workspace()], payload, runOptions(env));
    } catch {
      // The daemon ends it when the host is gone.
    }
  };

  const askForReading = async (args: unknown, context: OpencodeToolContext): Promise<string> => {
    const [path, reason] = [textAt(args, "path"), textAt(args, "reason")];
    if (path === "") return "say which path";
    const call = { tool: "read", sessionID: context.sessionID, callID: context.callID ?? `${ASKING}-${Date.now()}` };
    const { node, entry, env } = installed();
    const daemon = (await run([node, entry, "status", "--json"], "", runOptions(env))).exit === 0;
    if (daemon) {
      // Its inbox is where a person answers; the same words go to the model, whatever they are.
      const outcome = await judge(call, { filePath: path }, context).catch((error: unknown) =>
        error instanceof Error ? error.message : "refused",
      );
      return outcome === "pass" || outcome === "allow"
        ? `You may read ${path} now, and what lies in the directory that was granted with it.`
        : outcome;
    }
    const judged = objectOf(await run([node, entry, "check", "--workspace", workspace(), path], "", runOptions(env)), [0, 10, 20]);
    if (judged["verdict"] === "allow") return `${path} can be read already.`;
    const proposal = proposalIn(judged);
    if (judged["verdict"] !== "ask" || proposal === null)
      return `Refused (${textAt(judged, "reason")}), and nobody can be asked about it. Go on without it.`;
    if (!(await dialogs.ask(context, proposal.dir, reason)))
      return "A person did not say yes. Go on without it, and do not ask for it again.";
    const sessionGrants = grants.get(context.sessionID) ?? new Set();
    grants.set(context.sessionID, sessionGrants.add(idOf(proposal)));
    return `You may read in ${proposal.dir} until this session ends. You may not write there, and secrets in it stay hidden.`;
  };

  return {
    "tool.execute.before": async (call, { args }) => {
      if (call.tool === ASKING) return;
      if ((await judge(call, args)) === "allow") judgedReads.add(call.callID);
      if (SHELLS.has(call.tool)) judgedCommands.add(call.callID);
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, result) => {
      if (!SEARCHES.has(tool)) return;
      const { node, hook, env } = installed();
      const session = rootSession(sessionID);
      const agent = session === sessionID ? {} : { agent: sessionID };
      const payload = { event: "tool.execute.after", tool, args: args ?? {}, session, call: callID, ...agent, output: result.output };
      const ended = await run([node, hook, "opencode", "--workspace", workspace()], JSON.stringify(payload), runOptions(env));
      if (ended.exit === 0 && ended.stdout === "") return;
      result.output = textAt(objectOf(ended, [0]), "output");
      result.metadata = {};
    },
    // oxlint-disable-next-line require-await -- opencode awaits what a hook returns
    "shell.env": async ({ sessionID = "", callID = "" }, { env: shellEnv }) => {
      // What a person types (`!command`, a terminal) is no call of a tool, and the person's own.
      if (!judgedCommands.delete(callID)) return;
      const { node, entry, shell, socket, env } = installed();
      const session = rootSession(sessionID);
      const caller = { host: "opencode", workspace: workspace(), session, agent: session === sessionID ? null : sessionID, call: callID };
      const shellCall = JSON.stringify({ ...caller, grants: [...(grants.get(sessionID) ?? [])] });
      const entrance = { HALLPASS_NODE: node, HALLPASS_ENTRY: entry, HALLPASS_SHELL: shellCall, HALLPASS_SOCKET: socket };
      Object.assign(shellEnv, env, { BASH_ENV: shell, ...entrance });
    },
    event: async ({ event }) => {
      dialogs.saw(event);
      const properties = isRecord(event) ? event["properties"] : undefined;
      if (!isRecord(properties)) return;
      const info = properties["info"];
      if (textAt(event, "type") === "session.created" && textAt(info, "parentID") !== "")
        parents.set(textAt(info, "id"), textAt(info, "parentID"));
      // Of an agent below another nothing is kept that does not end with the first one's session.
      if (textAt(event, "type") === "session.deleted" && !parents.has(textAt(info, "id"))) await leave(textAt(info, "id"));
      if (textAt(event, "type") !== "permission.asked" || !["external_directory", "read"].includes(textAt(properties, "permission")))
        return;
      // INVARIANT: answered for one call that was just judged, by a tool that only reads, and never for more than once.
      if (judgedReads.delete(textAt(properties["tool"], "callID")))
        await reply(client, textAt(properties, "sessionID"), textAt(properties, "id"), directory);
    },
    tool: {
      [ASKING]: {
        description:
          "Ask a person for read access to a file or directory outside the workspace. Use it once after a read was refused as out of scope, and say why you need it. A yes covers the repository around the path, for reading, until the session ends.",
        args: {
          path: { type: "string", description: "The path that was refused" },
          reason: { type: "string", description: "Why you need it, in one sentence for the person" },
        },
        execute: askForReading,
      },
    },
  };
};

interface ProposedDir {
  readonly dir: string;
  readonly dev: number;
  readonly ino: number;
  readonly born: number | null;
}

/** As the hook is told of a grant: another directory that gets the same inode was born later. */
const idOf = ({ dev, ino, born, dir }: ProposedDir): string => `${dev}:${ino}:${born === null ? "" : `${born}:`}${dir}`;

function proposalIn(judged: Readonly<Record<string, unknown>>): ProposedDir | null {
  const trace = Array.isArray(judged["trace"]) ? judged["trace"] : [];
  const proposal: unknown = trace.map((step: unknown) => (isRecord(step) ? step["proposal"] : null)).find(isRecord);
  if (!isRecord(proposal) || judged["offers"] !== "session") return null;
  const { dir, dev, ino, born } = proposal;
  if (typeof dir !== "string" || typeof dev !== "number" || typeof ino !== "number") return null;
  return { dir, dev, ino, born: typeof born === "number" ? born : null };
}

/** By whichever client this version has; without one the person answers. */
async function reply(client: unknown, session: string, id: string, directory: string): Promise<void> {
  if (!isRecord(client) || id === "") return;
  const { permission } = client;
  if (hasMethod(permission, "reply")) await permission.reply({ requestID: id, reply: "once", directory });
  else if (hasMethod(client, "postSessionIdPermissionsPermissionId"))
    await client.postSessionIdPermissionsPermissionId({
      path: { id: session, permissionID: id },
      query: { directory },
      body: { response: "once" },
    });
}

function hasMethod<N extends string>(value: unknown, name: N): value is Readonly<Record<N, (input: unknown) => unknown>> {
  return isRecord(value) && typeof value[name] === "function";
}
