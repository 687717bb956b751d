// A keeper that gets a signal at the n-th step of its life. A step is a message that it hears or sends, or a program that it starts. It says which steps it
// made in a file, one a line.

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Room, startRoom } from "../../src/sandbox/keeper.ts";

export interface SteppingKeeper {
  start(bytes: number): Room | string;
  steps(): readonly string[];
}

/** `dir`: an empty directory for its files. `at`: 0 where nothing is to happen. Only the first keeper counts; those after it are ordinary ones. */
export function steppingKeeper(dir: string, at: number, signal: "SIGKILL" | "SIGSTOP"): SteppingKeeper {
  const [program, log] = [join(dir, "keeper.mjs"), join(dir, "steps")];
  writeFileSync(log, "");
  writeFileSync(
    program,
    `import child from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
let made = 0;
const step = (what) => {
  made += 1;
  fs.appendFileSync(${JSON.stringify(log)}, what + "\\n");
  if (made === ${at}) process.kill(process.pid, ${JSON.stringify(signal)});
};
const { spawn } = child;
child.spawn = (file, ...rest) => (step("starts " + file), spawn(file, ...rest));
syncBuiltinESMExports();
const { on, send } = process;
process.on = (name, listener) => on.call(process, name, name === "message" ? (message) => (step("hears " + message.say), listener(message)) : listener);
process.send = (message, ...rest) => (step("says " + message.say), send.call(process, message, ...rest));
await import(${JSON.stringify(pathToFileURL(resolve(import.meta.dirname, "../../dist/keeper.js")).href)});
`,
  );
  let started = 0;
  return {
    start: (bytes) => startRoom(bytes, (started += 1) === 1 ? program : undefined),
    steps: () => readFileSync(log, "utf8").split("\n").filter(Boolean),
  };
}
