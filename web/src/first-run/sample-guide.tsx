// A walk through the sample, one step at a time, over the page: ask, look, allow, take back. Which step it is follows from what is there,
// so that it is right after a reload, and for whoever goes another way.

import Check from "lucide-react/icons/check";
import X from "lucide-react/icons/x";
import { clsx } from "clsx";
import { type ReactNode, useLayoutEffect, useState } from "react";
import { useLocation } from "wouter";
import { useApp, useStored } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { IconButton } from "../parts/icon-button.tsx";
import { aloneClass, TextLink } from "../parts/text-link.tsx";
import type { AppState, Sample } from "../state/model.ts";

const STEPS = ["Ask", "Look", "Allow", "Take back"] as const;

/** How many of the steps are done. */
export function stepsDone({ asks, sessions, looked }: Pick<AppState, "asks" | "sessions" | "looked">, session: string): number {
  const own = Object.values(asks).filter((ask) => ask.session === session);
  const open = own.find(({ state }) => state === "open");
  if (open !== undefined) return looked[open.id] === true ? 2 : 1;
  if ((sessions[session]?.allowed_read_paths.length ?? 0) > 0) return 3;
  return own.some(({ answer }) => answer !== null && "verdict" in answer && answer.verdict === "allow") ? STEPS.length : 0;
}

export function SampleGuide({ sample }: { readonly sample: Sample }) {
  const { daemon, quiet, store } = useApp();
  const [at] = useLocation();
  const chats = useStored((state) => state.chats);
  const done = useStored((state) => stepsDone(state, sample.session));
  const wasAsked = useStored(({ asks }) => Object.values(asks).some(({ session }) => session === sample.session));
  const [busy, setBusy] = useState(false);
  // It takes room over the cards, more or less of it at each step.
  useLayoutEffect(() => quiet.disturb(), [quiet, done]);
  const here = Object.values(chats).find(({ id, session }) => session === sample.session && `${at}/`.startsWith(`/chat/${id}/`));
  if (here === undefined) return null;
  const say = async (text: string): Promise<void> => {
    setBusy(true);
    try {
      await daemon.say(here.id, text);
    } finally {
      setBusy(false);
    }
  };
  const offer = (text: string): ReactNode => (
    <Button size="small" disabled={busy} onClick={() => void say(text)}>
      {text}
    </Button>
  );
  const close = (): void => store.put({ type: "sample", sample: null });
  return (
    <section aria-label="The sample, step by step" className="border-b border-line bg-accent-ground px-4 py-2.5">
      <div className="mx-auto grid max-w-5xl gap-1.5">
        <div className="flex items-center gap-3">
          <ol className="flex grow flex-wrap gap-x-4 gap-y-0.5 text-xs">
            {STEPS.map((step, index) => (
              <li
                key={step}
                aria-current={index === done ? "step" : undefined}
                className={clsx("flex items-center gap-1.5", index === done ? "font-semibold text-accent" : "text-soft")}
              >
                {index < done ? <Check size={13} aria-hidden="true" className="text-allow" /> : <span>{index + 1}.</span>}
                {step}
                {index < done && <span className="sr-only"> (done)</span>}
              </li>
            ))}
          </ol>
          <IconButton label="Close the guide" Icon={X} onClick={close} />
        </div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm" role="status">
          {done === 0 && (
            <>
              <p>
                {wasAsked
                  ? "You said no, and the agent went on without it. Let it ask again:"
                  : "The agent works in a small shop. Its prices are in another repository. Let it read them:"}
              </p>
              {offer(`Read ${sample.asks}`)}
            </>
          )}
          {done === 1 && (
            <p>The agent was stopped and asks you. Press X-ray on the card to see what a yes would open. Secrets stay hidden.</p>
          )}
          {done === 2 && <p>Now press Allow reading price-list for this session. The agent may then read there, but write nothing.</p>}
          {done === 3 && <p>It has read the prices. Press Revoke on the answered card: the next read is refused.</p>}
          {done === STEPS.length && (
            <>
              <p>That's it. Try a link that leads outside and a secret, or</p>
              {offer(`Read ${sample.link}`)}
              {offer(`Read ${sample.secret}`)}
              <TextLink href="/new" className={aloneClass} onClick={close}>
                start in a project of your own
              </TextLink>
            </>
          )}
        </div>
      </div>
    </section>
  );
}
