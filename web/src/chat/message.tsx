// One message of a chat: the person's words as they were typed, the agent's as markdown with its calls, reminders and summaries folded.

import { lazy, memo, Suspense } from "react";
import type { WireMessage } from "../../../src/wire/values.ts";
import { Note } from "../parts/note.tsx";
import { Shown } from "../parts/shown.tsx";
import { shownProse, shownText } from "../words/shown-text.ts";
import { clockTime } from "../words/times.ts";
import { SentPictures } from "./sent-pictures.tsx";
import { ToolCall } from "./tool-call.tsx";

// Fetched with the chat, not with its first message: the words should not change their look while they are read.
const loading = import("./markdown.tsx");
const Markdown = lazy(() => loading.then(({ Markdown }) => ({ default: Markdown })));

export interface MessageProps {
  readonly message: WireMessage;
  readonly chat: string;
  readonly streaming: boolean;
  /** The session that said it; null where that has ended. */
  readonly session: string | null;
}

export const Message = memo(function Message({ message, chat, streaming, session }: MessageProps) {
  if (message.role === "person") {
    return (
      <div className="w-fit max-w-[85%] rounded-2xl rounded-br-md bg-accent-ground px-4 py-2.5">
        <p className="sr-only">You said, at {clockTime(message.at, Date.now())}:</p>
        {message.pictures !== undefined && <SentPictures chat={chat} message={message.id} count={message.pictures.length} />}
        <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{message.text}</p>
        {message.waiting === true && <p className="mt-1 text-right text-xs text-soft">queued: the agent reads it before its next turn</p>}
      </div>
    );
  }
  if (message.role === "reminder" || message.role === "summary") {
    return (
      <details className="text-xs text-soft">
        <summary className="w-fit rounded py-1">
          {message.role === "reminder" ? "From Hallpass to the agent" : "Earlier messages were summarised"}
        </summary>
        <p className="mt-1 rounded-md bg-raised px-3 py-2 font-mono whitespace-pre-wrap [overflow-wrap:anywhere]">
          {shownText(message.text)}
        </p>
      </details>
    );
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {message.text !== "" && (
        <Suspense fallback={<p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{shownProse(message.text)}</p>}>
          <Markdown text={message.text} streaming={streaming} />
        </Suspense>
      )}
      {streaming && message.text === "" && message.calls.length === 0 && <p className="text-sm text-soft">Thinking…</p>}
      {message.calls.map((call) => (
        <ToolCall key={call.id} call={call} chat={chat} session={session} />
      ))}
      {message.error !== null && (
        <Note kind="problem">
          <Shown text={message.error} />
        </Note>
      )}
    </div>
  );
});
