// Where a chat runs, and which one it is: with the daemon where one runs and can do what was asked for, else within this process; a new
// chat, or one to go on with.

import { HallpassError } from "../core/errors.ts";
import { show } from "../core/path/show.ts";
import type { Backend } from "../repl/backend.ts";
import { routes } from "../wire/http.ts";
import type { WireChat } from "../wire/values.ts";
import { findDaemon } from "./daemon-backend.ts";
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

/** The daemon where one runs and can do what was asked for; else this process. */
export async function openBackendFor({ model, preset, resume }: ChatFlags, host: Host): Promise<Backend> {
  const daemon = await findDaemon(host, "terminal");
  const why =
    daemon === null
      ? "no daemon runs"
      : preset !== null
        ? "a preset holds for one process"
        : model !== null && model !== daemon.model
          ? `the daemon's model is ${show(daemon.model)}`
          : null;
  if (daemon !== null && why === null) return daemon;
  await daemon?.close();
  if (resume !== null)
    throw new HallpassError(
      "bad-request",
      daemon === null
        ? "there is no chat to go on with: chats outlive their process only with the daemon; start it with `hallpass serve`"
        : `a chat of the daemon's cannot go on here, since ${why}`,
    );
  const { openProcessBackend } = await import("./process-backend.ts");
  return openProcessBackend(host, { model, preset, remark: `${why}: this chat and its grants end with this process`, via: "terminal" });
}

export async function openChat({ workspace, asking, resume }: ChatFlags, { client }: Backend, attended: boolean): Promise<WireChat> {
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
