import { defineConfig } from "vitest/config";

const unit = ["src/**/*.test.ts", "web/src/**/*.test.ts", "bench/**/*.test.ts", "scripts/**/*.test.ts"];
const whole = ["test/*.test.ts", "test/!(checks|races|terminal|web)/**/*.test.ts"];
const screens = ["test/@(terminal|web)/**/*.test.ts"];
const checks = ["test/checks/*.test.ts"];
const races = ["test/races/*.test.ts"];

// Certificates beside Node's own are read at each start of Node, which makes it four times as long; no test leaves this machine.
delete process.env["NODE_EXTRA_CA_CERTS"];

// `check` holds what can be told from the text of the project alone; races run by themselves, since they want both processors.
export default defineConfig({
  test: {
    globalSetup: ["test/build-once.ts"],
    setupFiles: ["test/support/properties.ts", "test/support/patterns.ts"],
    // What a test installs starts no daemon that nobody would stop.
    env: { HALLPASS_START: "never" },
    // For tests that start processes on a machine with much else to do: what waits longer waits in vain. A test that needs more says so.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Many tests wait for processes, disks and browsers: some more than a small machine has processors.
    maxWorkers: 5,
    reporters: process.env["CI"] === undefined ? ["default"] : ["default", "./test/closing-line.ts"],
    projects: [
      { extends: true, test: { name: "check", include: checks, globalSetup: [], setupFiles: [] } },
      // They hold nothing that outlives them, so that the modules of one serve the next.
      { extends: true, test: { name: "unit", include: unit, isolate: false } },
      { extends: true, test: { name: "whole", include: whole } },
      // A browser or a terminal may draw late: what fails three times fails. Nothing else is tried twice, and the closing lines name every test
      // that was.
      { extends: true, test: { name: "screens", include: screens, retry: 2 } },
      { extends: true, test: { name: "races", include: races, fileParallelism: false, testTimeout: 900_000, sequence: { groupOrder: 1 } } },
    ],
  },
});
