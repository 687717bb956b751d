// One chat of a list: its title, when it began, and what there is to say of it.

import type { ReactNode } from "react";
import { Link } from "wouter";
import { titleOf } from "../../../src/slash/chat-commands.ts";
import type { WireChat } from "../../../src/wire/values.ts";
import { useStored } from "../app-context.ts";
import { Shown, ShortPath } from "../parts/shown.tsx";
import { clockTime } from "../words/times.ts";

export function ChatLink({
  chat,
  message,
  aside,
  children,
}: {
  readonly chat: WireChat;
  /** The message to open it at; else its end. */
  readonly message?: string | undefined;
  readonly aside?: ReactNode;
  readonly children?: ReactNode;
}) {
  const session = useStored(({ sessions }) => sessions[chat.session]);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border border-line bg-surface px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-60">
        <Link
          href={`/chat/${chat.id}${message === undefined ? "" : `/${message}`}`}
          className="text-sm font-medium text-accent underline-offset-2 hover:underline"
        >
          <Shown text={titleOf(chat)} width={90} />
        </Link>
        {children}
        <p className="text-xs text-faint [&_wbr]:hidden">
          {clockTime(chat.at, Date.now())}
          {session !== undefined && (
            <>
              {" · "}
              <ShortPath path={session.workspace} width={50} />
            </>
          )}
          {chat.status === "archived" ? " · session ended" : ""}
        </p>
      </div>
      {aside}
    </li>
  );
}
