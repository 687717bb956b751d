// What frames make of the entries on the screen, where that is more than adding them.

import { expect, test } from "vitest";
import type { Frame } from "../wire/frames.ts";
import { emptyConversation, type TerminalConversation, withFrame } from "./conversation.ts";

const person = (id: string): Frame => ({ type: "message", cursor: "", chat: "c", message: { role: "person", id, at: 1, text: id } });
const read = (frames: readonly Frame[]): TerminalConversation => frames.reduce(withFrame, emptyConversation);
const rewound: Frame = { type: "rewound", cursor: "", chat: "c", messages: ["p1", "a1"], asks: [] };
const ids = ({ entries }: TerminalConversation): readonly string[] => entries.map(({ id }) => id);

test("what was rewound stays on the screen, and a line below it says that it no longer counts; what was not there yet goes", () => {
  const talk: Frame[] = [person("p1"), { type: "text_delta", cursor: "", chat: "c", message: "a1", text: "half a" }];
  const after = read([...talk, rewound, rewound, person("p2")]);
  expect(ids(after)).toEqual(["p1", "rewound:p1", "p2"]);
  expect(after.entries[1]).toMatchObject({ kind: "note", text: expect.stringContaining("grants stay") });
});

test("whoever opened the chat later is told nothing of it", () => {
  expect(ids(read([person("p2"), rewound]))).toEqual(["p2"]);
});
