// Every kind of program reaches for another repository, each in its own way: after a yes it has the right bytes and can change nothing, secrets
// stay covered, after a no it is refused and nobody is asked twice, and after a revocation the same process is refused again. Each is also run
// without the sandbox, where it reads all of it.

import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createBubblewrap } from "../src/sandbox/bubblewrap.ts";
import { whyNoKeeper } from "../src/sandbox/keeper.ts";
import { detect } from "../src/sandbox/sandbox.ts";
import { reopenGrants } from "../src/core/session/grant.ts";
import type { Session } from "../src/core/session/session.ts";
import { counter, scene } from "./scene.ts";
import { compileC } from "./support/compile-c.ts";

const why = (await detect()).why ?? whyNoKeeper();
// Left out on somebody's own machine, and where there is no such device at all; where every commit is tried it must work.
const asking = describe.skipIf(why !== null && (process.env["CI"] === undefined || !fs.existsSync("/dev/fuse")));

const cache = join(import.meta.dirname, "../node_modules/.cache/hallpass");
const reader = compileC(join(import.meta.dirname, "support/reader.c"), cache, ["-static"]);
const hasGo = spawnSync("go", ["version"]).status === 0;

/** In the same words as `reader.c`. */
const SCRIPTS: Readonly<Record<string, string>> = {
  "reader.cjs": `
const fs = require("node:fs");
const [file, twice] = process.argv.slice(2);
const print = () => { try { fs.writeSync(1, fs.readFileSync(file)); } catch (error) { console.error(error.message); } };
print();
if (twice) {
  fs.writeFileSync("read", "");
  while (fs.existsSync(file)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  print();
}`,
  "reader.py": `
import os, sys, time
def show():
    try: print(open(sys.argv[1]).read(), end="", flush=True)
    except OSError as error: print(error, file=sys.stderr)
show()
if len(sys.argv) > 2:
    open("read", "w").close()
    while os.path.exists(sys.argv[1]): time.sleep(0.02)
    show()`,
  "reader.sh": `
show() { IFS= read -r line < "$1" || [ -n "$line" ] && printf %s "$line"; line=; }
show "$1"
if [ -n "$2" ]; then touch read; while [ -e "$1" ]; do sleep 0.02; done; show "$1"; fi`,
  // For `find`, which starts it for each file in turn.
  "step.sh": `
case $1 in a.txt) touch read; while [ -e ../library/README ]; do sleep 0.02; done ;; *) cat "$1" ;; esac`,
  "go.mod": `module shop\ngo 1.18\nrequire library v0.0.0\nreplace library => ../library\n`,
  "main.go": `package main\nimport "library/words"\nfunc main() { print(words.Word) }\n`,
};

const SPEC = [
  "home/code/ws/a.txt: INSIDE",
  ...Object.entries(SCRIPTS).map(([name, text]) => `home/code/ws/${name}: ${text}`),
  "home/code/library/.git/HEAD: ref: refs/heads/main",
  "home/code/library/.git/objects/",
  "home/code/library/.git/refs/",
  "home/code/library/README: OUTSIDE",
  "home/code/library/.env: TOKEN=x",
  "home/code/library/go.mod: module library\ngo 1.18\n",
  'home/code/library/words/words.go: package words\nconst Word = "OUTSIDE"\n',
];

interface ProgramRow {
  /** The command that prints a file of the repository. */
  readonly prints: (file: string) => string;
  /** What it says of `README`. */
  readonly says: string;
  /** It prints what is in the file, and so would print a secret. */
  readonly contents: boolean;
  /** One process that prints `README`, makes the file `read`, waits until `README` is gone and prints it again; else the shell starts it a second time. */
  readonly twice?: string;
  readonly missing?: boolean;
}

const WAIT = "touch read; while [ -e ../library/README ]; do sleep 0.02; done";
/** A pipe between two files: whoever reads all three waits there. */
const PIPE = `mkfifo turn; { ${WAIT}; } > turn &`;
const git = "git -c safe.directory='*' -C ../library";
const script = (start: string): ProgramRow => ({
  prints: (file) => `${start} ../library/${file}`,
  says: "OUTSIDE",
  contents: true,
  twice: `${start} ../library/README twice`,
});

const programs: Readonly<Record<string, ProgramRow>> = {
  cat: {
    prints: (file) => `cat ../library/${file}`,
    says: "OUTSIDE",
    contents: true,
    twice: `${PIPE} cat ../library/README turn ../library/README`,
  },
  ls: { prints: (file) => `ls ../library/${file}`, says: "../library/README\n", contents: false },
  find: {
    prints: (file) => `find ../library -name ${file} -exec cat {} ';'`,
    says: "OUTSIDE",
    contents: true,
    twice: "find ../library/README a.txt ../library/README -exec sh step.sh {} ';'",
  },
  "grep -r": {
    prints: (file) => `grep -rh --include=${file} . ../library`,
    says: "OUTSIDE\n",
    contents: true,
    twice: `${PIPE} grep -rh --include=README --include=turn . ../library turn ../library`,
  },
  "git -C": { prints: (file) => `${git} grep -h --no-index . ${file}`, says: "OUTSIDE\n", contents: true },
  node: script("node reader.cjs"),
  python3: script("python3 reader.py"),
  "go build": {
    prints: () => "go build -o built . && ./built 2>&1",
    says: "OUTSIDE",
    contents: false,
    missing: !hasGo,
  },
  "a statically linked program": { ...script("./reader"), missing: reader === null },
  "a shell script": script("bash reader.sh"),
};
const rows = Object.entries(programs).filter(([, { missing }]) => missing !== true);

function stage(answer: "yes" | "no") {
  const it = scene(SPEC, { workspace: "home/code/ws", home: "home" });
  const workspace = it.path("home/code/ws");
  if (reader !== null) fs.copyFileSync(reader, join(workspace, "reader"));
  const sandbox = createBubblewrap();
  const ids = counter();
  let asks = 0;
  let granted: Session = it.session;
  const ask = async (): Promise<Session | null> => {
    asks += 1;
    if (answer === "no") return null;
    return (granted = reopenGrants(it.session, [it.path("home/code/library")], { clock: Date.now, ids }).session);
  };
  const run = async (command: string) => {
    const around = { session: it.session, cwd: it.session.workspace.dir, network: "none", time: 100_000, outputBytes: 65_536 } as const;
    const ran = await sandbox.run(command, { ...around, asking: { patience: 30_000, ask } });
    if (!ran.ok) throw new Error(`stopped: ${ran.code} ${ran.why} ${ran.printed}`);
    return ran;
  };
  /** When the program has made `read`, the grant ends. */
  const revoke = async (): Promise<void> => {
    while (!fs.existsSync(join(workspace, "read"))) await new Promise((resolve) => setTimeout(resolve, 20));
    for (const { id } of granted.grants) sandbox.revoke(id);
  };
  const unconfined = (command: string): string => {
    const { stdout, stderr } = spawnSync("bash", ["-c", command], { cwd: workspace, encoding: "utf8" });
    return `${stdout}${stderr}`;
  };
  return { run, revoke, unconfined, asks: () => asks, library: it.path("home/code/library") };
}

const LONG = { timeout: 120_000 };
const refusals = (text: string): number => text.match(/permission denied/giu)?.length ?? 0;

asking.each(rows)("%s reaches for another repository", (_name, { prints, says, contents, twice }) => {
  test("without the sandbox it reads everything", LONG, () => {
    const it = stage("no");
    expect(it.unconfined(prints("README"))).toContain(says);
    if (contents) expect(it.unconfined(prints(".env"))).toContain("TOKEN");
  });

  test("after a yes it goes on, can change nothing, and sees no secret", LONG, async () => {
    const it = stage("yes");
    const { stdout, stderr } = await it.run(`${prints("README")}; echo x > ../library/new; ${prints(".env")}`);
    expect(stdout.slice(0, says.length)).toBe(says);
    expect(stderr).toMatch(/Read-only file system/);
    expect(`${stdout}${stderr}`).not.toContain("TOKEN");
    expect(fs.existsSync(join(it.library, "new"))).toBe(false);
    expect(it.asks()).toBe(1);
  });

  test("after a no it is refused, and nobody is asked twice", LONG, async () => {
    const it = stage("no");
    const { stdout, stderr } = await it.run(`${prints("README")}; ${prints("README")}; cat ../library/README`);
    expect(stdout).not.toContain("OUTSIDE");
    expect(refusals(stderr)).toBeGreaterThanOrEqual(3);
    expect(it.asks()).toBe(1);
  });

  test("after a revocation it is refused again, in the same process", LONG, async () => {
    const it = stage("yes");
    const revoked = it.revoke();
    const { stdout, stderr } = await it.run(twice ?? `${prints("README")}; ${WAIT}; ${prints("README")}`);
    await revoked;
    expect(stdout).toBe(says);
    expect(refusals(stderr)).toBeGreaterThanOrEqual(1);
    expect(it.asks()).toBe(1);
  });
});

test("a program that is linked statically could be compiled", () => {
  expect(reader).not.toBeNull();
});
