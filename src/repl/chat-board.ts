// Holds the state of a chat and redraws the screen when the state changes.

import { type ChatState, chatView, startingChat } from "./chat-view.ts";
import { type ConversationEntry, withNote } from "./conversation.ts";
import type { Screen } from "./screen.ts";

export interface Board {
  readonly state: ChatState;
  /** Is everything on the card that a yes needs, as it was last drawn? */
  readonly whole: boolean;
  /** Take it over, and draw. */
  change(to: Partial<ChatState>): void;
  /** Take it over; somebody draws right after. */
  keep(to: Partial<ChatState>): void;
  draw(): void;
  /** A line of the program's own in the transcript. */
  note(text: string, tone?: Extract<ConversationEntry, { kind: "note" }>["tone"]): void;
}

export function createBoard(screen: Screen, clock: () => number, workspace: string, first: string | null): Board {
  let state = startingChat(workspace, first);
  let whole = false;
  let notes = 0;
  const draw = (): void => {
    const view = chatView(state, screen.size(), clock());
    whole = view.card?.whole ?? false;
    screen.draw(view);
  };
  const keep = (to: Partial<ChatState>): void => {
    state = { ...state, ...to };
  };
  const change = (to: Partial<ChatState>): void => {
    keep(to);
    draw();
  };
  screen.onResize(draw);
  return {
    get state() {
      return state;
    },
    get whole() {
      return whole;
    },
    change,
    keep,
    draw,
    note(text, tone = "plain") {
      if (text !== "") change({ conversation: withNote(state.conversation, `note:${notes++}`, text, tone) });
    },
  };
}
