// The tests by which mutants of the boundary are judged (`npm run mutate`): those of the core alone, which need nothing built.

import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["src/core/**/*.test.ts"], testTimeout: 60_000 } });
