// A chat before its first message. The chat is created when that is sent, and named after it.

import { useRef, useState } from "react";
import { useLocation } from "wouter";
import { useApp, useStored } from "../app-context.ts";
import { ChatFrame } from "./chat-frame.tsx";
import { Suggestions } from "./suggestions.tsx";

const LONGEST = 80;

/** The first line of the message. */
export function titleOf(text: string): string {
  const [first = ""] = text.trim().split("\n");
  return first.length <= LONGEST ? first : `${first.slice(0, LONGEST - 1)}…`;
}

export function DraftPage({ id }: { readonly id: string }) {
  const { daemon } = useApp();
  const [, goTo] = useLocation();
  const session = useStored(({ sessions }) => sessions[id]);
  const [model, choose] = useState<string | null>(null);
  const begun = useRef<string | null>(null);
  if (session === undefined) return <main className="grow" aria-busy="true" />;
  const say = async (text: string, pictures: readonly string[]): Promise<void> => {
    // Where what was said first was refused, the chat is there already, and empty; its model may be another one now.
    if (begun.current === null) begun.current = (await daemon.beginChat(id, titleOf(text), model)).id;
    else await daemon.changeChat(begun.current, { title: titleOf(text), model });
    await daemon.say(begun.current, text, pictures);
    goTo(`/chat/${begun.current}`);
  };
  return (
    <ChatFrame session={session} chat={null} say={say} draft={{ model, choose }}>
      {(send) => (
        <div className="min-h-0 grow overflow-y-auto">
          <Suggestions session={session} say={(text) => void send(text)} />
        </div>
      )}
    </ChatFrame>
  );
}
