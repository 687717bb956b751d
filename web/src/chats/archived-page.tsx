// Chats that were archived, each with a way back into the lists.

import { useCallback, useEffect, useState } from "react";
import { routes } from "../../../src/wire/http.ts";
import type { WireChat } from "../../../src/wire/values.ts";
import { useApp } from "../app-context.ts";
import { Page } from "../frame/page.tsx";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/note.tsx";
import { useWork } from "../parts/use-work.ts";
import { ChatLink } from "./chat-link.tsx";

const PAGE = 50;

export function ArchivedPage() {
  const { client, daemon } = useApp();
  const { busy, problem, during } = useWork();
  const [chats, setChats] = useState<readonly WireChat[] | null>(null);
  const [hasMore, setHasMore] = useState(false);
  const load = useCallback(
    async (before: string | null): Promise<void> => {
      const page = await client.send(routes.listChats, {
        query: { archived: "true", limit: PAGE, ...(before === null ? {} : { before }) },
      });
      setChats((shown) => [...(before === null ? [] : (shown ?? [])), ...page]);
      setHasMore(page.length === PAGE);
    },
    [client],
  );
  useEffect(() => void load(null).catch(() => setChats([])), [load]);
  const restore = (id: string): void =>
    void during(async () => {
      await daemon.changeChat(id, { archived: false });
      setChats((shown) => (shown ?? []).filter((chat) => chat.id !== id));
    });
  return (
    <Page
      title="Archived chats"
      says="Not in the sidebar; nothing in them was stopped"
      busy={chats === null}
      problem={problem}
      className="max-w-2xl gap-2"
    >
      {chats?.length === 0 && <Empty title="No archived chats">Archive one from the menu beside its title.</Empty>}
      <ul aria-label="Archived chats" className="grid gap-2">
        {(chats ?? []).map((chat) => (
          <ChatLink
            key={chat.id}
            chat={chat}
            aside={
              <Button size="small" disabled={busy} onClick={() => restore(chat.id)}>
                Restore<span className="sr-only"> {chat.title}</span>
              </Button>
            }
          />
        ))}
      </ul>
      {hasMore && (
        <Button className="mx-auto" onClick={() => void during(() => load(chats?.at(-1)?.id ?? null))}>
          More
        </Button>
      )}
    </Page>
  );
}
