// The first thing of `hallpass check` and of a chat (dist/quick.cjs, dist/terminal.cjs): loads the bundle it is named for with the code V8
// made of it before, where that is still of this version of Node. Without it the bundle is compiled anew, which is slower and not wrong.
"use strict";
const fs = require("node:fs");
const vm = require("node:vm");
const stem = __filename.slice(0, -".cjs".length);
const body = `${stem}-body.cjs`;
const cache = `${stem}.cache`;
let cachedData;
try {
  cachedData = fs.readFileSync(cache);
} catch {}
const source = fs.readFileSync(body, "latin1");
const script = new vm.Script(`(function(exports,require,module){${source}\n})`, { filename: body, cachedData });
// Made by the build, for the Node that is there.
if (process.env.HALLPASS_WARM && stem.endsWith(process.env.HALLPASS_WARM))
  process.on("exit", () => fs.writeFileSync(cache, script.createCachedData()));
script.runInThisContext()(module.exports, require, module);
