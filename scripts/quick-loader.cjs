// The first thing `hallpass check` runs (dist/quick.cjs): loads the quick bundle with the code V8 made of it before, where that is still
// of this version of Node. Without it the bundle is compiled anew, which is slower and not wrong.
"use strict";
const fs = require("node:fs");
const vm = require("node:vm");
const body = `${__dirname}/quick-body.cjs`;
const cache = `${__dirname}/quick.cache`;
let cachedData;
try {
  cachedData = fs.readFileSync(cache);
} catch {}
const source = fs.readFileSync(body, "latin1");
const script = new vm.Script(`(function(exports,require,module){${source}\n})`, { filename: body, cachedData });
// Made by the build, for the Node that is there.
if (process.env.HALLPASS_QUICK_WARM === "1") process.on("exit", () => fs.writeFileSync(cache, script.createCachedData()));
script.runInThisContext()(module.exports, require, module);
