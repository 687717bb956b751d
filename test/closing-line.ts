// A reporter that closes with one plain line, for whoever reads the log by machine, and names before it every test that passed only when it was
// tried again. That is a failure of the whole run, but for tests that wait for a screen.

import type { Reporter, TestModule } from "vitest/node";

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    for (const test of tests) {
      const tries = test.diagnostic()?.retryCount ?? 0;
      if (tries === 0 || test.result().state !== "passed") continue;
      console.log(`passed when tried again: ${test.module.relativeModuleId} > ${test.fullName}`);
      if (test.project.name !== "screens") process.exitCode = 1;
    }
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const skipped = count("skipped");
    console.log(`${count("passed")} passed, ${count("failed")} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`);
  }
}
