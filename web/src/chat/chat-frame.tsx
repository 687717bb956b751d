// The frame of a conversation: header at the top, composer below, session beside it. Slash commands are run here.

import CirclePause from "lucide-react/icons/circle-pause";
import Ellipsis from "lucide-react/icons/ellipsis";
import PanelRight from "lucide-react/icons/panel-right";
import X from "lucide-react/icons/x";
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { programOf } from "../../../src/core/guard/card.ts";
import { messageOf } from "../../../src/core/record.ts";
import { readSlash, slashCommands, type SlashPorts } from "../../../src/slash/slash-commands.ts";
import type { WireChat, WireSession } from "../../../src/wire/values.ts";
import { useApp, useStored } from "../app-context.ts";
import { MenuButton } from "../frame/menu-button.tsx";
import { useWide } from "../frame/use-wide.ts";
import { Button } from "../parts/button.tsx";
import { IconButton } from "../parts/icon-button.tsx";
import { Note } from "../parts/note.tsx";
import { saveFile } from "../parts/save-file.ts";
import { Sheet } from "../parts/sheet.tsx";
import { Shown, ShortPath } from "../parts/shown.tsx";
import type { WorkMessage } from "../parts/use-work.ts";
import { SessionPane } from "../session/session-pane.tsx";
import { scopeChip } from "../words/counts.ts";
import { endedWords } from "../words/ended.ts";
import { rootsOf } from "../xray/roots.ts";
import { XraySheet } from "../xray/xray-sheet.tsx";
import { Composer } from "./composer.tsx";
import { ModelButton } from "./model-button.tsx";
import { Failed, Working } from "./turn-status.tsx";

const ChatSheet = lazy(() => import("./chat-sheet.tsx").then(({ ChatSheet }) => ({ default: ChatSheet })));

export interface ChatFrameProps {
  readonly session: WireSession;
  /** Null before the first message. */
  readonly chat: WireChat | null;
  /** `pictures`: in base64. */
  readonly say: (text: string, pictures: readonly string[]) => Promise<void>;
  /** The model that a chat is begun with. */
  readonly draft?: { readonly model: string | null; readonly choose: (model: string | null) => void };
  /** The conversation; it may send something too. */
  readonly children: (send: (text: string) => Promise<boolean>) => ReactNode;
}

export function ChatFrame({ session, chat, say, draft, children }: ChatFrameProps) {
  const { daemon, client } = useApp();
  const [, goTo] = useLocation();
  const wide = useWide("(min-width: 80rem)");
  const why = useStored(({ why }) => why[chat?.id ?? ""]);
  const messages = useStored(({ conversations }) => conversations[chat?.id ?? ""]?.messages);
  const history = useMemo(() => (messages ?? []).flatMap((message) => (message.role === "person" ? [message.text] : [])), [messages]);
  const [pane, setPane] = useState(false);
  const [xray, setXray] = useState(false);
  const [about, setAbout] = useState(false);
  const [workNote, setWorkNote] = useState<WorkMessage | null>(null);
  const fail = (error: unknown): void => setWorkNote({ text: messageOf(error), bad: true });
  const status = chat?.status ?? "idle";
  const waiting = status === "waiting_for_input";
  const ours = session.host === null;
  const openXray = (): void => setXray(true);
  const draftModel = draft?.model ?? null;
  const changeModel = async (model: string | null): Promise<void> => {
    if (chat === null) draft?.choose(model);
    else await daemon.changeChat(chat.id, { model });
  };
  const open: SlashPorts["open"] = (what, path) => {
    if (what === "grants") setPane(true);
    else if (what === "scope") openXray();
    else if (what === "search") goTo(`/search/${encodeURIComponent(path)}`);
    else goTo(path === "" ? "/policy" : `/policy/${encodeURIComponent(path)}`);
  };

  const send = async (text: string, pictures: readonly string[] = []): Promise<boolean> => {
    const typed = readSlash(text);
    setWorkNote(null);
    try {
      if (typed === null) {
        await say(text.trim(), pictures);
        return true;
      }
      const command = slashCommands.find(({ name }) => name === typed.name);
      if (command === undefined) throw new Error(`unknown command ${typed.name}`);
      const answer = await command.run(typed.argument, {
        client,
        session,
        chat: chat?.id ?? null,
        absolute: (path) => path,
        changed: daemon.session,
        open,
        save: saveFile,
      });
      if (answer.text !== "") setWorkNote({ text: answer.text, bad: answer.tone === "bad" });
      return true;
    } catch (error) {
      fail(error);
      return false;
    }
  };

  const again = (message: string): void => {
    if (chat === null) return;
    setWorkNote(null);
    daemon.rewind(chat.id, message, null).catch(fail);
  };

  return (
    <>
      <main className="flex min-w-0 grow flex-col">
        <header className="flex min-h-14 items-center gap-2 border-b border-line bg-surface px-3 sm:px-4">
          <MenuButton />
          <div className="min-w-0 grow">
            <h1 className="truncate text-[0.95rem] leading-5 font-semibold">
              <Shown text={chat === null || chat.title === "" ? (session.label ?? "New chat") : chat.title} width={80} />
            </h1>
            <p className="truncate text-xs text-faint [&_wbr]:hidden">
              <ShortPath path={session.workspace} width={60} />
              {chat !== null && chat.archivedAt !== null && " · archived"}
              {!ours && (
                <>
                  {" · run by "}
                  <Shown text={programOf(session.host ?? "")} width={40} />
                </>
              )}
            </p>
          </div>
          {waiting && (
            <span className="inline-flex shrink-0 items-center gap-1.5 rounded-full bg-ask-ground px-2.5 py-1 text-xs font-semibold text-ask">
              <CirclePause size={14} aria-hidden="true" />
              <span>
                waiting<span className="max-sm:sr-only"> for you</span>
              </span>
            </span>
          )}
          {ours && <ModelButton model={chat === null ? draftModel : chat.model} change={changeModel} />}
          {chat !== null && (
            <IconButton
              label="This chat"
              title="Rename, export, archive or delete this chat"
              Icon={Ellipsis}
              onClick={() => setAbout(true)}
            />
          )}
          <Button
            size="small"
            className="shrink-0 whitespace-nowrap"
            aria-expanded={pane}
            onClick={() => setPane(!pane)}
            title="What this session may read and write"
          >
            <PanelRight size={14} aria-hidden="true" />
            <span className="max-sm:sr-only">{scopeChip(session.mounts.length + session.allowed_read_paths.length)}</span>
          </Button>
        </header>
        {children(send)}
        <div aria-live="polite" className="mx-auto w-full max-w-[50rem] px-4">
          {workNote !== null && (
            <Note kind={workNote.bad ? "problem" : "info"}>
              <span className="whitespace-pre-line">{workNote.text}</span>
            </Note>
          )}
          {status === "failed" && chat !== null && workNote === null && <Failed chat={chat} why={why ?? ""} again={again} />}
          {status === "running" && <Working chat={chat?.id ?? null} />}
        </div>
        {ours && status !== "archived" ? (
          <Composer
            session={session.id}
            chat={chat?.id ?? null}
            running={status === "running" || waiting}
            waiting={waiting}
            history={history}
            send={send}
            stop={() => {
              if (chat !== null) daemon.stop(chat.id).catch(fail);
            }}
          />
        ) : (
          <p className="px-4 pb-4 text-center text-xs text-faint">
            {status === "archived" ? endedWords(session) : "This agent runs in another program. Its questions appear here."}
          </p>
        )}
      </main>
      {pane && wide && (
        <aside aria-label="Session" className="w-96 shrink-0 overflow-y-auto border-l border-line bg-surface">
          <div className="flex min-h-14 items-center border-b border-line pr-2 pl-4">
            <h2 className="grow text-[0.95rem] font-semibold">Session</h2>
            <IconButton label="Close the session's pane" Icon={X} sign={17} onClick={() => setPane(false)} />
          </div>
          <SessionPane session={session} openXray={openXray} />
        </aside>
      )}
      {pane && !wide && (
        <Sheet open onOpenChange={setPane} title="Session" side="right">
          <SessionPane session={session} openXray={openXray} />
        </Sheet>
      )}
      {about && chat !== null && (
        <Sheet open onOpenChange={setAbout} title="This chat">
          <Suspense fallback={<p className="p-4 text-sm text-soft">One moment…</p>}>
            <ChatSheet chat={chat} session={session} close={() => setAbout(false)} />
          </Suspense>
        </Sheet>
      )}
      {xray && <XraySheet title="What can it see?" close={setXray} session={session.id} ask={null} roots={rootsOf(session)} />}
    </>
  );
}
