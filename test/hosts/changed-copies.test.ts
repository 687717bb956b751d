// `npm run hosts` is not part of a test run. That its copies can still be made is, so that a file that moves is noticed at once.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changedCopies } from "./changed-copies.mjs";

const project = join(import.meta.dirname, "../..");
const valuesOf = (text: string): string[] =>
  Array.from(text.matchAll(/^export (?:async )?(?:const|let|function|class) (\w+)/gm), ([, name = ""]) => name);

test.each(Object.entries(changedCopies).flatMap(([copy, changes]) => changes.map(([file, change]) => ({ copy, file, change }))))(
  "the copy of Hallpass called '$copy' can be made: $file has the place that is changed",
  ({ file, change }) => {
    const before = readFileSync(join(project, file), "utf8");
    const after = change(before);
    expect(after).not.toBe(before);
    // What other files import is still there.
    expect(valuesOf(after)).toEqual(valuesOf(before));
  },
);
