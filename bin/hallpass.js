#!/usr/bin/env node
// Starts the built program. In a checkout that was installed without scripts it builds first, once.

import { existsSync } from "node:fs";

if (!existsSync(new URL("../dist/cli.js", import.meta.url)) && existsSync(new URL("../scripts/build.mjs", import.meta.url))) {
  const log = console.log;
  console.log = (...words) => console.error(...words);
  await import("../scripts/build.mjs");
  console.log = log;
}
const { main } = await import("../dist/cli.js");
await main(process.argv.slice(2));
