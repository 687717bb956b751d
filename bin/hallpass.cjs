#!/usr/bin/env node
// Starts the built program. In a checkout that was installed without scripts it builds first, once. CommonJS: a module's entry alone
// would cost a third of Node's own start.
"use strict";

const { existsSync } = require("node:fs");
const { enableCompileCache } = require("node:module");
const { join } = require("node:path");

const [word, ...rest] = process.argv.slice(2);
const dist = join(__dirname, "..", "dist");

async function start() {
  if (!existsSync(join(dist, "cli.js"))) await built();
  // The hook has a bundle of its own, with nothing in it that a hook does not need; so has what must answer at once.
  if (word === "hook") return require("../dist/hook.cjs").hookMain(rest);
  if (word === "check" || word === "explain" || word === "--help" || word === "-h")
    return require("../dist/quick.cjs").quickMain([word, ...rest]);
  // Where Node has it, code is compiled once: in a directory beside the program, which only those may write who may write the program.
  enableCompileCache?.(join(dist, "compile-cache"));
  // A chat is drawn before the rest of the program is loaded.
  const drawn = word === "chat" ? (await import("../dist/terminal.js")).paintChat(rest) : null;
  try {
    const { main } = await import("../dist/cli.js");
    return await main(process.argv.slice(2), drawn);
  } catch (error) {
    drawn?.close();
    throw error;
  }
}

async function built() {
  if (!existsSync(join(__dirname, "..", "scripts", "build.mjs"))) return;
  const log = console.log;
  console.log = (...words) => console.error(...words);
  await import("../scripts/build.mjs");
  console.log = log;
}

start().catch((error) => {
  const what = error instanceof Error ? error.message : String(error);
  // A hook that cannot start must still block, which in every host is exit 2 with a text.
  if (word === "hook") {
    console.error(`hallpass: hook-failed: ${what}; what cannot be judged is denied`);
    process.exit(2);
  }
  throw error;
});
