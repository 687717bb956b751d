// A chat that has begun.

import { useEffect } from "react";
import { routes } from "../../../src/wire/http.ts";
import { useApp, useStored } from "../app-context.ts";
import { NoPage } from "../frame/no-page.tsx";
import { Empty } from "../parts/note.tsx";
import { ChatFrame } from "./chat-frame.tsx";
import { MessageList } from "./message-list.tsx";
import { Suggestions } from "./suggestions.tsx";

/** `message`: where to open it; null: at its end. */
export function ChatPage({ id, message }: { readonly id: string; readonly message: string | null }) {
  const { daemon, client, store } = useApp();
  const chat = useStored(({ chats }) => chats[id]);
  const session = useStored(({ chats, sessions }) => sessions[chats[id]?.session ?? ""]);
  const conversation = useStored(({ conversations }) => conversations[id]);
  const hasAsks = useStored(({ asks }) => Object.values(asks).some((ask) => ask.chat === id));
  const isMissing = useStored(({ missing }) => missing[id] === true);
  const sessionId = chat?.session;

  useEffect(() => {
    const following = daemon.follow(id);
    return () => following.close();
  }, [daemon, id]);
  // A snapshot has the open asks; the answered cards are fetched.
  useEffect(() => {
    if (sessionId === undefined) return;
    client.send(routes.listAsks, { query: { session: sessionId, limit: 500 } }).then(
      (asks) => store.put({ type: "asks", asks }),
      () => {},
    );
  }, [client, store, sessionId]);

  if (chat === undefined && isMissing)
    return <NoPage title="There is no such chat">It was deleted, belongs to another daemon, or the address is wrong.</NoPage>;
  if (chat === undefined || session === undefined || conversation === undefined)
    return (
      <main className="grid grow place-items-center" aria-busy="true">
        <p className="text-sm text-soft">Opening the chat…</p>
      </main>
    );
  return (
    <ChatFrame session={session} chat={chat} say={(text, pictures) => daemon.say(id, text, pictures)}>
      {(send) =>
        conversation.messages.length > 0 || hasAsks ? (
          <MessageList chat={id} conversation={conversation} openAt={message} />
        ) : (
          <div className="min-h-0 grow overflow-y-auto">
            {session.host === null ? (
              <Suggestions session={session} say={(text) => void send(text)} />
            ) : (
              <Empty title="This agent runs in another program">Its questions appear here and in the inbox.</Empty>
            )}
          </div>
        )
      }
    </ChatFrame>
  );
}
