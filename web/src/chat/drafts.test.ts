import { expect, test } from "vitest";
import { keepDraft, readDraft, recall } from "./drafts.ts";

function storage(refuses = false): Storage {
  const held = new Map<string, string>();
  return {
    get length() {
      return held.size;
    },
    clear: () => held.clear(),
    key: (at) => [...held.keys()][at] ?? null,
    getItem(name) {
      if (refuses) throw new Error("no");
      return held.get(name) ?? null;
    },
    setItem(name, value) {
      if (refuses) throw new Error("full");
      held.set(name, value);
    },
    removeItem: (name) => void held.delete(name),
  };
}

test("a draft is kept for its chat alone, and gone once it was sent", () => {
  const kept = storage();
  keepDraft(kept, "chat-1", "half a thought");
  expect(readDraft(kept, "chat-1")).toBe("half a thought");
  expect(readDraft(kept, "chat-2")).toBe("");
  keepDraft(kept, "chat-1", "");
  expect(kept.length).toBe(0);
});

test("a browser that keeps nothing loses the draft and no more", () => {
  const refuses = storage(true);
  expect(readDraft(refuses, "x")).toBe("");
  expect(() => keepDraft(refuses, "x", "y")).not.toThrow();
});

test("going back shows what was said, newest first, and forward again what was being typed", () => {
  const said = ["first", "second"];
  expect(recall(said, -1, 1, "own")).toEqual({ at: 0, text: "second" });
  expect(recall(said, 0, 1, "own")).toEqual({ at: 1, text: "first" });
  expect(recall(said, 1, 1, "own")).toBeNull();
  expect(recall(said, 1, -1, "own")).toEqual({ at: 0, text: "second" });
  expect(recall(said, 0, -1, "own")).toEqual({ at: -1, text: "own" });
  expect(recall([], -1, 1, "own")).toBeNull();
  expect(recall(said, -1, -1, "own")).toBeNull();
});
