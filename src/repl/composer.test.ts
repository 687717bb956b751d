import { describe, expect, test } from "vitest";
import { compose, type Composer, composerLines, emptyComposer, submitted } from "./composer.ts";
import { editOf } from "./editing.ts";
import type { Key, KeyName } from "./keys.ts";
import { textOf } from "./lines.ts";

const written = (text: string): Composer => ({ ...emptyComposer, edited: editOf(text) });
const drawn = (composer: Composer, width = 40): readonly string[] =>
  composerLines(composer, { width, rows: 4, hint: "write something; /help for commands" }).map(textOf);
const key = (name: KeyName): Key => ({ type: "key", name });
const after = (composer: Composer, ...keys: readonly Key[]): Composer =>
  keys.reduce((before, one) => compose(before, one).composer, composer);

describe("the composer", () => {
  test("empty it shows what it is for, cut where there is no room", () => {
    expect(drawn(emptyComposer)).toEqual(["› ▏write something; /help for commands"]);
    expect(drawn(emptyComposer, 20)).toEqual(["› ▏write something…"]);
  });

  test("of many lines those around the cursor are shown, and how many are above and below", () => {
    const many = written(Array.from({ length: 10 }, (_, at) => `line ${at + 1}`).join("\n"));
    expect(drawn(many)).toEqual(["  … 6 more lines above", "  line 7", "  line 8", "  line 9", "  line 10▏"]);
    const top = after(many, ...Array.from({ length: 9 }, () => key("up")));
    expect(drawn(top)).toEqual(["› line 1▏", "  line 2", "  line 3", "  line 4", "  … 6 more lines below"]);
    const middle = after(many, ...Array.from({ length: 5 }, () => key("up")));
    expect(drawn(middle)).toEqual(["  … 1 more line above", "  line 2", "  line 3", "  line 4", "  line 5▏", "  … 5 more lines below"]);
  });

  test("what was said comes back on ↑, once for what was said twice, and what was being written is kept", () => {
    const said = ["one", "two", "two"].reduce(submitted, emptyComposer);
    const draft = after(said, { type: "text", text: "draft" });
    expect(after(draft, key("up")).edited.text).toBe("two");
    expect(after(draft, key("up"), key("up")).edited.text).toBe("one");
    expect(after(draft, key("up"), key("up"), key("up")).edited.text).toBe("one");
    expect(after(draft, key("up"), key("down")).edited.text).toBe("draft");
  });

  test("Enter says it, a backslash before it begins a new line, and nothing but space is not said", () => {
    expect(compose(written(" hello "), key("enter")).text).toBe("hello");
    expect(compose(written("first\\"), key("enter"))).toMatchObject({ text: null, composer: { edited: { text: "first\n" } } });
    expect(compose(written("  \n "), key("enter")).text).toBeNull();
  });
});
