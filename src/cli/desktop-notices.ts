// Notices on the desktop, by the system's own program: who waits for what, and nothing an agent wrote. Off unless asked for. Never in anybody's
// way: an ask is open whether or not its notice is shown.

import { spawn } from "node:child_process";
import { basename } from "node:path";
import { programIn } from "../adapters/install/found-hosts.ts";
import { programOf } from "../core/guard/card.ts";
import { show, shorten } from "../core/path/show.ts";
import type { WireAsk } from "../wire/values.ts";
import { type Host, UsageError } from "./host.ts";

/** Programs of notices that have not ended; beyond it none is started. */
const UNDER_WAY = 8;
const PATIENCE = 10_000;

/** Shows an ask on the desktop; returns at once. */
export type DesktopNotice = (ask: WireAsk, link: string) => void;

/** Throws a UsageError where the system has no program for it. */
export function desktopNotices({ env, platform }: Pick<Host, "env" | "platform">): DesktopNotice {
  const name = platform === "darwin" ? "osascript" : "notify-send";
  const program = platform === "win32" ? null : programIn(env["PATH"] ?? "", name);
  if (program === null)
    throw new UsageError(
      platform === "win32"
        ? "--notify: there are no notices on this system; push notices to browsers work (--push)"
        : `--notify: there is no ${name} in the PATH${name === "notify-send" ? "; install libnotify (Debian: libnotify-bin)" : ""}`,
    );
  let underWay = 0;
  return (ask, link) => {
    if (underWay >= UNDER_WAY) return;
    underWay += 1;
    const child = spawn(program, argumentsFor(name, noticeWords(ask), link), { stdio: "ignore", timeout: PATIENCE });
    let isOver = false;
    const over = (): void => {
      if (!isOver) underWay -= 1;
      isOver = true;
    };
    child.on("error", over).on("exit", over);
    child.unref();
  };
}

interface NoticeWords {
  readonly title: string;
  readonly body: string;
}

/** What the boundary knows itself: the program, what it is about to do, a directory that is there. Not a label, a reason or a path as an agent wrote it. */
export function noticeWords({ asker, kind, right, proposal, workspace, about }: WireAsk): NoticeWords {
  const who = asker.host === null ? "The agent" : programOf(asker.host);
  const named = (dir: string): string => shorten(show(basename(dir)), 60);
  const wants =
    kind === "pending_question"
      ? "has a question"
      : about?.what === "command"
        ? "wants to run a command"
        : about?.what === "agent"
          ? "wants to start an agent"
          : right === "write"
            ? "wants to write a file"
            : proposal === null
              ? "wants to read a file"
              : `wants to read ${named(proposal.dir)}`;
  return { title: "Hallpass: an agent waits for you", body: `${who} in ${named(workspace)} ${wants}.` };
}

function argumentsFor(program: "osascript" | "notify-send", { title, body }: NoticeWords, link: string): readonly string[] {
  // The words are arguments of the script and no part of it. It cannot link.
  if (program === "osascript")
    return [
      "-e",
      "on run argv",
      "-e",
      "display notification (item 2 of argv) with title (item 1 of argv)",
      "-e",
      "end run",
      "--",
      title,
      body,
    ];
  // The body is markup where the desktop knows it, and is shown without its tags where it does not.
  return ["--app-name=Hallpass", "--", title, `${escaped(body)}\n<a href="${escaped(link)}">${escaped(link)}</a>`];
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
