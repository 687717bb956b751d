// The first thing a hook runs (dist/hook.cjs): answers for everything after it, and loads the bundle with the code V8 made of it before,
// where that is still of this version of Node. Exit 2 with a text blocks in every host; any other failure would let the call go.
// One line after the other: this file is compiled at each start, and a function is read twice. What else is loaded, the bundle loads.
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
// In as few of Node's functions as can be: each that is used the first time is compiled first.
const bytes = new Uint8Array(524_288);
let descriptor = fs.openSync(filename);
const text = bytes.subarray(0, fs.readvSync(descriptor, [bytes], 0));
fs.closeSync(descriptor);
let cachedData;
try {
  descriptor = fs.openSync(`${__dirname}/hook-body.cache`);
  // Behind the text, where V8 wants it: at a whole number of words.
  const rest = bytes.subarray((text.length + 8) & ~7);
  cachedData = rest.subarray(0, fs.readvSync(descriptor, [rest], 0));
  fs.closeSync(descriptor);
} catch {}
// The bundle is ASCII, and need not be decoded; the method behind `toString` is there already, where Node has it. It is one function
// already, as it stands in the file: a text put together here would be copied.
const { latin1Slice } = Buffer.prototype;
const source = latin1Slice ? latin1Slice.call(text, 0, text.length) : Buffer.from(text).toString("latin1");
const script = new vm.Script(source, { filename, cachedData });
script.runInThisContext()({ fs, vm, builtin, script, folder: __dirname }, (made) => (module.exports = made));
if (require.main === module) module.exports.hookMain(process.argv.slice(2));
