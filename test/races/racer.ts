// Starts the attacker. Compiled from racer.c where there is a C compiler; elsewhere a Node process that does the same
// with plain renames: slower, and each name is missing for a moment, so it says which of the two it is.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { repository } from "../line-process.ts";
import { compileC } from "../support/compile-c.ts";

export interface Racer {
  readonly kind: "c" | "node";
  /** Ends the race; how many turns it made. Rejects when the racer had failed. */
  stop(): Promise<number>;
}

export type Attack = readonly ["flip", string, string] | readonly ["unlink-relink", string, string, string];

export async function startRacer(attack: Attack): Promise<Racer> {
  const compiled = compileC(join(import.meta.dirname, "racer.c"), join(repository, "node_modules", ".cache", "hallpass"));
  const [file, args] = compiled === null ? [process.execPath, ["-e", inNode, ...attack]] : [compiled, attack];
  const child = spawn(file, args, { stdio: ["pipe", "pipe", "pipe"] });
  let [said, errors] = ["", ""];
  child.stdin.on("error", () => undefined);
  child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => reject(new Error(`the racer ended: ${errors}`)));
    child.stdout.on("data", (data: Buffer) => {
      said += data.toString();
      if (said.startsWith("ready\n")) resolve();
    });
  });
  return {
    kind: compiled === null ? "node" : "c",
    async stop() {
      child.stdin.end();
      if ((await ended) !== 0) throw new Error(`the racer failed: ${errors}`);
      return Number(said.split("\n")[1]);
    },
  };
}

const inNode = `
const fs = require("node:fs");
const [verb, a, b, c] = process.argv.slice(1);
const quiet = (work) => { try { work(); } catch {} };
let turns = 0, stopped = false;
process.stdin.on("end", () => { stopped = true; }).resume();
const turn = () => {
  for (let i = 0; i < 256; i++, turns++) {
    if (verb === "flip") { fs.renameSync(a, b + ".x"); fs.renameSync(b, a); fs.renameSync(b + ".x", b); }
    else { quiet(() => fs.unlinkSync(a + "/" + b)); quiet(() => fs.linkSync(a + "/" + c, a + "/" + b)); }
  }
  if (stopped) console.log(turns); else setImmediate(turn);
};
console.log("ready");
turn();
`;
