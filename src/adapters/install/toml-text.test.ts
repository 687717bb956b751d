import { expect, test } from "vitest";
import { addBlock, hasBlock, parsed, removeBlock } from "./toml-text.ts";
import type { EditedText, TomlBlock } from "./wanted-file.ts";

const block: TomlBlock = { name: "sync", head: ['default = "x"'], body: ["[ours]", "a = 1"] };
const text = (edited: EditedText): string => (edited.ok ? edited.text : edited.why);

test.each(["", "# mine\n", 'a = "b"\n\n[t]\nx = 1\n', 'a = "b"', "a = 1\r\n[t]\r\nb = 2\r\n"])(
  "%j: put in, put in again, taken out",
  (before) => {
    const after = text(addBlock(before, block, "f"));
    expect(hasBlock(after, block)).toBe(true);
    expect(text(addBlock(after, block, "f"))).toBe(after);
    const read = parsed(after, "f");
    expect(read.ok && read.value["default"]).toBe("x");
    const left = text(removeBlock(after, "sync", "f"));
    expect(left === before || left === `${before}\n`).toBe(true);
  },
);

test("two commands have blocks of their own", () => {
  const other: TomlBlock = { name: "install", head: [], body: ["[theirs]", "b = 2"] };
  const both = text(addBlock(text(addBlock("m = 1\n", block, "f")), other, "f"));
  expect(text(removeBlock(both, "sync", "f"))).toContain("[theirs]");
  expect(text(removeBlock(both, "sync", "f"))).not.toContain("[ours]");
});

test("what is not TOML, is there already, or has lost a mark is refused", () => {
  expect(text(addBlock("a = = 1\n", block, "f"))).toMatch(/^f:1:\d+: this is not TOML/u);
  expect(text(addBlock("[ours]\nz = 1\n", block, "f"))).toContain("so nothing was changed");
  const after = text(addBlock("", block, "f"));
  expect(text(removeBlock(after.replace("# <<< hallpass sync <<<\n", ""), "sync", "f"))).toContain("has lost its partner");
  expect(text(addBlock("a = 1\n", block, "f", () => "no"))).toBe("f: no");
});
