// Opens a chat: in the daemon where one runs and can do what was asked for, otherwise in this process. The chat is a new one, or an
// existing one to continue.

import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import type { OpenedChat } from "../repl/chat-view.ts";
import type { AppConnection } from "../wire/connection.ts";
import { routes } from "../wire/http.ts";
import type { WireChat } from "../wire/values.ts";
import { reachDaemon } from "./daemon-connection.ts";
import type { Host } from "./host.ts";
import { allSessions, everyChat } from "./listing.ts";

export interface ChatFlags {
  readonly workspace: string;
  readonly model: string | null;
  readonly asking: "by-guard" | "by-model";
  readonly preset: "strict" | null;
  /** A chat to go on with: by its id's beginning, or the newest of this workspace (empty). */
  readonly resume: string | null;
  readonly text: string | null;
}

/** With the daemon where one runs and can do what was asked for; else in this process. `attended`: is a person there to be asked? */
export async function openChat(flags: ChatFlags, host: Host, attended: boolean): Promise<OpenedChat> {
  const daemon = await reachDaemon(host, "terminal");
  const why = daemon === null ? "no daemon is running" : await whyDaemonCannot(daemon, flags);
  if (daemon !== null && why === null) return openIn(daemon, flags, attended, null);
  await daemon?.close();
  if (flags.resume !== null)
    throw new HallpassError(
      "bad-request",
      daemon === null
        ? "there is no chat to continue: chats outlive their process only with the daemon; start it with `hallpass serve`"
        : `a chat of the daemon's cannot go on here, since ${why}`,
    );
  return openIn(await openOwn(flags, host), flags, attended, `${why}: this chat and its grants end with this process`);
}

/** Why the daemon cannot do what was asked for; null where it can. */
async function whyDaemonCannot(daemon: AppConnection, { model, preset }: ChatFlags): Promise<string | null> {
  if (preset !== null) return "a preset holds for one process";
  if (model === null || model === (await modelOf(daemon)) || model === "offline") return null;
  const { providers } = await daemon.client.send(routes.models, {});
  const modelProvider = providers.find(({ provider }) => model.startsWith(`${provider}/`));
  // The daemon has its own environment: a key may be here and not there.
  const isReady =
    modelProvider !== undefined && modelProvider.address !== null && (!modelProvider.needsKey || modelProvider.keptIn !== "nowhere");
  return isReady ? null : `the daemon is not set up for ${show(model)}`;
}

async function openOwn({ model, preset }: ChatFlags, host: Host): Promise<AppConnection> {
  const { home, env, platform } = host;
  const [{ openOwnApp }, { createPolicyFor }] = await Promise.all([import("./own-app.ts"), import("../config/policy-for.ts")]);
  const policyFor = preset === null ? {} : { policyFor: createPolicyFor({ home, env, platform }, preset) };
  return openOwnApp(host, { via: "terminal", model, ...policyFor });
}

const modelOf = async ({ client }: AppConnection): Promise<string> => (await client.send(routes.health, {})).model;

async function openIn(app: AppConnection, flags: ChatFlags, attended: boolean, remark: string | null): Promise<OpenedChat> {
  try {
    const found = await findChat(app, flags, attended);
    const { model } = flags;
    const chat =
      model === null || model === (found.model ?? (await modelOf(app)))
        ? found
        : await app.client.send(routes.changeChat, { id: found.id, body: { model } });
    return { app, chat, model: await modelOf(app), remark };
  } catch (error) {
    await app.close();
    throw error;
  }
}

async function findChat({ client }: AppConnection, { workspace, asking, resume }: ChatFlags, attended: boolean): Promise<WireChat> {
  if (resume !== null) {
    const sessions = resume === "" ? await allSessions(client, "false") : [];
    const here = new Set(sessions.filter((one) => one.workspace === workspace && one.host === null).map(({ id }) => id));
    const fitting: WireChat[] = [];
    for await (const chat of everyChat(client)) {
      if (resume === "" ? here.has(chat.session) : chat.id.startsWith(resume)) fitting.push(chat);
      if (fitting.length === (resume === "" ? 1 : 2)) break;
    }
    const [found, second] = fitting;
    if (found === undefined || (resume !== "" && second !== undefined))
      throw new HallpassError(
        "bad-request",
        resume === ""
          ? "there is no chat in this workspace yet"
          : `${found === undefined ? "no chat's" : "more than one chat's"} id begins with ${show(resume)}`,
      );
    return found;
  }
  const session = await client.send(routes.addSession, { body: { workspace, asking, attended } });
  return client.send(routes.addChat, { body: { session: session.id, title: "terminal" } });
}
