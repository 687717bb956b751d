// Mutation testing of the boundary (`npm run mutate`, or with `-- --mutate src/core/policy/glob.ts` for one file). Takes most of an hour;
// run by hand when what is mutated here has changed, and every survivor looked at.

export default {
  testRunner: "vitest",
  vitest: { configFile: "scripts/mutation.vitest.config.ts" },
  mutate: ["src/core/policy/**/*.ts", "src/core/path/**/*.ts", "src/core/session/**/*.ts", "src/core/guard/judge.ts", "!src/**/*.test.ts"],
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 20_000,
  // It would be rewritten with TypeScript's old interface, which this version does not have, and nothing here needs it to be.
  tsconfigFile: "not-rewritten.json",
  reporters: ["clear-text", "progress", "json"],
  jsonReporter: { fileName: ".stryker-tmp/report.json" },
  clearTextReporter: { allowColor: false, reportTests: false },
};
