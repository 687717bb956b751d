import { expect, test } from "vitest";

test("a pattern that is expected is tried on the text", () => {
  expect({ said: "it works", all: ["one"] }).toMatchObject({ said: /works/, all: [/^o/] });
  for (const other of ["it fails", 1, null]) expect(() => expect({ said: other }).toMatchObject({ said: /works/ })).toThrow("works");
  expect(() => expect({}).toMatchObject({ said: /works/ })).toThrow("works");
});
