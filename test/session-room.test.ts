// What lasts from one command of a session to the next: its /tmp and its home directory, in memory, and processes that were left running, with localhost. With
// programs that can be made to wait, and where they cannot.

import * as fs from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { reopenGrants } from "../src/core/session/grant.ts";
import type { Session } from "../src/core/session/session.ts";
import { type BubblewrapOptions, createBubblewrap } from "../src/sandbox/bubblewrap.ts";
import { whyNoKeeper } from "../src/sandbox/keeper.ts";
import type { CommandOutcome, ReachedPath, RunOptions } from "../src/sandbox/port.ts";
import { isHandedOver } from "../src/sandbox/processes.ts";
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

interface StageOptions {
  readonly asks?: boolean;
  readonly lasting?: boolean;
  readonly options?: BubblewrapOptions;
}

function stage({ asks = false, lasting = true, options = {} }: StageOptions = {}) {
  const asked: string[] = [];
  let answers = true;
  const grown = scene(SPEC, { workspace: "home/code/ws", home: "home" });
  const sandbox = createBubblewrap({ ...options, lasting });
  const ids = counter();
  const before = new Set(keepers());
  const own = (): readonly number[] => keepers().filter((pid) => !before.has(pid));
  let session = grown.session;
  onTestFinished(() => sandbox.endSession(session.id));
  const grant = (dir: string): Session => (session = reopenGrants(session, [grown.path(dir)], { clock: Date.now, ids }).session);
  const ran = async (command: string, its = session, more: Partial<RunOptions> = {}): Promise<CommandOutcome> => {
    const ask = async ({ path }: ReachedPath): Promise<Session | null> => {
      asked.push(path);
      return answers ? grant("home/code/library") : null;
    };
    const asking = asks ? { asking: { patience: 30_000, ask } } : {};
    const base = { session: its, cwd: its.workspace.dir, network: "none", time: 60_000, outputBytes: 65_536 } as const;
    return sandbox.run(command, { ...base, ...asking, ...more });
  };
  const run = async (command: string, its = session, more: Partial<RunOptions> = {}) => {
    const told = await ran(command, its, more);
    return told.ok ? `${told.stdout}${told.stderr}` : `${told.code}: ${told.why}`;
  };
  return { ...grown, sandbox, run, ran, grant, own, asked, session: () => session, refuse: () => (answers = false) };
}

/** The servers that work in a directory below this one, by their numbers outside. */
function servers(dir: string): readonly string[] {
  return fs.readdirSync("/proc").filter((pid) => {
    try {
      return (
        /^\d+$/u.test(pid) &&
        fs.readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("create_server") &&
        fs.readlinkSync(`/proc/${pid}/cwd`).startsWith(dir)
      );
    } catch {
      return false;
    }
  });
}

confined("a session's commands", () => {
  const each = test.each(canWait ? [true, false] : [false]);

  each("find what earlier ones left in /tmp and in the home directory, until the session ends (asking: %s)", LONG, async (asks) => {
    const it = stage({ asks });
    expect(await it.run("echo one > /tmp/kept; mkdir -p ~/.cache/tool; echo two > ~/.cache/tool/kept; (sleep 600 &)")).toBe("");
    expect(await it.run("cat /tmp/kept ~/.cache/tool/kept; ps -e | grep -c sleep")).toBe("one\ntwo\n1\n");
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

/** A server on localhost that says a word to whoever connects, and a command that connects to it. */
const SERVER = `python3 -c '
import socket
s = socket.create_server(("127.0.0.1", 4444))
open("/tmp/ready", "w").close()
while True: s.accept()[0].sendall(b"served")
' >/tmp/log 2>&1 & until [ -e /tmp/ready ]; do sleep 0.02; done`;
const CONNECT = "cat </dev/tcp/127.0.0.1/4444";
/** How many of the session's processes are there, beside the command's own. */
const COUNT = "pgrep -c python3";

confined("processes that a command leaves running", () => {
  const each = test.each(canWait ? [true, false] : [false]);

  each("serve the next commands on localhost, are seen and ended by them, and are told of (asking: %s)", LONG, async (asks) => {
    const it = stage({ asks });
    expect(await it.ran(SERVER)).toMatchObject({ ok: true, exitCode: 0, left: [expect.stringContaining("python3 (python3 -c")] });
    expect(await it.run(CONNECT)).toBe("served");
    expect(await it.run(CONNECT)).toBe("served");
    const found = await it.ran("pkill python3; while pgrep python3; do sleep 0.02; done >/dev/null");
    expect(found).toMatchObject({ ok: true });
    expect(found).not.toHaveProperty("left");
    expect(await it.run(CONNECT)).toContain("Connection refused");
  });

  test("print without being held up, and what they print later is nobody's", LONG, async () => {
    const it = stage();
    const noisy = 'python3 -c \'import time\nfor i in range(400): print("x" * 1000, flush=True)\nopen("/tmp/over", "w")\ntime.sleep(600)\'';
    expect(await it.run(`echo mine; (sleep 0.3; exec ${noisy}) &`)).toBe("mine\n");
    expect(await it.run("until [ -e /tmp/over ]; do sleep 0.05; done; echo over")).toBe("over\n");
  });

  test("are nobody else's: another session sees neither them nor their localhost, and they end with their own", LONG, async () => {
    const it = stage();
    await it.run(SERVER);
    const other = { ...it.session(), id: "another" as Session["id"] };
    onTestFinished(() => it.sandbox.endSession(other.id));
    expect(await it.run(`${CONNECT}; ${COUNT}`, other)).toMatch(/Connection refused[^]*\b0\n|0\n[^]*Connection refused/u);
    expect(servers(it.path(""))).toHaveLength(1);
    it.sandbox.endSession(it.session().id);
    await expect.poll(() => servers(it.path("")), { timeout: 10_000 }).toEqual([]);
  });

  test("end with the keeper, however it ends", LONG, async () => {
    const it = stage();
    await it.run(`${SERVER}; setsid sleep 600 & disown`);
    expect(servers(it.path(""))).toHaveLength(1);
    for (const pid of it.own()) process.kill(pid, "SIGKILL");
    await expect.poll(() => servers(it.path("")), { timeout: 10_000 }).toEqual([]);
    expect(await it.run(`cat a.txt; ${COUNT}`)).toBe("INSIDE0\n");
  });

  test("show the next command nothing of their files and memory, and it shows them nothing", LONG, async () => {
    const it = stage();
    expect(await it.run("SOME=word sleep 600 & until grep -ao SOME=word /proc/$!/environ; do sleep 0.02; done")).toBe("SOME=word\n");
    const look =
      "p=$(pgrep sleep); for f in environ maps root/etc cwd/a.txt fd/1; do ls -L /proc/$p/$f/ >/dev/null 2>&1 || cat /proc/$p/$f; done 2>&1 | grep -vc denied";
    expect(await it.run(look)).toBe("0\n");
    const monitor =
      "for p in /proc/[0-9]*; do cut -d' ' -f5 $p/mountinfo 2>/dev/null; done | grep -c -e ^/boot -e ^/var -e ^/sys -e ^/home$ -e ^/root";
    expect(await it.run(monitor)).toBe("0\n");
  });

  test("of a command that is stopped end with it; those of earlier ones go on", LONG, async () => {
    const it = stage();
    await it.run(SERVER);
    const many = "sleep 601 & (setsid sleep 602 & disown) ; nohup setsid bash -c 'sleep 603 & sleep 604' >/dev/null 2>&1 & sleep 600";
    expect(await it.ran(many, it.session(), { time: 1500 })).toMatchObject({ ok: false, code: "timeout" });
    expect(await it.run(`pgrep -c sleep; ${CONNECT}`)).toBe("0\nserved");
  });

  test("that cannot be found one by one end with all others of the session", LONG, async () => {
    const it = stage();
    const fleeing = "import os, time\nend = time.time() + 60\nwhile time.time() < end:\n  if os.fork(): os._exit(0)";
    await it.ran(`python3 -c '${fleeing}' & sleep 600`, it.session(), { time: 2000 });
    expect(await it.run(COUNT)).toBe("0\n");
  });
});

confined("processes that a command left running are ended", () => {
  const told = async (it: ReturnType<typeof stage>, more: Partial<RunOptions> = {}, its = it.session()) => {
    const next = await it.ran(COUNT, its, more);
    return next.ok ? next.stdout : next.why;
  };

  test("before a command starts that finds a secret which is new, and go on where nothing is", LONG, async () => {
    const it = stage();
    await it.run(SERVER);
    expect(await told(it)).toBe("1\n");
    fs.writeFileSync(it.path("home/code/ws/.env.local"), "TOKEN=new");
    expect(await told(it)).toBe("0\n");
    expect(await it.run(CONNECT)).toContain("refused");
  });

  test("also where no other command starts, and the next one is told why", LONG, async () => {
    const it = stage();
    await it.run(SERVER);
    fs.writeFileSync(it.path("home/code/ws/.env.local"), "TOKEN=new");
    await expect.poll(() => servers(it.path("")), { timeout: 30_000 }).toEqual([]);
    await expect
      .poll(async () => await it.ran("true"), { timeout: 10_000 })
      .toMatchObject({ ended: [expect.stringContaining("is to be covered now")] });
  });

  test("when what covers a secret is replaced", LONG, async () => {
    const it = stage();
    fs.writeFileSync(it.path("home/code/ws/.env"), "TOKEN=old");
    await it.run(SERVER);
    fs.writeFileSync(it.path("home/code/ws/new"), "TOKEN=new");
    fs.renameSync(it.path("home/code/ws/new"), it.path("home/code/ws/.env"));
    await expect.poll(() => servers(it.path("")), { timeout: 10_000 }).toEqual([]);
  });

  test("when a grant that they saw is revoked, and before a command that no longer has it", LONG, async () => {
    const it = stage();
    it.grant("home/code/library");
    await it.run(SERVER);
    const [grant] = it.session().grants;
    if (grant !== undefined) it.sandbox.revoke(grant.id);
    await expect.poll(() => servers(it.path("")), { timeout: 10_000 }).toEqual([]);
    await it.run(SERVER);
    expect(await told(it, {}, { ...it.session(), grants: [] })).toBe("0\n");
  });

  test("before a command that has the network, and those with it before one without", LONG, async () => {
    const it = stage();
    await it.run(SERVER);
    expect(await told(it, { network: "host" })).toBe("0\n");
    await it.run("rm -f /tmp/ready; sleep 600 & sleep 0.1", it.session(), { network: "host" });
    expect(await it.run("pgrep -c sleep", it.session(), { network: "host" })).toBe("1\n");
    expect(await it.run("pgrep -c sleep")).toBe("0\n");
  });

  test.runIf(canWait).each([
    ["and one of them uses it", "exec 5<../library/README; sleep 600 & sleep 0.1", "0\n"],
    ["but not where none does", "cat ../library/README >/dev/null; sleep 600 & sleep 0.1", "1\n"],
  ])("when a repository is revoked that was granted while their command ran, %s", LONG, async (_when, command, left) => {
    const it = stage({ asks: true });
    expect(await it.ran(command)).toMatchObject({ ok: true, left: [expect.stringContaining("sleep")] });
    for (const { id } of it.session().grants) it.sandbox.revoke(id);
    it.refuse();
    const after = "pgrep -c sleep; cat ../library/README";
    const [count, refused] = (await it.run(after, { ...it.session(), grants: [] })).split(/(?<=^\d\n)/u);
    expect([count, refused]).toEqual([left, expect.stringContaining("Permission denied")]);
  });

  /** It hands a directory to whoever connects, by a socket in /tmp; the other takes it, and reads a secret through it until it is there. */
  const HAND = `import os, socket
s = socket.socket(socket.AF_UNIX); s.connect("/tmp/hand")
socket.send_fds(s, [b"x"], [os.open(".", os.O_RDONLY)])`;
  const TAKE = `import os, socket, sys, time
l = socket.socket(socket.AF_UNIX); l.bind("/tmp/hand"); l.listen()
open("/tmp/ready", "w").close()
s = l.accept()[0] if sys.argv[1] == "taken" else l
d = socket.recv_fds(s, 1, 1)[1][0] if sys.argv[1] == "taken" else None
open("/tmp/taken", "w").close()
while True:
  try:
    if d is None:
      time.sleep(0.5)
      d = socket.recv_fds(l.accept()[0], 1, 1)[1][0]
    text = os.read(os.open(".env", os.O_RDONLY, dir_fd=d), 100)
    if text: open("/tmp/part", "wb").write(text); os.rename("/tmp/part", "/tmp/found")
  except OSError: pass`;

  test.each([
    ["6.3.0-generic", "1\n"],
    ["6.1.0-13-amd64", "0\n"],
    ["5.4.0-150-generic", "0\n"],
  ])("when a connection waits, on a kernel that does not say what is on its way there: %s", LONG, async (release, count) => {
    const it = stage({ options: { handedOver: (first) => isHandedOver(first, release) } });
    const waits = `import socket, time
l, c = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
l.bind("/tmp/waits"); l.listen(); c.connect("/tmp/waits")
open("/tmp/ready", "w").close()
time.sleep(600)`;
    fs.writeFileSync(it.path("home/code/ws/waits.py"), waits);
    await it.run("python3 waits.py >/tmp/log 2>&1 & until [ -e /tmp/ready ]; do sleep 0.02; done");
    expect(await told(it)).toBe(count);
  });

  /** The rest of the program in a thread, when the process's first one has ended: the kernel then shows the process as one that is over. */
  const withoutFirstThread = (program: string): string =>
    `import ctypes, threading\nwork = ${JSON.stringify(program)}\nthreading.Thread(target=lambda: exec(work, {})).start()\nctypes.CDLL(None).syscall(${process.arch === "x64" ? 60 : 93}, 0)`;

  const hand = async (how: string, options: BubblewrapOptions = {}, take = TAKE) => {
    const it = stage({ options });
    fs.writeFileSync(it.path("home/code/ws/.env"), "TOKEN=secret");
    fs.writeFileSync(it.path("home/code/ws/take.py"), take);
    fs.writeFileSync(it.path("home/code/ws/hand.py"), HAND);
    await it.run(`python3 take.py "${how}" >/tmp/log 2>&1 & until [ -e /tmp/ready ]; do sleep 0.02; done`);
    expect(await told(it)).toBe("1\n");
    await it.run("python3 hand.py; until [ -e /tmp/taken ]; do sleep 0.02; done");
    return it;
  };

  test.each(["taken", "on its way"])("when one of them holds what another command saw, and that has ended: %s", LONG, async (how) => {
    const it = await hand(how);
    expect(await told(it)).toBe("0\n");
    expect(await it.run("cat /tmp/found")).toContain("No such file");
  });

  test.each(["taken", "on its way"])("also where its first thread has ended: %s", LONG, async (how) => {
    const it = await hand(how, {}, withoutFirstThread(TAKE));
    expect(await told(it)).toBe("0\n");
    expect(await it.run("cat /tmp/found")).toContain("No such file");
  });

  test("when a grant that they saw is revoked, also where their first thread has ended", LONG, async () => {
    const it = stage();
    it.grant("home/code/library");
    const reads = `import time\nwhile True:\n  time.sleep(0.05)\n  try: text = open("${it.path("home/code/library/README")}").read(); open("/tmp/part", "w").write(str(time.time()))\n  except OSError: break`;
    fs.writeFileSync(it.path("home/code/ws/reads.py"), withoutFirstThread(reads));
    const ran = await it.ran("python3 reads.py >/dev/null 2>&1 & until [ -e /tmp/part ]; do sleep 0.02; done");
    expect(ran).toMatchObject({ ok: true, left: [expect.stringContaining("python3")] });
    const [grant] = it.session().grants;
    if (grant !== undefined) it.sandbox.revoke(grant.id);
    await expect.poll(async () => it.run("pgrep -c python3", { ...it.session(), grants: [] }), { timeout: 10_000 }).toBe("0\n");
  });

  test("without that it reads the secret", LONG, async () => {
    const it = await hand("taken", { handedOver: () => false });
    expect(await it.run("until [ -e /tmp/found ]; do sleep 0.02; done; cat /tmp/found")).toBe("TOKEN=secret");
  });
});
