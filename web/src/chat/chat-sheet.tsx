// Actions on a whole chat: rename it, see what it used, export, archive or delete it.

import Archive from "lucide-react/icons/archive";
import ArchiveRestore from "lucide-react/icons/archive-restore";
import Download from "lucide-react/icons/download";
import Trash2 from "lucide-react/icons/trash-2";
import { useState } from "react";
import { deletionWords, exportOf, usageLines } from "../../../src/slash/chat-commands.ts";
import { routes } from "../../../src/wire/http.ts";
import type { WireChat, WireSession } from "../../../src/wire/values.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { Field, Form } from "../parts/field.tsx";
import { SectionHeading, WorkNote } from "../parts/note.tsx";
import { saveFile } from "../parts/save-file.ts";
import { useAnswer } from "../parts/use-answer.ts";
import { useWork } from "../parts/use-work.ts";

export function ChatSheet({
  chat,
  session,
  close,
}: {
  readonly chat: WireChat;
  readonly session: WireSession;
  readonly close: () => void;
}) {
  const { client, daemon } = useApp();
  const { busy, message, say, during } = useWork();
  const [title, setTitle] = useState(chat.title);
  const [sure, setSure] = useState(false);
  const isTheirs = session.host !== null && session.archivedAt === null;
  const rename = (): void =>
    void during(async () => {
      await daemon.changeChat(chat.id, { title: title.trim() });
      say({ text: "Renamed", bad: false });
    });
  const save = (as: "markdown" | "json"): void =>
    void during(async () => {
      const { name, lines } = exportOf(client, chat, as);
      await saveFile(name, lines);
      say({ text: `Saved as ${name}`, bad: false });
    });
  return (
    <div className="grid gap-5 p-4 text-sm">
      <div aria-live="polite" className={message === null ? "sr-only" : ""}>
        <WorkNote message={message} />
      </div>
      <Form className="flex flex-wrap gap-2" submit={rename}>
        <Field aria-label="Title" className="min-w-48 flex-1" maxLength={200} value={title} set={setTitle} />
        <Button type="submit" disabled={busy || title.trim() === "" || title.trim() === chat.title}>
          Rename
        </Button>
      </Form>
      {session.host === null && <Usage chat={chat.id} />}
      <section>
        <SectionHeading>Export</SectionHeading>
        <p className="mb-2 text-soft">
          With messages, tool calls, questions, answers and grants. The JSON also has rewound messages, marked as such.
        </p>
        <div className="flex flex-wrap gap-2">
          <Button disabled={busy} onClick={() => save("markdown")}>
            <Download size={15} aria-hidden="true" /> Markdown
          </Button>
          <Button disabled={busy} onClick={() => save("json")}>
            <Download size={15} aria-hidden="true" /> JSON
          </Button>
        </div>
      </section>
      <section>
        <SectionHeading>Archive</SectionHeading>
        <p className="mb-2 text-soft">
          {chat.archivedAt === null
            ? "An archived chat is no longer in the sidebar. Nothing in it stops: its questions still come to the inbox."
            : "This chat is archived: it is not in the sidebar."}
        </p>
        <Button disabled={busy} onClick={() => void during(() => daemon.changeChat(chat.id, { archived: chat.archivedAt === null }))}>
          {chat.archivedAt === null ? (
            <>
              <Archive size={15} aria-hidden="true" /> Archive
            </>
          ) : (
            <>
              <ArchiveRestore size={15} aria-hidden="true" /> Restore
            </>
          )}
        </Button>
      </section>
      <section>
        <SectionHeading>Delete</SectionHeading>
        {isTheirs ? (
          <p className="text-soft">Another program's agent still uses this chat. End its session before you delete it.</p>
        ) : sure ? (
          <div className="grid gap-2">
            <p>{deletionWords}</p>
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => setSure(false)}>Keep it</Button>
              <Button
                weight="danger"
                disabled={busy}
                onClick={() =>
                  void during(async () => {
                    await daemon.deleteChat(chat.id);
                    close();
                  })
                }
              >
                <Trash2 size={15} aria-hidden="true" /> Delete for good
              </Button>
            </div>
          </div>
        ) : (
          <Button weight="danger" onClick={() => setSure(true)}>
            <Trash2 size={15} aria-hidden="true" /> Delete this chat…
          </Button>
        )}
      </section>
    </div>
  );
}

function Usage({ chat }: { readonly chat: string }) {
  const { answer: usage } = useAnswer(routes.chatUsage, { id: chat });
  return (
    <section>
      <SectionHeading>Tokens and cost</SectionHeading>
      {usage !== null && usageLines(usage).map((line) => <p key={line}>{line}.</p>)}
    </section>
  );
}
