// What a person says in a chat: sent off when nothing runs and nobody is asked, queued until then, given back when they stop it. Commands
// are their own acts, and are never said to the agent.

import type { SlashPorts } from "../slash/slash-commands.ts";
import type { Frame } from "../wire/frames.ts";
import { routes } from "../wire/http.ts";
import { sentence } from "./answering.ts";
import type { Board } from "./chat-board.ts";
import { commandOf } from "./commands.ts";
import { emptyComposer, submitted } from "./composer.ts";
import type { TerminalConversation } from "./conversation.ts";
import { editOf } from "./editing.ts";

export interface MessageQueue {
  /** Something was written and sent off. */
  submit(text: string): Promise<void>;
  /** Say the next of what is queued, if it may be said now. */
  next(): Promise<void>;
  /** Ctrl-C: stop what runs; soon after another one, leave. */
  interrupt(): Promise<void>;
  /** Since when something runs, now that this frame has come; null while nothing does. */
  busySince(frame: Frame, conversation: TerminalConversation): number | null;
}

export interface MessageQueuePorts {
  readonly clock: () => number;
  readonly absolute: (path: string) => string;
  readonly save: SlashPorts["save"];
  readonly leave: () => void;
}

/** How soon a second Ctrl-C leaves. */
const TWICE = 2000;

export function createMessageQueue(board: Board, { clock, absolute, save, leave }: MessageQueuePorts): MessageQueue {
  /** Something was said, and the chat has not begun to run on it yet. */
  let isAwaitingRun = false;
  let interrupted = Number.NEGATIVE_INFINITY;

  const isAtWork = (): boolean => {
    const { busySince, selector, conversation } = board.state;
    return busySince !== null || selector !== null || conversation.status === "running" || conversation.status === "waiting_for_input";
  };

  // A new message would close the question that is open: it waits until that is answered.
  const next = async (): Promise<void> => {
    const [text, ...queued] = board.state.queued;
    const { opened } = board.state;
    if (text === undefined || opened === null || isAtWork()) return;
    isAwaitingRun = true;
    board.change({ queued, busySince: clock(), notice: null });
    try {
      await opened.app.client.send(routes.say, { id: opened.chat.id, body: { text } });
    } catch (error) {
      isAwaitingRun = false;
      board.change({ busySince: null });
      board.note(sentence(error), "bad");
    }
  };

  const runSlashCommand = async (text: string, command: NonNullable<ReturnType<typeof commandOf>>): Promise<void> => {
    board.note(`› ${text.replaceAll("\n", " ")}`, "dim");
    const { opened, conversation } = board.state;
    const { session } = conversation;
    try {
      const answer = await command(
        opened === null || session === null
          ? null
          : { client: opened.app.client, session, chat: conversation.chat?.id ?? null, absolute, save, changed: () => {} },
      );
      if (answer.leave === true) return leave();
      if (answer.text !== "") board.note(answer.text, answer.tone);
    } catch (error) {
      board.note(sentence(error), "bad");
    }
  };

  return {
    next,
    async submit(text) {
      board.change({ composer: submitted(board.state.composer, text), notice: null });
      const command = commandOf(text);
      if (command !== null) return runSlashCommand(text, command);
      board.change({ queued: [...board.state.queued, text] });
      return next();
    },

    async interrupt() {
      const now = clock();
      if (now - interrupted < TWICE) return leave();
      interrupted = now;
      const works = isAtWork();
      const { queued, composer, opened } = board.state;
      // What was not said yet is given back, to be changed or thrown away.
      const back = queued.length === 0 ? (works ? composer.edited : emptyComposer.edited) : editOf(queued.join("\n"));
      board.change({
        notice: works ? "stopped · Ctrl-C again quits" : "Ctrl-C again quits",
        queued: [],
        composer: { ...composer, edited: back },
      });
      setTimeout(() => board.change({ notice: null }), TWICE).unref();
      if (!works || opened === null) return;
      try {
        await opened.app.client.send(routes.cancel, { id: opened.chat.id });
        board.change({ busySince: null });
      } catch (error) {
        board.note(sentence(error), "bad");
      }
    },

    busySince(frame, { status }) {
      if (frame.type === "chat_status") isAwaitingRun = false;
      return isAwaitingRun || status === "running" ? (board.state.busySince ?? clock()) : null;
    },
  };
}
