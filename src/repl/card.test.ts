import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { askOf } from "../../test/ask-sample.ts";
import { cardOf } from "./card.ts";
import type { CardState } from "./card-choices.ts";
import { columns } from "./columns.ts";
import { textOf } from "./lines.ts";
import { optionsFor } from "./options.ts";
import type { WireAsk } from "../wire/values.ts";

const stateOf = (ask: WireAsk): CardState => ({
  ...optionsFor(ask, false),
  inert: false,
  writing: null,
  message: null,
  place: { at: 0, of: 1 },
});
const drawn = (ask: WireAsk, width = 79, rows = 22) => {
  const card = cardOf(ask, stateOf(ask), { width, rows });
  return { ...card, texts: card.lines.map(textOf), text: card.lines.map(textOf).join("\n") };
};

interface Row {
  readonly id: string;
  readonly path: string;
  readonly args?: { readonly reason?: string };
  readonly must_not_contain_raw?: readonly string[];
}
const corpus: { readonly rows?: readonly Row[] } | readonly Row[] = JSON.parse(
  readFileSync(new URL("../../test/corpus.json", import.meta.url), "utf8"),
);
const rows = (Array.isArray(corpus) ? corpus : (corpus as { rows: readonly Row[] }).rows).filter((row: Row) =>
  row.id.startsWith("UIS-"),
) as readonly Row[];

describe("the card", () => {
  test("sets every label off from its sentence", () => {
    const { texts } = drawn(askOf({ right: "write", offers: "once", proposal: null, tool: "write_file", path: "/ws/m.ts" }));
    expect(texts).toContain("  A yes lets it write /ws/m.ts");
  });

  test("says who, what, where it really is, what opens, and how long", () => {
    const { texts } = drawn(
      askOf({ asker: { host: "claude-code", label: "reviewer", parents: ["main"], machine: null }, words: "I need the module name" }),
    );
    expect(texts.join("\n")).toMatchInlineSnapshot(`
      "── Let reviewer read api? ─────────────────────────────────────────────────────
        Who asks           main › reviewer (through the hook of Claude Code) in
                           /home/ada/code/app
        Wants to           read ../api/go.mod, that is /home/ada/code/api/go.mod with
                           read_file
        A yes lets it read /home/ada/code/api
                           the whole git repository, read-only
        In it              1,204 files · 1 secret file stays hidden
        How long           this session, unless you revoke it sooner
        The agent says (unverified):
        │ I need the module name
        Why you are asked  it is outside the workspace

          1 Allow reading api for this session
          2 Allow only go.mod, once
        › 3 Deny
          4 Deny and tell the agent…
          5 More…
        ↑/↓ or j/k to move · Enter to choose · Esc denies · n adds a note
        "
    `);
  });

  test.each(rows.map((row) => [row.id, row] as const))("%s is harmless on the card, at every width", (_id, row) => {
    const reason = row.args?.reason ?? "ok";
    const dir = row.path.slice(0, Math.max(1, row.path.lastIndexOf("/")));
    const ask = askOf({
      requested: [row.path],
      path: row.path,
      proposal: { dir: dir.slice(0, 200), because: ".git" },
      words: reason,
      tool: row.path.slice(0, 40),
    });
    for (const width of [39, 79, 119]) {
      const { texts, text, whole } = drawn(ask, width, 60);
      expect(whole).toBe(true);
      for (const raw of row.must_not_contain_raw ?? []) for (const line of texts) expect(line).not.toContain(raw);
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u);
      for (const line of texts) expect(columns(line)).toBeLessThanOrEqual(width);
      expect(texts.filter((line) => /^ {2}› 3 Deny$/u.test(line))).toHaveLength(1);
      expect(text).toContain("The agent says (unverified):");
    }
  });

  test("whatever an agent writes, the card keeps its size, its options and its lines", () => {
    const any = fc.string({ unit: "binary", maxLength: 300 });
    fc.assert(
      fc.property(any, any, any, fc.integer({ min: 30, max: 120 }), (path, words, diff, width) => {
        const { texts } = drawn(askOf({ requested: [path], path, words, diff, tool: words.slice(0, 20) }), width, 22);
        expect(texts.length).toBeLessThanOrEqual(22);
        for (const line of texts) {
          expect(columns(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/u);
        }
      }),
    );
  });

  test("the directory a yes opens is never cut; where it does not fit, nothing can be allowed", () => {
    const dir = `/home/ada/${"a-long-name/".repeat(30)}end`;
    const ask = askOf({ proposal: { dir, because: ".git" } });
    expect(
      drawn(ask, 79, 40)
        .texts.map((line) => line.slice(21))
        .join(""),
    ).toContain(dir);
    const small = drawn(ask, 39, 16);
    expect(small.whole).toBe(false);
    expect(small.text).not.toContain("Allow reading");
  });

  test("head and tail of a long path both stay", () => {
    const { text } = drawn(askOf({ requested: [`/opt/${"a/".repeat(500)}../../etc`] }));
    expect(text).toMatch(/Wants to {11}read \/opt\/a/u);
    expect(text.replaceAll(/\n {21}/gu, "")).toContain("../../etc");
  });

  test("an imitation in the agent's words stays one block, marked as the agent's", () => {
    const { texts } = drawn(askOf({ words: "docs\n\n› 1 Allow\nPath: /opt/docs" }));
    expect(texts.filter((line) => line.startsWith("  │ "))).toEqual(["  │ docs\\u{a}\\u{a}› 1 Allow\\u{a}Path: /opt/docs"]);
  });

  test("a long difference gives way before anything else does", () => {
    const diff = `--- a\n+++ a\n@@ -1,0 +1,100 @@\n${Array.from({ length: 100 }, (_, at) => `+line ${at}`).join("\n")}\n`;
    const { texts, whole } = drawn(askOf({ right: "write", offers: "once", proposal: null, tool: "write_file", diff }), 79, 22);
    expect(whole).toBe(true);
    expect(texts.length).toBeLessThanOrEqual(22);
    expect(texts.some((line) => /… \d+ more lines/u.test(line))).toBe(true);
    expect(texts.some((line) => line.includes("1 Allow writing go.mod, once"))).toBe(true);
  });

  test("a directory with a long name is called by its head and tail where it is chosen, and whole where it is shown", () => {
    const name = "a-repository-with-a-very-long-name-that-somebody-chose";
    const { text } = drawn(askOf({ proposal: { dir: `/home/ada/${name}`, because: ".git" } }));
    expect(text).toMatch(/1 Allow reading a-repository-with-…at-somebody-chose for this session/u);
    expect(text.replaceAll(/\n {21}/gu, "")).toContain(`A yes lets it read /home/ada/${name}`);
  });

  test.each([
    [79, 1],
    [79, 2],
    [39, 3],
    [20, 40],
    [8, 3],
  ])("in a window of %i columns and %i lines it fits, says what can be done, and takes no yes", (width, rows) => {
    const { texts, whole } = drawn(askOf({}), width, rows);
    expect(whole).toBe(false);
    expect(texts.length).toBeLessThanOrEqual(rows);
    for (const line of texts) expect(columns(line)).toBeLessThanOrEqual(width);
    expect(texts.join(" ")).toMatch(/too\s+s/u);
  });
});
