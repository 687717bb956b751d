// Every open ask of every agent and session, grouped by the directory it is about, answerable where it stands. j and k go from one to the
// next, Enter opens its chat; no single key grants. What was answered here stays until the page is left, so that nothing moves up under
// a second click.

import { useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { grantName, isNetwork } from "../../../src/core/guard/explain.ts";
import type { WireAsk } from "../../../src/wire/values.ts";
import { useStored } from "../app-context.ts";
import { AskCard } from "../ask/ask-card.tsx";
import { PageHead } from "../frame/page.tsx";
import { Empty } from "../parts/note.tsx";
import { FullPath } from "../parts/shown.tsx";
import { aloneClass, TextLink } from "../parts/text-link.tsx";
import { byRoot } from "../state/model.ts";
import { count } from "../words/counts.ts";

export function InboxPage() {
  const all = useStored(({ asks }) => asks);
  const sessions = useStored(({ sessions: known }) => known);
  const [, goTo] = useLocation();
  const seen = useRef<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<string | null>(null);
  const cards = useRef(new Map<string, HTMLElement>());
  const { groups, open } = useMemo(() => {
    const here = Object.values(all)
      .filter((ask) => ask.state === "open" || seen.current.has(ask.id))
      .sort((a, b) => a.at - b.at || a.id.localeCompare(b.id));
    return { groups: byRoot(here), open: here.filter(({ state }) => state === "open").length };
  }, [all]);
  useEffect(() => {
    seen.current = new Set(groups.flatMap(({ asks }) => asks.map(({ id }) => id)));
  }, [groups]);
  const order = groups.flatMap(({ asks }) => asks);

  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const at = order.findIndex(({ id }) => id === chosen);
      if (event.key === "j" || event.key === "k") {
        const next: WireAsk | undefined = order[event.key === "j" ? Math.min(at + 1, order.length - 1) : Math.max(at - 1, 0)];
        if (next === undefined) return;
        event.preventDefault();
        setChosen(next.id);
        const card = cards.current.get(next.id);
        card?.querySelector<HTMLElement>("[data-ask]")?.focus();
        card?.scrollIntoView({ block: "nearest" });
      }
      // Enter on a button is that button's; on the card itself it opens the chat.
      if (event.key === "Enter" && event.target instanceof HTMLElement && event.target.matches("[data-ask]")) {
        const ask = order.find(({ id }) => id === (event.target instanceof HTMLElement ? event.target.dataset["ask"] : ""));
        if (ask !== undefined) goTo(`/chat/${ask.chat}`);
      }
    };
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, [order, chosen, goTo]);

  return (
    <main className="flex min-w-0 grow flex-col">
      <PageHead title="Inbox" says={open === 0 ? "nobody is waiting" : `${count(open, "ask")} waiting for you`} />
      <div className="min-h-0 grow overflow-y-auto" tabIndex={-1}>
        {groups.length === 0 ? (
          <Empty title="Nobody is waiting">
            When an agent wants something outside its workspace, it asks here: from every chat, terminal and program that uses this daemon.
          </Empty>
        ) : (
          <div className="mx-auto grid max-w-[50rem] grid-cols-1 gap-6 px-4 py-5">
            <p className="text-xs text-faint max-sm:hidden">
              <Key>j</Key> <Key>k</Key> next and previous · <Key>Enter</Key> opens the chat · <Key>Esc</Key> denies the chosen one · no key
              allows anything
            </p>
            {groups.map(({ root, asks }) => (
              <section key={root} aria-label={root === "" ? "Questions" : grantName(root)} className="grid gap-3">
                <h2 className="min-w-0 text-sm font-semibold">
                  {root === "" ? "Questions" : isNetwork(root) ? "The network" : <FullPath path={root} />}
                  {asks.length > 1 && <span className="ml-2 font-normal text-faint">{count(asks.length, "ask")}</span>}
                </h2>
                {asks.map((ask) => (
                  <div
                    key={ask.id}
                    ref={(element) => {
                      if (element === null) cards.current.delete(ask.id);
                      else cards.current.set(ask.id, element);
                    }}
                    onFocus={() => setChosen(ask.id)}
                    className="grid gap-1"
                  >
                    <AskCard ask={ask} escapes={chosen === ask.id} takesFocus={false} />
                    <TextLink href={`/chat/${ask.chat}`} className={`${aloneClass} text-xs`}>
                      open the chat
                    </TextLink>
                    {sessions[ask.session]?.shell === "unverified" && (
                      <p className="text-xs text-faint">Its commands are unverified: only their text is judged.</p>
                    )}
                  </div>
                ))}
              </section>
            ))}
          </div>
        )}
      </div>
    </main>
  );
}

function Key({ children }: { readonly children: string }) {
  return <kbd className="rounded border border-line-strong px-1 font-mono text-2xs">{children}</kbd>;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
