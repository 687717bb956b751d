// The first thing a hook runs (dist/hook.cjs): answers for everything after it, and loads the bundle with the code V8 made of it before,
// where that is still of this version of Node. Exit 2 with a text blocks in every host; any other failure would let the call go.
// One line after the other, and few of them: this file is compiled at each start. What else is loaded, the bundle loads.
"use strict";
process.exitCode = 2;
process.on("uncaughtException", (error) => {
  try {
    require("node:fs").writeSync(2, `hallpass: hook-failed: ${error && error.message}; what cannot be judged is denied\n`);
  } catch {}
  process.exit(2);
});
// Without the search that `require` makes first, where Node has this way.
const builtin = process.getBuiltinModule ?? require;
const fs = builtin("node:fs");
const vm = builtin("node:vm");
const filename = `${__dirname}/hook-body.cjs`;
let cachedData;
try {
  // In as few of Node's functions as can be, and in such as are used again: each that is used the first time is compiled first.
  const descriptor = fs.openSync(`${__dirname}/hook-body.cache`);
  const bytes = new Uint8Array(262_144);
  cachedData = bytes.subarray(0, fs.readvSync(descriptor, [bytes], 0));
  fs.closeSync(descriptor);
} catch {}
// Node has read this very file in the same way.
const script = new vm.Script(fs.readFileSync(filename, "utf8"), { filename, cachedData });
script.runInThisContext()(fs, vm, builtin, __dirname, module);
if (require.main === module) module.exports.hookMain(process.argv.slice(2));
