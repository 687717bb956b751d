// What lasts from one command of a session to the next: its /tmp and its home directory, in memory, and nothing else. With programs that can be made to
// wait, and where they cannot.

import * as fs from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { reopenGrants } from "../src/core/session/grant.ts";
import type { Session } from "../src/core/session/session.ts";
import { createBubblewrap } from "../src/sandbox/bubblewrap.ts";
import { whyNoKeeper } from "../src/sandbox/keeper.ts";
import type { ReachedPath } from "../src/sandbox/port.ts";
import { detect } from "../src/sandbox/sandbox.ts";
import { eventually } from "./server/daemon-process.ts";
import { counter, scene } from "./scene.ts";
import { keepers } from "./support/keepers.ts";

const unconfined = (await detect()).why;
const confined = describe.skipIf(unconfined !== null && process.env["CI"] === undefined);
const canWait = unconfined === null && whyNoKeeper() === null;
const LONG = { timeout: 120_000 };

const SPEC = [
  "home/code/ws/a.txt: INSIDE",
  "home/code/library/package.json: {}",
  "home/code/library/README: OUTSIDE",
  "home/code/library/.env: TOKEN=x",
  "home/code/other/package.json: {}",
  "outside/",
];

function stage({ asks = false, lasting = true }: { readonly asks?: boolean; readonly lasting?: boolean } = {}) {
  const asked: string[] = [];
  let answers = true;
  const grown = scene(SPEC, { workspace: "home/code/ws", home: "home" });
  const sandbox = createBubblewrap({ lasting });
  const ids = counter();
  const before = new Set(keepers());
  const own = (): readonly number[] => keepers().filter((pid) => !before.has(pid));
  let session = grown.session;
  onTestFinished(() => sandbox.endSession(session.id));
  const grant = (dir: string): Session => (session = reopenGrants(session, [grown.path(dir)], { clock: Date.now, ids }).session);
  const run = async (command: string, its = session) => {
    const ask = async ({ path }: ReachedPath): Promise<Session | null> => {
      asked.push(path);
      return answers ? grant("home/code/library") : null;
    };
    const asking = asks ? { asking: { patience: 30_000, ask } } : {};
    const base = { session: its, cwd: its.workspace.dir, network: "none", time: 60_000, outputBytes: 65_536 } as const;
    const ran = await sandbox.run(command, { ...base, ...asking });
    return ran.ok ? `${ran.stdout}${ran.stderr}` : `${ran.code}: ${ran.why}`;
  };
  return { ...grown, sandbox, run, own, asked, session: () => session, refuse: () => (answers = false) };
}

confined("a session's commands", () => {
  const each = test.each(canWait ? [true, false] : [false]);

  each("find what earlier ones left in /tmp and in the home directory, until the session ends (asking: %s)", LONG, async (asks) => {
    const it = stage({ asks });
    expect(await it.run("echo one > /tmp/kept; mkdir -p ~/.cache/tool; echo two > ~/.cache/tool/kept; (sleep 600 &)")).toBe("");
    expect(await it.run("cat /tmp/kept ~/.cache/tool/kept; ps -e | grep -c sleep")).toBe("one\ntwo\n0\n");
    expect(it.own()).toHaveLength(1);
    // Another session has its own, also one of the same name elsewhere, and nothing of it is on the disk.
    expect(await it.run("cat /tmp/kept", { ...it.session(), id: "another" as Session["id"] })).toContain("No such file");
    expect(await it.run("cat /tmp/kept", scene([]).session)).toContain("No such file");
    expect(fs.existsSync(it.path("home/.cache"))).toBe(false);
    it.sandbox.endSession(it.session().id);
    it.sandbox.endSession("another" as Session["id"]);
    expect(await eventually(async () => (it.own().length === 0 ? "none" : null), 30_000)).toBe("none");
    expect(await it.run("cat /tmp/kept ~/.cache/tool/kept")).not.toMatch(/one|two/u);
  });

  each("are not led astray by links of earlier ones, nor kept from running (asking: %s)", LONG, async (asks) => {
    const it = stage({ asks });
    const plant = (at: string): string =>
      `python3 -c 'import os; os.rename("${at}", "${at}2") if os.path.isdir("${at}2") is False else 0; os.symlink("/oldroot${it.path("outside")}", "${at}")'`;
    expect(await it.run(`echo kept > /tmp/kept; ${plant(it.path("home/code"))}; readlink ~/code`)).toMatch(/oldroot|Error/u);
    expect(await it.run("cat a.txt; pwd")).toBe(`INSIDE${it.path("home/code/ws")}\n`);
    expect(fs.readdirSync(it.path("outside"))).toEqual([]);
  });

  each("run in a new room where the keeper was killed in between, and where the last one shut it (asking: %s)", LONG, async (asks) => {
    const it = stage({ asks });
    await it.run("echo one > /tmp/kept");
    for (const pid of it.own()) process.kill(pid, "SIGKILL");
    expect(await it.run("cat /tmp/kept; cat a.txt")).toMatch(/No such file[^]*INSIDE|INSIDE[^]*No such file/u);
    await it.run("chmod 000 /tmp ~");
    expect(await it.run("cat a.txt")).toBe("INSIDE");
  });
});

confined("what lasts", () => {
  test("is nothing where it was not asked for", LONG, async () => {
    const it = stage({ lasting: false });
    await it.run("echo one > /tmp/kept");
    expect(await it.run("cat /tmp/kept")).toContain("No such file");
    expect(it.own()).toEqual([]);
  });

  test.runIf(canWait)("is no grant, no answer and no cover: each command is shown what holds now", LONG, async () => {
    const it = stage({ asks: true });
    expect(await it.run("cat ../library/README ../library/.env")).toMatch(/^OUTSIDE.*\.env: Permission denied\n$/u);
    // A secret that came after the first command is covered for the second.
    fs.writeFileSync(it.path("home/code/library/.env.local"), "TOKEN=new");
    expect(await it.run("cat ../library/README ../library/.env.local")).toMatch(/^OUTSIDE.*\.env\.local: Permission denied\n$/u);
    // Without the grant there is nothing of it, and the person is asked anew.
    it.refuse();
    const before = { ...it.session(), grants: [] };
    expect(await it.run("cat ../library/README; ls ../late", before)).toMatch(/README: Permission denied[^]*late'?: No such file/u);
    // What was not there when an earlier command looked is found by the next.
    fs.mkdirSync(it.path("home/code/late"));
    fs.writeFileSync(it.path("home/code/late/package.json"), "{}");
    expect(await it.run("ls ../late", before)).toContain("Permission denied");
    expect(it.asked.map((path) => path.slice(it.path("home/code/").length))).toEqual(["library/README", "library/README", "late"]);
  });
});
