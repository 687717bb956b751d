// A reporter that closes with one plain line, for whoever reads the log by machine.

import type { Reporter, TestModule } from "vitest/node";

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const count = (state: string): number => tests.filter((one) => one === state).length;
    const skipped = count("skipped");
    console.log(`${count("passed")} passed, ${count("failed")} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`);
  }
}
