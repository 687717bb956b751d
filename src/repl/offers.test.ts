import { expect, test } from "vitest";
import { slashCommands } from "../slash/slash-commands.ts";
import { createBoard } from "./chat-board.ts";
import { editOf } from "./editing.ts";
import type { KeyName } from "./keys.ts";
import { textOf } from "./lines.ts";
import { createOffering, offerLines } from "./offers.ts";
import type { Screen } from "./screen.ts";

const screen: Screen = {
  size: () => ({ width: 80, rows: 24 }),
  draw: () => {},
  onResize: () => {},
  refresh: () => {},
  signal: () => {},
  suspend: async () => {},
  close: () => {},
};

/** A chat in which this is typed, and what the keys do to it. */
function typing(text: string) {
  const board = createBoard(screen, () => 0, "/ws", null);
  const offering = createOffering(board);
  board.keep({ composer: { ...board.state.composer, edited: editOf(text) } });
  offering.look();
  const press = (...names: readonly KeyName[]): readonly boolean[] => names.map((name) => offering.pressed({ type: "key", name }));
  const shown = (): readonly string[] => offerLines(board.state.offers, 80).map(textOf);
  return { press, shown, text: () => board.state.composer.edited.text };
}

test("commands are offered as soon as a slash is typed, with what they do; Tab takes one, and a space for what follows", () => {
  const { press, shown, text } = typing("/ren");
  expect(shown()).toEqual(["  /rename  TITLE give this chat another name", "  Tab takes it · ↑ ↓ choose · Esc closes"]);
  expect(press("tab")).toEqual([true]);
  expect(text()).toBe("/rename ");
  expect(shown()).toEqual([]);
});

test("the list moves with what is chosen, and says how many there are", () => {
  const { press, shown } = typing("/");
  expect(shown().at(-1)).toContain(`1 of ${slashCommands.length}`);
  press("up");
  expect(shown().at(-2)).toContain(slashCommands.at(-1)?.name ?? "?");
  press("escape");
  expect(shown()).toEqual([]);
});

test("Enter takes a command that was begun, and sends one that is typed in full", () => {
  const begun = typing("/comp");
  expect(begun.press("enter")).toEqual([true]);
  expect(begun.text()).toBe("/compact ");
  expect(typing("/help").press("enter")).toEqual([false]);
});

test.each(["/zzz", "/etc/hosts", "rename", "read /comp", ""])("%s offers no command", (text) => {
  const { press, shown } = typing(text);
  expect(shown()).toEqual([]);
  expect(press("tab", "enter", "up")).toEqual([false, false, false]);
});
