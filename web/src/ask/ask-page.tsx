// One ask by its address, which a notice links to: the card, open or answered, and the way to its chat.

import { useEffect, useState } from "react";
import { Link } from "wouter";
import { WireError } from "../../../src/wire/client.ts";
import { useApp, useStored } from "../app-context.ts";
import { NoPage } from "../frame/no-page.tsx";
import { PageHead } from "../frame/page-head.tsx";
import { Note } from "../parts/note.tsx";
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
    <main className="flex min-w-0 grow flex-col" aria-busy={ask === undefined && problem === null}>
      <PageHead title="Question" says={ask === undefined ? "" : ask.state === "open" ? "waiting for you" : "no longer open"} />
      <div className="min-h-0 grow overflow-y-auto">
        <div className="mx-auto grid max-w-[50rem] grid-cols-1 gap-3 px-4 py-5">
          {problem !== null && <Note kind="problem">{problem.message}</Note>}
          {ask !== undefined && (
            <>
              <AskCard ask={ask} escapes takesFocus />
              <Link
                href={`/chat/${ask.chat}`}
                className="flex w-fit items-center rounded text-xs text-accent underline underline-offset-2 pointer-coarse:min-h-11"
              >
                open the chat
              </Link>
            </>
          )}
        </div>
      </div>
    </main>
  );
}
