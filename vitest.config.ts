import { defineConfig } from "vitest/config";

const unit = ["src/**/*.test.ts", "web/src/**/*.test.ts", "bench/**/*.test.ts", "scripts/**/*.test.ts"];
const whole = ["test/*.test.ts", "test/!(checks|races|terminal|web)/**/*.test.ts"];
const screens = ["test/@(terminal|web)/**/*.test.ts"];
/** Flows between several processes and the clock: what is answered in time, who goes on after a kill. */
const flows = [
  "test/server/@(instances|daemon).test.ts",
  "test/mcp/@(flow|durable|edges|late-answers).test.ts",
  "test/acp/@(faults|too-soon).test.ts",
  "test/hook/late-answers.test.ts",
];
const checks = ["test/checks/*.test.ts"];
const races = ["test/races/*.test.ts"];

// `check` holds what can be told from the text of the project alone; races run by themselves, since they want both processors.
export default defineConfig({
  test: {
    globalSetup: ["test/build-once.ts"],
    // Long enough for a busy machine: what hangs fails all the same, and what is only late does not.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Many tests wait for processes, disks and browsers: one more than a small machine has processors.
    maxWorkers: 3,
    reporters: process.env["CI"] === undefined ? ["default"] : ["default", "./test/closing-line.ts"],
    projects: [
      { extends: true, test: { name: "check", include: checks, globalSetup: [] } },
      { extends: true, test: { name: "unit", include: unit } },
      { extends: true, test: { name: "whole", include: whole, exclude: flows } },
      // A browser or a terminal may draw late, and a process may come late, where everything runs at once: what fails three times fails. Nothing
      // about the boundary is tried twice, and the closing lines name every test that was.
      { extends: true, test: { name: "screens", include: [...screens, ...flows], retry: 2 } },
      { extends: true, test: { name: "races", include: races, fileParallelism: false, testTimeout: 900_000, sequence: { groupOrder: 1 } } },
    ],
  },
});
