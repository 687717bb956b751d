// What passed only when it was tried again is named, and fails the run unless it waits for a screen.

import { expect, onTestFinished, test, vi } from "vitest";
import type { TestModule } from "vitest/node";
import ClosingLine from "./closing-line.ts";

/** What a run of one test says, and the exit code that it leaves. */
function closing(project: string, retryCount: number, state = "passed") {
  const one = {
    project: { name: project },
    module: { relativeModuleId: "a.test.ts" },
    fullName: "one",
    diagnostic: () => ({ retryCount }),
    result: () => ({ state }),
  };
  const before = process.exitCode;
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  try {
    process.exitCode = undefined;
    new ClosingLine().onTestRunEnd([{ children: { allTests: () => [one] } } as unknown as TestModule]);
    return { said: log.mock.calls.flat(), code: process.exitCode ?? 0 };
  } finally {
    process.exitCode = before;
    log.mockRestore();
  }
}

const NAMED = "passed when tried again: a.test.ts > one";

test.each([
  ["whole", 0, { said: ["1 passed, 0 failed"], code: 0 }],
  ["whole", 1, { said: [NAMED, "1 passed, 0 failed"], code: 1 }],
  ["unit", 2, { said: [NAMED, "1 passed, 0 failed"], code: 1 }],
  ["screens", 1, { said: [NAMED, "1 passed, 0 failed"], code: 0 }],
])("a test of %s that was tried again %i times", (project, tries, then) => {
  expect(closing(project, tries)).toEqual(then);
});

test("one that failed is counted, and not named", () => {
  expect(closing("whole", 2, "failed")).toEqual({ said: ["0 passed, 1 failed"], code: 0 });
});
