import { describe, expect, test } from "vitest";
import type { WireAsk } from "../wire/values.ts";
import { askOf } from "../../test/ask-sample.ts";
import type { Key, KeyName } from "./keys.ts";
import { markAppeared, INERT, openSelector, press, type Selector } from "./selector.ts";

const key = (name: KeyName): Key => ({ type: "key", name });
const text = (typed: string): Key => ({ type: "text", text: typed });

/** A card that appeared at 0, and is asked about later. */
const shown = (ask: WireAsk = askOf({})): Selector => markAppeared(openSelector(ask), 0);
const LATER = INERT + 1;

describe("the selector", () => {
  test("nothing that grants is chosen beforehand, whatever is asked", () => {
    for (const ask of [askOf({}), askOf({ offers: "once", proposal: null }), askOf({ right: "write", offers: "once", proposal: null })]) {
      const { options, chosen } = shown(ask);
      expect(options[chosen]?.label).toBe("Deny");
      expect(options.filter(({ grants }) => grants).length).toBeGreaterThan(0);
    }
  });

  test("in the first half second only Esc counts", () => {
    for (const one of [key("enter"), text("1"), text("2"), text("3"), text("n")])
      expect(press(shown(), [one], INERT - 1, true).answer).toBeNull();
    expect(press(shown(), [key("escape")], 0, true).answer).toMatchObject({ decision: "deny" });
  });

  test("before it was painted only Esc counts, however long that takes", () => {
    const unseen = openSelector(askOf({}));
    expect(press(unseen, [text("1")], 1e12, true).answer).toBeNull();
    expect(press(unseen, [key("escape")], 0, true).answer).toMatchObject({ decision: "deny" });
  });

  test("afterwards a digit answers, and so does Enter", () => {
    expect(press(shown(), [text("1")], LATER, true).answer).toMatchObject({ decision: "allow", digest: "digest" });
    expect(press(shown(), [text("2")], LATER, true).answer).toMatchObject({ decision: "allow_once" });
    expect(press(shown(), [key("enter")], LATER, true).answer).toMatchObject({ decision: "deny" });
    const up = press(shown(), [key("up")], LATER, true).selector;
    expect(press(up, [key("enter")], LATER, true).answer).toMatchObject({ decision: "allow_once" });
  });

  test("several keys at once, a paste, and keys within half a second of them are no answer", () => {
    for (const burst of [
      [text("1"), key("enter")],
      [{ type: "paste", text: "1\r" }] as const,
      [text("11")],
      [key("up"), key("up"), key("enter")],
    ]) {
      const after = press(shown(), burst, LATER, true);
      expect(after.answer).toBeNull();
      expect(press(after.selector, [text("1")], LATER + INERT - 1, true).answer).toBeNull();
      expect(press(after.selector, [text("1")], LATER + INERT, true).answer).not.toBeNull();
    }
  });

  test("somebody who types a sentence with digits in it answers nothing", () => {
    let selector = shown();
    let now = LATER;
    for (const letter of "fix bugs 1 and 2 in jack") {
      const after = press(selector, [text(letter)], now, true);
      expect(after.answer).toBeNull();
      selector = after.selector;
      now += 120;
    }
    expect(press(selector, [key("enter")], now, true).answer).toBeNull();
  });

  test("coming back to the window makes it wait", () => {
    const back = press(shown(), [key("focus")], 5000, true).selector;
    expect(press(back, [text("1")], 5000 + INERT - 1, true).answer).toBeNull();
  });

  test("what is not shown in full cannot be allowed, but denied", () => {
    expect(press(shown(), [text("1")], LATER, false)).toMatchObject({
      answer: null,
      selector: { message: "make the window larger first" },
    });
    expect(press(shown(), [text("3")], LATER, false).answer).toMatchObject({ decision: "deny" });
  });

  test("a note is written and goes with a deny; Esc goes back, and then nothing counts for a moment", () => {
    const writing = press(shown(), [text("n")], LATER, true).selector;
    const written = press(writing, [text("1"), { type: "paste", text: " because\r\nI say so\u001b[A" }], LATER, true).selector;
    expect(press(written, [key("enter")], LATER, true).answer).toMatchObject({ decision: "deny", note: "1 because\nI say so[A" });
    const back = press(written, [key("escape")], LATER, true);
    expect(back).toMatchObject({ answer: null, selector: { writing: null } });
    expect(press(back.selector, [text("1")], LATER + 1, true).answer).toBeNull();
  });

  test("more options open up; the hour is shorter than the session, and stopping denies", () => {
    const more = press(shown(), [text("5")], LATER, true).selector;
    expect(more.options.map(({ label }) => label)).toEqual([
      "Deny",
      "Allow reading api for one hour",
      "Always allow reading api in app…",
      "Deny and stop the agent",
      "Back",
    ]);
    expect(more.options[more.chosen]?.grants).toBe(false);
    // What is shown is new, so that it waits anew.
    expect(press(more, [text("2")], LATER + INERT - 1, true).answer).toBeNull();
    const later = LATER + INERT;
    expect(press(more, [text("2")], later, true).answer).toMatchObject({ decision: "allow", minutes: 60 });
    expect(press(more, [text("4")], later, true).answer).toMatchObject({ decision: "deny_and_stop" });
    expect(press(more, [text("5")], later, true).selector.options[0]?.label).toBe("Allow reading api for this session");
  });

  test("every choice of the card can be chosen; what lasts is confirmed in a second step, which says what it means", () => {
    const repository = { dir: "/home/ada/mono", because: ".git", survey: null };
    const ask = askOf({ folder: "/home/ada/code/api/src", repository });
    const start = markAppeared(openSelector(ask), 0);
    const given = new Map<string, unknown>();
    const first = start.options.findIndex(({ does }) => does.do === "more") + 1;
    const more = press(start, [text(String(first))], LATER, true).selector;
    for (const shownNow of [start, more]) {
      for (const [at, { does }] of shownNow.options.entries()) {
        if (does.do !== "answer" && does.do !== "confirm") continue;
        const chosen = press(shownNow, [text(String(at + 1))], LATER + INERT, true);
        if (does.do === "answer") {
          given.set(JSON.stringify(chosen.answer), chosen.answer);
          continue;
        }
        expect(chosen.answer).toBeNull();
        expect(chosen.selector.options.map(({ grants }) => grants)).toEqual([false, true]);
        expect(chosen.selector.options[1]?.label).toContain(does.choice.confirm);
        // The second step is new: it waits anew, and Enter on what is chosen beforehand goes back.
        expect(press(chosen.selector, [text("2")], LATER + INERT + 1, true).answer).toBeNull();
        expect(press(chosen.selector, [key("enter")], LATER + 3 * INERT, true).answer).toBeNull();
        expect(press(chosen.selector, [text("2")], LATER + 3 * INERT, false).answer).toBeNull();
        const { answer } = press(chosen.selector, [text("2")], LATER + 3 * INERT, true);
        given.set(JSON.stringify(answer), answer);
      }
    }
    expect([...given.values()]).toEqual(
      expect.arrayContaining(ask.card.choices.map(({ answer }) => expect.objectContaining({ ...answer, digest: ask.digest }))),
    );
  });

  test("an answer is sent once", () => {
    const sending = press(shown(), [text("1")], LATER, true).selector;
    expect(press(sending, [text("1")], LATER, true).answer).toBeNull();
    expect(press(sending, [key("escape")], LATER, true).answer).toBeNull();
  });
});
