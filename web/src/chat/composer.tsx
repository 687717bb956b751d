// Where a person types. Enter sends, Shift+Enter is a new line; a slash offers commands, a path offers what is in scope. While an ask
// is open the composer keeps its text and its keys: nothing typed here answers a card, but Escape.

import { clsx } from "clsx";
import ImagePlus from "lucide-react/icons/image-plus";
import Send from "lucide-react/icons/send";
import Square from "lucide-react/icons/square";
import X from "lucide-react/icons/x";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { messageOf } from "../../../src/core/record.ts";
import { show } from "../../../src/core/path/show.ts";
import { readSlash } from "../../../src/slash/slash-commands.ts";
import { pictureLimits } from "../../../src/wire/chat-routes.ts";
import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { Form } from "../parts/field.tsx";
import { IconButton } from "../parts/icon-button.tsx";
import { Problem } from "../parts/note.tsx";
import { useDebounced } from "../parts/use-answer.ts";
import { useFirstFocus } from "../parts/use-first-focus.ts";
import { commandsLike, isMeant, pathBefore } from "../../../src/slash/completing.ts";
import { keepDraft, readDraft, recall } from "./drafts.ts";
import { type ReadyPicture, readPicture } from "./pictures.ts";

export interface ComposerProps {
  readonly session: string;
  /** Null before the first message. */
  readonly chat: string | null;
  readonly running: boolean;
  readonly waiting: boolean;
  /** The person's messages in this chat, oldest first. */
  readonly history: readonly string[];
  /** `pictures`: in base64. False where it was not sent. */
  readonly send: (text: string, pictures: readonly string[]) => Promise<boolean>;
  readonly stop: () => void;
}

/** Above the caret there is nothing more to go up to. */
const isFirstLine = ({ currentTarget: { value, selectionStart } }: KeyboardEvent<HTMLTextAreaElement>): boolean =>
  !value.slice(0, selectionStart).includes("\n");

interface Offer {
  readonly text: string;
  readonly says: string;
  /** Where in the text it is put. */
  readonly from: number;
}

export function Composer({ session, chat, running, waiting, history, send, stop }: ComposerProps) {
  const { client } = useApp();
  const field = useRef<HTMLTextAreaElement>(null);
  const draftOf = chat ?? session;
  const [text, setText] = useState(() => readDraft(localStorage, draftOf));
  /** The position in the history, and the text being typed. */
  const [back, setBack] = useState<{ readonly at: number; readonly own: string }>({ at: -1, own: "" });
  const [caret, setCaret] = useState(0);
  const [paths, setPaths] = useState<readonly string[]>([]);
  const [chosen, setChosen] = useState(0);
  /** Was one of the offers chosen by the arrow keys? */
  const [isPicked, setPicked] = useState(false);
  const [shut, setShut] = useState(false);
  /** The last that was sent, and how many are on their way: one goes after the other. */
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const [sending, setSending] = useState(0);
  // The first word makes the chat that the next one goes to.
  const isStarting = chat === null && sending > 0;
  const [pictures, setPictures] = useState<readonly ReadyPicture[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [over, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const path = pathBefore(text, caret);
  const prefix = path?.prefix ?? null;

  useEffect(() => keepDraft(localStorage, draftOf, text), [draftOf, text]);
  useFirstFocus(field, chat);
  const complete = async (signal: AbortSignal): Promise<void> => {
    const found = prefix === null ? [] : await client.send(routes.complete, { id: session, query: { prefix }, signal }).catch(() => []);
    if (!signal.aborted) setPaths(found.slice(0, 8));
  };
  useDebounced(120, complete, [client, session, prefix]);

  const offers: readonly Offer[] = shut
    ? []
    : [
        ...commandsLike(text).map(({ name, takes, says }) => ({ text: name, says: `${takes} ${says}`.trim(), from: 0 })),
        ...(path === null ? [] : paths.map((one) => ({ text: one, says: "", from: path.from }))),
      ];
  const at = Math.min(chosen, Math.max(0, offers.length - 1));
  const take = (offer: Offer): void => {
    const next = `${text.slice(0, offer.from)}${offer.text}${text.slice(caret)}`;
    setText(offer.text.startsWith("/") && offer.from === 0 && commandsLike(offer.text).length > 0 ? `${offer.text} ` : next);
    setChosen(0);
    setPicked(false);
    setPaths([]);
    const place = offer.from + offer.text.length;
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(place, place);
      setCaret(place);
    });
  };
  const addPictures = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0) return;
    const read = await Promise.allSettled(files.map(readPicture));
    const ready = read.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const failed = read.flatMap((one) => (one.status === "rejected" ? [messageOf(one.reason)] : []));
    const room = Math.max(0, pictureLimits.count - pictures.length);
    const tooMany = ready.length > room ? [`a message can have at most ${pictureLimits.count} pictures`] : [];
    setProblem([...failed, ...tooMany].join("; ") || null);
    setPictures((before) => [...before, ...ready].slice(0, pictureLimits.count));
    field.current?.focus();
  };
  const submit = async (): Promise<void> => {
    if (text.trim() === "" || isStarting) return;
    setSending((many) => many + 1);
    setProblem(null);
    const sentPictures = readSlash(text) === null ? pictures : [];
    // Gone from the field at once, so that a card that comes before the daemon's answer may take the focus; back again if it was not sent.
    setText("");
    setPictures((before) => before.filter((one) => !sentPictures.includes(one)));
    const before = last.current;
    const work = async (): Promise<void> => {
      await before.catch(() => undefined);
      try {
        const base64 = sentPictures.map((one) => one.base64);
        if (await send(text, base64)) return;
        setText((since) => (since === "" ? text : since));
        setPictures((since) => [...sentPictures, ...since].slice(0, pictureLimits.count));
      } finally {
        setSending((many) => many - 1);
      }
    };
    last.current = work();
    await last.current;
  };
  const handleKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const offer = offers[at];
    if (event.key === "Escape" && offers.length > 0) {
      event.preventDefault();
      setShut(true);
    } else if (offer !== undefined && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      setPicked(true);
      setChosen((at + (event.key === "ArrowDown" ? 1 : offers.length - 1)) % offers.length);
    } else if (
      offer !== undefined &&
      (event.key === "Tab" ||
        (event.key === "Enter" && !event.shiftKey && isMeant(offer, { text, caret: event.currentTarget.selectionStart, isPicked })))
    ) {
      event.preventDefault();
      take(offer);
    } else if ((event.key === "ArrowUp" && isFirstLine(event)) || (event.key === "ArrowDown" && back.at >= 0)) {
      const own = back.at === -1 ? text : back.own;
      const step = recall(history, back.at, event.key === "ArrowUp" ? 1 : -1, own);
      if (step === null) return;
      event.preventDefault();
      setBack({ at: step.at, own });
      setText(step.text);
      setShut(true);
    } else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void submit();
    }
  };
  return (
    <Form
      className="relative mx-auto w-full max-w-[50rem] px-4 pt-1 pb-3 sm:pb-4"
      submit={() => void submit()}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(false);
        void addPictures([...event.dataTransfer.files]);
      }}
    >
      {offers.length > 0 && (
        <ul
          id="offers"
          role="listbox"
          tabIndex={0}
          aria-label="Suggestions"
          className="absolute inset-x-4 bottom-full z-10 max-h-64 overflow-y-auto rounded-xl border border-line bg-surface p-1.5 shadow-lift"
        >
          {offers.map((offer, index) => (
            <li
              key={offer.text}
              id={`offer-${index}`}
              role="option"
              aria-selected={index === at}
              className={clsx("flex min-h-8 items-center gap-3 rounded-md px-2.5 text-sm", index === at && "bg-raised")}
              onPointerDown={(event) => {
                event.preventDefault();
                take(offer);
              }}
            >
              <code className="font-mono text-[0.86em]">{show(offer.text)}</code>
              <span className="truncate text-xs text-faint">{offer.says}</span>
            </li>
          ))}
        </ul>
      )}
      {pictures.length > 0 && (
        <ul aria-label="Pictures to send" className="flex flex-wrap gap-2 px-1 pb-2">
          {pictures.map(({ id, name, address }) => (
            <li key={id} className="relative">
              <img src={address} alt={show(name)} className="size-16 rounded-lg border border-line object-cover" />
              <IconButton
                label={`Remove ${show(name)}`}
                Icon={X}
                sign={13}
                weight="outline"
                className="absolute! -top-2 -right-2 size-7! rounded-full!"
                onClick={() => setPictures((before) => before.filter((one) => one.id !== id))}
              />
            </li>
          ))}
        </ul>
      )}
      <div aria-live="polite">
        <Problem text={problem === null ? null : show(problem)} />
      </div>
      <div
        className={clsx(
          "flex items-end gap-2 rounded-2xl border bg-surface p-2 focus-within:border-accent",
          over ? "border-accent" : "border-line-strong",
        )}
      >
        <input
          ref={chooser}
          type="file"
          accept="image/png,image/jpeg,image/webp,image/gif"
          multiple
          hidden
          aria-label="Pictures"
          onChange={({ target }) => {
            void addPictures([...(target.files ?? [])]);
            target.value = "";
          }}
        />
        <IconButton label="Add a picture" Icon={ImagePlus} sign={17} className="shrink-0" onClick={() => chooser.current?.click()} />
        <textarea
          ref={field}
          rows={1}
          value={text}
          aria-label="Message to the agent"
          aria-controls={offers.length > 0 ? "offers" : undefined}
          aria-activedescendant={offers.length > 0 ? `offer-${at}` : undefined}
          aria-haspopup="listbox"
          aria-autocomplete="list"
          placeholder={
            waiting ? "Answer on the card" : pictures.length > 0 ? "Say what to do with it" : "Ask the agent, or type / for commands"
          }
          className="field-sizing-content max-h-48 min-h-9 min-w-0 grow resize-none bg-transparent px-2 py-1.5 outline-none"
          onChange={({ target }) => {
            setText(target.value);
            setBack({ at: -1, own: "" });
            setCaret(target.selectionStart);
            setShut(false);
            setChosen(0);
            setPicked(false);
          }}
          onPaste={(event) => {
            // A spreadsheet gives its cells as a picture too: where there is text, that is meant.
            const files = [...event.clipboardData.files];
            if (files.length === 0 || event.clipboardData.types.includes("text/plain")) return;
            event.preventDefault();
            void addPictures(files);
          }}
          onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
          onKeyDown={handleKey}
        />
        {running && (
          <Button weight="outline" size="small" className="min-h-9! shrink-0" onClick={stop}>
            <Square size={13} aria-hidden="true" /> <span className="max-sm:sr-only">Stop</span>
          </Button>
        )}
        <IconButton
          label="Send"
          Icon={Send}
          type="submit"
          weight="solid"
          className="shrink-0"
          disabled={isStarting || text.trim() === ""}
        />
      </div>
      {waiting && text.trim() !== "" && <p className="px-2 pt-1 text-xs text-soft">Sending this withdraws the question on the card.</p>}
    </Form>
  );
}
