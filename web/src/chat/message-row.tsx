// A message with what the person can do about it: say something else in its place, or have the last answer made anew.

import { clsx } from "clsx";
import Pencil from "lucide-react/icons/pencil";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { rewindWords } from "../../../src/slash/chat-commands.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Form } from "../parts/field.tsx";
import { IconButton } from "../parts/icon-button.tsx";
import { Problem } from "../parts/note.tsx";
import { useWork } from "../parts/use-work.ts";
import { Message, type MessageProps } from "./message.tsx";

export interface MessageRowProps extends MessageProps {
  /** May the person go back to before this message, which is theirs? */
  readonly canEdit: boolean;
  /** Of the last message of a chat that rests: what the person said last, which can be answered anew. */
  readonly answers: string | null;
}

export function MessageRow({ canEdit, answers, ...shown }: MessageRowProps) {
  const { daemon } = useApp();
  const { busy, problem, during } = useWork();
  const [editing, setEditing] = useState(false);
  const { chat, message, streaming } = shown;
  const isAnswer = message.role === "agent" && message.text !== "" && !streaming && message.calls.length === 0;
  if (editing && message.role === "person")
    return <EditMessage chat={chat} id={message.id} was={message.text} close={() => setEditing(false)} />;
  return (
    <div className="group grid gap-1">
      <div className={message.role === "person" ? "flex flex-row-reverse items-center gap-1" : "contents"}>
        <Message {...shown} />
        {canEdit && message.role === "person" && (
          <IconButton
            label="Edit and send again"
            Icon={Pencil}
            sign={14}
            className="shrink-0 pointer-fine:size-7 pointer-fine:opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
            onClick={() => setEditing(true)}
          />
        )}
      </div>
      {(answers !== null || isAnswer) && (
        <div className={clsx("-mx-2.5 flex items-center", message.role === "person" && "justify-end")}>
          {isAnswer && <CopyButton text={() => message.text} of="the answer" className="text-faint!" />}
          {answers !== null && (
            <Button
              weight="ghost"
              size="small"
              className="text-faint!"
              disabled={busy}
              title={`Get a new answer to this. ${rewindWords}`}
              onClick={() => void during(() => daemon.rewind(chat, answers, null))}
            >
              <RefreshCw size={13} aria-hidden="true" /> {message.role === "person" ? "Send again" : "Regenerate"}
            </Button>
          )}
        </div>
      )}
      <Problem text={problem} />
    </div>
  );
}

interface EditMessageProps {
  readonly chat: string;
  readonly id: string;
  readonly was: string;
  readonly close: () => void;
}

function EditMessage({ chat, id, was, close }: EditMessageProps) {
  const { daemon } = useApp();
  const { busy, problem, during } = useWork();
  const [text, setText] = useState(was);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(was.length, was.length);
  }, [was]);
  const send = (): void => {
    const edited = text.trim();
    if (edited !== "" && !busy) void during(() => daemon.rewind(chat, id, edited === was ? null : edited));
  };
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key === "Escape") {
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      send();
    }
  };
  return (
    <Form className="grid gap-2 rounded-2xl border border-accent bg-surface p-3" submit={send}>
      <textarea
        ref={field}
        aria-label="Your message"
        aria-describedby={`rewinds-${id}`}
        className="field-sizing-content max-h-64 min-h-16 w-full resize-none bg-transparent px-1 outline-none"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={handleKey}
      />
      <p id={`rewinds-${id}`} className="px-1 text-xs text-soft">
        {rewindWords}
      </p>
      <Problem text={problem} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button size="small" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" size="small" weight="solid" disabled={busy || text.trim() === ""}>
          Send instead
        </Button>
      </div>
    </Form>
  );
}
