// Loads NAME-body.cjs (this file is NAME.cjs) with the code that V8 made of it before, where that is of this very version of Node. Without
// it the bundle is compiled anew, which is slower and not wrong.
const fs = require("node:fs");
const vm = require("node:vm");
const stem = __filename.slice(0, -".cjs".length);
const filename = `${stem}-body.cjs`;
let cachedData;
try {
  cachedData = fs.readFileSync(`${stem}.cache`);
} catch {}
const script = new vm.Script(fs.readFileSync(filename, "latin1"), { filename, cachedData });
script.runInThisContext()(module.exports, require, module);
