// What a chat at work is doing: how long it has been waiting for its model, when a turn is tried again, and after a turn that failed what the
// person can do.

import { useEffect, useState } from "react";
import { delayWords } from "../../../src/wire/delay-words.ts";
import { retryWords } from "../../../src/wire/words.ts";
import type { WireChat, WireMessage } from "../../../src/wire/values.ts";
import { useStored } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { Note } from "../parts/note.tsx";
import { Shown } from "../parts/shown.tsx";
import { TextLink } from "../parts/text-link.tsx";

/** Every second, while somebody looks. */
function useNow(ticks: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticks) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [ticks]);
  return now;
}

/** A model that has begun to answer is seen to: before that the time is told. */
export function Working({ chat }: { readonly chat: string | null }) {
  const conversation = useStored(({ conversations }) => conversations[chat ?? ""]);
  const now = useNow(true);
  const last = conversation?.messages.at(-1);
  const isSilent = last?.role === "agent" && conversation?.streaming === last.id && last.text === "" && last.calls.length === 0;
  const [since, setSince] = useState(now);
  const turn = conversation?.streaming ?? null;
  useEffect(() => setSince(Date.now()), [turn]);
  const seconds = Math.max(0, Math.round((now - since) / 1000));
  const retry = conversation?.retry ?? null;
  const delay = conversation?.delay ?? null;
  return (
    <p className="pb-1 text-xs text-faint">
      {retry !== null
        ? retryWords(retry.kind, retry.until, now)
        : delay !== null
          ? delayWords(delay)
          : isSilent && seconds > 2
            ? `Waiting for the model · ${seconds} s${seconds > 15 ? " · Stop ends it" : ""}`
            : "Working…"}
    </p>
  );
}

/** The last turn failed: why, and what to do about it. */
export interface FailedProps {
  readonly chat: WireChat;
  readonly why: string;
  /** Say this message of the person's again, in its place. */
  readonly again: (message: string) => void;
}

export function Failed({ chat, why, again }: FailedProps) {
  const messages = useStored(({ conversations }) => conversations[chat.id]?.messages);
  const last = messages?.findLast((message): message is AgentMessage => message.role === "agent");
  const personMessage = messages?.findLast((message) => message.role === "person")?.id;
  const fault = last?.error === null ? undefined : last?.fault;
  const retryAt = fault?.retryAt ?? null;
  const now = useNow(retryAt !== null);
  const wait = retryAt === null ? 0 : Math.max(0, Math.ceil((retryAt - now) / 1000));
  const isAboutKey = fault?.kind === "missing-key" || fault?.kind === "wrong-key";
  return (
    <div className="grid gap-2 pb-2">
      {last?.error === undefined || last.error === null ? (
        <Note kind="problem">{why === "" ? "the last turn failed; send a message to continue" : <Shown text={why} />}</Note>
      ) : null}
      <div className="flex flex-wrap items-center gap-2 text-sm text-soft">
        {isAboutKey && <TextLink href="/models">Enter a key under Models</TextLink>}
        {personMessage !== undefined && fault?.kind !== "quota" && (
          <Button size="small" className="max-sm:min-h-11!" disabled={wait > 0} onClick={() => again(personMessage)}>
            {wait > 0 ? `Try again in ${wait} s` : "Try again"}
          </Button>
        )}
      </div>
    </div>
  );
}

type AgentMessage = Extract<WireMessage, { role: "agent" }>;
