// The chat: keys and frames in, pictures and calls out. Drawing begins before the chat is open, so that the first picture is there at once.

import type { ReadStream } from "node:tty";
import type { Frame } from "../wire/frames.ts";
import { createBoard } from "./chat-board.ts";
import { createChatCard } from "./chat-card.ts";
import { createMessageQueue } from "./message-queue.ts";
import type { OpenedChat } from "./chat-view.ts";
import { compose } from "./composer.ts";
import { withFrame } from "./conversation.ts";
import { createFamily } from "./family.ts";
import { type Key, type KeyName, readKeys } from "./keys.ts";
import { notification } from "./notify.ts";
import type { Screen } from "./screen.ts";
import { createOffering } from "./offers.ts";

export interface ChatPlan {
  readonly workspace: string;
  /** Sent at once, as if typed. */
  readonly first: string | null;
  /** Opens the chat to show: a new one, or one to go on with. */
  readonly open: () => Promise<OpenedChat>;
  readonly absolute: (path: string) => string;
  /** Writes a file where the person works; gives its path. */
  readonly save: (name: string, lines: AsyncIterable<string>) => Promise<string>;
}

export interface ChatPorts {
  readonly input: ReadStream;
  /** Open already: the first picture does not wait for the rest of the program. */
  readonly screen: Screen;
  readonly clock: () => number;
  /** Calls `leave` when the process is told to end. Returns a function that stops listening. */
  readonly onEnd: (leave: () => void) => () => void;
  /** Stops the process, as Ctrl-Z does, until somebody continues it. */
  readonly stop: () => void;
}

/** Runs until the person leaves, and closes the connection then. Gives the chat, null where they left before it was open. Rejects where none could be opened. */
export async function runChat(ports: ChatPorts, plan: ChatPlan): Promise<OpenedChat | null> {
  const { screen, clock } = ports;
  let leave: () => void = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const board = createBoard(screen, clock, plan.workspace, plan.first);
  const queue = createMessageQueue(board, { clock, absolute: plan.absolute, save: plan.save, leave });
  const offering = createOffering(board);
  const card = createChatCard(board, {
    clock,
    call: () => screen.signal(notification("an agent is waiting for an answer")),
    answered: (ask) => take({ type: "ask_settled", cursor: "", chat: ask.chat, ask }),
  });

  function take(frame: Frame): void {
    const { composer } = board.state;
    const conversation = withFrame(board.state.conversation, frame);
    const history = frame.type === "snapshot" && composer.history.length === 0 ? historyOf(frame) : composer.history;
    board.keep({ conversation, composer: { ...composer, history }, busySince: queue.busySince(frame, conversation) });
    card.settle();
    void queue.next();
  }

  const suspend = async (): Promise<void> => {
    await screen.suspend(ports.stop);
    // Whoever comes back to a card looks at it anew.
    pressed([{ type: "key", name: "focus" }]);
  };
  function pressed(keys: readonly Key[]): void {
    if (keys.some((key) => isKey(key, "interrupt"))) return void queue.interrupt();
    if (keys.some((key) => isKey(key, "suspend"))) return void suspend();
    if (keys.some((key) => isKey(key, "redraw"))) return screen.refresh();
    if (card.pressed(keys)) return;
    for (const key of keys) {
      if (isKey(key, "end-of-input") && board.state.composer.edited.text === "") return leave();
      if (offering.pressed(key)) continue;
      const before = board.state.composer.edited;
      const { composer, text } = compose(board.state.composer, key);
      board.keep({ composer });
      if (composer.edited !== before || text !== null) offering.look();
      if (text !== null) void queue.submit(text);
    }
    board.draw();
  }

  board.draw();
  const stopKeys = readKeys(ports.input, pressed);
  const stopEnd = ports.onEnd(leave);
  const ticking = setInterval(() => {
    if (board.state.busySince !== null && board.state.selector === null) board.draw();
  }, 1000);
  const listening: { close(): void }[] = [];
  try {
    const opening = open();
    await Promise.race([left, opening.then(() => left)]);
    return board.state.opened;
  } finally {
    clearInterval(ticking);
    stopKeys();
    stopEnd();
    for (const one of listening) one.close();
    board.change({ leaving: true });
    screen.close();
    await board.state.opened?.app.close();
  }

  async function open(): Promise<void> {
    const opened = await plan.open();
    const { app, chat, remark } = opened;
    if (board.state.leaving) return app.close();
    board.change({ opened });
    if (remark !== null) board.note(remark, "dim");
    const connection = (now: "live" | "lost"): void => board.change({ connected: now === "live" });
    listening.push(app.subscribe({ chats: [chat.id], frame: take, connection }));
    // Agents below this one ask in chats of their own; their cards are put up here too.
    listening.push(app.subscribe({ chats: "all", frame: createFamily(app.client, chat.session, take), connection: () => {} }));
    void queue.next();
  }
}

const isKey = (key: Key, name: KeyName): boolean => key.type === "key" && key.name === name;

const historyOf = (frame: Extract<Frame, { type: "snapshot" }>): readonly string[] =>
  frame.messages.flatMap((message) => (message.role === "person" ? [message.text] : []));
