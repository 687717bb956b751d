// The card of a chat: shown when an ask opens, removed when it is answered, here or elsewhere. While it is shown, only its keys work.

import type { Client } from "../wire/client.ts";
import type { AnswerBody } from "../wire/http.ts";
import type { WireAsk } from "../wire/values.ts";
import { sendAnswer } from "./answering.ts";
import type { Board } from "./chat-board.ts";
import { settledCount } from "./chat-view.ts";
import { openAsks } from "./conversation.ts";
import type { Key } from "./keys.ts";
import { markAppeared, INERT, openSelector, press } from "./selector.ts";

export interface ChatCard {
  /** Bring the card in line with the asks that are open. */
  settle(): void;
  /** Keys, if they are the card's; false where there is none. */
  pressed(keys: readonly Key[]): boolean;
}

export interface ChatCardPorts {
  readonly clock: () => number;
  /** Somebody waits who did not before. */
  readonly call: () => void;
  /** The ask as it is after an answer: settled by it or before it, or another card. */
  readonly answered: (ask: WireAsk) => void;
}

export function createChatCard(board: Board, { clock, call, answered }: ChatCardPorts): ChatCard {
  const send = async (client: Client, ask: WireAsk, answer: AnswerBody): Promise<void> => {
    const { ask: now, keptNote, message } = await sendAnswer(client, ask, answer);
    if (now !== null) answered(now);
    if (keptNote !== null) board.note(keptNote, "plain");
    const { selector } = board.state;
    if (message !== null && selector?.ask.id === ask.id) board.change({ selector: { ...selector, sending: false, message } });
  };
  return {
    settle() {
      const { selector, conversation } = board.state;
      const open = openAsks(conversation);
      const current = open.find(({ id }) => id === selector?.ask.id);
      if (selector !== null && current?.digest === selector.ask.digest) return board.change({ waiting: open.length });
      const next = current ?? open[0];
      if (next === undefined) return board.change({ selector: null, frozenCount: null, waiting: 0 });
      // What the card shows is new, so that it waits anew before anything on it counts.
      board.change({ selector: openSelector(next), frozenCount: settledCount(conversation), waiting: open.length });
      if (current === undefined) call();
      setImmediate(() => {
        const { selector: painted } = board.state;
        if (painted?.ask.id !== next.id) return;
        board.change({ selector: markAppeared(painted, clock()) });
        setTimeout(board.draw, INERT + 20);
      });
    },

    pressed(keys) {
      const { selector: before, opened } = board.state;
      if (before === null) return false;
      const { selector, answer } = press(before, keys, clock(), board.whole);
      if (selector.inertUntil > clock() && selector.inertUntil !== Number.POSITIVE_INFINITY) setTimeout(board.draw, INERT + 20);
      board.change({ selector });
      if (answer !== null && opened !== null) void send(opened.app.client, before.ask, answer);
      return true;
    },
  };
}
