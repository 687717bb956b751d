// Promises 1 and 2 under attack: no byte from outside, nothing written outside, no descriptor left open, while another
// process exchanges names as fast as the kernel lets it. HALLPASS_RACE_ATTEMPTS says how often (10 000); `npm run races` makes a million calls.

import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadCorpus } from "../corpus.ts";
import type { Call, Row, Step } from "../corpus.ts";
import { guards, withSecrets } from "../naive.ts";
import type { Guard } from "../naive.ts";
import { lose, run } from "./race.ts";
import type { Race } from "./race.ts";

const attempts = Number(process.env["HALLPASS_RACE_ATTEMPTS"] ?? 10_000);
const rows = new Map(loadCorpus().map((row) => [row.id, row]));

function corpusRow(id: string): Row {
  const row = rows.get(id);
  if (row === undefined) throw new Error(`no row ${id}`);
  return row;
}

/** A row of our own, beside those of the table. */
function ownRow(id: string, title: string, setup: readonly Step[]): Row {
  const base = corpusRow("RAC-05");
  return { ...base, id, title, setup: [{ mkdir: "$ROOT/ws" }, { mkdir: "$ROOT/outside" }, ...setup] };
}

const flip = (a: string, b: string) => (root: string) => ["flip", join(root, "ws", a), join(root, "ws", b)] as const;
const read = (path: string) => (): Call => ({ tool: "read_file", input: { path } });

const flipRead: Race = {
  row: corpusRow("RAC-01"),
  attack: flip("d", "l"),
  call: read("d/f"),
  leak: "SECRET-OUTSIDE",
  leaves: /^(ok\.txt|[dl](\/f)?)$/,
};

interface Entry {
  readonly race: Race;
  /** The weak guard that must lose the race; realpath, check, use by name unless told otherwise. */
  readonly control?: Guard;
  /** False where every answer is a refusal, so that only the turns and the control show that there was a race. */
  readonly twoSided?: boolean;
}

const races: readonly Entry[] = [
  { race: flipRead },
  {
    race: {
      row: ownRow("RAC-A", "ancestor flip at depth 5, read", [
        { mkdir: "$ROOT/ws/d/1/2/3/4/5" },
        { file: "$ROOT/ws/d/1/2/3/4/5/f", content: "inside" },
        { file: "$ROOT/outside/1/2/3/4/5/f", content: "SECRET-OUTSIDE" },
        { symlink: "$ROOT/ws/l", to: "$ROOT/outside" },
      ]),
      attack: flip("d", "l"),
      call: read("d/1/2/3/4/5/f"),
      leak: "SECRET-OUTSIDE",
      leaves: /^[dl](\/[1-5])*(\/f)?$/,
    },
  },
  {
    race: {
      row: corpusRow("RAC-04"),
      attack: flip("d", "l"),
      call: (index) => ({ tool: "write_file", input: { path: `d/new${index}`, content: "NEW" } }),
      leak: "SECRET-OUTSIDE",
      tend: (_, held) => {
        for (const name of fs.readdirSync(held)) if (/^new\d+$/.test(name)) fs.unlinkSync(join(held, name));
      },
      leaves: /^(ok\.txt|[dl])$/,
    },
  },
  {
    race: {
      row: ownRow("RAC-B", "directory flip, replace", [
        { mkdir: "$ROOT/ws/d" },
        { file: "$ROOT/ws/d/f", content: "inside" },
        { file: "$ROOT/outside/f", content: "SECRET-OUTSIDE" },
        { symlink: "$ROOT/ws/l", to: "$ROOT/outside" },
      ]),
      attack: flip("d", "l"),
      call: (index) => ({ tool: "write_file", input: { path: "d/f", content: `turn ${index}` } }),
      leak: "SECRET-OUTSIDE",
      leaves: /^[dl](\/f)?$/,
    },
  },
  {
    race: {
      row: corpusRow("RAC-05"),
      attack: flip("d", "l"),
      call: () => ({ tool: "list_dir", input: { path: "d" } }),
      leak: "secret.txt",
      leaves: /^(ok\.txt|[dl])$/,
    },
  },
  {
    race: {
      row: corpusRow("RAC-06"),
      attack: flip("f", "l"),
      // Most look for plain text, on the calling thread; every eighth for an expression, in threads, and shows which side it saw.
      call: (index) => ({ tool: "grep", input: { pattern: index % 8 === 0 ? "SECRET|inside" : "SECRET", path: "." } }),
      leak: "SECRET-OUTSIDE",
      side: (_, text) => (text.includes(`"file":"f"`) ? "allowed" : text.includes(`"file":"l"`) ? "refused" : null),
      leaves: /^(ok\.txt|[fl])$/,
    },
  },
  {
    race: {
      row: ownRow("RAC-C", "directory flip during a find", [
        { mkdir: "$ROOT/ws/d" },
        { file: "$ROOT/ws/d/in.txt", content: "inside" },
        { file: "$ROOT/outside/secret.txt", content: "SECRET-OUTSIDE" },
        { symlink: "$ROOT/ws/l", to: "$ROOT/outside" },
      ]),
      attack: flip("d", "l"),
      call: () => ({ tool: "find_files", input: { pattern: "**/*.txt", path: "." } }),
      leak: "secret.txt",
      side: (_, text) => (text.includes("d/in.txt") ? "allowed" : "refused"),
      leaves: /^[dl](\/in\.txt)?$/,
    },
  },
  {
    race: {
      row: corpusRow("RAC-07"),
      attack: flip("n.txt", "l"),
      call: read("n.txt"),
      leak: "SECRET-ENV",
      leaves: /^(ok\.txt|n\.txt|\.env|l)$/,
    },
    control: withSecrets(guards.realpath),
  },
  {
    race: {
      row: corpusRow("RAC-08"),
      attack: (root) => ["unlink-relink", join(root, "ws"), ".env", "keep"],
      call: read(".env"),
      leak: "SECRET-ENV",
      leaves: /^(ok\.txt|keep|\.env)$/,
    },
    control: withSecrets(guards.pinned),
    twoSided: false,
  },
  {
    race: {
      row: corpusRow("RAC-11"),
      attack: flip("f", "l"),
      // There and back, in no order, so that about half of the calls find the text they want to change.
      call: () => {
        const [old, fresh] = Math.random() < 0.5 ? ["inside", "INSIDE"] : ["INSIDE", "inside"];
        return { tool: "edit_file", input: { path: "f", old, new: fresh } };
      },
      leak: "SECRET-OUTSIDE",
      tend: replant,
      leaves: /^(ok\.txt|[fl])$/,
    },
  },
];

/** An edit may rename its file over the link: harmless, but then both names are files and nobody races any more. */
function replant(workspace: string): void {
  const [f, l] = [join(workspace, "f"), join(workspace, "l")];
  const links = [f, l].filter((at) => fs.lstatSync(at).isSymbolicLink()).length;
  if (links === 1) return;
  const spare = join(workspace, "..", "spare");
  if (links === 0) fs.symlinkSync(join(workspace, "..", "outside", "secret.txt"), spare);
  else fs.writeFileSync(spare, "inside");
  fs.renameSync(spare, l);
}

const writable = (dir: string) => {
  try {
    fs.accessSync(dir, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
const shm = "/dev/shm";
const elsewhere = writable(shm) && fs.statSync(shm).dev !== fs.statSync(tmpdir()).dev ? [shm] : [];

// Reading is raced on both file systems; the rest in memory, where there is one, since a disk only slows the race down.
describe.skipIf(process.platform !== "linux")("races", () => {
  for (const entry of races) enter(entry, elsewhere[0] ?? tmpdir());
  if (elsewhere.length > 0) enter({ race: flipRead }, tmpdir());
});

function enter({ race, control = guards.realpath, twoSided = true }: Entry, soil: string): void {
  const name = `${race.row.id} ${race.row.title}, in ${soil}`;

  test(`${name}: nothing gets out, nothing is left`, { timeout: 900_000 }, async () => {
    const { codes, ...result } = await run(race, { attempts, soil });
    const { allowed, refused, leaks, flips, ms } = result;
    console.log(
      `${name}: ${attempts} attempts, ${allowed} allowed, ${refused} refused, ${leaks} leaks, ${flips} flips (${result.racer}), ${ms} ms ${JSON.stringify(codes)}`,
    );
    expect({ leaks, outside: result.outside, left: result.left, descriptors: result.descriptors }).toEqual({
      leaks: 0,
      outside: [],
      left: [],
      descriptors: 0,
    });
    expect(flips).toBeGreaterThan(0);
    if (twoSided) expect(Math.min(allowed, refused)).toBeGreaterThan(0);
  });

  test(`${name}: a weak guard loses it`, { timeout: 300_000 }, async () => {
    const lost = await lose(race, control, { attempts: 200_000, soil });
    console.log(`${name}: the weak guard lost after ${lost ?? "no"} attempts`);
    expect(lost).not.toBeNull();
  });
}
