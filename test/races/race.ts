// One race: an attacker changes names at full speed while a guard is asked the same thing many thousand times. What is
// counted, what must hold at the end, and the control that shows a weak guard losing the same race.

import * as fs from "node:fs";
import { join } from "node:path";
import { build } from "../corpus.ts";
import type { Call, Row, Scene } from "../corpus.ts";
import { startHallpass } from "../line-process.ts";
import type { Answer, LineProcess } from "../line-process.ts";
import { perform } from "../naive.ts";
import type { Guard } from "../naive.ts";
import { startRacer } from "./racer.ts";
import type { Attack } from "./racer.ts";

export interface Race {
  readonly row: Row;
  readonly attack: (root: string) => Attack;
  readonly call: (index: number) => Call;
  /** Must not be in any answer. */
  readonly leak: string;
  /** Which of the two sides of the race an answer saw; null when it tells nothing. Without it: done or refused. */
  readonly side?: (answer: Answer, text: string) => "allowed" | "refused" | null;
  /** Called between batches, with the workspace: puts back what the calls used up. */
  readonly tend?: (workspace: string, held: string) => void;
  /** Names that may be in the workspace afterwards. Anything else was left behind. */
  readonly leaves: RegExp;
}

export interface Result {
  readonly attempts: number;
  readonly allowed: number;
  readonly refused: number;
  readonly leaks: number;
  readonly flips: number;
  readonly ms: number;
  readonly racer: "c" | "node";
  /** Descriptors of the program after the race, less those before. */
  readonly descriptors: number;
  /** What changed outside the workspace. */
  readonly outside: readonly string[];
  /** Names in the workspace that nobody asked for. */
  readonly left: readonly string[];
  readonly codes: Readonly<Record<string, number>>;
}

const batch = 2000;

export interface Terms {
  readonly attempts: number;
  /** The directory, and so the file system, to race in. */
  readonly soil: string;
  /** The program that runs the race; `hallpass tool --stdin` unless told otherwise. */
  readonly start?: () => LineProcess;
}

/** Runs the race against a program that answers tool calls. */
export async function run(race: Race, { attempts, soil, start = () => startHallpass("tool") }: Terms): Promise<Result> {
  return inScene(race, soil, async ({ row, root }, held) => {
    const program = start();
    try {
      const line = (index: number) => ({ workspace: row.workspace, grants: row.grants, attended: true, ...race.call(index) });
      await program.stream(100, line, () => undefined);
      race.tend?.(row.workspace, held);
      const [outside, descriptors] = [snapshot(join(root, "outside")), program.descriptors()];
      const racer = await startRacer(race.attack(root));
      const since = performance.now();
      const codes: Record<string, number> = {};
      let [allowed, refused, leaks] = [0, 0, 0];
      for (let done = 0; done < attempts; done += batch) {
        await program.stream(
          Math.min(batch, attempts - done),
          (index) => line(done + index),
          ({ answer, text }) => {
            if (text.includes(race.leak)) leaks++;
            const side = race.side === undefined ? (answer.ok === true ? "allowed" : "refused") : race.side(answer, text);
            if (side === "allowed") allowed++;
            else if (side === "refused") refused++;
            const code = answer.ok === true ? "ok" : (answer.code ?? answer.error?.code ?? "?");
            codes[code] = (codes[code] ?? 0) + 1;
          },
        );
        race.tend?.(row.workspace, held);
      }
      const ms = Math.round(performance.now() - since);
      const flips = await racer.stop();
      return {
        attempts,
        allowed,
        refused,
        leaks,
        flips,
        ms,
        codes,
        racer: racer.kind,
        descriptors: program.descriptors() - descriptors,
        outside: difference(outside, snapshot(join(root, "outside"))),
        left: [...snapshot(row.workspace).keys()].filter((name) => !race.leaves.test(name)),
      };
    } finally {
      await program.stop();
    }
  });
}

/** The same race against a weak guard, in this process: after how many attempts it lost, or null if it never did. */
export async function lose(race: Race, guard: Guard, { attempts, soil }: Terms): Promise<number | null> {
  return inScene(race, soil, async ({ row, root }, held) => {
    const outside = snapshot(join(root, "outside"));
    const racer = await startRacer(race.attack(root));
    try {
      for (let tried = 0; tried < attempts; tried++) {
        const answer = perform(guard, row, race.call(tried));
        if (typeof answer.output === "string" && answer.output.includes(race.leak)) return tried + 1;
        if (tried % 256 !== 255) continue;
        if (difference(outside, snapshot(join(root, "outside"))).length > 0) return tried + 1;
        race.tend?.(row.workspace, held);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return null;
    } finally {
      await racer.stop();
    }
  });
}

/** Builds the scene and holds `ws/d`, where there is one, so that tending reaches the real directory whatever its name. */
async function inScene<T>(race: Race, soil: string, body: (scene: Scene, held: string) => Promise<T>): Promise<T> {
  const scene = await build(race.row, soil);
  const dir = join(scene.row.workspace, "d");
  const held = fs.existsSync(dir) ? fs.openSync(dir, fs.constants.O_DIRECTORY) : null;
  try {
    return await body(scene, `/proc/self/fd/${held}`);
  } finally {
    if (held !== null) fs.closeSync(held);
    scene.remove();
  }
}

/** Every name below `dir` with what is there: the content of a file, the target of a link. */
function snapshot(dir: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of fs.readdirSync(dir, { withFileTypes: true, recursive: true })) {
    const at = join(entry.parentPath, entry.name);
    const what = entry.isSymbolicLink() ? `=> ${fs.readlinkSync(at)}` : entry.isFile() ? fs.readFileSync(at, "utf8") : "/";
    found.set(at.slice(dir.length + 1), what);
  }
  return found;
}

function difference(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}
