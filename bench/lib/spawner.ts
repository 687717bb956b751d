// Times whole processes without Node's own way of starting them: a small C program (spawner.c, compiled once) starts
// each and says how long it ran. Needs a C compiler, and says so where there is none.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compileC } from "../../test/support/compile-c.ts";
import type { Variant } from "./paired.ts";

export interface Spawned {
  readonly command: readonly [string, ...string[]];
  /** The file it reads from standard input. */
  readonly input: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** As a variant: one call is one process, which must end with 0. Whoever makes it stops it. */
export function spawnedVariant(name: string, { command, input, cwd, env }: Spawned, cache: string): Variant & { stop(): void } {
  const spawner = spawn(compiled(cache), [input, ...command], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(spawner.stdout)[Symbol.asyncIterator]();
  return {
    name,
    kind: "process",
    async run() {
      spawner.stdin.write(".");
      const { value, done } = await lines.next();
      const [wall, cpu, exit] = done === true ? [] : value.split(" ");
      if (exit !== "0") throw new Error(`\`${name}\` ended with ${exit ?? "nothing said"}`);
      return { wall: Number(wall), cpu: Number(cpu) };
    },
    stop: () => void spawner.stdin.end(),
  };
}

function compiled(cache: string): string {
  // The suite runs as one bundled file, in the project's own folder.
  const binary = compileC(join(process.cwd(), "bench", "lib", "spawner.c"), cache);
  if (binary === null) throw new Error("processes are timed by a small C program, and there is no C compiler (`cc`) to make it");
  return binary;
}
