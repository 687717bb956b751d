// The ask card: a person says yes or no here. Focus comes to the card, never to a button of it; Escape denies; an answer on its way
// disables everything; an answer that came too late shows the one that stands. Answered, the card stays where it was.

import { clsx } from "clsx";
import Hand from "lucide-react/icons/hand";
import MessageCircleQuestionMark from "lucide-react/icons/message-circle-question-mark";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { messageOf } from "../../../src/core/record.ts";
import type { AnswerBody } from "../../../src/wire/http.ts";
import type { WireAsk } from "../../../src/wire/values.ts";
import { useApp, useStored } from "../app-context.ts";
import { Problem } from "../parts/note.tsx";
import { ScrollMore } from "../parts/scroll-more.tsx";
import { Shown } from "../parts/shown.tsx";
import type { AnswerOutcome } from "../state/daemon.ts";
import { clockTime } from "../words/times.ts";
import { AskAnswers } from "./ask-answers.tsx";
import { AskFacts } from "./ask-facts.tsx";
import { QuestionAnswers } from "./question-answers.tsx";
import { offersOf } from "../xray/roots.ts";
import { XraySheet } from "../xray/xray-sheet.tsx";
import { SettledFacts } from "./settled-facts.tsx";

/** The facts take what the head of the page, the composer, the card's own head and its answers leave of the window. */
const facts = "max-h-[max(9rem,calc(100dvh-20.25rem))] px-3 py-2 sm:max-h-[max(9rem,min(100dvh-18.5rem,34rem))] sm:px-4 sm:py-3";

/** What must have been on the screen before anything can be allowed. */
const NEEDED = "[data-needed]";

export interface AskCardProps {
  readonly ask: WireAsk;
  /** Does Escape, wherever the focus is, deny this one? */
  readonly escapes: boolean;
  /** Should it take the focus when it appears, unless the person is busy elsewhere? */
  readonly takesFocus: boolean;
}

export function AskCard({ ask, escapes, takesFocus }: AskCardProps) {
  const { daemon, quiet, store } = useApp();
  const card = useRef<HTMLElement>(null);
  const posting = useRef(false);
  const [isPosting, setPosting] = useState(false);
  // Nothing can be answered while the daemon is gone; what is open then may be answered elsewhere meanwhile.
  const isLost = useStored(({ connection }) => connection === "lost");
  const busy = isPosting || isLost;
  const [problem, setProblem] = useState<string | null>(null);
  const [late, setLate] = useState(false);
  const [keptRule, setKeptRule] = useState<Pick<Extract<AnswerOutcome, { outcome: "stands" }>, "kept" | "notKept"> | null>(null);
  const [xray, setXray] = useState(false);
  const [seen, setSeen] = useState("");
  const open = ask.state === "open";
  const now = Date.now();

  // What the card shows changed: a yes now would be a yes to something that was not read yet.
  useLayoutEffect(() => quiet.disturb(), [quiet, ask.id, ask.digest, ask.state]);
  useEffect(() => {
    if (!open || !takesFocus || !mayTakeFocus()) return;
    // A list that measures its items first keeps them hidden for a frame or two, and what is hidden takes no focus.
    let frames = 0;
    let next = 0;
    const take = (): void => {
      card.current?.focus({ preventScroll: true });
      if (document.activeElement !== card.current && mayTakeFocus() && (frames += 1) < 20) next = requestAnimationFrame(take);
    };
    take();
    return () => cancelAnimationFrame(next);
  }, [open, takesFocus, ask.id]);

  // RACE: `posting` and not `busy`, since a second click can come before the first one's render.
  const post = useCallback(
    async (answer: AnswerBody) => {
      if (posting.current) return;
      posting.current = true;
      setPosting(true);
      setProblem(null);
      try {
        const answered = await daemon.answer(ask, answer);
        if (answered.outcome === "refused") setProblem(answered.message);
        if (answered.outcome === "too-late") setLate(true);
        if (answered.outcome === "stands") setKeptRule(answered);
      } catch (error) {
        setProblem(messageOf(error));
      } finally {
        posting.current = false;
        setPosting(false);
      }
    },
    [ask, daemon],
  );
  const answer = (body: AnswerBody): void => void post(body);
  const openXray = (): void => {
    setXray(true);
    store.put({ type: "looked", ask: ask.id });
  };

  useEffect(() => {
    if (!open || !escapes || isLost) return;
    const listener = (event: KeyboardEvent): void => {
      // An Escape that ends the spelling of a word in an input method is not meant for the card.
      if (event.key !== "Escape" || event.defaultPrevented || event.repeat || event.isComposing) return;
      event.preventDefault();
      void post({ decision: "deny", digest: ask.digest });
    };
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, [open, escapes, isLost, post, ask.digest]);

  const Icon = ask.kind === "pending_question" ? MessageCircleQuestionMark : Hand;
  return (
    <section
      ref={card}
      role="group"
      tabIndex={-1}
      data-ask={ask.id}
      data-state={ask.state}
      aria-label={`${open ? "Waiting for you" : "Answered"}: ${ask.card.title}`}
      className={clsx("rounded-xl border bg-surface focus-visible:outline-ask", open ? "border-ask shadow-lift border-l-4" : "border-line")}
    >
      {open ? (
        <>
          <header className="flex items-center gap-x-2.5 border-b border-line px-3 py-2 sm:px-4 sm:py-2.5">
            <Icon size={18} aria-hidden="true" className="shrink-0 text-ask" />
            <h2 className="text-[0.9rem] font-semibold sm:text-[0.9375rem]">{ask.card.title}</h2>
            <span className="shrink-0 rounded-full bg-ask-ground px-2 py-0.5 text-xs font-semibold text-ask max-sm:hidden">
              {ask.waiting === null ? "waiting for you" : <Shown text={`waiting for ${ask.waiting.machine}`} width={40} />}
            </span>
            <time className="ml-auto shrink-0 text-xs text-faint max-[24rem]:hidden">{clockTime(ask.at, now)}</time>
          </header>
          <ScrollMore key={ask.digest} label="What is asked" className={facts} needs={NEEDED} onSeen={() => setSeen(ask.digest)}>
            <AskFacts ask={ask} now={now} openXray={ask.proposal === null ? null : openXray} />
          </ScrollMore>
          <footer className="grid gap-2.5 border-t border-line px-3 py-2 sm:px-4 sm:py-3">
            <Problem text={problem} />
            {ask.kind === "pending_question" ? (
              <QuestionAnswers ask={ask} busy={busy} escapes={escapes} answer={answer} />
            ) : (
              <AskAnswers ask={ask} busy={busy} seen={seen === ask.digest} escapes={escapes} answer={answer} />
            )}
          </footer>
        </>
      ) : (
        <div className="px-4 py-3">
          <SettledFacts ask={ask} now={now} kept={keptRule?.kept ?? null} notKept={keptRule?.notKept ?? null} late={late} />
        </div>
      )}
      {ask.proposal !== null && xray && (
        <XraySheet title="What a yes would open" close={setXray} session={ask.session} ask={ask.id} roots={offersOf(ask)} />
      )}
    </section>
  );
}

/** Nobody is typing: the focus is nowhere, or in a field with nothing in it. */
function mayTakeFocus(): boolean {
  const active = document.activeElement;
  if (active === null || active === document.body) return true;
  return active instanceof HTMLTextAreaElement && active.value === "";
}
