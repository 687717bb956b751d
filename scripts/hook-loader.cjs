// The first thing a hook runs (dist/hook.cjs): answers for everything after it, and loads the bundle with the code V8 made of it before,
// where that is still of this version of Node. Exit 2 with a text blocks in every host; any other failure would let the call go.
"use strict";
process.exitCode = 2;
process.on("uncaughtException", (error) => {
  try {
    require("node:fs").writeSync(2, `hallpass: hook-failed: ${error && error.message}; what cannot be judged is denied\n`);
  } catch {}
  process.exit(2);
});
const fs = require("node:fs");
const vm = require("node:vm");

/** One of the two files of the bundle; the second is asked for by the first, under this name. */
function load(name) {
  const filename = `${__dirname}/${name}.cjs`;
  const cache = `${__dirname}/${name}.cache`;
  let cachedData;
  try {
    cachedData = fs.readFileSync(cache);
  } catch {}
  const source = fs.readFileSync(filename, "latin1");
  const script = new vm.Script(`(function(exports,require,module){${source}\n})`, { filename, cachedData });
  // Made by the build and by `hallpass install`, for the Node that is there.
  if (process.env.HALLPASS_HOOK_WARM === name)
    process.on("exit", () => {
      fs.writeFileSync(`${cache}.${process.pid}`, script.createCachedData());
      fs.renameSync(`${cache}.${process.pid}`, cache);
    });
  const made = { exports: {} };
  script.runInThisContext()(made.exports, (id) => (id === "./hook-rest.cjs" ? load("hook-rest") : require(id)), made);
  return made.exports;
}

module.exports = load("hook-body");
if (require.main === module) module.exports.hookMain(process.argv.slice(2));
