// Completes paths while a person types: looks them up shortly after the last key; arrows choose, Tab accepts.

import { show } from "../core/path/show.ts";
import { pathBefore } from "../slash/completing.ts";
import { routes } from "../wire/http.ts";
import type { Board } from "./chat-board.ts";
import type { OpenedChat } from "./chat-view.ts";
import { cutMiddle } from "./columns.ts";
import type { EditedInput } from "./editing.ts";
import type { Key } from "./keys.ts";
import { type Line, line } from "./lines.ts";

export interface PathOffers {
  readonly paths: readonly string[];
  readonly chosen: number;
}

export interface PathOffering {
  /** Was the key one for what is offered? Then it is done. */
  pressed(key: Key): boolean;
  /** What is written has changed: what was offered no longer fits, and something else may. */
  look(): void;
}

/** As many are shown. */
const SHOWN = 6;
/** Milliseconds without a key before anything is looked for. */
const QUIET = 100;

export function createPathOffering(board: Board): PathOffering {
  let timer: NodeJS.Timeout | undefined;
  let pendingLookup = new AbortController();

  const stop = (): void => {
    clearTimeout(timer);
    pendingLookup.abort();
    if (board.state.offers !== null) board.keep({ offers: null });
  };
  const offer = async ({ app, chat }: OpenedChat, prefix: string, signal: AbortSignal): Promise<void> => {
    const found = await app.client.send(routes.complete, { id: chat.session, query: { prefix }, signal }).catch(() => []);
    // Whole already: there is nothing to add.
    const paths = found.filter((path) => path !== prefix).slice(0, SHOWN);
    if (!signal.aborted && paths.length > 0) board.change({ offers: { paths, chosen: 0 } });
  };
  return {
    pressed(key) {
      const { offers, composer } = board.state;
      if (offers === null || key.type !== "key") return false;
      if (key.name === "up" || key.name === "down") {
        const { paths, chosen } = offers;
        board.keep({ offers: { paths, chosen: (chosen + (key.name === "down" ? 1 : paths.length - 1)) % paths.length } });
      } else if (key.name === "tab") {
        board.keep({ composer: { ...composer, edited: withPath(composer.edited, offers.paths[offers.chosen] ?? "") } });
        this.look();
      } else if (key.name === "escape") stop();
      else return false;
      return true;
    },

    look() {
      stop();
      const { composer, opened } = board.state;
      const prefix = pathBefore(composer.edited.text, composer.edited.at)?.prefix;
      if (opened === null || prefix === undefined) return;
      const { signal } = (pendingLookup = new AbortController());
      timer = setTimeout(() => void offer(opened, prefix, signal), QUIET);
      timer.unref();
    },
  };
}

/** The path in place of the word before the cursor. */
function withPath({ text, at }: EditedInput, path: string): EditedInput {
  const from = pathBefore(text, at)?.from ?? at;
  return { text: text.slice(0, from) + path + text.slice(at), at: from + path.length };
}

export function offerLines(offers: PathOffers | null, width: number): readonly Line[] {
  if (offers === null) return [];
  return [
    ...offers.paths.map((path, at) => line(`  ${cutMiddle(show(path), width - 2)}`, at === offers.chosen ? "chosen" : "plain")),
    line("  Tab takes it · ↑ ↓ choose · Esc closes", "dim"),
  ];
}
