// Chats by a text in their title or their messages. What one answer does not find the next one may: it goes on until there is enough to show.

import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { messageOf } from "../../../src/core/record.ts";
import type { WireFoundChat } from "../../../src/wire/chat-routes.ts";
import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";
import { Page } from "../frame/page.tsx";
import { Button } from "../parts/button.tsx";
import { Field, Form } from "../parts/field.tsx";
import { Empty } from "../parts/note.tsx";
import { count } from "../words/counts.ts";
import { shownText } from "../words/shown-text.ts";
import { ChatLink } from "./chat-link.tsx";

/** So many more are shown at a time. */
const PAGE = 20;

interface SearchPageState {
  readonly chats: readonly WireFoundChat[];
  /** Where to go on; null where there is nothing left. */
  readonly next: string | null;
}

export function SearchPage({ text }: { readonly text: string }) {
  const { client } = useApp();
  const [, goTo] = useLocation();
  const [typed, setTyped] = useState(text);
  const [found, setFound] = useState<SearchPageState>({ chats: [], next: "" });
  const [limit, setLimit] = useState(PAGE);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    setTyped(text);
    setFound({ chats: [], next: "" });
    setLimit(PAGE);
    setProblem(null);
  }, [text]);
  const { chats, next } = found;
  const isLooking = text !== "" && next !== null && chats.length < limit && problem === null;
  useEffect(() => {
    if (!isLooking) return;
    const controller = new AbortController();
    const query = { text, limit: PAGE, ...(next === "" ? {} : { after: next }) };
    const look = async (): Promise<void> => {
      try {
        const page = await client.send(routes.searchChats, { query, signal: controller.signal });
        // A chat may be found again on a later page.
        const isNew = ({ chat }: WireFoundChat): boolean => !chats.some((one) => one.chat.id === chat.id);
        if (!controller.signal.aborted) setFound({ chats: [...chats, ...page.found.filter(isNew)], next: page.next });
      } catch (error) {
        if (!controller.signal.aborted) setProblem(messageOf(error));
      }
    };
    void look();
    return () => controller.abort();
  }, [client, text, chats, next, isLooking]);
  const submit = (): void => {
    if (typed.trim() !== "") goTo(`/search/${encodeURIComponent(typed.trim())}`);
  };
  return (
    <Page
      title="Search chats"
      says="Matching titles first, then matching messages, newest first"
      busy={isLooking}
      problem={problem}
      className="max-w-2xl gap-3"
    >
      <Form role="search" className="flex gap-2" submit={submit}>
        <Field type="search" aria-label="Text to look for" maxLength={200} value={typed} set={setTyped} />
        <Button type="submit" weight="solid" disabled={typed.trim() === ""}>
          Search
        </Button>
      </Form>
      <p role="status" className="text-xs text-soft">
        {text === ""
          ? ""
          : isLooking
            ? `Searching… ${count(chats.length, "chat")} so far`
            : `${count(chats.length, "chat")}${next === null ? "" : ", and maybe more"}`}
      </p>
      {text !== "" && !isLooking && chats.length === 0 && problem === null && (
        <Empty title="Nothing found">No title or message contains it. Rewound and deleted messages are not searched.</Empty>
      )}
      <ul aria-label="Found" className="grid gap-2">
        {chats.map(({ chat, message }) => (
          <ChatLink
            key={chat.id}
            chat={chat}
            message={message?.id}
            aside={chat.archivedAt === null ? null : <span className="text-xs text-faint">archived</span>}
          >
            {message !== null && (
              <p className="text-sm text-soft [overflow-wrap:anywhere]">
                <span className="sr-only">{message.role === "person" ? "You said: " : "The agent said: "}</span>
                <Marked whole={shownText(message.text)} text={text} />
              </p>
            )}
          </ChatLink>
        ))}
      </ul>
      {next !== null && !isLooking && chats.length > 0 && (
        <Button className="mx-auto" onClick={() => setLimit(chats.length + PAGE)}>
          More
        </Button>
      )}
    </Page>
  );
}

function Marked({ whole, text }: { readonly whole: string; readonly text: string }) {
  const at = whole.toLowerCase().indexOf(text.toLowerCase());
  if (at === -1) return whole;
  return (
    <>
      {whole.slice(0, at)}
      <mark className="rounded-sm bg-ask-ground text-ask">{whole.slice(at, at + text.length)}</mark>
      {whole.slice(at + text.length)}
    </>
  );
}
