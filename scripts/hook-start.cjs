// The first thing a hook runs (dist/hook.cjs, before the loader): answers for everything after it. Exit 2 with a text blocks in every host;
// any other failure would let the call go.
"use strict";
process.exitCode = 2;
process.on("uncaughtException", (error) => {
  try {
    require("node:fs").writeSync(2, `hallpass: hook-failed: ${error && error.message}; what cannot be judged is denied\n`);
  } catch {}
  process.exit(2);
});
