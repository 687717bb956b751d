// Run by the build in the loader's place, as `hook-warm.cjs FOLDER FILE HOST`: lets the hook answer, and keeps the code V8 made of one of its
// files, for the Node it ran on. Another one passes it over and is slower.
"use strict";
const fs = require("node:fs");
const vm = require("node:vm");
const [folder, wanted, ...words] = process.argv.slice(2);
const filename = `${folder}/hook-body.cjs`;
const keep = (name, script) => {
  if (name === wanted) process.on("exit", () => fs.writeFileSync(`${folder}/${name}.cache`, script.createCachedData()));
};
process.exitCode = 2;
const script = new vm.Script(fs.readFileSync(filename, "utf8"), { filename });
keep("hook-body", script);
script.runInThisContext()(fs, vm, require, folder, module, keep);
void module.exports.hookMain(words);
