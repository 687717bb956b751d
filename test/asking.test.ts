// Programs in the sandbox that reach for another repository: the system call waits, a person is asked, and the running program goes on with the
// file, or is refused. For real, with every kind of program.

import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import { describe, expect, test } from "vitest";
import { createBubblewrap } from "../src/sandbox/bubblewrap.ts";
import { whyNoKeeper } from "../src/sandbox/keeper.ts";
import type { CommandOutcome, ReachedPath, RunOptions } from "../src/sandbox/port.ts";
import { detect } from "../src/sandbox/sandbox.ts";
import { reopenGrants } from "../src/core/session/grant.ts";
import { sessionId } from "../src/core/names.ts";
import type { Session } from "../src/core/session/session.ts";
import { counter, scene } from "./scene.ts";
import { keepers } from "./support/keepers.ts";

const why = (await detect()).why ?? whyNoKeeper();
if (why !== null) console.log(`programs cannot be made to wait here: ${why}`);
// Left out on somebody's own machine, and where there is no such device at all; where every commit is tried it must work.
const asking = describe.skipIf(why !== null && (process.env["CI"] === undefined || !fs.existsSync("/dev/fuse")));

const SPEC = [
  "home/code/ws/a.txt: INSIDE",
  "home/code/library/.git/HEAD: ref: refs/heads/main",
  "home/code/library/.git/objects/",
  "home/code/library/.git/refs/",
  "home/code/library/package.json: {}",
  "home/code/library/README: OUTSIDE",
  "home/code/library/src/deep.txt: DEEP",
  "home/code/library/.env: TOKEN=x",
  "home/code/other/package.json: {}",
  "home/code/plain/x.txt: PLAIN",
  "home/.ssh/id_rsa: KEY",
];

function stage(answer: (reached: ReachedPath, it: { grant(dir: string): Session }) => Promise<Session | null> | Session | null) {
  const grown = scene(SPEC, { workspace: "home/code/ws", home: "home" });
  // Covers are laid in the keeper's namespaces here; in `session-room.test.ts` bubblewrap mounts them.
  const sandbox = createBubblewrap({ leastLaid: 1 });
  const asked: ReachedPath[] = [];
  const ids = counter();
  let session = grown.session;
  const grant = (dir: string): Session => (session = reopenGrants(session, [grown.path(dir)], { clock: Date.now, ids }).session);
  const run = (command: string, options: Partial<RunOptions> = {}, by = sandbox): Promise<CommandOutcome> =>
    by.run(command, {
      session: grown.session,
      cwd: grown.session.workspace.dir,
      network: "none",
      time: 60_000,
      outputBytes: 65_536,
      asking: {
        patience: 30_000,
        ask: async (reached) => {
          asked.push(reached);
          return answer(reached, { grant });
        },
      },
      ...options,
    });
  const finish = async (command: string, options?: Partial<RunOptions>) => {
    const ran = await run(command, options);
    if (!ran.ok) throw new Error(`stopped: ${ran.code} ${ran.why} ${ran.printed}`);
    return { ...ran, said: `${ran.stdout}${ran.stderr}` };
  };
  return { ...grown, sandbox, asked, run, finish, grant };
}

const yes = (_reached: ReachedPath, it: { grant(dir: string): Session }): Session => it.grant("home/code/library");

const programs: Readonly<Record<string, { readonly command: string; readonly says: string }>> = {
  cat: { command: "cat ../library/README", says: "OUTSIDE" },
  ls: { command: "ls ../library", says: "README\npackage.json\nsrc\n" },
  cd: { command: "cd ../library && cat README", says: "OUTSIDE" },
  "cat, further down": { command: "cat ../library/src/deep.txt", says: "DEEP" },
  find: { command: "find ../library -name deep.txt", says: "../library/src/deep.txt\n" },
  grep: { command: "grep -rls DEEP ../library", says: "../library/src/deep.txt\n" },
  git: { command: "git -c safe.directory='*' -C ../library symbolic-ref HEAD", says: "refs/heads/main\n" },
  stat: { command: "test -d ../library && cat ../library/README", says: "OUTSIDE" },
  "a shell script": { command: "printf 'read -r line < ../library/README; echo $line' > s.sh; bash s.sh", says: "OUTSIDE\n" },
  node: { command: `node -e 'process.stdout.write(fs.readFileSync("../library/README", "utf8"))'`, says: "OUTSIDE" },
  "node, by a promise": { command: `node -e 'fs.promises.readFile("../library/README", "utf8").then(console.log)'`, says: "OUTSIDE\n" },
  python: { command: `python3 -c 'print(open("../library/README").read())'`, says: "OUTSIDE\n" },
};

asking("a program that reaches for another repository", () => {
  test.each(Object.entries(programs))("%s waits, and goes on after a yes", { timeout: 120_000 }, async (_name, { command, says }) => {
    const it = stage(yes);
    const { stdout, stderr } = await it.finish(command);
    expect(stdout).toBe(says);
    expect(stderr.replaceAll(/^Warning: Ignoring extra certs.*\n/gm, "")).toBe("");
    expect(it.asked).toHaveLength(1);
  });

  test("is named on the card, with what it reached for", { timeout: 120_000 }, async () => {
    const it = stage(() => null);
    await it.finish("cat ../library/README");
    expect(it.asked).toEqual([{ path: it.path("home/code/library/README"), operation: "read", who: "cat (cat ../library/README)" }]);
  });

  test("can only read it, and secrets in it stay covered", { timeout: 120_000 }, async () => {
    const it = stage(yes);
    const { stdout, stderr } = await it.finish(
      "cat ../library/README; echo x > ../library/new; echo x > ../library/src/new; cat ../library/.env; cat ../library/.env; rm -rf ../library/src; umount ../library",
    );
    expect(stdout).toBe("OUTSIDE");
    expect(stderr).not.toContain("TOKEN");
    expect(stderr.match(/Read-only file system/g)).toHaveLength(3);
    expect(stderr.match(/\.env: Permission denied/g)).toHaveLength(2);
    expect(fs.readFileSync(it.path("home/code/library/src/deep.txt"), "utf8")).toBe("DEEP");
  });

  test("is refused after a no, and nobody is asked twice", { timeout: 120_000 }, async () => {
    const it = stage(() => null);
    const { stderr } = await it.finish(
      `cat ../library/README; ls ../library; cat ../library/src/deep.txt; cd ../library; python3 -c 'open("../library/README")' 2>&1 | tail -1 >&2`,
    );
    expect(stderr.match(/Permission denied/g)).toHaveLength(5);
    expect(it.asked).toHaveLength(1);
  });

  test("is one of many, and one card is raised for all", { timeout: 120_000 }, async () => {
    const it = stage(yes);
    const { stdout } = await it.finish("for i in 1 2 3 4 5 6 7 8; do cat ../library/README & done; wait");
    expect(stdout).toBe("OUTSIDE".repeat(8));
    expect(it.asked).toHaveLength(1);
  });

  test("finds nothing, and nobody is asked, where nothing could be granted", { timeout: 120_000 }, async () => {
    const it = stage(yes);
    const { stdout, stderr } = await it.finish(
      "cat ../nothing/x; cat ../plain/x.txt; cat ~/.ssh/id_rsa; cat ../library/.env; ls -A ~ ..; cat /etc/shadow; cat ../../../x",
    );
    expect(stdout).not.toMatch(/PLAIN|KEY|TOKEN|library|plain|ssh/);
    expect(stderr.match(/No such file or directory/g)).toHaveLength(6);
    expect(it.asked).toEqual([]);
  });

  test("has a home directory that it can write to, and nothing of it is left", { timeout: 120_000 }, async () => {
    const it = stage(yes);
    const { stdout } = await it.finish(
      "mkdir -p ~/.cache/tool ../new && echo one > ~/.cache/tool/x && cat ~/.cache/tool/x && id -u && pwd",
    );
    expect(stdout).toBe(`one\n${process.getuid?.()}\n${it.path("home/code/ws")}\n`);
    expect(fs.existsSync(it.path("home/.cache"))).toBe(false);
    expect(fs.existsSync(it.path("home/code/new"))).toBe(false);
  });

  test("is refused when it has waited long enough; a later yes serves the next attempt", { timeout: 120_000 }, async () => {
    let settle: (session: Session) => void = () => {};
    const it = stage(() => new Promise<Session>((resolve) => (settle = resolve)));
    const ask = async (reached: ReachedPath): Promise<Session | null> => {
      it.asked.push(reached);
      return new Promise<Session>((resolve) => (settle = resolve));
    };
    const answered = (async () => {
      while (!fs.existsSync(it.path("home/code/ws/refused"))) await new Promise((resolve) => setTimeout(resolve, 20));
      settle(it.grant("home/code/library"));
    })();
    const { stdout, stderr } = await it.finish(
      "cat ../library/README || touch refused; until cat ../library/README 2>/dev/null; do :; done",
      {
        asking: { patience: 400, ask },
      },
    );
    await answered;
    expect(stderr).toMatch(/Permission denied/);
    expect(stdout).toBe("OUTSIDE");
    expect(it.asked).toHaveLength(1);
  });

  test("fails again after a revocation, in the same process", { timeout: 120_000 }, async () => {
    const it = stage(yes);
    const revoked = (async () => {
      while (!fs.existsSync(it.path("home/code/ws/read"))) await new Promise((resolve) => setTimeout(resolve, 20));
      const [grant] = it.grant("home/code/library").grants;
      if (grant !== undefined) it.sandbox.revoke(grant.id);
    })();
    const { stdout, stderr } = await it.finish(
      "cat ../library/README; touch read; while [ -e ../library/README ]; do sleep 0.05; done; read -r x < ../library/README || echo gone; cat ../library/README",
    );
    await revoked;
    expect(stdout).toBe("OUTSIDEgone\n");
    expect(stderr.match(/Permission denied/g)).toHaveLength(2);
    expect(it.asked).toHaveLength(1);
  });

  test("is refused where the grant is revoked before it is mounted", { timeout: 120_000 }, async () => {
    const it = stage((reached, ports) => {
      const granted = yes(reached, ports);
      for (const { id } of granted.grants) it.sandbox.revoke(id);
      return granted;
    });
    const { stdout, stderr } = await it.finish("cat ../library/README; cat ../library/README");
    expect(stdout).toBe("");
    expect(stderr.match(/Permission denied/g)).toHaveLength(2);
  });

  test("is ended by a revocation while it holds a file of it open", { timeout: 120_000 }, async () => {
    const it = stage(yes);
    const revoked = (async () => {
      while (!fs.existsSync(it.path("home/code/ws/read"))) await new Promise((resolve) => setTimeout(resolve, 20));
      const [grant] = it.grant("home/code/library").grants;
      if (grant !== undefined) it.sandbox.revoke(grant.id);
    })();
    const ran = await it.run("exec 5< ../library/README; touch read; sleep 600");
    await revoked;
    expect(ran).toMatchObject({ ok: false, code: "grant-revoked" });
  });

  /** Ways to keep a directory of the grant that are not in the list of the process's own descriptors. */
  const hidden: Readonly<Record<string, string>> = {
    "in a thread with descriptors of its own": `
def keep():
    libc.unshare(0x400)  # CLONE_FILES
    fd = os.open(lib, os.O_RDONLY)
    ready.set(); later(fd)
threading.Thread(target=keep).start(); ready.wait(); touch(); time.sleep(600)`,
    "as the directory of one thread": `
def keep():
    libc.unshare(0x200)  # CLONE_FS
    os.chdir(lib)
    ready.set(); gone(); later(os.open(".", os.O_PATH))
threading.Thread(target=keep).start(); ready.wait(); touch(); time.sleep(600)`,
    "in a process whose first thread has ended": `
def keep():
    fd = os.open(lib, os.O_RDONLY)
    time.sleep(0.5); touch(); later(fd)
threading.Thread(target=keep).start(); libc.syscall(60, 0)  # exit, of this thread alone`,
    "on its way through a socket": `
a, b = socket.socketpair()
fd = os.open(lib, os.O_RDONLY)
socket.send_fds(a, [b"x"], [fd]); os.close(fd); touch(); gone()
later(socket.recv_fds(b, 1, 1)[1][0])`,
  };
  const around = (body: string): string => `
import ctypes, os, socket, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
lib = "../library"
ready = threading.Event()
def touch(): open("read", "w").close()
def gone():
    while os.path.exists(lib + "/README"): time.sleep(0.02)
    return True
def later(fd):
    gone()
    print("LEAK", os.read(os.open("README", os.O_RDONLY, dir_fd=fd), 99).decode(), flush=True)
    os._exit(0)
os.stat(lib + "/README")
${body}
`;
  test.each(Object.entries(hidden))(
    "is ended by a revocation while it keeps its directory %s",
    { timeout: 120_000 },
    async (_where, body) => {
      const it = stage(yes);
      fs.writeFileSync(it.path("home/code/ws/keep.py"), around(body));
      const revoked = (async () => {
        while (!fs.existsSync(it.path("home/code/ws/read"))) await new Promise((resolve) => setTimeout(resolve, 20));
        const [grant] = it.grant("home/code/library").grants;
        if (grant !== undefined) it.sandbox.revoke(grant.id);
      })();
      const ran = await it.run("python3 keep.py");
      await revoked;
      expect(ran).toMatchObject({ ok: false, code: "grant-revoked" });
      expect(ran.ok ? ran.stdout : ran.printed).not.toContain("LEAK");
    },
  );

  test("is ended by a revocation though it has moved the directory around the grant", { timeout: 120_000 }, async () => {
    // What it makes in the place of the directory around the repository is its own, and may be renamed with the mount in it.
    const it = stage(async (reached, { grant }) => {
      while (!fs.existsSync(it.path("home/code/ws/planted"))) await new Promise((resolve) => setTimeout(resolve, 20));
      return yes(reached, { grant });
    });
    const revoked = (async () => {
      while (!fs.existsSync(it.path("home/code/ws/read"))) await new Promise((resolve) => setTimeout(resolve, 20));
      const [grant] = it.grant("home/code/library").grants;
      if (grant !== undefined) it.sandbox.revoke(grant.id);
    })();
    fs.writeFileSync(
      it.path("home/code/ws/move.py"),
      `
import os, subprocess, time
home = os.environ["HOME"]
other = subprocess.Popen(["cat", home + "/code/library/README"])
time.sleep(0.5)
os.rmdir(home + "/code"); os.makedirs(home + "/code/library")
open("planted", "w").close()
while not os.path.exists(home + "/code/library/README"): time.sleep(0.02)
os.rename(home + "/code", home + "/moved")
fd = os.open(home + "/moved/library", os.O_RDONLY)
print("MOVED", flush=True)
open("read", "w").close()
while os.path.exists(home + "/moved/library/README"): time.sleep(0.02)
print("LEAK", os.read(os.open("README", os.O_RDONLY, dir_fd=fd), 99).decode(), flush=True)
`,
    );
    const ran = await it.run("python3 move.py", { time: 30_000 });
    await revoked;
    expect(ran).toMatchObject({ ok: false, code: "grant-revoked" });
    expect(ran.ok ? ran.stdout : ran.printed).not.toContain("LEAK");
  });

  test("can be ended while it waits", { timeout: 120_000 }, async () => {
    const it = stage(() => new Promise(() => {}));
    const ran = await it.run("timeout -s KILL 1 cat ../library/README; echo killed $?; cat ../library/README", { time: 3000 });
    expect(ran).toMatchObject({ ok: false, code: "timeout" });
    expect(ran.ok ? "" : ran.printed).toContain("killed 137");
    expect(keepers()).toEqual([]);
  });
});

asking("while a program waits for an answer", () => {
  const waits = () => {
    let answer: (session: Session | null) => void = () => {};
    const it = stage(() => new Promise((resolve) => (answer = resolve)));
    return { ...it, other: { ...it.session, id: sessionId("other") }, answer: (session: Session | null) => answer(session) };
  };
  const until = (it: { readonly asked: readonly ReachedPath[] }) => expect.poll(() => it.asked.length, { timeout: 60_000 }).toBe(1);

  test.each(["of the same program", "of another program"])(
    "commands of other sessions start in the same workspace, those %s",
    { timeout: 120_000 },
    async (whose) => {
      const it = waits();
      const waiting = it.finish("cat ../library/README; cat made");
      await until(it);
      const sandbox = whose === "of the same program" ? it.sandbox : createBubblewrap();
      const ran = await it.run("cat a.txt; echo made > made; cat .env", { session: it.other }, sandbox);
      expect(ran).toMatchObject({ ok: true, stdout: "INSIDE" });
      it.answer(it.grant("home/code/library"));
      expect((await waiting).stdout).toBe("OUTSIDEmade\n");
    },
  );

  test("what executes later and is made meanwhile is set aside all the same", { timeout: 120_000 }, async () => {
    const it = waits();
    const waiting = it.finish("cat ../library/README");
    await until(it);
    const ran = await it.run("mkdir -p sub/.vscode; echo x > sub/.vscode/tasks.json", { session: it.other });
    expect(ran.setAside.map(({ from }) => from)).toEqual([it.path("home/code/ws/sub/.vscode")]);
    it.answer(null);
    expect((await waiting).stderr).toContain("Permission denied");
  });

  test("the next command of the same session waits for it", { timeout: 120_000 }, async () => {
    const it = waits();
    const waiting = it.finish("cat ../library/README; touch over");
    await until(it);
    const next = it.finish("ls over");
    it.answer(null);
    expect((await next).stdout).toBe("over\n");
    await waiting;
  });
});

asking("attacks on the doors", () => {
  test("a link in the way of the mount is not followed", { timeout: 120_000 }, async () => {
    // The program removes the directory around the repository from its own view while the person is asked, and puts a link there.
    const it = stage(async (reached, { grant }) => {
      while (!fs.existsSync(it.path("home/code/ws/planted"))) await new Promise((resolve) => setTimeout(resolve, 20));
      return yes(reached, { grant });
    });
    const plant = `python3 -c 'import os; h = os.environ["HOME"]; os.rmdir(h + "/code"); os.symlink("/tmp/mine", h + "/code"); print(os.readlink(h + "/code"))'`;
    const { stdout } = await it.finish(
      `mkdir -p /tmp/mine/library; cat ../library/README & ${plant}; touch planted; wait; ls /tmp/mine/library ~/code/library`,
    );
    expect(stdout).toContain("/tmp/mine\n");
    expect(stdout).not.toContain("package.json");
    expect(it.asked).toHaveLength(1);
  });

  test("a program that races on the directories around the mount finds it nowhere but there", { timeout: 300_000 }, async () => {
    const RACE = `
import os, time
home, mine = os.environ["HOME"], "/tmp/mine"
os.makedirs(mine + "/library", exist_ok=True)
steps = [
    lambda: os.rmdir(home + "/code"),
    lambda: os.symlink(mine, home + "/code"),
    lambda: os.unlink(home + "/code"),
    lambda: os.makedirs(home + "/code/library"),
    lambda: os.rename(home + "/code", home + "/moved"),
    lambda: os.symlink(mine + "/library", home + "/moved/library"),
    lambda: os.rename(home + "/moved", home + "/code"),
    lambda: os.rename(home + "/code/library", mine + "/renamed"),
    lambda: os.rmdir(home + "/code/library"),
]
turns, seen, until = 0, 0, time.time() + 20
def attempt(step):
    try: return step()
    except OSError: return None
while time.time() < until and not (os.path.exists("over") and turns > 2000):
    for step in steps:
        attempt(step)
        if attempt(lambda: open(home + "/code/library/README").read()) == "OUTSIDE": seen += 1
    turns += 1
    if turns == 3: open("racing", "w").close()
print("seen", min(seen, 1), flush=True)
`;
    let shown = 0;
    for (let left = 8; left > 0; left -= 1) {
      const it = stage(async (reached, ports) => {
        fs.writeFileSync(it.path("home/code/ws/asked"), "");
        while (!fs.existsSync(it.path("home/code/ws/racing"))) await new Promise((resolve) => setTimeout(resolve, 1));
        return yes(reached, ports);
      });
      fs.writeFileSync(it.path("home/code/ws/race.py"), RACE);
      const { stdout } = await it.finish(
        "cat ../library/README & reader=$!; until [ -e asked ]; do sleep 0.01; done; python3 race.py & wait $reader; touch over; wait; echo; find /tmp -name README -o -name package.json; for d in /tmp/mine /tmp/mine/library /tmp/mine/renamed ~/code/library ~/moved/library; do echo x > $d/README; done 2>/dev/null; true",
      );
      expect(stdout).toMatch(/^(OUTSIDE)?seen [01]\n(OUTSIDE)?\n/u);
      expect(stdout).not.toContain("/tmp/");
      if (/OUTSIDE|seen 1/u.test(stdout)) shown += 1;
      expect(fs.readFileSync(it.path("home/code/library/README"), "utf8")).toBe("OUTSIDE");
      expect(fs.readdirSync(it.path("home/code")).toSorted()).toEqual(["library", "other", "plain", "ws"]);
    }
    console.log(`a grant was mounted beside a racing program, and read, ${shown} of 8 times`);
  });

  test("what was granted is mounted only if it still is that directory", { timeout: 120_000 }, async () => {
    const it = stage((reached, ports) => {
      const granted = yes(reached, ports);
      fs.renameSync(it.path("home/code/library"), it.path("home/code/moved"));
      fs.mkdirSync(it.path("home/code/library"));
      fs.writeFileSync(it.path("home/code/library/README"), "ANOTHER");
      return granted;
    });
    const { stdout, stderr } = await it.finish("cat ../library/README");
    expect(stdout).toBe("");
    expect(stderr).toContain("Permission denied");
  });

  test(
    "while another process exchanges it with another directory, nothing but what was granted is mounted",
    { timeout: 300_000 },
    async () => {
      const exchange = `
import os, sys, time
home = sys.argv[1]
open(home + "/racing", "w").close()
while True:
    time.sleep(float(sys.argv[2]))
    for one, other in [("library", "away"), ("decoy", "library"), ("library", "decoy"), ("away", "library")]:
        os.rename(home + "/code/" + one, home + "/code/" + other)
`;
      let shown = 0;
      for (let left = 8; left > 0; left -= 1) {
        let racing: ChildProcess | null = null;
        const it = stage(async (reached, ports) => {
          const granted = yes(reached, ports);
          racing = spawn("/usr/bin/python3", ["-c", exchange, it.path("home"), left % 2 === 0 ? "0" : "0.004"], { stdio: "ignore" });
          await expect.poll(() => fs.existsSync(it.path("home/racing")), { timeout: 60_000 }).toBe(true);
          return granted;
        });
        fs.mkdirSync(it.path("home/code/decoy/.git"), { recursive: true });
        fs.writeFileSync(it.path("home/code/decoy/README"), "ANOTHER");
        fs.writeFileSync(it.path("home/code/decoy/.env"), "TOKEN=x");
        try {
          const { said } = await it.finish("for i in 1 2 3 4 5; do cat ../library/README ../library/.env; done");
          expect(said).not.toMatch(/ANOTHER|TOKEN/u);
          if (said.includes("OUTSIDE")) shown += 1;
        } finally {
          (racing as ChildProcess | null)?.kill("SIGKILL");
        }
      }
      console.log(`a grant was mounted while it was exchanged, and read, ${shown} of 8 times`);
    },
  );

  test.each(["after a no", "while nobody answers", "after a yes"])(
    "ten thousand lookups in a repository, by twenty threads, raise one card: %s",
    { timeout: 300_000 },
    async (when) => {
      const it = stage(yes);
      const lookUp = `
import threading, os
found = []
def work(k):
    for i in range(500):
        try: found.append(os.stat("../library/README" if i % 2 else "../library/missing%d-%d" % (k, i)).st_size)
        except OSError as error: found.append(error.errno)
threads = [threading.Thread(target=work, args=(k,)) for k in range(20)]
[t.start() for t in threads]; [t.join() for t in threads]
print(len(found), sorted(set(found)))
`;
      fs.writeFileSync(it.path("home/code/ws/look.py"), lookUp);
      const ask = async (reached: ReachedPath): Promise<Session | null> => {
        it.asked.push(reached);
        if (when === "while nobody answers") return new Promise(() => {});
        return when === "after a no" ? null : it.grant("home/code/library");
      };
      const { stdout } = await it.finish("python3 look.py", { asking: { patience: 400, ask } });
      // Missing, and as long as it is; or refused, all of them.
      expect(stdout).toBe(when === "after a yes" ? "10000 [2, 7]\n" : "10000 [13]\n");
      expect(it.asked).toHaveLength(1);
    },
  );

  test("ten thousand lookups raise no card, and hold nobody up", { timeout: 120_000 }, async () => {
    const it = stage(yes);
    const { stdout } = await it.finish(
      `python3 -c 'import os; print(sum(os.path.exists("../missing%d" % i) for i in range(10000)))'; cat ../library/README`,
    );
    expect(stdout).toBe("0\nOUTSIDE");
    expect(it.asked).toHaveLength(1);
  });

  test("nothing is mounted from inside", { timeout: 120_000 }, async () => {
    const it = stage(yes);
    const { stdout, stderr } = await it.finish(
      "mount -t tmpfs x ~ ; unshare -Ur true; mount --bind / /tmp; ls /sys /dev/fuse; python3 -c 'import os; os.open(\"/dev/fuse\", 2)'",
    );
    expect(stdout).toBe("");
    expect(stderr.split("\n").length).toBeGreaterThan(4);
  });

  test.each(["before anybody asks", "while a person is asked", "after a yes"])(
    "the keeper is killed %s",
    { timeout: 120_000 },
    async (when) => {
      const kill = (): void => keepers().forEach((pid) => process.kill(pid, "SIGKILL"));
      const it = stage((reached, ports) => {
        if (when === "while a person is asked") kill();
        return yes(reached, ports);
      });
      const seen = (async () => {
        while (!fs.existsSync(it.path("home/code/ws/now"))) await new Promise((resolve) => setTimeout(resolve, 20));
        if (when !== "while a person is asked") kill();
      })();
      const ran = await it.run(
        `${when === "after a yes" ? "cat ../library/README;" : ""} touch now; ${when === "while a person is asked" ? "cat ../library/README;" : ""} sleep 600`,
      );
      await seen;
      expect(ran).toMatchObject({ ok: false, code: "sandbox-unavailable" });
      expect(keepers()).toEqual([]);
    },
  );
});
