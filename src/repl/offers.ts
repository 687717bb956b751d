// Completes commands and paths while a person types: commands at once, paths looked up shortly after the last key. Arrows choose, Tab accepts,
// and Enter where the offer is meant.

import { show } from "../core/path/show.ts";
import { commandsLike, isMeant, pathBefore } from "../slash/completing.ts";
import { routes } from "../wire/http.ts";
import type { Board } from "./chat-board.ts";
import type { OpenedChat } from "./chat-view.ts";
import { cutEnd, cutMiddle } from "./columns.ts";
import { type EditedInput, editOf } from "./editing.ts";
import type { Key } from "./keys.ts";
import { type Line, line } from "./lines.ts";

export interface Offers {
  readonly all: readonly { readonly text: string; readonly says: string }[];
  readonly chosen: number;
  /** Has the person moved to it? */
  readonly isPicked: boolean;
}

export interface Offering {
  /** Was the key one for what is offered? Then it is done. */
  pressed(key: Key): boolean;
  /** What is written has changed: what was offered no longer fits, and something else may. */
  look(): void;
}

/** As many are shown. */
const SHOWN = 6;
/** Milliseconds without a key before a path is looked for. */
const QUIET = 100;

export function createOffering(board: Board): Offering {
  let timer: NodeJS.Timeout | undefined;
  let pendingLookup = new AbortController();

  const stop = (): void => {
    clearTimeout(timer);
    pendingLookup.abort();
    if (board.state.offers !== null) board.keep({ offers: null });
  };
  const offerPaths = async ({ app, chat }: OpenedChat, prefix: string, signal: AbortSignal): Promise<void> => {
    const found = await app.client.send(routes.complete, { id: chat.session, query: { prefix }, signal }).catch(() => []);
    // Whole already: there is nothing to add.
    const paths = found.filter((path) => path !== prefix).slice(0, SHOWN);
    if (!signal.aborted && paths.length > 0)
      board.change({ offers: { all: paths.map((path) => ({ text: path, says: "" })), chosen: 0, isPicked: false } });
  };
  return {
    pressed(key) {
      const { offers, composer } = board.state;
      if (offers === null || key.type !== "key") return false;
      const { all, chosen, isPicked } = offers;
      const { text, at } = composer.edited;
      const offer = { text: all[chosen]?.text ?? "", from: placeOf(composer.edited) };
      if (key.name === "up" || key.name === "down")
        board.keep({ offers: { all, chosen: (chosen + (key.name === "down" ? 1 : all.length - 1)) % all.length, isPicked: true } });
      else if (key.name === "tab" || (key.name === "enter" && isMeant(offer, { text, caret: at, isPicked }))) {
        board.keep({ composer: { ...composer, edited: withOffer(composer.edited, offer.text) } });
        this.look();
      } else if (key.name === "escape") stop();
      else return false;
      return true;
    },

    look() {
      stop();
      const { composer, opened } = board.state;
      const { text, at } = composer.edited;
      const commands = at === text.length ? commandsLike(text) : [];
      if (commands.length > 0 && commands.every(({ name }) => name !== text))
        board.keep({
          offers: {
            all: commands.map(({ name, takes, says }) => ({ text: name, says: `${takes} ${says}`.trim() })),
            chosen: 0,
            isPicked: false,
          },
        });
      const prefix = pathBefore(text, at)?.prefix;
      if (opened === null || prefix === undefined) return;
      const { signal } = (pendingLookup = new AbortController());
      timer = setTimeout(() => void offerPaths(opened, prefix, signal), QUIET);
      timer.unref();
    },
  };
}

/** Where an offer begins: a command at the start, a path where the word before the cursor does. */
const placeOf = ({ text, at }: EditedInput): number => (commandsLike(text).length > 0 ? 0 : (pathBefore(text, at)?.from ?? at));

/** An offer in place of what was begun. What a command takes is typed behind a space. */
function withOffer(edited: EditedInput, offered: string): EditedInput {
  if (commandsLike(edited.text).length > 0) return editOf(`${offered} `);
  const { text, at } = edited;
  const from = placeOf(edited);
  return { text: text.slice(0, from) + offered + text.slice(at), at: from + offered.length };
}

export function offerLines(offers: Offers | null, width: number): readonly Line[] {
  if (offers === null) return [];
  const { all, chosen } = offers;
  const first = Math.max(0, chosen - SHOWN + 1);
  const names = all.map(({ text }) => text.length);
  const lines = all.slice(first, first + SHOWN).map(({ text, says }, at) => {
    const whole = says === "" ? cutMiddle(show(text), width - 2) : cutEnd(`${text.padEnd(Math.max(...names))}  ${says}`, width - 2);
    return line(`  ${whole}`, first + at === chosen ? "chosen" : "plain");
  });
  const more = all.length > SHOWN ? ` · ${chosen + 1} of ${all.length}` : "";
  return [...lines, line(`  Tab takes it · ↑ ↓ choose · Esc closes${more}`, "dim")];
}
