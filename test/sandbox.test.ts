// Commands in the sandbox, for real: what they see and do not see, what they change and cannot, and that nothing of them is left. What
// is refused here is also done without the sandbox, to show that the command does what it says.

import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { createServer } from "node:http";
import { createServer as createSocket, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createBubblewrap, type BubblewrapOptions } from "../src/sandbox/bubblewrap.ts";
import type { Delay, CommandResult, CommandOutcome, RunOptions, Sandbox, RenamedEntry, CommandStop } from "../src/sandbox/port.ts";
import { LEAST_LAID } from "../src/sandbox/laid-covers.ts";
import { detect } from "../src/sandbox/sandbox.ts";
import { grantId } from "../src/core/names.ts";
import { reopenGrants } from "../src/core/session/grant.ts";
import { reanchor, type Session } from "../src/core/session/session.ts";
import { startHallpass } from "./line-process.ts";
import { startRacer } from "./races/racer.ts";
import { counter, isRoot, nothingStaysPinned, pins, scene, type Scene, type ScenePlan } from "./scene.ts";

const { why } = await detect();
if (why !== null) console.log(`commands cannot be confined here: ${why}`);
// On somebody's own machine what needs bubblewrap is left out; where every commit is tried, nothing is.
const confined = describe.skipIf(why !== null && process.env["CI"] === undefined);

/** However it is mounted, what is seen is the same. */
const waysToMount: readonly (readonly [string, BubblewrapOptions])[] = [
  ["by bubblewrap", { leastLaid: Number.POSITIVE_INFINITY }],
  ["before bubblewrap starts", { leastLaid: 1 }],
];

interface Stage extends Scene {
  readonly sandbox: Sandbox;
  readonly ws: string;
  /** A session that was granted these directories. */
  grant(...dirs: string[]): Session;
  run(command: string, options?: Partial<RunOptions>): Promise<CommandOutcome>;
  /** The same, for commands that are expected to end by themselves. */
  finish(command: string, options?: Partial<RunOptions>): Promise<CommandResult>;
  stop(command: string, options?: Partial<RunOptions>): Promise<CommandStop>;
  /** What the command prints without any sandbox. */
  bare(command: string): string;
  read(name: string): string | null;
}

function stage(spec: readonly string[], plan: ScenePlan & { readonly sandbox?: BubblewrapOptions } = {}): Stage {
  const { sandbox: options, ...rest } = plan;
  const grown = scene(spec, rest);
  const sandbox = createBubblewrap(options);
  const ws = grown.path("ws");
  const run: Stage["run"] = (command, given = {}) =>
    sandbox.run(command, {
      session: grown.session,
      cwd: grown.session.workspace.dir,
      network: "none",
      time: 20_000,
      outputBytes: 65_536,
      ...given,
    });
  return {
    ...grown,
    sandbox,
    ws,
    run,
    grant: (...dirs) => reopenGrants(grown.session, dirs.map(grown.path), { clock: Date.now, ids: counter() }).session,
    async finish(command, given) {
      const ran = await run(command, given);
      if (!ran.ok) throw new Error(`stopped: ${ran.code} ${ran.why}`);
      return ran;
    },
    async stop(command, given) {
      const ran = await run(command, given);
      if (ran.ok) throw new Error(`it was not stopped: ${JSON.stringify(ran)}`);
      return ran;
    },
    bare: (command) => {
      const { stdout, stderr } = spawnSync("/bin/bash", ["-c", command], { cwd: ws, encoding: "utf8" });
      return stdout + stderr;
    },
    read: (name) => {
      const at = join(ws, name);
      return fs.existsSync(at) ? fs.readFileSync(at, "utf8") : null;
    },
  };
}

const gitInit = (dir: string): void => {
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["config", "user.name", "Ada"],
    ["config", "user.email", "ada@example.org"],
  ])
    execFileSync("git", ["-C", dir, ...args]);
};

/** The processes of this machine whose command line holds the text. */
function processesWith(text: string): readonly string[] {
  return fs.readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ").includes(text);
    } catch {
      return false;
    }
  });
}

/** The scene's session, in another workspace. */
function reanchored(it: Stage, dir: string): Session {
  const moved = reanchor(it.session, it.path(dir));
  if (!moved.ok) throw new Error(moved.code);
  return moved.session;
}

const byPath = (aside: readonly RenamedEntry[]): readonly RenamedEntry[] =>
  aside.toSorted((one, other) => (one.from < other.from ? -1 : 1));

const soon = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

confined("directories that the policy allows", () => {
  test("are read or written as its rules say, secrets in them shut; without the rule they are not there", async () => {
    const spec = ["home/ref/a: REFERENCE", "home/ref/.env: SECRET", "home/ref/no/b: DENIED", "home/out/c: 1", "home/ask/d: ASKED"];
    const read = { "~/ref/no/**": "deny", "~/ref/**": "allow", "~/out/**": "allow", "~/ask/**": "ask" };
    const it = stage(spec, { policy: { permission: { external_directory: { read, write: { "~/out/**": "allow" } } } } });
    const look = "cd ~; cat ref/a ref/.env ref/no/b ask/d; echo new > ref/new; echo new > out/new; true";
    const ran = await it.finish(look);
    expect(ran.stdout).toBe("REFERENCE");
    expect([fs.existsSync(it.path("home/ref/new")), fs.existsSync(it.path("home/out/new"))]).toEqual([false, true]);
    const without = await stage(spec).finish(look);
    expect(without.stdout).toBe("");
  });
});

confined("what a command sees", () => {
  nothingStaysPinned();

  test("whoever runs it is told how far the look for secrets is, and when that is over", async () => {
    const it = stage(["ws/.env: SECRET-1"], { sandbox: { tellEvery: 1 } });
    execFileSync("sh", ["-c", "seq -f 'd%.0f' 1000 | xargs mkdir"], { cwd: it.ws });
    const told: (Delay | null)[] = [];
    await it.finish("true", { delayed: (delay) => void told.push(delay) });
    expect(told.at(-1)).toBeNull();
    expect(told.some((delay) => delay?.for === "look" && delay.directories > 0 && delay.directories <= 1001)).toBe(true);
  });

  test("whoever runs it is told that another command of the workspace has to end first", async () => {
    const it = stage(["ws/a: one"], { sandbox: { tellEvery: 1 } });
    const told: (Delay | null)[] = [];
    const first = it.finish("while ! [ -e go ]; do sleep 0.01; done");
    const delayed = (delay: Delay | null): void => {
      told.push(delay);
      if (delay?.for === "turn") fs.writeFileSync(`${it.ws}/go`, "");
    };
    await it.finish("cat a", { delayed });
    await first;
    expect(told.filter((delay) => delay?.for === "turn").length).toBeGreaterThan(0);
    expect(told.at(-1)).toBeNull();
  });

  test("the workspace, which it changes; a grant, which it only reads; and nothing beside them", async () => {
    const it = stage(["ws/a: one", "lib/b: two", "$OUT/secret: SECRET-OUTSIDE"]);
    const look = `cat a ${it.path("lib/b")}; echo new > made; mkdir d; echo x > ${it.path("lib/b")}; echo x > ${it.path("lib/n")}; cat ${it.out}/secret; ls -a ${it.root}`;
    const { stdout, stderr } = await it.finish(look, { session: it.grant("lib") });
    expect(stdout).toBe("onetwo.\n..\nhome\nlib\nws\n");
    expect(stderr.match(/Read-only file system/g)).toHaveLength(2);
    expect(stderr).toContain("No such file or directory");
    expect([it.read("made"), it.read("../lib/b"), it.read("../lib/n")]).toEqual(["new\n", "two", null]);
    expect(fs.statSync(join(it.ws, "made")).uid).toBe(process.getuid?.());
    expect(it.bare(`cat ${it.out}/secret`)).toContain("SECRET-OUTSIDE");
  });

  test("programs of the machine, and nothing private of it", async () => {
    const it = stage([]);
    const { stdout } = await it.finish(
      "ls /; ls /etc; ls -A ~; ls /root /home /var /run /sys /etc/shadow /etc/ssl/private 2>/dev/null; git --version; awk 'BEGIN { print 6 * 7 }'",
    );
    const lines = stdout.split("\n");
    expect(lines).not.toContain("shadow");
    for (const name of ["root", "var", "run", "sys", "opt", "srv", "mnt"]) expect(lines).not.toContain(name);
    expect(stdout).toContain("git version");
    expect(lines).toContain("42");
  });

  test("mounts as their mode says, and a workspace that lies in one of them", async () => {
    const it = stage(["all/ws/a: 1", "all/b: 2", "more/c: 3", "box/d: 4"], {
      workspace: "all/ws",
      mounts: [
        { path: "all", mode: "read_only" },
        { path: "more", mode: "extend" },
        { path: "box", mode: "sandboxed" },
      ],
    });
    const { stdout } = await it.finish(
      "pwd; for f in a ../b ../../more/c ../../box/d; do (echo x >> $f) 2>/dev/null && echo wrote $f; cat $f; done; touch ../../box/new",
    );
    expect(stdout).toBe(`${it.path("all/ws")}\nwrote a\n1x\n2wrote ../../more/c\n3x\nwrote ../../box/d\n4x\n`);
    expect(fs.existsSync(it.path("box/new"))).toBe(true);
  });

  test("a mount that only reads, in the workspace, stays one whatever is done to the directories around it", async () => {
    const it = stage(["ws/vendor/lib/a: 1"], { mounts: [{ path: "ws/vendor/lib", mode: "read_only" }] });
    const attack = "mv vendor v; echo evil > v/lib/a";
    await it.finish(attack);
    await it.finish(attack);
    expect(it.read("vendor/lib/a")).toBe("1");
    it.bare(attack);
    expect(it.read("v/lib/a")).toBe("evil\n");
  });

  test("its home directory by name, empty but for roots in it", async () => {
    const it = stage(["home/.bashrc: echo leaked", "home/src/lib/a: granted"]);
    const { stdout } = await it.finish("cd; ls -A; cat ~/src/lib/a; touch ~/x && echo own", { session: it.grant("home/src/lib") });
    expect(stdout).toBe("src\ngrantedown\n");
    expect(fs.existsSync(it.path("home/x"))).toBe(false);
  });

  test("names of every kind", async () => {
    const odd = "w s\n\\040é'\"$(touch x)#";
    const it = stage([]);
    const at = (...names: readonly string[]): string => join(it.path("ws"), ...names);
    fs.mkdirSync(at(odd, ".vscode"), { recursive: true });
    fs.writeFileSync(at(odd, ".env"), "SECRET-1");
    fs.writeFileSync(at(odd, `${odd}.pem`), "SECRET-2");
    fs.writeFileSync(at(odd, "open"), "open");
    const { stdout } = await it.finish("cd w*; cat .env *.pem open; echo x > .vscode/a; pwd; ls -A");
    expect(stdout).toBe(`open${at(odd)}\n.env\n.vscode\nopen\n${odd}.pem\n`);
    const moved = reanchor(it.session, at(odd));
    if (!moved.ok) throw new Error(moved.message);
    const { session } = moved;
    expect((await it.finish("cat .env; cat open; echo x > .vscode/a", { session, cwd: session.workspace.dir })).stdout).toBe("open");
    expect(fs.readdirSync(at(odd, ".vscode"))).toEqual([]);
  });

  test("a stale grant is left out and said so; a workspace that moved is not worked in", async () => {
    const it = stage(["ws/a: 1", "lib/b: 2"]);
    const session = it.grant("lib");
    fs.renameSync(it.path("lib"), it.path("gone"));
    fs.mkdirSync(it.path("lib"));
    fs.writeFileSync(it.path("lib/b"), "OTHER");
    const { stdout, leftOut } = await it.finish(`cat ${it.path("lib/b")}; ls ${it.root}`, { session });
    expect([stdout, leftOut]).toEqual(["home\nws\n", [it.path("lib")]]);
    fs.renameSync(it.ws, it.path("old"));
    fs.mkdirSync(it.ws);
    expect(await it.stop("pwd")).toMatchObject({ code: "root-moved" });
  });
});

confined("secrets", () => {
  nothingStaysPinned();

  const planted = [
    "ws/.env: SECRET-1",
    "ws/.env.example: shared",
    "ws/a/b/c/id_rsa: SECRET-2",
    "ws/a/.aws/config: SECRET-3",
    "ws/server.pem.bak: SECRET-4",
    "ws/.npmrc: //r/:_authToken=SECRET-5",
    "ws/plain/.npmrc: save-exact=true",
    "lib/x/.env.local: SECRET-6",
    "lib/readme: granted",
  ];

  test("are not to be read wherever they are, and what is made to be shared is", async () => {
    const it = stage(planted);
    const command = `cat .env .env.example a/b/c/id_rsa a/.aws/config server.pem.bak .npmrc plain/.npmrc ${it.path("lib")}/x/.env.local ${it.path("lib/readme")}; find ${it.root} -type f -exec cat {} + 2>/dev/null; grep -r SECRET . ${it.path("lib")}`;
    const { stdout, stderr } = await it.finish(command, { session: it.grant("lib") });
    expect(stdout + stderr).not.toContain("SECRET-");
    for (const shown of ["shared", "save-exact", "granted"]) expect(stdout).toContain(shown);
    const bare = it.bare(command);
    for (const secret of [1, 2, 3, 4, 5, 6]) expect(bare).toContain(`SECRET-${secret}`);
  });

  test("in backups of files that hold a token only sometimes are not to be read", async () => {
    const token = "//registry/:_authToken=SECRET-TOKEN";
    const it = stage([
      `ws/.npmrc.bak: ${token}`,
      `ws/.npmrc~: ${token}`,
      "ws/.yarnrc.yml.bak: npmAuthToken: SECRET-TOKEN",
      "ws/pip.conf.orig: index-url = https://a:SECRET-TOKEN@host/",
      "ws/p/.npmrc.bak: save-exact=true",
    ]);
    const look = "cat .npmrc.bak .npmrc~ .yarnrc.yml.bak pip.conf.orig p/.npmrc.bak";
    expect((await it.finish(look)).stdout).toBe("save-exact=true");
    expect(it.bare(look).match(/SECRET-TOKEN/g)).toHaveLength(4);
  });

  test.each(waysToMount)("in git's own settings are not shown; git works all the same: mounted %s", async (_how, sandbox) => {
    const it = stage(["ws/f: one", "ws/.kube/config: SECRET-1", "ws/d/config: SECRET-2", "ws/e/.env: url = https://a:b@SECRET-3"], {
      policy: { read: { "d/config": "deny" } },
      sandbox,
    });
    fs.linkSync(join(it.ws, "e/.env"), join(it.ws, "e/config"));
    gitInit(it.ws);
    execFileSync("git", ["-C", it.ws, "remote", "add", "origin", "https://ada:SECRET-TOKEN@host/x"]);
    execFileSync("git", ["-C", it.ws, "config", "alias.l", "log --format=%s"]);
    const { stdout, stderr } = await it.finish(
      "cat .kube/config d/config e/config .git/config; git remote -v; git add f && git commit -qm first && git switch -qc side && git l; echo x >> .git/config",
    );
    expect(stdout).not.toContain("SECRET");
    expect(stdout).toMatch(/name = Ada[^]*first\n$/);
    expect(stderr).toMatch(/Read-only file system/);
    expect(it.bare("git remote -v")).toContain("SECRET-TOKEN");
  });

  test("stay covered, whatever is done to their names and to the directories around them", async () => {
    const it = stage(["ws/.env: SECRET-1", "ws/d/.env: SECRET-2", "ws/.docker/config.json: SECRET-3", "ws/s/.kube/config: SECRET-4"]);
    const moves =
      "mv .env x; ln .env x; cp .env x; rm -f .env; umount .env; unshare -Urm umount .env; mv d e; mv .docker f; mv s/.kube s/g; mv s t; cat x .env [a-z]*/.env f/* s/g/* t/*/* .docker/*";
    const { stdout, stderr } = await it.finish(`${moves}; find . -type f -exec cat {} +`);
    expect(stdout + stderr).not.toContain("SECRET-");
    // And a second command does not find what the first one moved about.
    const again = await it.finish("find . -exec cat {} + 2>/dev/null; ls -a . t");
    expect(again.stdout).not.toContain("SECRET-");
    expect(again.stdout).toContain(".docker");
  });

  test("have no second name in any root", async () => {
    const it = stage(["ws/a/b/", "ws/.env: SECRET-ENV", "lib/f: 1"]);
    fs.linkSync(join(it.ws, ".env"), join(it.ws, "a/b/notes.txt"));
    fs.linkSync(join(it.ws, ".env"), it.path("lib/more.txt"));
    for (let round = 0; round < 2; round += 1) {
      const { stdout } = await it.finish(`cat a/b/notes.txt ${it.path("lib")}/*`, { session: it.grant("lib") });
      expect(stdout).toBe("1");
      fs.writeFileSync(join(it.ws, `touched${round}`), "");
    }
    expect(it.bare("cat a/b/notes.txt")).toContain("SECRET-ENV");
  });

  test("are what the policy says: denied and asked about, added and lifted", async () => {
    const it = stage(["ws/private/plan: SECRET-1", "ws/notes/a: SECRET-2", "ws/my.token: SECRET-3", "ws/test.pem: lifted", "ws/ok: open"], {
      policy: { read: { private: "deny", "notes/**": "ask" }, secrets: { add: ["**/*.token"], except: ["**/test.pem"] } },
    });
    const { stdout } = await it.finish("cat private/plan notes/a my.token test.pem ok; mv private p; mv notes n; cat p/* n/*");
    expect(stdout).toBe("liftedopen");
    expect((await it.finish("cat p/* n/* */*; true")).stdout).not.toContain("SECRET");
  });

  test("among what git ignores are hidden with all the rest of it where the policy says so", async () => {
    const it = stage(["ws/.gitignore: dist/", "ws/dist/a: SECRET-1", "ws/src/a: open"], { policy: { gitignored: "deny" } });
    expect((await it.finish("cat dist/a src/a")).stdout).toBe("open");
  });

  test("among what git ignores are hidden in node_modules as well, where a link leads there", async () => {
    const it = stage(["ws/.gitignore: *.log", "ws/node_modules/q/a.log: IGNORED", "ws/lib => node_modules/q"], {
      policy: { gitignored: "deny" },
    });
    expect((await it.finish("cat lib/a.log node_modules/q/a.log")).stdout).toBe("");
    expect(it.bare("cat lib/a.log")).toBe("IGNORED");
  });

  test("stay among what git ignores: no ignore file is changed or made, and no directory takes its place", async () => {
    const it = stage(["ws/.gitignore: /conf/local.yml", "ws/conf/local.yml: SECRET-1", "ws/sub/x: open"], {
      policy: { gitignored: "deny" },
    });
    const attack = "mv conf c; : > .gitignore; echo '!local.yml' > conf/.gitignore; echo '!x' > sub/.gitignore";
    const { setAside } = await it.finish(attack);
    expect(setAside.map(({ from }) => from).toSorted()).toEqual(["conf/.gitignore", "sub/.gitignore"].map((name) => join(it.ws, name)));
    expect((await it.finish("cat conf/local.yml c/local.yml sub/x")).stdout).toBe("open");
    expect(it.bare(`${attack}; cat c/local.yml`)).toContain("SECRET-1");
  });

  test("behind a link are not to be read, where the link is called like one or a rule denies it", async () => {
    const it = stage(
      [
        "ws/.env => config/env.production",
        "ws/config/env.production: SECRET-1",
        "ws/config/other: open",
        "ws/id_rsa => keys/deploy",
        "ws/keys/deploy: SECRET-2",
        "ws/private => pub",
        "ws/pub/data.txt: SECRET-3",
        "ws/pub/.env: SECRET-4",
        "ws/pub/.vscode/a: SECRET-5",
        "ws/pub/.git/config",
        "ws/a/.netrc => ../hop",
        "ws/hop => deep/er",
        "ws/deep/er: SECRET-6",
        "ws/deep/other: SECRET-7",
        "ws/x.pem => $ROOT/lib/token",
        "lib/token: SECRET-8",
        "lib/k.key => sub/t",
        "lib/sub/t: SECRET-9",
        "ws/out.pem => $OUT/o",
        "$OUT/o: SECRET-0",
        "ws/loop.pem => loop.pem",
        "ws/gone.pem => gone",
        "ws/lifted.pem => shared",
        "ws/shared: open",
      ],
      { policy: { read: { private: "deny" }, secrets: { except: ["**/shared"] } } },
    );
    fs.linkSync(it.path("ws/keys/deploy"), it.path("ws/keys/again"));
    const look = `cat .env id_rsa private/* private/.env private/.vscode/a a/.netrc x.pem out.pem loop.pem gone.pem lifted.pem keys/again config/*; find . ${it.path("lib")} -type f -exec cat {} +`;
    const session = it.grant("lib");
    const { stdout } = await it.finish(look, { session });
    expect(stdout.replaceAll(/[^]*?(SECRET-.)|[^]+/g, "$1")).toBe("SECRET-7");
    expect(stdout).toMatch(/^openopen/);
    for (const secret of [1, 2, 3, 4, 5, 6, 8, 9]) expect(it.bare(look)).toContain(`SECRET-${secret}`);
    // Nothing that the link stands in has changed; where it leads has.
    await soon(150);
    fs.rmSync(it.path("ws/hop"));
    fs.symlinkSync("deep/other", it.path("ws/hop"));
    expect((await it.finish("cat a/.netrc deep/other; cat deep/er", { session })).stdout).toBe("SECRET-6");
  });

  test("are not looked for behind a link to a root or to what holds one, which the person showed", async () => {
    const it = stage(["ws/.ssh => .", "ws/.aws => ..", "ws/.gnupg => $ROOT/lib", "ws/a: one", "lib/b: two"]);
    expect((await it.finish(`cat a .gnupg/b; echo 3 > c; ls ${it.root}`, { session: it.grant("lib") })).stdout).toBe(
      "onetwohome\nlib\nws\n",
    );
    expect(it.read("c")).toBe("3\n");
  });

  test("behind a link to a name that cannot be spoken of keep every command from running", async () => {
    const it = stage(["ws/conf/"]);
    fs.writeFileSync(Buffer.from(`${it.ws}/conf/\xff`, "latin1"), "SECRET-1");
    fs.symlinkSync(Buffer.from("conf/\xff", "latin1"), join(it.ws, ".env"));
    expect(it.bare("cat .env")).toBe("SECRET-1");
    expect(await it.stop("cat .env")).toMatchObject({ code: "os-denied", why: expect.stringContaining(".env leads to a name") });
  });

  test("are no exceptions after a directory was renamed into what an exception names", async () => {
    const policy = { secrets: { except: ["**/test/fixtures/*.pem"] } };
    const it = stage(["ws/a/certs/real.pem: SECRET-1", "ws/test/x: 1", "ws/kept/.env: SECRET-2"], { policy });
    const attack =
      "mv a/certs test/fixtures; mv a test/fixtures; cp -r a/certs test/fixtures; cat test/fixtures/real.pem test/fixtures/*/real.pem";
    expect((await it.finish(attack)).stdout).toBe("");
    expect((await it.finish("find . -name real.pem; cat test/fixtures/real.pem a/certs/real.pem")).stdout).not.toContain("SECRET-1");
    expect(it.judge("read", "test/fixtures/real.pem").verdict === "allow" && it.read("test/fixtures/real.pem")).not.toBe("SECRET-1");
    fs.rmSync(it.path("ws/test/fixtures"), { recursive: true, force: true });
    expect(it.bare(attack)).toContain("SECRET-1");
    // Where exceptions go by names alone, directories may be renamed.
    const named = stage(["ws/a/certs/real.pem: SECRET-1"], { policy: { secrets: { except: ["t.key", "**/t.pem"] } } });
    expect((await named.finish("mv a b; ls b/certs; cat b/certs/real.pem")).stdout).toBe("real.pem\n");
  });

  test("in directories that cannot be looked into are out of reach", async () => {
    const it = stage(["ws/ok: open"]);
    const odd = Buffer.concat([Buffer.from(`${it.ws}/d`), Buffer.from([0xff])]);
    fs.mkdirSync(odd);
    fs.writeFileSync(Buffer.concat([odd, Buffer.from("/.env")]), "SECRET-1");
    fs.writeFileSync(Buffer.concat([Buffer.from(`${it.ws}/.env.`), Buffer.from([0xfe])]), "SECRET-2");
    fs.writeFileSync(Buffer.concat([Buffer.from(`${it.ws}/latin.`), Buffer.from([0xe4])]), "plain");
    const { stdout } = await it.finish("cat ok; cat *; cat */.env .env*; mv d* e; cat e/.env; true");
    expect(stdout).toBe("openplainopen");
    fs.rmSync(it.ws, { recursive: true });
  });

  test("a socket somebody listens on is no way out", async () => {
    const it = stage(["ws/a: 1"]);
    const server = createSocket((peer) => peer.end("SECRET-SOCKET"));
    await new Promise<void>((resolve) => server.listen(join(it.ws, "s.sock"), resolve));
    onTestFinished(() => void server.close());
    const talk = `python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect("s.sock"); print(s.recv(99))'`;
    expect((await it.finish(talk)).stdout).not.toContain("SECRET-SOCKET");
  });

  test("one that the host replaces ends the command, and what it printed is not told", async () => {
    const it = stage(["ws/.env: SECRET-1"]);
    const running = it.stop("for i in {1..200}; do cat .env 2>/dev/null; sleep 0.02; done");
    await soon(300);
    fs.writeFileSync(join(it.ws, ".x"), "SECRET-2");
    fs.renameSync(join(it.ws, ".x"), join(it.ws, ".env"));
    const ran = await running;
    expect(ran).toMatchObject({ code: "stale-path", printed: "" });
    expect(JSON.stringify(ran)).not.toContain("SECRET");
  });

  test("made by the command itself are its own, and covered in the next", async () => {
    const it = stage(["ws/ok: mine"]);
    expect((await it.finish("cp ok server.pem && cat server.pem")).stdout).toBe("mine");
    expect((await it.finish("cat server.pem")).stdout).toBe("");
  });

  test("that set an environment are the command's until it has ended, and then set aside, unless they are lifted", async () => {
    const names = [".env", "a/.env.local", "a/.flaskenv"];
    const make = `mkdir -p a; for f in ${names.join(" ")} .env.test; do echo LD_PRELOAD=x > $f; done; sleep 0.3; cat ${names.join(" ")}`;
    const it = stage([]);
    const ran = await it.finish(make);
    expect(ran.stdout).toBe("LD_PRELOAD=x\n".repeat(3));
    expect(ran.setAside.map(({ from }) => from).toSorted()).toEqual(names.map((name) => join(it.ws, name)));
    expect([...names, ".env.test"].map((name) => fs.existsSync(join(it.ws, name)))).toEqual([false, false, false, true]);
    const lifted = stage([], { policy: { protected: { except: ["**/.env", "**/.env.local", "**/.flaskenv"] } } });
    expect((await lifted.finish(make)).setAside).toEqual([]);
    const shown = stage([], { policy: { secrets: { except: ["**/.env"] } } });
    expect((await shown.finish("echo A=1 > .env")).setAside).toEqual([]);
    // One that was there is neither seen nor changed.
    const there = stage(["ws/.env: S"]);
    expect(await there.finish("echo evil > .env; cat .env")).toMatchObject({ stdout: "", setAside: [] });
    expect(there.read(".env")).toBe("S");
  });

  test("of a workspace with very many directories, where the kernel tells what changed, covers what was made and moved since", async () => {
    const it = stage(["ws/a/b/x: x", "ws/c/.env: SECRET"]);
    for (let index = 0; index < 1100; index += 1) fs.mkdirSync(join(it.ws, `d${index % 10}/e${index}`), { recursive: true });
    const all = "cat a/b/k.pem c/.env moved/.env d3/e13/.env.local d4/e14/f/id_rsa 2>&1; true";
    await it.finish("true");
    await it.finish(all);
    fs.writeFileSync(join(it.ws, "a/b/k.pem"), "SECRET");
    fs.renameSync(join(it.ws, "c"), join(it.ws, "moved"));
    fs.writeFileSync(join(it.ws, "d3/e13/.env.local"), "SECRET");
    expect((await it.finish(all)).stdout).not.toContain("SECRET");
    // What a command makes is its own; what it moves is covered in the next.
    const made = await it.finish("mkdir -p d4/e14/f .vscode && mv d5/e15 d6/ && echo x > .vscode/tasks.json");
    expect(made.setAside.map(({ from }) => from)).toEqual([join(it.ws, ".vscode")]);
    fs.writeFileSync(join(it.ws, "d4/e14/f/id_rsa"), "SECRET");
    fs.writeFileSync(join(it.ws, "d6/e15/.env"), "SECRET");
    expect((await it.finish(`${all}; cat d6/e15/.env 2>&1`)).stdout).not.toContain("SECRET");
    expect(execFileSync("sh", ["-c", "cat a/b/k.pem d6/e15/.env"], { cwd: it.ws, encoding: "utf8" })).toBe("SECRETSECRET");
  });

  test("more than can be covered one by one are hidden with the directories that hold them, and the result says which", async () => {
    const it = stage(["ws/src/main.ts: code", "ws/keys/readme: text", "ws/other/.env: SECRET"]);
    for (let index = 0; index < 1300; index += 1) fs.writeFileSync(join(it.ws, `keys/${index}.pem`), "SECRET");
    const ran = await it.finish("cat src/main.ts; ls -A keys; cat keys/*.pem other/.env; touch keys/new; mv keys moved; true");
    expect(ran).toMatchObject({ stdout: "code", hiddenDirs: [join(it.ws, "keys")] });
    expect(ran.stderr).not.toContain("SECRET");
    expect(fs.readdirSync(it.ws).toSorted()).toEqual(["keys", "other", "src"]);
    expect(fs.readdirSync(join(it.ws, "keys"))).toHaveLength(1301);
    // Without a sandbox it is there to be read.
    expect(execFileSync("sh", ["-c", "cat keys/7.pem"], { cwd: it.ws, encoding: "utf8" })).toBe("SECRET");
  });

  test("more than can be covered are not covered in part: nothing is run", async () => {
    const it = stage([]);
    for (let index = 0; index < 1300; index += 1) fs.writeFileSync(join(it.ws, `${index}.pem`), "SECRET");
    expect(await it.stop("cat *.pem")).toMatchObject({ code: "too-large" });
  });
});

confined("what executes later", () => {
  nothingStaysPinned();

  test("git works: status, diff, add, commit, branch; what it executes stays as it is", async () => {
    const it = stage(["ws/f: one"]);
    gitInit(it.ws);
    const work = await it.finish(
      "git add f && git commit -qm first && echo two > f && git diff --stat && git status --short && git commit -qam second && git switch -qc side && git log --oneline | wc -l",
    );
    expect(work).toMatchObject({ exitCode: 0, stdout: " f | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n M f\n2\n" });
    expect(execFileSync("git", ["-C", it.ws, "log", "--oneline"], { encoding: "utf8" }).trim().split("\n")).toHaveLength(2);
    const before = fs.readFileSync(join(it.ws, ".git/config"), "utf8");
    const attack =
      "git config core.fsmonitor ./evil; echo x >> .git/config; echo x > .git/hooks/pre-commit; rm -rf .git/hooks; mv .git/hooks h; mv .git/config c; mv .git g; mkdir -p .git/hooks; ln -sf /tmp .git/hooks; cp -r .git g2; rm -rf .git";
    await it.finish(attack);
    expect(fs.readFileSync(join(it.ws, ".git/config"), "utf8")).toBe(before);
    expect(fs.existsSync(join(it.ws, ".git/hooks/pre-commit"))).toBe(false);
    expect(fs.existsSync(join(it.ws, "g"))).toBe(false);
    it.bare("echo x > .git/hooks/pre-commit");
    expect(fs.existsSync(join(it.ws, ".git/hooks/pre-commit"))).toBe(true);
  });

  test("hooks that do not exist yet are not made, and no trace of our keeping them so is left", async () => {
    const it = stage(["ws/f: one"]);
    gitInit(it.ws);
    fs.rmSync(join(it.ws, ".git/hooks"), { recursive: true, force: true });
    const { stderr } = await it.finish("mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit");
    expect(stderr).toContain("Read-only file system");
    expect(fs.readdirSync(join(it.ws, ".git"))).not.toContain("hooks");
  });

  test("a submodule that is not there yet brings no hook of a command's making to whoever fetches it", async () => {
    const it = stage(["ws/f: one", "lib/g: two"]);
    const git = (dir: string, ...words: string[]): string =>
      execFileSync("git", ["-C", dir, "-c", "protocol.file.allow=always", ...words], { encoding: "utf8", stdio: "pipe" });
    for (const dir of [it.path("lib"), it.ws]) gitInit(dir);
    git(it.path("lib"), "add", "g");
    git(it.path("lib"), "commit", "-qm", "lib");
    git(it.ws, "submodule", "--quiet", "add", it.path("lib"), "lib");
    git(it.ws, "commit", "-qm", "with a submodule");
    git(it.ws, "submodule", "--quiet", "deinit", "-f", "lib");
    fs.rmSync(join(it.ws, ".git/modules"), { recursive: true });
    const attack = [
      "mkdir -p .git/modules && git init -q --bare .git/modules/lib && cd .git/modules/lib",
      `git config core.bare false && git config core.worktree ../../../lib && git config remote.origin.url ${it.path("lib")}`,
      "git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'",
      String.raw`printf '#!/bin/sh\ntouch ${it.path("$OUT/ran")}\n' > hooks/post-checkout && chmod +x hooks/post-checkout`,
    ].join(" && ");
    expect((await it.finish(attack)).stderr).toContain("Read-only file system");
    // Moved into place in one step.
    expect((await it.finish("mkdir m; mv -T m .git/modules; mkdir w; mv -T w .git/worktrees; rm -rf .git/modules")).stderr).toMatch(/busy/);
    expect(["modules", "worktrees"].flatMap((name) => fs.readdirSync(join(it.ws, ".git", name)))).toEqual([]);
    git(it.ws, "submodule", "--quiet", "update", "--init");
    expect([fs.existsSync(it.path("$OUT/ran")), it.read("lib/g")]).toEqual([false, "two"]);

    git(it.ws, "submodule", "--quiet", "deinit", "-f", "lib");
    fs.rmSync(join(it.ws, ".git/modules"), { recursive: true });
    it.bare(attack);
    git(it.ws, "submodule", "--quiet", "update", "--init");
    expect(fs.existsSync(it.path("$OUT/ran"))).toBe(true);
  });

  test("git works in the middle of things: stash, a rebase with a conflict and one that runs a command", async () => {
    const it = stage(["ws/f: one"]);
    gitInit(it.ws);
    const work = await it.finish(
      [
        "git add f && git commit -qm first && git switch -qc side && echo side > f && git commit -qam side && git switch -q main",
        "echo main > f && git commit -qam main && echo kept > f && git stash -q && git stash pop -q && git checkout -q -- f",
        "git switch -q side && ! git rebase -q main 2>/dev/null",
      ].join(" && "),
    );
    expect(work).toMatchObject({ exitCode: 0, setAside: [] });
    const onward = await it.finish(
      "echo both > f && git add f && GIT_EDITOR=true git rebase --continue >/dev/null && git rebase -q -x 'echo ran >> ran' HEAD~1 && cat ran && git log --format=%s",
    );
    expect(onward).toMatchObject({ exitCode: 0, stdout: "ran\nside\nmain\nfirst\n", setAside: [] });
  });

  test.each([
    [
      "a rebase with a command still to run",
      "mkdir .git/rebase-merge; echo 'exec touch x' > .git/rebase-merge/git-rebase-todo",
      "rebase-merge",
    ],
    ["a program for a strategy", "mkdir .git/sequencer; printf '[options]\n\tstrategy = ../../x\n' > .git/sequencer/opts", "sequencer"],
    ["another place for objects", "echo /elsewhere/objects > .git/objects/info/alternates", "objects/info/alternates"],
    [
      "the same in a directory of its making",
      "mv .git/objects/info i; mkdir .git/objects/info; echo /e > .git/objects/info/alternates",
      "objects/info/alternates",
    ],
    ["the same behind a link", "mv .git/objects/info i; ln -s ../../i .git/objects/info", "objects/info"],
    ["a message that is written elsewhere", "ln -s ~/.bashrc .git/COMMIT_EDITMSG", "COMMIT_EDITMSG"],
    ["a log that is written elsewhere", "mkdir -p .git/logs/refs/heads; ln -s ~/.bashrc .git/logs/refs/heads/main", "logs/refs/heads/main"],
    ["where a name leads, in the manner of old", "mkdir .git/remotes; echo 'URL: /elsewhere' > .git/remotes/origin", "remotes"],
  ])("orders for git are set aside: %s", async (_what, command, name) => {
    const it = stage(["ws/f: one"]);
    gitInit(it.ws);
    const ran = await it.run(command);
    expect(ran.setAside.map(({ from }) => from)).toEqual([join(it.ws, ".git", name)]);
    expect(fs.lstatSync(join(it.ws, ".git", name), { throwIfNoEntry: false })).toBeUndefined();
    expect(execFileSync("git", ["-C", it.ws, "status", "--short"], { encoding: "utf8" })).toContain("f");
    it.bare(command);
    expect(fs.lstatSync(join(it.ws, ".git", name), { throwIfNoEntry: false })).toBeDefined();
  });

  const diverged = [
    "git add f && git commit -qm one && git switch -qc side && echo side > f && git commit -qam side",
    "git switch -q main && echo main > f && git commit -qam main",
  ].join(" && ");
  const broken = (it: Stage): string =>
    `echo 2 > g; git add g; git commit -qm two; GIT_SEQUENCE_EDITOR="sed -i '1i break'" git rebase -qi HEAD~1; ln -sf ${it.path("$OUT/victim")} .git/rebase-merge/done`;
  const recorded = `mkdir -p .git/rr-cache; git merge -q side; echo both > f; git add f; git commit -qm both; git reset -q --hard HEAD~1`;
  test.each<[string, (it: Stage) => string, string]>([
    [
      "a resolution that is replayed through a link",
      (it) => `${recorded}; for d in .git/rr-cache/*; do ln -sf ${it.path("$OUT/victim")} $d/thisimage; done`,
      "git merge side",
    ],
    ["the steps of a rebase that are noted through a link", broken, "git rebase --continue"],
    [
      "a log behind a link in another's place",
      (it) => `mv .git/logs l; mkdir .git/logs; ln -s ${it.path("$OUT/victim")} .git/logs/HEAD`,
      "git commit -q --allow-empty -m x",
    ],
  ])("git of the person writes nothing outside: %s", async (_what, attack, next) => {
    const it = stage(["ws/f: one", "$OUT/victim: # mine"]);
    const again = stage(["ws/f: one", "$OUT/victim: # mine"]);
    for (const one of [it, again]) gitInit(one.ws);
    for (const one of [it, again]) one.bare(diverged);
    await it.finish(attack(it));
    it.bare(next);
    expect(fs.readFileSync(it.path("$OUT/victim"), "utf8")).toBe("# mine");
    again.bare(`${attack(again)}; ${next}`);
    expect(fs.readFileSync(again.path("$OUT/victim"), "utf8")).not.toBe("# mine");
  });

  test("git of the person reads nothing outside for a command: a resolution is taken from the working tree", async () => {
    const it = stage(["ws/f: one", "ws/.git/rr-cache/", "$OUT/secret: SECRET-OUTSIDE"]);
    gitInit(it.ws);
    it.bare("git add f; git commit -qm one");
    const id = "a".repeat(40);
    const place = `.git/rr-cache/${id}`;
    const attack = String.raw`mkdir -p ${place}; echo x > ${place}/preimage; printf '${id}\t${it.path("$OUT/secret")}\0' > .git/MERGE_RR`;
    const { setAside } = await it.finish(attack);
    expect(setAside.map(({ from }) => from)).toEqual([join(it.ws, ".git/MERGE_RR")]);
    it.bare("git commit -q --allow-empty -m two");
    expect(it.read(`${place}/postimage`)).toBeNull();
    it.bare(`${attack}; git commit -q --allow-empty -m three`);
    expect(it.read(`${place}/postimage`)).toBe("SECRET-OUTSIDE");
  });

  test("resolutions are recorded and replayed where the person has them", async () => {
    const it = stage(["ws/f: one", "ws/.git/rr-cache/"]);
    gitInit(it.ws);
    it.bare(diverged);
    expect((await it.finish(recorded)).setAside).toEqual([]);
    const again = await it.finish("git merge side; cat f");
    expect(again).toMatchObject({ setAside: [], stdout: expect.stringMatching(/both\n$/) });
  });

  test.each([
    [
      "a script",
      ["ws/.git/config: [core]", "ws/.git/hooks/pre-commit => ../../scripts/check.sh", "ws/scripts/check.sh: true"],
      "scripts/check.sh",
    ],
    [
      "a script of a directory",
      ["ws/.git/config: [core]", "ws/.git/hooks => ../ghooks", "ws/ghooks/pre-commit: true"],
      "ghooks/pre-commit",
    ],
    ["settings", ["ws/.git/config => ../gitcfg", "ws/gitcfg: [core]"], "gitcfg"],
  ])("what git executes behind a link stays as it is: %s", async (_what, spec, name) => {
    const it = stage(["ws/f: one", "ws/.git/HEAD: ref: refs/heads/main", "ws/.git/objects/", "ws/.git/refs/", ...spec]);
    const before = it.read(name);
    const attack = `echo evil > ${name}; rm -f ${name}; mv $(dirname ${name}) moved; mkdir -p $(dirname ${name}); echo evil > ${name}`;
    const { setAside } = await it.finish(attack);
    expect([it.read(name), setAside]).toEqual([before, []]);
    it.bare(attack);
    expect(it.read(name)).toBe("evil\n");
  });

  test("a git directory under another name is none when the command has ended", async () => {
    const it = stage(["ws/f: one"]);
    const attack = `mkdir -p vendor && git init -q --bare vendor && printf '[core]\n\trepositoryformatversion = 0\n\tworktree = .\n\tfsmonitor = "touch ${it.path("$OUT/ran")}; false"\n' > vendor/config && echo x > vendor/x && cd vendor && GIT_INDEX_FILE=index git --git-dir . update-index --add x`;
    const { setAside } = await it.finish(attack);
    expect(setAside.map(({ from }) => from).toSorted()).toEqual([join(it.ws, "vendor/config"), join(it.ws, "vendor/hooks")]);
    fs.rmSync(it.path("$OUT/ran"), { force: true });
    it.bare("cd vendor && git status");
    expect(fs.existsSync(it.path("$OUT/ran"))).toBe(false);
    fs.rmSync(join(it.ws, "vendor"), { recursive: true });
    it.bare(attack);
    fs.rmSync(it.path("$OUT/ran"), { force: true });
    it.bare("cd vendor && git status");
    expect(fs.existsSync(it.path("$OUT/ran"))).toBe(true);
  });

  test("nor is the part of one that another shares", async () => {
    const it = stage(["ws/f: one", "ws/src/config/a", "ws/src/objects/b", "ws/src/refs/c"]);
    const { setAside } = await it.finish(
      "git init -q --bare v && mkdir c && mv v/config v/objects v/refs c && echo ../c > v/commondir && echo 2 > src/config/a",
    );
    expect(setAside.map(({ from }) => from).toSorted()).toEqual(["c/config", "v/commondir", "v/hooks"].map((name) => join(it.ws, name)));
    expect(it.read("src/config/a")).toBe("2\n");
  });

  test("a bare repository that is there is worked with and not taken over", async () => {
    const it = stage(["ws/f: one"]);
    execFileSync("git", ["init", "-q", "--bare", "-b", "main", join(it.ws, "store.git")]);
    gitInit(it.ws);
    const { stdout, stderr, setAside } = await it.finish(
      "git add f && git commit -qm x && git push -q ./store.git main && git -C store.git log --format=%s; echo x >> store.git/config; echo x > store.git/hooks/post-update; echo ../.. > store.git/commondir",
    );
    expect(stdout).toBe("x\n");
    expect(stderr.match(/Read-only file system/g)).toHaveLength(2);
    expect(setAside.map(({ from }) => from)).toEqual([join(it.ws, "store.git/commondir")]);
  });

  test("a git directory that a file points to is kept like one of the usual name", async () => {
    const it = stage(["ws/f: one", "ws/store/"]);
    execFileSync("git", ["init", "-q", "-b", "main", `--separate-git-dir=${join(it.ws, "store/it")}`, it.ws]);
    const { stdout, stderr } = await it.finish(
      "git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git log --format=%s; git config core.fsmonitor evil; echo x > store/it/hooks/pre-commit; mkdir store/it/modules/x; mv store/it store/its",
    );
    expect(stdout).toBe("x\n");
    expect(stderr).toMatch(/could not lock config|Device or resource busy|Read-only/);
    expect(fs.readFileSync(join(it.ws, "store/it/config"), "utf8")).not.toContain("evil");
    expect(fs.existsSync(join(it.ws, "store/it/hooks/pre-commit"))).toBe(false);
    expect(fs.existsSync(join(it.ws, "store/its"))).toBe(false);
  });

  test.each([
    ["that is there", ["ws/tools/hooks/pre-push: 1"], "echo evil > tools/hooks/pre-commit", []],
    ["that is not there yet", [], "mkdir -p tools/hooks && echo evil > tools/hooks/pre-commit", ["tools/hooks"]],
    ["in another's place", ["ws/tools/hooks/pre-push: 1"], "mv tools t; mkdir -p tools/hooks; echo evil > tools/hooks/pre-commit", []],
    ["behind a link", [], "mkdir -p t/hooks; echo evil > t/hooks/pre-commit; ln -s t tools", ["t/hooks"]],
  ])("another directory for hooks %s is not filled by a command", async (_what, spec, attack, aside) => {
    const it = stage(["ws/f: one", ...spec]);
    gitInit(it.ws);
    execFileSync("git", ["-C", it.ws, "config", "core.hooksPath", "tools/hooks"]);
    const { setAside } = await it.finish(attack);
    expect(setAside.map(({ from }) => from)).toEqual(aside.map((name) => join(it.ws, name)));
    expect(fs.existsSync(join(it.ws, "tools/hooks/pre-commit"))).toBe(false);
    it.bare(`rm -rf t tools; ${spec.length === 0 ? "" : "mkdir -p tools/hooks;"} ${attack}`);
    expect(it.read("tools/hooks/pre-commit")).toBe("evil\n");
  });

  test("git led elsewhere: the command ends, and git is not led", async () => {
    const it = stage(["ws/f: one"]);
    gitInit(it.ws);
    const ran = await it.stop("mkdir -p evil; echo ../evil > .git/commondir; sleep 5");
    expect(ran).toMatchObject({ code: "protected-path" });
    const quick = await it.run("echo ../evil > .git/commondir");
    expect(quick.setAside).toMatchObject([{ from: join(it.ws, ".git/commondir") }]);
    expect(fs.readdirSync(join(it.ws, ".git")).filter((name) => name === "commondir")).toEqual([]);
    expect(execFileSync("git", ["-C", it.ws, "status", "--short"], { encoding: "utf8" })).not.toContain("fatal");
  });

  test("a git directory that is none, or is laid out oddly, is not written at all", async () => {
    const it = stage([
      "ws/.git/hooks/",
      "ws/sub/.git: gitdir: ../elsewhere",
      "ws/odd/.git/config: [core]",
      "ws/odd/.git/hooks => ../../t",
      "ws/t/",
    ]);
    const { stderr } = await it.finish(
      "echo x > .git/x; echo x > .git/hooks/x; echo gitdir: y > sub/.git; echo x > odd/.git/x; rm odd/.git/hooks",
    );
    expect(stderr.match(/Read-only file system/g)).toHaveLength(5);
  });

  test("settings that exist stay as they are, however deep, through links too; others' in node_modules do not matter", async () => {
    const it = stage([
      "ws/.vscode/tasks.json: {}",
      "ws/p/q/.claude/settings.json: {}",
      "ws/.mcp.json: {}",
      "ws/.idea => conf",
      "ws/conf/w: 1",
      "ws/node_modules/x/.vscode/a: 1",
    ]);
    const { stderr } = await it.finish(
      "for f in .vscode/tasks.json p/q/.claude/settings.json .mcp.json conf/w; do echo evil > $f; done; mv .vscode v; rm -rf .mcp.json; echo 2 > node_modules/x/.vscode/a",
    );
    expect(stderr.match(/Read-only file system/g)).toHaveLength(4);
    expect(
      ["ws/.vscode/tasks.json", "ws/p/q/.claude/settings.json", "ws/.mcp.json", "ws/conf/w", "ws/node_modules/x/.vscode/a"].map((name) =>
        fs.readFileSync(it.path(name), "utf8"),
      ),
    ).toEqual(["{}", "{}", "{}", "1", "2\n"]);
  });

  test.each([
    ["a file that is there", ["ws/.mcp.json => conf/mcp.json", "ws/conf/mcp.json: {}"], "echo evil > conf/mcp.json", ".mcp.json", []],
    [
      "a directory that is not there yet",
      ["ws/.vscode => build/out"],
      "mkdir -p build/out; echo evil > build/out/t",
      ".vscode/t",
      ["build/out"],
    ],
    ["a link that is not there yet", ["ws/.vscode => build", "ws/src/t: evil"], "ln -s src build", ".vscode/t", ["build"]],
    [
      "a directory whose holder is exchanged",
      ["ws/.vscode => tools/in/vscode", "ws/tools/in/vscode/a: 1"],
      "mv tools t2; mv tools/in tools/t3; mkdir -p tools/in/vscode; echo evil > tools/in/vscode/t",
      ".vscode/t",
      [],
    ],
    [
      "from within a protected directory",
      ["ws/.claude/deep/er/s.json => ../../../shared/s.json", "ws/shared/s.json: {}"],
      "echo evil > shared/s.json; mv shared s2; mkdir shared; echo evil > shared/s.json",
      ".claude/deep/er/s.json",
      [],
    ],
    [
      "from within a protected directory, a file that is not there yet",
      ["ws/.vscode/tasks.json => ../shared/tasks.json", "ws/shared/a: 1"],
      "echo evil > shared/tasks.json",
      ".vscode/tasks.json",
      ["shared/tasks.json"],
    ],
    [
      "through another link, which is exchanged",
      ["ws/.vscode => now/vscode", "ws/now => v1", "ws/v1/vscode/a: 1", "ws/v2/vscode/t: evil"],
      "ln -sfn v2 now",
      ".vscode/t",
      ["now"],
    ],
    ["from a link that is moved", ["ws/p/.vscode => out"], "mv p q && mkdir q/out && echo evil > q/out/t; true", "q/.vscode/t", []],
    [
      "from within a protected directory that is moved",
      ["ws/p/.vscode/t => ../../shared/t", "ws/d/a: 1"],
      "mv p d/p; mkdir -p d/shared; echo evil > d/shared/t",
      "d/p/.vscode/t",
      [],
    ],
    [
      "what is hidden as well",
      ["ws/.envrc => conf/envrc", "ws/conf/envrc: 1"],
      "echo evil > conf/envrc; mv conf c2; mkdir conf; echo evil > conf/envrc",
      ".envrc",
      [],
    ],
    [
      "of what a rule keeps from being written",
      ["ws/lock => a/b", "ws/a/b: 1"],
      "echo evil > a/b; mv a c; mkdir a; echo evil > a/b",
      "lock",
      [],
    ],
  ])("what protected names lead to stays as it is: %s", async (_what, spec, attack, name, aside) => {
    const it = stage(["ws/f: one", ...spec], { policy: { write: { lock: "deny" } } });
    const { setAside } = await it.finish(attack);
    expect(setAside.map(({ from }) => from)).toEqual(aside.map((one) => join(it.ws, one)));
    expect(it.read(name) ?? "").not.toContain("evil");
    // A second command finds nothing to set aside that was always there, and work goes on.
    expect((await it.finish("echo two > f; mkdir -p new; echo x > new/x")).setAside).toEqual([]);
    expect([it.read("f"), it.read("new/x")]).toEqual(["two\n", "x\n"]);
    for (const { from, to } of setAside) fs.renameSync(to ?? "", from);
    it.bare(attack);
    expect(it.read(name)).toContain("evil");
  });

  test.each([
    ["to a package", "ln -s node_modules/p app; mkdir node_modules/p/.vscode", ["node_modules/p/.vscode"]],
    [
      "that was there",
      "mkdir node_modules/q/.zed; git init -q node_modules/q/deep/er",
      ["node_modules/q/.zed", "node_modules/q/deep/er/.git"],
    ],
    [
      "to a bare repository",
      "git init -q --bare node_modules/b; ln -s ../node_modules/b src/b",
      ["node_modules/b/config", "node_modules/b/hooks"],
    ],
    ["to all of them", "mkdir -p node_modules/p/.idea; ln -s node_modules all", ["node_modules/p/.idea"]],
    [
      "through another",
      "ln -s node_modules/p/up app; ln -s ../n node_modules/p/up; mkdir -p node_modules/n/.vscode",
      ["node_modules/n/.vscode"],
    ],
    [
      "from what is linked itself",
      "ln -s node_modules/p app; ln -s ../n node_modules/p/in; mkdir -p node_modules/n/.zed",
      ["node_modules/n/.zed"],
    ],
    ["that does not lead there", "ln -s src app; mkdir node_modules/p/.vscode", []],
  ])("what a link leads to in node_modules is looked through: %s", async (_what, command, names) => {
    const it = stage([
      "ws/src/a: 1",
      "ws/node_modules/p/a: 1",
      "ws/lib => node_modules/q",
      "ws/node_modules/q/deep/er/a: 1",
      "ws/node_modules/q/.idea/x: 1",
    ]);
    const { setAside } = await it.finish(command);
    const outer = setAside.filter(({ from }) => !from.includes(".set-aside/"));
    expect(outer.map(({ from }) => from).toSorted()).toEqual(names.map((name) => join(it.ws, name)));
    for (const name of names) expect(fs.existsSync(join(it.ws, name))).toBe(false);
    // What was there before the command stays, and is not changed.
    const next = await it.finish("echo evil > lib/.idea/x; echo fine > node_modules/p/a");
    expect([next.setAside, it.read("node_modules/q/.idea/x"), it.read("node_modules/p/a")]).toEqual([[], "1", "fine\n"]);
  });

  test("a link within a protected directory to the work around it makes none of that read-only", async () => {
    const it = stage(["ws/.claude/project => ..", "ws/p/.vscode/here => ../..", "ws/p/.claude/self => ..", "ws/p/q: 1"]);
    expect((await it.finish("echo 2 > p/q; echo 3 > r; cat .claude/project/r")).stdout).toBe("3\n");
    expect([it.read("p/q"), it.read("r")]).toEqual(["2\n", "3\n"]);
  });

  test.each([
    ["a directory at the top", "mkdir -p .vscode && echo evil > .vscode/tasks.json", ".vscode"],
    ["a file at the top", "echo evil > .mcp.json", ".mcp.json"],
    ["a repository at the top", "git init -q .", ".git"],
    ["a repository further down", "mkdir -p a/b && git init -q a/b", "a/b/.git"],
    ["one in a directory that was made read-only", "mkdir -p a/.husky && chmod 555 a", "a/.husky"],
    ["one whose other name is taken", "touch .envrc .envrc.set-aside", ".envrc"],
    ["a link", "ln -s /tmp .zed", ".zed"],
    ["one in place of another that was moved away with its directory", "mv k l; mkdir -p k/.vscode", "k/.vscode"],
  ])("what did not exist and executes later is renamed: %s", async (_what, command, name) => {
    const it = stage(["ws/f: one", "ws/k/.vscode/a: 1"]);
    const ran = await it.finish(command);
    // git goes on while its directory is renamed under its hands, and may begin it again: each of them is renamed.
    const own = ran.setAside.filter(({ from }) => from === join(it.ws, name));
    expect(ran.setAside[0]).toBe(own[0]);
    // In a repository also what would make it one under its new name: as much of it as there was by then.
    const inside = (to: string | null) => (name.endsWith(".git") ? ["config", "hooks"].map((inner) => join(to ?? "", inner)) : []);
    const others = ran.setAside.filter((one) => !own.includes(one)).map(({ from }) => from);
    expect(own.flatMap(({ to }) => inside(to))).toEqual(expect.arrayContaining(others));
    // What git was interrupted in making is no repository to it, and may keep what it has.
    for (const { to } of own) {
      const isRepository = spawnSync("git", ["--git-dir", to ?? "", "rev-parse"]).status === 0;
      if (isRepository) expect(inside(to).filter((one) => fs.existsSync(one))).toEqual([]);
    }
    expect(fs.lstatSync(join(it.ws, name), { throwIfNoEntry: false })).toBeUndefined();
    expect(fs.lstatSync(ran.setAside[0]?.to ?? "", { throwIfNoEntry: false })).toBeDefined();
    fs.chmodSync(it.ws, 0o755);
    execFileSync("chmod", ["-R", "u+w", it.ws]);
  });

  test.each(["0000", "0111", "0222", "0300", "0311", "0333", "0444"])(
    "what is hidden behind directories of mode %s is renamed",
    async (mode) => {
      const it = stage(["ws/f: one", "ws/was/there/a: 1"]);
      const attack = `git init -q repo; mkdir -p editor/.vscode deep/a/b/c/.idea was/there/.zed hidden/.aws/x/.zed; git init -q --bare bare/b.git
      chmod ${mode} repo editor bare/b.git bare deep/a/b/c/.idea deep/a/b/c deep/a/b deep/a deep was/there was hidden/.aws/x hidden/.aws hidden`;
      const { setAside } = await it.finish(attack);
      const names = ["bare/b.git/config", "bare/b.git/hooks", "deep/a/b/c/.idea", "editor/.vscode", "hidden/.aws/x/.zed", "repo/.git"];
      const inside = ["repo/.git.set-aside/config", "repo/.git.set-aside/hooks", "was/there/.zed"];
      expect(setAside.map(({ from }) => from).toSorted()).toEqual([...names, ...inside].map((name) => join(it.ws, name)));
      expect(setAside.map(({ to }) => to)).not.toContain(null);
      // The next command finds nothing more, and works in what was closed. Root lists what is closed, so that it stays so.
      expect(await it.finish("ls -R . > /dev/null && echo all")).toMatchObject({ stdout: isRoot ? "" : "all\n", setAside: [] });
    },
  );

  // Nothing is closed to root.
  test.skipIf(isRoot)("a directory that was closed before the command stays so, and keeps no command from running", async () => {
    const it = stage(["ws/f: one", "ws/d/shut/.vscode/tasks.json: {}", "ws/d/shut/.env: S"]);
    fs.chmodSync(join(it.ws, "d/shut"), 0o300);
    onTestFinished(() => fs.chmodSync(join(it.ws, "d/shut"), 0o700));
    for (const command of ["touch d/x", "chmod 700 d/shut; mv d e; cat e/shut/.env; mv e d"])
      expect(await it.finish(command)).toMatchObject({ stdout: "", setAside: [] });
    expect(fs.statSync(join(it.ws, "d/shut")).mode & 0o777).toBe(0o300);
  });

  test("a name as long as names can be does not keep the next command from running", async () => {
    const it = stage([]);
    const { setAside } = await it.finish(
      "mkdir d; : > d/$(printf 'a%.0s' {1..240}).code-workspace; : > $(printf 'b%.0s' {1..240}).code-workspace",
    );
    expect(setAside.map(({ to }) => String(to).replace(/[0-9a-f-]{36}$/, "ID")).toSorted()).toEqual([
      join(it.ws, "d/set-aside-ID"),
      join(it.ws, "set-aside-ID"),
    ]);
    expect(await it.finish("echo on")).toMatchObject({ stdout: "on\n", setAside: [] });
  });

  test("a link that was there is no cloak for something else of its name", async () => {
    const it = stage(["ws/.zed => payload", "ws/.mcp.json => nowhere", "ws/sub/.vscode => ../x"]);
    const { setAside } = await it.finish(
      "mkdir payload; echo evil > payload/tasks.json; mv .zed .vscode; rm .mcp.json; echo evil > z; mv z .mcp.json; rm sub/.vscode; mkdir sub/.vscode",
    );
    const names = [".mcp.json", ".vscode", "sub/.vscode"].map((name) => join(it.ws, name));
    expect(setAside.map(({ from }) => from).toSorted()).toEqual(names);
  });

  test("at the top it is renamed at once, and a command that keeps at it is ended", async () => {
    const it = stage(["ws/f: one"]);
    expect((await it.finish("mkdir .idea; sleep 0.3; ls -A")).stdout).toBe(".idea.set-aside\nf\n");
    expect(await it.stop("while :; do mkdir .cursor 2>/dev/null; sleep 0.01; done")).toMatchObject({ code: "protected-path" });
    expect(fs.readdirSync(it.ws)).not.toContain(".cursor");
  });

  test("any number of it does not tire us", async () => {
    const it = stage([]);
    const { setAside } = await it.finish("for i in {1..300}; do mkdir -p d$i/.git; echo > $i.pem; done; mkdir -p z/.git", { time: 60_000 });
    expect(setAside).toHaveLength(301);
    expect(fs.existsSync(join(it.ws, "z/.git"))).toBe(false);
  });

  test("rules about writing hold for what exists", async () => {
    const it = stage(["ws/package-lock.json: 1", "ws/db/migrations/1.sql: 2", "ws/src/a: 3"], {
      policy: { write: { "package-lock.json": "deny", "db/migrations": "ask" } },
    });
    const { stderr } = await it.finish(
      "echo x > package-lock.json; echo x > db/migrations/1.sql; touch db/migrations/2.sql; mv db e; echo x > src/a",
    );
    expect(stderr.match(/Read-only file system/g)).toHaveLength(3);
    expect([it.read("package-lock.json"), it.read("db/migrations/1.sql"), it.read("src/a")]).toEqual(["1", "2", "x\n"]);
  });
});

confined("what a command has of us and of the machine", () => {
  nothingStaysPinned();

  test("an environment that is written out, in every process it can see", async () => {
    const it = stage([]);
    const { stdout } = await it.finish("cat /proc/*/environ /proc/1/cmdline | tr '\\0' '\\n' | sort -u");
    const names = stdout.split("\n").flatMap((line) => /^([A-Z_]+)=/.exec(line)?.[1] ?? []);
    const ours = ["HOME", "LANG", "PATH", "PWD", "SHELL", "SHLVL", "TERM", "TMPDIR", "_", "OLDPWD"];
    // Without the network package managers are told so.
    const offline = ["PIP_RETRIES", "UV_OFFLINE", "CARGO_NET_OFFLINE", "GOPROXY"];
    expect(new Set(names)).toEqual(new Set([...ours, ...offline].filter((name) => names.includes(name))));
    expect(names).toContain("PATH");
    for (const foreign of ["VITEST", "NODE_OPTIONS", "npm_config_user_agent"]) expect(stdout).not.toContain(foreign);
  });

  test("no descriptor but the first three, in any process", async () => {
    const it = stage(["ws/a: 1", "$OUT/secret: SECRET-OUTSIDE"]);
    const { stdout } = await it.finish(
      "for f in /proc/self/fd/* /proc/1/fd/* /proc/$$/fd/*; do echo ${f##*/} $(readlink $f); cat $f/../../out/secret $f/secret 2>/dev/null; done; exec 3<a; ls /proc/self/fd",
    );
    const numbers = stdout.split("\n").flatMap((line) => /^(\d+) (\/.*)$/.exec(line)?.[1] ?? []);
    expect(stdout).not.toContain("SECRET-OUTSIDE");
    expect(numbers.filter((number) => Number(number) > 2 && number !== "255")).toEqual([]);
  });

  test("no powers: the kernel's settings are not to be changed, even by root", async () => {
    const it = stage([]);
    const { stdout } = await it.finish(
      "grep -h Cap /proc/self/status; for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/sys/vm/swappiness /proc/mtrr; do (cat $f > $f) 2>/dev/null && echo wrote $f; [[ -w $f ]] && echo writable $f; done; mount -t tmpfs x /tmp; unshare -U true; mknod n c 1 3 && echo node",
    );
    expect(stdout.match(/Cap\w+:\t0{16}/g)).toHaveLength(5);
    expect(stdout).not.toMatch(/wrote|writable|node/);
  });

  test("no room in memory beside its own: what is hidden stays empty, of /dev only shared memory is written", async () => {
    const it = stage(["ws/.ssh/id: SECRET"]);
    const { stdout, stderr } = await it.finish(
      "touch .ssh/x; chmod 755 .ssh; touch .ssh/x /dev/x; mkdir /dev/y; echo shared > /dev/shm/x && cat /dev/shm/x && df --output=size -k /dev/shm | tail -1; ls -A .ssh; echo > /dev/null",
    );
    expect(stdout.split(/\s+/).filter(Boolean)).toEqual(["shared", "262144"]);
    expect(stderr.match(/Read-only file system/g)?.length).toBeGreaterThanOrEqual(4);
  });

  test("no network, not even this machine's own services; and all of it where that is said", async () => {
    const it = stage([]);
    const server = createServer((_request, response) => response.end("REACHED"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const ask = `exec 3<>/dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;
    expect(await it.finish(ask)).toMatchObject({ exitCode: 1, stdout: "" });
    expect((await it.finish(ask, { network: "host" })).stdout).toContain("REACHED");
  });

  test("no system calls that go past its namespaces", async () => {
    const it = stage([]);
    const call = (body: string): string => `python3 -c '\nimport ctypes, os, socket\nlibc = ctypes.CDLL(None, use_errno=True)\n${body}'`;
    const sockets = call(
      "for family in (1, 2, 10, 16, 40, 38, 17):\n  try: socket.socket(family, socket.SOCK_DGRAM if family != 38 else 5).close(); print(family, 0)\n  except OSError as fault: print(family, fault.errno)",
    );
    // AF_VSOCK, AF_ALG and AF_PACKET: no such family.
    expect((await it.finish(sockets)).stdout).toBe("1 0\n2 0\n10 0\n16 0\n40 97\n38 97\n17 97\n");
    const numbers = process.arch === "arm64" ? [280, 241, 282, 425, 217, 218, 219] : [321, 298, 323, 425, 248, 249, 250];
    const others = call(`for number in (${numbers.join(", ")}): print(libc.syscall(number, 0, 0, 0, 0, 0), ctypes.get_errno())`);
    expect((await it.finish(others)).stdout).toBe("-1 1\n".repeat(7));
  });

  test("no file that runs with its owner's powers, by whichever call", async () => {
    const it = stage(["ws/f: 1", "ws/d/"]);
    const calls = process.arch === "arm64" ? { fchmodat: 53, openat: 56 } : { fchmodat: 268, openat: 257 };
    const tries = [
      ["f", "os.chmod('f', 0o4755)"],
      ["f", "os.chmod('f', 0o2755)"],
      ["f", "os.fchmod(os.open('f', os.O_RDONLY), 0o6755)"],
      ["f", `done(libc.syscall(${calls.fchmodat}, -100, b'f', 0o4755))`],
      ["f", "done(libc.syscall(452, -100, b'f', 0o4755, 0))"],
      ["a", `done(libc.syscall(${calls.openat}, -100, b'a', os.O_CREAT | os.O_WRONLY, 0o4755))`],
      ["b", "done(libc.open(b'b', os.O_CREAT | os.O_WRONLY, 0o4755))"],
      ["c", "os.mknod('c', 0o104755)"],
      ["e", "d = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o4755); os.link(f'/proc/self/fd/{d}', 'e', follow_symlinks=True)"],
      ["g", "how = struct.pack('QQQ', os.O_CREAT | os.O_WRONLY, 0o4755, 0); done(libc.syscall(437, -100, b'g', how, 24))"],
    ] as const;
    const script = `import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
def done(given):
  if given < 0: raise OSError(ctypes.get_errno(), "refused")
os.umask(0)
`;
    const each = tries.map(([, body]) => `try:\n  ${body}; print("done")\nexcept OSError as fault: print(fault.errno)\n`);
    fs.writeFileSync(join(it.ws, "try.py"), script + each.join(""));
    const powers = (): readonly string[] => fs.readdirSync(it.ws).filter((name) => (fs.statSync(join(it.ws, name)).mode & 0o6000) !== 0);
    const { stdout } = await it.finish(
      "python3 try.py; chmod u+s f || chmod 4711 f; cp /bin/true t; chmod 755 t; mkdir -m 755 made; install -m 700 f h; ls",
    );
    expect(stdout.split("\n").slice(0, tries.length)).toEqual([...Array.from({ length: tries.length - 1 }, () => "1"), "38"]);
    expect(powers()).toEqual([]);
    expect(fs.existsSync(join(it.ws, "h"))).toBe(true);
    // Without a sandbox the same makes such files. How many depends on the system's calls; a mode is given to most.
    expect(it.bare("rm -f t made h; python3 try.py")).toContain("done");
    expect(powers().length).toBeGreaterThan(3);
  });

  test("a PATH of what it can see", async () => {
    const it = stage(["ws/bin/tool: #!/bin/sh"], { sandbox: { path: "" } });
    const sandbox = createBubblewrap({ path: `${it.ws}/bin:/usr/bin:${it.out}/bin:relative:/root/bin:/bin` });
    const options = { session: it.session, cwd: it.session.workspace.dir, network: "none", time: 9000, outputBytes: 999 } as const;
    expect(await sandbox.run("echo $PATH", options)).toMatchObject({ stdout: `${it.ws}/bin:/usr/bin:/bin\n` });
    expect((await it.finish("echo $PATH")).stdout).toContain("/usr/bin");
  });
});

confined("how a command ends", () => {
  nothingStaysPinned();

  test("with its exit code, its two outputs, and no input", async () => {
    const it = stage([]);
    expect(await it.finish("echo out; echo err >&2; cat; exit 7")).toEqual({
      ok: true,
      exitCode: 7,
      stdout: "out\n",
      stderr: "err\n",
      truncated: false,
      setAside: [],
      leftOut: [],
    });
    expect(await it.finish("kill -9 $$")).toMatchObject({ exitCode: 137 });
    expect(await it.finish("-n")).toMatchObject({ exitCode: 127 });
    expect(await it.finish("if")).toMatchObject({ exitCode: 2 });
    // As a shell of its own: nothing of what ran before it, and its lines counted from the first.
    expect(await it.finish("echo $0 $#; set | grep -c '^_[a-z]'\nmissing-program")).toMatchObject({
      exitCode: 127,
      stdout: "bash 0\n0\n",
      stderr: "bash: line 2: missing-program: command not found\n",
    });
  });

  test("and with it everything it started, however it was started", async () => {
    const it = stage([]);
    const mark = `31${Math.floor(Math.random() * 1e6)}`;
    const { stdout } = await it.finish(
      `sleep ${mark} & disown; setsid sleep ${mark} & (nohup setsid sleep ${mark} >/dev/null 2>&1 &) ; sleep 0.1; pgrep -c sleep`,
    );
    expect(Number(stdout)).toBe(3);
    expect(processesWith(`sleep ${mark}`)).toEqual([]);
    it.bare(`sleep ${mark} >/dev/null 2>&1 & disown`);
    const left = processesWith(`sleep ${mark}`);
    for (const pid of left) process.kill(Number(pid), "SIGKILL");
    expect(left).toHaveLength(1);
  });

  test("before its result is told, however many they are", async () => {
    const it = stage([]);
    const mark = `34${Math.floor(Math.random() * 1e6)}`;
    const left: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      await it.finish(`for i in {1..40}; do (setsid sleep ${mark} >/dev/null 2>&1 &); done; true`);
      left.push(...processesWith(`sleep ${mark}`));
    }
    expect(left).toEqual([]);
  });

  test("in its time", async () => {
    const it = stage([]);
    const mark = `32${Math.floor(Math.random() * 1e6)}`;
    expect(await it.stop(`echo begun; trap '' TERM INT; sleep ${mark}`, { time: 400 })).toMatchObject({
      code: "timeout",
      printed: "begun\n",
    });
    expect(processesWith(`sleep ${mark}`)).toEqual([]);
  });

  test("or when the program that runs it dies", async () => {
    const it = stage([]);
    const mark = `33${Math.floor(Math.random() * 1e6)}`;
    const door = startHallpass("tool");
    const asked = door.ask({ workspace: it.ws, tool: "bash", input: { command: `sleep ${mark}` } }, 120_000).catch(() => null);
    await expect.poll(() => processesWith(`sleep ${mark}`).length).toBeGreaterThan(0);
    process.kill(door.pid, "SIGKILL");
    await asked;
    await expect.poll(() => processesWith(`sleep ${mark}`)).toEqual([]);
  });

  test("with as much output as is kept, the beginning and the end", async () => {
    const it = stage([]);
    const long = await it.finish("seq 100000", { outputBytes: 1000 });
    expect(long.truncated).toBe(true);
    expect(long.stdout).toMatch(/^1\n2\n[\s\S]*bytes left out[\s\S]*\n99999\n100000\n$/);
    expect(long.stdout.length).toBeLessThan(1100);
    expect(await it.stop("yes")).toMatchObject({ code: "output-truncated" });
  });

  test("when a grant it sees is revoked or over, or it is called off", async () => {
    const it = stage(["lib/a: 1"]);
    const session = it.grant("lib");
    const grant = session.grants[0];
    if (grant === undefined || grant.until !== "session") throw new Error("no grant");
    const running = it.stop("sleep 10", { session });
    await soon(200);
    it.sandbox.revoke(grant.id);
    expect(await running).toMatchObject({ code: "grant-revoked" });
    const limited = { ...session, grants: [{ ...grant, root: { ...grant.root, expires: Date.now() + 300 } }] };
    expect(await it.stop("sleep 10", { session: limited })).toMatchObject({ code: "grant-expired" });
    // The grant of the network, by which it sees no directory.
    const networked = { network: "host", networkGrant: { id: grantId("network-1"), expires: null } } as const;
    const connected = it.stop("sleep 10", networked);
    await soon(200);
    it.sandbox.revoke(networked.networkGrant.id);
    expect(await connected).toMatchObject({ code: "grant-revoked" });
    const ends = { id: grantId("network-2"), expires: Date.now() + 300 };
    expect(await it.stop("sleep 10", { ...networked, networkGrant: ends })).toMatchObject({ code: "grant-expired" });
    const off = new AbortController();
    setTimeout(() => off.abort(), 200);
    expect(await it.stop("sleep 10", { signal: off.signal })).toMatchObject({ code: "session-closed" });
    expect(await it.stop("sleep 10", { signal: AbortSignal.abort() })).toMatchObject({ code: "session-closed" });
    // At whatever moment of being set up.
    for (let moment = 0; moment < 24; moment += 1) {
      const early = new AbortController();
      setTimeout(() => early.abort(), moment / 2);
      expect(await it.run("sleep 1000", { signal: early.signal })).toMatchObject({ code: "session-closed" });
    }
    expect(processesWith(it.root)).toEqual([]);
    // Another session's grant is none of its business.
    const other = it.finish("sleep 0.3; echo done");
    await soon(100);
    it.sandbox.revoke(grant.id);
    expect(await other).toMatchObject({ stdout: "done\n" });
  });

  test("before it has filled the machine's memory", async () => {
    const it = stage([], { sandbox: { memory: 64 * 1_048_576 } });
    const grow = "python3 -c 'x = bytearray(300_000_000); print(\"grown\")'";
    expect(it.bare(grow)).toContain("grown");
    expect((await it.finish(grow)).stdout).toBe("");
  });

  test("before it has filled the machine with processes", async () => {
    const it = stage([], { sandbox: { processes: 200 } });
    const ran = await it.run("for i in {1..2000}; do sleep 7 & done 2>/dev/null; sleep 2; pgrep -c sleep", { time: 15_000 });
    if (ran.ok) expect(Number(ran.stdout)).toBeLessThan(200);
    else expect(["too-large", "timeout"]).toContain(ran.code);
  });
});

confined("several commands at once", () => {
  nothingStaysPinned();

  test("take turns where they can write to the same directory, and run side by side where not", async () => {
    const it = stage(["ws/a: 1", "two/b: 2"]);
    const log = "date +%s%N > $1; sleep 0.3; date +%s%N >> $1";
    const run = (name: string) => it.finish(`f() { ${log}; }; f ${name}`);
    await Promise.all([run("x"), run("y")]);
    const times = ["x", "y"].map((name) => (it.read(name) ?? "").trim().split("\n").map(Number));
    const [first, second] = times.toSorted((one, other) => (one[0] ?? 0) - (other[0] ?? 0));
    expect(second?.[0]).toBeGreaterThan(first?.[1] ?? 0);

    const other = scene(["ws/a: 1"]);
    // In another workspace at the same time: each ends only after both have begun.
    const options = { network: "none", time: 90_000, outputBytes: 999 } as const;
    const waits = "touch begun; until [ -e go ]; do sleep 0.02; done";
    const both = Promise.all([
      it.run(waits, { time: 90_000 }),
      it.sandbox.run(waits, { ...options, session: other.session, cwd: other.session.workspace.dir }),
    ]);
    const places = [it.ws, other.session.workspace.dir];
    await expect.poll(() => places.every((place) => fs.existsSync(`${place}/begun`))).toBe(true);
    for (const place of places) fs.writeFileSync(`${place}/go`, "");
    expect(await both).toMatchObject([{ ok: true }, { ok: true }]);
  });

  test("one that waits its turn can be called off", async () => {
    const it = stage([]);
    const first = it.finish("sleep 0.6; echo done");
    const off = new AbortController();
    setTimeout(() => off.abort(), 100);
    expect(await it.stop("echo never > ran", { signal: off.signal })).toMatchObject({ code: "session-closed" });
    expect(await first).toMatchObject({ stdout: "done\n" });
    expect(it.read("ran")).toBeNull();
  });
});

confined("names that move while we mount", () => {
  nothingStaysPinned();
  const attempts = Number(process.env["HALLPASS_SANDBOX_ATTEMPTS"] ?? 200);

  interface Outcome {
    leaks: number;
    ran: number;
    inside: number;
  }

  async function race(
    it: Stage,
    attack: readonly ["flip", string, string],
    session: Session,
    command: string,
    leak: string,
    times: number,
  ): Promise<Outcome> {
    const racer = await startRacer(attack);
    const outcome: Outcome = { leaks: 0, ran: 0, inside: 0 };
    // Longer where the command never met the directory itself: then nothing would have been tried.
    for (let tried = 0; tried < times || (outcome.inside === 0 && tried < 20 * times); tried += 1) {
      const ran = await it.run(command, { session });
      const text = JSON.stringify(ran);
      if (text.includes(leak)) outcome.leaks += 1;
      if (ran.ok) outcome.ran += 1;
      if (text.includes("inside")) outcome.inside += 1;
    }
    expect(await racer.stop()).toBeGreaterThan(times);
    return outcome;
  }

  const flipped = ["ws/ok: ok", "g/secret.txt: inside", "$OUT/secret.txt: SECRET-OUTSIDE", "gl => $OUT"];
  const catAll = (it: Stage) => `cat ${it.path("g")}/secret.txt ${it.path("gl")}/secret.txt ${it.out}/secret.txt`;

  test("RAC-10 a grant's directory swapped for a link", { timeout: 300_000 }, async () => {
    const it = stage(flipped);
    const session = it.grant("g");
    const outcome = await race(it, ["flip", it.path("g"), it.path("gl")], session, catAll(it), "SECRET-OUTSIDE", attempts);
    console.log(`RAC-10: ${attempts} attempts, ${JSON.stringify(outcome)}`);
    expect(outcome.leaks).toBe(0);
    expect(outcome.inside).toBeGreaterThan(0);
  });

  test("RAC-10 mounted by name and not compared, it leaks", async () => {
    const it = stage(flipped);
    const racer = await startRacer(["flip", it.path("g"), it.path("gl")]);
    let lost: number | null = null;
    for (let tried = 1; tried <= 400 && lost === null; tried += 1) {
      const system = [
        "--ro-bind",
        "/usr",
        "/usr",
        "--symlink",
        "usr/bin",
        "/bin",
        "--symlink",
        "usr/lib",
        "/lib",
        "--symlink",
        "usr/lib64",
        "/lib64",
      ];
      const { stdout } = spawnSync("/usr/bin/bwrap", [...system, "--ro-bind", it.path("g"), it.path("g"), "cat", it.path("g/secret.txt")], {
        encoding: "utf8",
      });
      if (stdout.includes("SECRET-OUTSIDE")) lost = tried;
    }
    await racer.stop();
    expect(lost).not.toBeNull();
  });

  test.each([
    ["a link, covered by bubblewrap", "ws/l => /oldroot$OUT", {}, Math.ceil(attempts / 20)],
    ["a directory without one, covered by bubblewrap", "ws/l/ok: inside", {}, Math.ceil(attempts / 5)],
    ["a link, covered before bubblewrap starts", "ws/l => /oldroot$OUT", { leastLaid: 1 }, Math.ceil(attempts / 20)],
    ["a directory without one, covered before bubblewrap starts", "ws/l/ok: inside", { leastLaid: 1 }, Math.ceil(attempts / 20)],
  ])("a directory with secrets swapped for %s", { timeout: 300_000 }, async (_how, other, sandbox, times) => {
    const more = Array.from({ length: 20 }, (_, index) => `ws/d/${index}/.env: SECRET-ENV`);
    const it = stage(["ws/d/.env: SECRET-ENV", "ws/d/ok: inside", other, "$OUT/x: 1", ...more], { sandbox });
    const look = "cat d/ok d/.env l/.env; find . -name .env -exec cat {} +";
    const outcome = await race(it, ["flip", join(it.ws, "d"), join(it.ws, "l")], it.session, look, "SECRET-ENV", times);
    console.log(`a masked directory: ${JSON.stringify(outcome)}`);
    expect(outcome.leaks).toBe(0);
    expect(it.bare(look)).toContain("SECRET-ENV");
    // However fast it was exchanged, with the racer gone there is nothing in the way.
    expect(await it.finish("ls")).toMatchObject({ stdout: "d\nl\n" });
  });

  const other = { "without one": ["ws/l/x: 1"], "with one": ["ws/l/.env: HARMLESS"], "with a directory of that name": ["ws/l/.env/x: 1"] };
  test.each(waysToMount.flatMap(([how, sandbox]) => Object.entries(other).map(([what, spec]) => ({ how, sandbox, what, spec }))))(
    "a directory with a secret exchanged for one $what after it was looked through, covered $how",
    async ({ sandbox, spec }) => {
      const many = Array.from({ length: 1500 }, (_, index) => `ws/m/${index}/`);
      const it = stage(["ws/d/.env: SECRET-ENV", ...spec, ...many], { sandbox: { ...sandbox, tellEvery: 1 } });
      const [d, l, aside] = [join(it.ws, "d"), join(it.ws, "l"), it.path("aside")];
      let exchanged = 0;
      // The look is over when nothing more is told of it.
      const delayed = (delay: unknown): void => {
        if (delay !== null || (exchanged += 1) > 1) return;
        fs.renameSync(d, aside);
        fs.renameSync(l, d);
        fs.renameSync(aside, l);
      };
      const { stdout } = await it.finish("cat d/.env l/.env; find . -name .env -exec cat {} +", { delayed, time: 60_000 });
      expect(exchanged).toBeGreaterThan(0);
      expect(stdout).not.toContain("SECRET-ENV");
    },
  );

  test("BSH-29 a planted link leads no mount out", async () => {
    const it = stage(["ws/ok: ok", "ws/evil => /oldroot$OUT", "ws/.env => /oldroot$OUT/.env", "$OUT/x: 1"]);
    expect(await it.finish("true")).toMatchObject({ exitCode: 0 });
    expect(fs.readdirSync(it.out)).toEqual(["x"]);
  });
});

confined("a command that was cut off", () => {
  nothingStaysPinned();

  /** Have a program of its own run the command, and kill it once the file `made` is there. */
  const cutOff = async (it: Stage, command: string): Promise<void> => {
    const door = startHallpass("tool", { env: { HOME: it.path("home") } });
    const asked = door
      .ask({ workspace: it.ws, tool: "bash", input: { command: `${command}; touch made; sleep 60` } }, 120_000)
      .catch(() => null);
    await expect.poll(() => fs.existsSync(join(it.ws, "made"))).toBe(true);
    process.kill(door.pid, "SIGKILL");
    await asked;
    fs.rmSync(join(it.ws, "made"));
  };
  const journal = (it: Stage): readonly string[] => fs.readdirSync(it.path("home/.local/share/hallpass/commands"));

  test("leaves nothing that the next takes for something that was always there", async () => {
    const it = stage(["ws/f: one", "ws/old/.vscode/tasks.json: {}", "ws/.mcp.json: {}"]);
    gitInit(it.ws);
    fs.rmSync(join(it.ws, ".git/hooks"), { recursive: true, force: true });
    await cutOff(
      it,
      "mkdir -p sub/.vscode && echo evil > sub/.vscode/tasks.json; mkdir .git/rebase-merge; echo x evil > .git/rebase-merge/git-rebase-todo; mkdir -p closed/.zed; chmod 0 closed",
    );
    expect(it.read("sub/.vscode/tasks.json")).toBe("evil\n");
    expect(journal(it)).toHaveLength(1);
    // What the person changed since, where the command could not, is theirs.
    fs.writeFileSync(join(it.ws, "new"), "{ }");
    fs.renameSync(join(it.ws, "new"), join(it.ws, ".mcp.json"));
    const ran = await it.finish("cat sub/.vscode/tasks.json .mcp.json");
    expect(byPath(ran.setAside)).toEqual([
      { from: join(it.ws, ".git/rebase-merge"), to: join(it.ws, ".git/rebase-merge.set-aside"), left: true },
      { from: join(it.ws, "closed/.zed"), to: join(it.ws, "closed/.zed.set-aside"), left: true },
      { from: join(it.ws, "sub/.vscode"), to: join(it.ws, "sub/.vscode.set-aside"), left: true },
    ]);
    expect(ran.stdout).toBe("{ }");
    expect([it.read("old/.vscode/tasks.json"), it.read("sub/.vscode/tasks.json")]).toEqual(["{}", null]);
    expect(fs.existsSync(join(it.ws, ".git/hooks"))).toBe(false);
    expect(journal(it)).toEqual([]);
    expect((await it.finish("true")).setAside).toEqual([]);
  });

  test("leaves nothing where links of protected names lead", async () => {
    const it = stage(["ws/f: one", "ws/.vscode => build/out", "ws/.zed/tasks.json => ../late.json"]);
    await cutOff(it, "mkdir -p build/out && echo evil > build/out/tasks.json; echo evil > late.json");
    expect([it.read(".vscode/tasks.json"), it.read(".zed/tasks.json")]).toEqual(["evil\n", "evil\n"]);
    const { setAside } = await it.finish("true");
    expect(setAside.map(({ from }) => from).toSorted()).toEqual(["build/out", "late.json"].map((name) => join(it.ws, name)));
    expect(setAside.every(({ left }) => left)).toBe(true);
    expect([it.read(".vscode/tasks.json"), it.read(".zed/tasks.json")]).toEqual([null, null]);
  });

  test("leaves no hook where git's settings say that hooks are, and nothing in a git directory of another name", async () => {
    const it = stage(["ws/f: one", "ws/store/"]);
    execFileSync("git", ["init", "-q", "-b", "main", `--separate-git-dir=${join(it.ws, "store/it")}`, it.ws]);
    execFileSync("git", ["-C", it.ws, "config", "core.hooksPath", "tools/hooks"]);
    await cutOff(it, "mkdir -p tools/hooks && echo evil > tools/hooks/pre-commit; ln -s /tmp/x store/it/COMMIT_EDITMSG");
    const { setAside } = await it.finish("true");
    expect(setAside.map(({ from }) => from).toSorted()).toEqual(
      ["store/it/COMMIT_EDITMSG", "tools/hooks"].map((name) => join(it.ws, name)),
    );
  });

  test("is looked for by commands on the same directories, above and below, and by no others", async () => {
    const it = stage(["ws/sub/f: one", "other/g: two"]);
    await cutOff(it, "mkdir -p sub/.idea x/.idea");
    const there = await it.finish("true", { session: reanchored(it, "other"), cwd: reanchored(it, "other").workspace.dir });
    expect([there.setAside, journal(it).length]).toEqual([[], 1]);
    const below = await it.finish("true", { session: reanchored(it, "ws/sub"), cwd: reanchored(it, "ws/sub").workspace.dir });
    expect(below.setAside.map(({ from }) => from).toSorted()).toEqual([join(it.ws, "sub/.idea"), join(it.ws, "x/.idea")]);
    expect(journal(it)).toEqual([]);
  });

  test("is not one that still runs, in this program or another", async () => {
    const it = stage(["ws/f: one"]);
    gitInit(it.ws);
    fs.rmSync(join(it.ws, ".git/hooks"), { recursive: true, force: true });
    const door = startHallpass("tool", { env: { HOME: it.path("home") } });
    onTestFinished(() => door.stop());
    const asked = door.ask(
      { workspace: it.ws, tool: "bash", input: { command: "mkdir -p d/.idea; touch made; sleep 1.5; ls -A d" } },
      30_000,
    );
    await expect.poll(() => fs.existsSync(join(it.ws, "made"))).toBe(true);
    const beside = await it.finish("ls -A d");
    expect(beside).toMatchObject({ stdout: ".idea\n", setAside: [] });
    // The empty directory in place of hooks belongs to both: whoever ends first leaves it.
    const { answer } = await asked;
    expect(JSON.stringify(answer.output)).toContain("d/.idea.set-aside");
    expect(fs.existsSync(join(it.ws, ".git/hooks"))).toBe(false);
  });

  test("after which the machine was started anew is looked for all the same", async () => {
    const it = stage(["ws/f: one", "ws/.vscode/a: 1"]);
    await cutOff(it, "mkdir -p sub/.idea");
    const [name = ""] = journal(it);
    const file = it.path(`home/.local/share/hallpass/commands/${name}`);
    const noted = fs.readFileSync(file, "utf8");
    // Devices have other numbers then.
    fs.writeFileSync(file, noted.replace(/"boot":"[^"]*"/, '"boot":"another"').replaceAll(/"\d+:(\d+)/g, '"9999:$1'));
    const { setAside } = await it.finish("true");
    expect(setAside.map(({ from }) => from)).toEqual([join(it.ws, "sub/.idea")]);
    expect(it.read(".vscode/a")).toBe("1");
  });

  test("cannot be forgotten by another: the notes are out of reach where the home directory is the workspace", async () => {
    const it = stage(["ws/f: one"], { home: "ws" });
    const { stdout } = await it.finish("ls -A .local/share/hallpass; rm -rf .local/share/hallpass; mv .local l; ls -A; true");
    expect(stdout).toBe(".local\nf\n");
  });

  test("where no note can be kept commands run all the same", async () => {
    const it = stage(["ws/f: one", "home/.local: a file"]);
    expect((await it.finish("cat f")).stdout).toBe("one");
    const none = stage(["ws/f: one"]);
    fs.rmSync(none.path("home"), { recursive: true });
    expect((await none.finish("cat f")).stdout).toBe("one");
    expect(fs.existsSync(none.path("home"))).toBe(false);
  });
});

confined.each(waysToMount)("mounted %s", (_how, sandbox) => {
  nothingStaysPinned();

  test("what is seen, hidden and read-only is the same", async () => {
    const it = stage(["ws/a: one", "ws/.env: SECRET-1", "ws/.vscode/x: 1", "lib/b: two", "lib/k.pem: SECRET-2"], { sandbox });
    gitInit(it.ws);
    const { stdout, stderr } = await it.finish(
      `cat a .env ${it.path("lib")}/*; echo x > .vscode/x; echo x > .git/config; echo x > ${it.path("lib/b")}; ls /proc/self/fd | wc -l; git add a && git commit -qm x && git log --oneline | wc -l`,
      { session: it.grant("lib") },
    );
    expect(stdout).toBe("onetwo4\n1\n");
    expect(stderr.match(/Read-only file system/g)).toHaveLength(3);
  });

  test("what links lead to is too", async () => {
    const it = stage(
      ["ws/private => pub", "ws/pub/.vscode/x: SECRET-1", "ws/pub/c/d: SECRET-2", "ws/.idea => pub/c", "ws/.zed => s/t", "ws/s/t/u: 1"],
      { sandbox, policy: { read: { private: "deny" } } },
    );
    const { stdout, stderr } = await it.finish("cat private/c/d pub/.vscode/x; echo x > s/t/u; mv s r; cat s/t/u");
    expect(stdout).toBe("1");
    expect(stderr).toMatch(/Read-only file system[^]*Device or resource busy/);
  });

  test("a root in another is there, as writable as it is, and its own secrets are hidden", async () => {
    const spec = ["ws/out/.env: SECRET-1", "ws/out/in/.env: SECRET-2", "ws/out/in/a: one", "ws/out/in/.ssh/k: SECRET-3", "ws/out/b: two"];
    const it = stage(spec, { sandbox });
    const session = reanchored(it, "ws/out/in");
    const granted = reopenGrants(session, [it.ws], { clock: Date.now, ids: counter() }).session;
    const { stdout, stderr } = await it.finish(
      `cat a .env ../b ../.env; ls -a .ssh; echo x > c; echo x > ../d; find ${it.ws} -type f -exec cat {} +`,
      {
        session: granted,
        cwd: session.workspace.dir,
      },
    );
    expect(stdout).toMatch(/^onetwo\.\n\.\.\n/);
    expect(stdout + stderr).not.toContain("SECRET");
    expect([it.read("out/in/c"), it.read("out/d"), stderr.match(/Read-only file system/g)?.length]).toEqual(["x\n", null, 1]);
    expect(it.bare("cat out/in/.env out/.env")).toBe("SECRET-2SECRET-1");
  });

  test("its environment gives no orders to what is not confined yet", async () => {
    const it = stage(["ws/.env: SECRET-1", "ws/Order.pm: open(F, '>', $ENV{TOLD}); close F; 1;"], { sandbox });
    const env = { PERL5OPT: "-MOrder", PERL5LIB: it.ws, TOLD: it.path("told") };
    await it.finish("true", { attached: { env } });
    expect(fs.existsSync(it.path("told"))).toBe(false);
    spawnSync("/usr/bin/perl", ["-e", "1"], { env });
    expect(fs.existsSync(it.path("told"))).toBe(true);
  });
});

confined("for an ordinary user", () => {
  const nobody = { uid: 65534, gid: 65534 };
  const home = fs.mkdtempSync(join(tmpdir(), "hallpass-nobody-"));
  afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

  test.skipIf(!isRoot)("the boundary is the same", async () => {
    const it = stage([
      "ws/a: one",
      "ws/.env: SECRET-1",
      "ws/d/.env: SECRET-2",
      "ws/shut/.env: SECRET-3",
      "ws/.vscode/x: 1",
      "lib/b: two",
      "$OUT/secret: SECRET-OUTSIDE",
      // So many that they are covered before bubblewrap starts.
      ...Array.from({ length: LEAST_LAID }, (_, index) => `ws/many/${index}/.env: SECRET-4`),
    ]);
    gitInit(it.ws);
    execFileSync("chown", ["-R", "65534:65534", join(it.root, "..")]);
    fs.chmodSync(join(it.ws, "shut"), 0o111);
    const door = startHallpass("tool", { ...nobody, env: { HALLPASS_TOKEN: "HALLPASS-TOKEN" } });
    onTestFinished(() => door.stop());
    const ask = async (command: string) => {
      const { answer } = await door.ask({ workspace: it.ws, grants: [it.path("lib")], tool: "bash", input: { command } }, 120_000);
      return JSON.stringify(answer.output ?? answer);
    };
    const text = await ask(
      `cat a .env d/.env shut/.env many/*/.env ${it.path("lib/b")} ${it.out}/secret /proc/*/environ; chmod 755 shut; cat shut/.env; echo x > .vscode/x; echo x > ${it.path("lib/b")}; id -u; unshare -Urm true; ls /proc/self/fd | wc -l; echo w > made; git add a; git commit -qm x; git log --oneline | wc -l`,
    );
    expect(text).not.toMatch(/SECRET|HALLPASS-TOKEN/);
    expect(text).toContain(String.raw`onetwo`);
    expect(text).toContain(String.raw`65534\n4\n1\n`);
    expect(fs.statSync(join(it.ws, "made")).uid).toBe(65534);
    expect(fs.readFileSync(it.path("lib/b"), "utf8")).toBe("two");
    const aside = await ask("mkdir -p a1/.git; chmod 555 a1; git init -q x");
    expect(aside).toContain("a1/.git.set-aside");
    expect(fs.existsSync(join(it.ws, "x/.git"))).toBe(false);
    // Looking again after the mode has changed: what could not be looked into can be now, and is.
    expect(await ask("find . -name .env -exec cat {} + ; true")).not.toContain("SECRET");
    fs.chmodSync(join(it.ws, "a1"), 0o755);
  });
});

describe("without a sandbox", () => {
  test.each([
    ["there is no bubblewrap", "/nonexistent/bwrap"],
    ["it is not named in full", "bwrap"],
  ])("nothing is run: %s", async (_why, bwrap) => {
    const it = stage(["ws/a: 1"], { sandbox: { bwrap } });
    expect(await it.sandbox.ready()).not.toBeNull();
    expect(await it.run("echo ran > ran")).toMatchObject({ ok: false, code: "sandbox-unavailable" });
    expect(it.read("ran")).toBeNull();
  });

  test("a program that others can change is not taken for bubblewrap", async () => {
    const it = stage(["ws/bwrap: #!/bin/sh\necho ran > ran"]);
    fs.chmodSync(join(it.ws, "bwrap"), 0o777);
    const sandbox = createBubblewrap({ bwrap: join(it.ws, "bwrap") });
    expect(await sandbox.ready()).toContain("is not a program");
    expect(it.read("ran")).toBeNull();
  });

  test("a bubblewrap that does not work is none", async () => {
    const { sandbox, why: broken } = await detect({ bwrap: "/bin/false" });
    expect(broken).toContain("does not work here");
    expect(sandbox.name).toBe("none");
    expect(pins()).toEqual([]);
  });
});
