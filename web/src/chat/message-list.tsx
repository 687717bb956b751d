// The list of a chat: only what is on the screen is there, so that ten thousand messages scroll like ten. It stays at the end while the
// person is there, and where the person is when they have scrolled away; earlier messages are fetched when the top comes near. It can be opened
// at a message, such as one that was searched for: then earlier ones are fetched until that one is there.

import { clsx } from "clsx";
import ArrowDown from "lucide-react/icons/arrow-down";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import { useApp, useStored } from "../app-context.ts";
import { AskCard } from "../ask/ask-card.tsx";
import { asksOf } from "../state/model.ts";
import { Button } from "../parts/button.tsx";
import type { LoadedChat } from "../state/model.ts";
import { MessageRow } from "./message-row.tsx";
import { timeline } from "./timeline.ts";

const NEAR = 120;
/** So long after earlier messages have come nothing moves any more, in milliseconds. */
const SETTLED = 200;

export interface MessageListProps {
  readonly chat: string;
  readonly conversation: LoadedChat;
  /** The message to open the chat at; null: at its end. */
  readonly openAt: string | null;
}

export function MessageList({ chat, conversation, openAt }: MessageListProps) {
  const { daemon, quiet } = useApp();
  const asks = useStored(({ asks }) => asks);
  const session = useStored(({ chats, sessions }) => {
    const chatSession = sessions[chats[chat]?.session ?? ""];
    return chatSession === undefined || chatSession.archivedAt !== null ? null : chatSession.id;
  });
  const isOurs = useStored(({ chats, sessions }) => sessions[chats[chat]?.session ?? ""]?.host === null);
  const rests = useStored(({ chats }) => chats[chat]?.status === "idle");
  const list = useRef<VListHandle>(null);
  const container = useRef<HTMLDivElement>(null);
  /** Still on the way to the message to open at. */
  const seeking = useRef(openAt !== null);
  const isFound = useRef(false);
  const atEnd = useRef(openAt === null);
  const lastOffset = useRef(0);
  const fetching = useRef(false);
  const settling = useRef(false);
  const [away, setAway] = useState(false);
  const [prepending, setPrepending] = useState(false);
  const [fetched, setFetched] = useState(0);
  const { messages, earlier, streaming } = conversation;
  const items = useMemo(() => timeline(messages, asksOf(asks, chat, messages), earlier), [messages, asks, earlier, chat]);
  const firstOpen = items.find((item) => item.kind === "ask" && item.ask.state === "open")?.id ?? null;
  const last = items.length - 1;
  const canRewind = isOurs && session !== null;
  /** What the person said last; and the last message, where it can be made anew: an answer, or what was never answered. */
  const lastPersonMessage = canRewind && rests ? (messages.findLast(({ role }) => role === "person")?.id ?? null) : null;
  const newest = messages.at(-1);
  const isDue = newest?.role === "agent" ? newest.error === null : newest?.role === "person" && newest.waiting !== true;

  const toEnd = useCallback(() => {
    const handle = list.current;
    if (last < 0 || handle === null) return;
    handle.scrollToIndex(last, { align: "end" });
    // RACE: the person may scroll before the list tells of this; where it will be counts from now on.
    lastOffset.current = Math.max(0, handle.scrollSize - handle.viewportSize);
  }, [last]);
  useLayoutEffect(() => {
    if (atEnd.current) toEnd();
    else setAway(true);
  }, [items, toEnd]);
  const fetchEarlier = async (oldest: string): Promise<void> => {
    fetching.current = true;
    settling.current = true;
    setPrepending(true);
    try {
      await daemon.earlier(chat, oldest);
    } catch {
      // They are asked for again when the top comes near.
      seeking.current = false;
    } finally {
      fetching.current = false;
      setFetched((times) => times + 1);
      setTimeout(() => {
        settling.current = fetching.current;
      }, SETTLED);
    }
  };
  // A card that is waiting is brought into view, wherever the person has scrolled to: it is the one thing to do. Not where the chat
  // is opened at a message: before the effect that goes there.
  useEffect(() => {
    if (firstOpen === null || seeking.current) return;
    atEnd.current = true;
    toEnd();
  }, [firstOpen]);
  useEffect(() => {
    if (!seeking.current) return;
    const at = items.findIndex(({ id }) => id === openAt);
    const oldest = messages[0];
    if (at === -1 && earlier && oldest !== undefined) {
      if (!fetching.current) void fetchEarlier(oldest.id);
      return;
    }
    seeking.current = false;
    if (at !== -1) return list.current?.scrollToIndex(at, { align: "center" });
    // It was rewound or deleted since.
    atEnd.current = true;
    toEnd();
  }, [items, fetched]);
  /** The message that was looked for takes the focus once, when it is there. */
  const focusFound = useCallback((row: HTMLElement | null) => {
    if (row === null || isFound.current) return;
    isFound.current = true;
    let frames = 0;
    const take = (): void => {
      row.focus({ preventScroll: true });
      // The list keeps what it measures hidden for a frame or two, and what is hidden takes no focus.
      if (document.activeElement !== row && (frames += 1) < 20) requestAnimationFrame(take);
    };
    take();
  }, []);
  useEffect(() => {
    if (prepending) setPrepending(false);
  }, [prepending]);

  const scrolled = (offset: number): void => {
    const log = container.current?.querySelector("[role=log]");
    if (log === null || log === undefined) return;
    // Only a person scrolls up; content that grows leaves the offset where it is, and is followed.
    const up = offset < lastOffset.current - 1;
    lastOffset.current = offset;
    const near = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
    // RACE: while earlier messages are put in the list moves before it has grown, and the middle looks like the end for a moment.
    const end = settling.current ? atEnd.current && !up : near || (atEnd.current && !up);
    // What grants moved under the pointer.
    if (firstOpen !== null) quiet.disturb();
    atEnd.current = end;
    setAway(!end);
    const oldest = messages[0];
    if (offset <= 600 && earlier && !fetching.current && oldest !== undefined) void fetchEarlier(oldest.id);
  };
  return (
    <div ref={container} className="relative min-h-0 grow">
      <VList
        ref={list}
        data={items}
        shift={prepending || fetching.current}
        onScroll={scrolled}
        onResize={() => {
          if (atEnd.current) toEnd();
        }}
        className="h-full"
        tabIndex={0}
        role="log"
        aria-label="Conversation"
      >
        {(item) => (
          <div
            key={item.id}
            ref={item.id === openAt ? focusFound : undefined}
            tabIndex={item.id === openAt ? -1 : undefined}
            className={clsx("mx-auto w-full max-w-[50rem] px-4 py-2", item.id === openAt && "rounded-xl bg-ask-ground outline-none")}
          >
            {item.kind === "message" ? (
              <MessageRow
                chat={chat}
                message={item.message}
                streaming={streaming === item.id}
                session={session}
                canEdit={canRewind}
                answers={isDue && item.id === newest?.id ? lastPersonMessage : null}
              />
            ) : (
              <AskCard ask={item.ask} escapes={item.id === firstOpen} takesFocus={item.id === firstOpen} />
            )}
          </div>
        )}
      </VList>
      {away && (
        <Button size="small" className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-lift" onClick={toEnd}>
          <ArrowDown size={14} aria-hidden="true" /> newest
        </Button>
      )}
    </div>
  );
}
