// One ask by its address, which a notice links to: the card, open or answered, and the way to its chat.

import { useEffect, useState } from "react";
import { WireError } from "../../../src/wire/client.ts";
import { useApp, useStored } from "../app-context.ts";
import { NoPage } from "../frame/no-page.tsx";
import { Page } from "../frame/page.tsx";
import { aloneClass, TextLink } from "../parts/text-link.tsx";
import { AskCard } from "./ask-card.tsx";

export function AskPage({ id }: { readonly id: string }) {
  const { daemon } = useApp();
  const ask = useStored(({ asks }) => asks[id]);
  const [problem, setProblem] = useState<WireError | Error | null>(null);
  useEffect(() => {
    daemon.ask(id).catch((error: unknown) => setProblem(error instanceof Error ? error : new Error(String(error))));
  }, [daemon, id]);
  if (ask === undefined && problem instanceof WireError && problem.code === "not-found")
    return <NoPage title="There is no such question">It may belong to another daemon, or the link may be incomplete.</NoPage>;
  return (
    <Page
      title="Question"
      says={ask === undefined ? "" : ask.state === "open" ? "waiting for you" : "no longer open"}
      busy={ask === undefined && problem === null}
      problem={problem?.message ?? null}
      className="max-w-[50rem] gap-3"
    >
      {ask !== undefined && (
        <>
          <AskCard ask={ask} escapes takesFocus />
          <TextLink href={`/chat/${ask.chat}`} className={`${aloneClass} text-xs`}>
            open the chat
          </TextLink>
        </>
      )}
    </Page>
  );
}
