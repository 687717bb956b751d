// Renders a chat as lines, from its state and the size of the window. While a card is shown, only the card is live.

import { show } from "../core/path/show.ts";
import { delayWords } from "../wire/delay-words.ts";
import { retryWords } from "../wire/words.ts";
import type { AppConnection } from "../wire/connection.ts";
import type { WireChat } from "../wire/values.ts";
import { type CardPicture, cardOf } from "./card.ts";
import { columns, cutMiddle } from "./columns.ts";
import { type Composer, composerLines, emptyComposer } from "./composer.ts";
import { type TerminalConversation, emptyConversation, isSettled } from "./conversation.ts";
import { entryLines } from "./entry-lines.ts";
import { type Line, line, span } from "./lines.ts";
import { offerLines, type Offers } from "./offers.ts";
import type { SettledBlock, Size, View } from "./picture.ts";
import type { Selector } from "./selector.ts";

/** A chat, and the connection to the app it runs in. */
export interface OpenedChat {
  readonly app: AppConnection;
  readonly chat: WireChat;
  /** `provider/model` of chats that name none, for people. */
  readonly model: string;
  /** Something a person should know about where this runs, or null. */
  readonly remark: string | null;
}

export interface ChatState {
  /** Where it works, as people write it. */
  readonly workspace: string;
  /** Null until the chat is open. */
  readonly opened: OpenedChat | null;
  readonly conversation: TerminalConversation;
  readonly composer: Composer;
  /** Commands or paths that fit what is being written; null where none is offered. */
  readonly offers: Offers | null;
  readonly selector: Selector | null;
  /** Typed while the agent was at work: sent when it is done. */
  readonly queued: readonly string[];
  /** How many asks wait, the selector's among them. */
  readonly waiting: number;
  /** How many entries were settled when the card appeared: no more are until it is gone. */
  readonly frozenCount: number | null;
  /** Since when something runs; null while nothing does. */
  readonly busySince: number | null;
  /** One line above where the person writes. */
  readonly notice: string | null;
  readonly connected: boolean;
  /** The last screen: only the conversation. */
  readonly leaving: boolean;
}

/** The state before anything but the workspace is known. */
export const startingChat = (workspace: string, first: string | null): ChatState => ({
  workspace,
  opened: null,
  conversation: emptyConversation,
  composer: emptyComposer,
  offers: null,
  selector: null,
  queued: first === null ? [] : [first],
  waiting: 0,
  frozenCount: null,
  busySince: null,
  notice: null,
  connected: false,
  leaving: false,
});

const revokeHint = (grant: string): string => `/revoke ${grant.slice(0, 8)}`;

export function chatView(state: ChatState, size: Size, now: number): View & { readonly card: CardPicture | null } {
  const { entries } = state.conversation;
  const passed = state.frozenCount ?? settledCount(state.conversation);
  const settled: SettledBlock[] = [
    { id: "header", lines: (width) => [line(header(state.workspace, width), "dim")] },
    ...entries.slice(0, passed).map((entry): SettledBlock => ({ id: entry.id, lines: (width) => entryLines(entry, width, revokeHint) })),
  ];
  if (state.leaving) return { settled, live: [], card: null };
  if (state.selector !== null) {
    const card = selectorCard(state.selector, state.waiting, size, now);
    return { settled, live: card.lines, card };
  }
  const bottom = [
    ...statusLines(state, size.width, now),
    ...composerLines(state.composer, { width: size.width, rows: 8, hint: HINT }),
    ...offerLines(state.offers, size.width),
    footer(state, size.width),
  ];
  const room = Math.max(1, size.rows - bottom.length - 2);
  const live = entries
    .slice(passed)
    .flatMap((entry) => (isSettled(entry) || entry.kind !== "ask" ? entryLines(entry, size.width, revokeHint) : []));
  return { settled, live: [...live.slice(-room), line(""), ...bottom], card: null };
}

const HINT = "write to the agent; /help for commands";

/** The first line. Where there is little room the workspace is cut, then the explanation goes. */
function header(workspace: string, width: number): string {
  const where = show(workspace);
  const titleWith = (tail: string): string => {
    const room = width - columns(`hallpass chat ·  · ${tail}`);
    return room < Math.min(columns(where), LEAST_WORKSPACE) ? "" : `hallpass chat · ${cutMiddle(where, room)} · ${tail}`;
  };
  return titleWith("it asks before it reads elsewhere · /help") || titleWith("/help") || "hallpass chat";
}

const LEAST_WORKSPACE = 12;

/** The number of settled entries: all up to the first that may still change. */
export function settledCount({ entries }: TerminalConversation): number {
  const first = entries.findIndex((entry) => !isSettled(entry));
  return first === -1 ? entries.length : first;
}

export function selectorCard(selector: Selector, waiting: number, { width, rows }: Size, now: number): CardPicture {
  const { ask, options, chosen, inertUntil, writing, message, sending } = selector;
  return cardOf(
    ask,
    {
      options,
      chosen,
      inert: now < inertUntil,
      writing: writing === null ? null : { as: writing.as, text: writing.edited.text },
      message: sending ? "sending…" : message,
      place: { at: 0, of: waiting },
    },
    { width, rows: rows - 2 },
  );
}

function statusLines(
  { notice, busySince, connected, opened, queued, conversation: { retry, delay } }: ChatState,
  width: number,
  now: number,
): readonly Line[] {
  const lines: Line[] = queued.slice(-3).map((text) => line(cutMiddle(`› ${show(text)} · queued`, width), "dim"));
  if (notice !== null) lines.push(line(cutMiddle(notice, width), "yellow"));
  if (opened !== null && !connected) lines.push(line("connecting…", "yellow"));
  if (busySince !== null) {
    const seconds = Math.floor((now - busySince) / 1000);
    const plain = delay !== undefined && delay !== null ? delayWords(delay) : `working${seconds > 0 ? ` ${seconds} s` : ""}`;
    const doing = retry === undefined || retry === null ? plain : retryWords(retry.kind, retry.until, now);
    lines.push(line(cutMiddle(`… ${doing} · Ctrl-C stops`, width), "yellow"));
  }
  return lines;
}

function footer({ opened, conversation: { chat, session } }: ChatState, width: number): Line {
  if (opened === null || session === null) return line("starting…", "dim");
  const roots = session.allowed_read_paths.length;
  const parts = [
    ...(session.mounts.length > 0 ? [`${session.mounts.length} mounted`] : []),
    ...(roots > 0 ? [`${roots} granted`] : []),
    show(chat?.model ?? opened.model),
    session.asking === "by-guard" ? "asks automatically" : "the agent asks",
    opened.app.where === "daemon" ? "daemon" : "this process",
  ].join(" · ");
  // The workspace gives way first: it is in the first line too.
  const workspace = cutMiddle(show(session.workspace), Math.max(8, width - columns(parts) - 3));
  return [span(cutMiddle(`${workspace} · ${parts}`, width), "dim")];
}
