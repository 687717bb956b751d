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

/** A whole file, in as few of Node's functions as can be: each that is used the first time is compiled first. */
function bytesOf(file) {
  const descriptor = fs.openSync(file);
  const bytes = new Uint8Array(262_144);
  const count = fs.readSync(descriptor, bytes, 0, bytes.length, 0);
  fs.closeSync(descriptor);
  return count < bytes.length ? bytes.subarray(0, count) : fs.readFileSync(file);
}

/** The bundle is ASCII, and need not be decoded; the method behind `toString` is there already, where Node has it. */
function textOf(bytes) {
  const { latin1Slice } = Buffer.prototype;
  return latin1Slice ? latin1Slice.call(bytes, 0, bytes.length) : Buffer.from(bytes).toString("latin1");
}

// Each module of the bundle asks for itself; Node's way of finding one out takes longer than keeping it.
const found = { "node:fs": fs };
const given = (id) => (found[id] ??= id === "./hook-rest.cjs" ? load("hook-rest") : require(id));

/** One of the two files of the bundle; the first asks for the second when it needs it. */
function load(name) {
  const filename = `${__dirname}/${name}.cjs`;
  const cache = `${__dirname}/${name}.cache`;
  let cachedData;
  try {
    cachedData = bytesOf(cache);
  } catch {}
  // One function already, as it stands in the file: a text put together here would be copied.
  const script = new vm.Script(textOf(bytesOf(filename)), { filename, cachedData });
  // Made by the build, for the Node it ran on; another one passes it over and is slower.
  if (process.env.HALLPASS_HOOK_WARM === name)
    process.on("exit", () => {
      fs.writeFileSync(`${cache}.${process.pid}`, script.createCachedData());
      fs.renameSync(`${cache}.${process.pid}`, cache);
    });
  let all;
  script.runInThisContext()(given, (made) => (all = made));
  return all;
}

module.exports = load("hook-body");
if (require.main === module) module.exports.hookMain(process.argv.slice(2));
