// A host's shell that enters its session's sandbox without Node: the daemon prepares it, the shell starts it. Tried with what opencode's plugin says of the shell's
// environment; then with a daemon that answers wrongly, late or not at all, and by those who have no business there.

import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { hookSocketLine, parseHookSocket } from "../../src/adapters/hook/socket-file.ts";
import { whyNoKeeper } from "../../src/sandbox/keeper.ts";
import { detect } from "../../src/sandbox/sandbox.ts";
import { routes } from "../../src/wire/http.ts";
import { eventually, type Stage, stage } from "../server/daemon-process.ts";
import { type HostShell, openHost as openOpencode, startDaemon, stateOf } from "./opencode-host.ts";

const confined = describe.skipIf((await detect()).why !== null && process.env["CI"] === undefined);
const canWait = whyNoKeeper() === null;
const LONG = { timeout: 180_000 };
const WITHIN = 60_000;

/** Where Node is needed, this ends with 1. */
const withoutNode = (env: Record<string, string>): Record<string, string> => ({ ...env, HALLPASS_NODE: "/bin/false" });
const LIGHT = { env: withoutNode };
/** What the reader of texts would say of a command is not tried here: each is judged as a harmless one, and another plugin puts these words in its place. */
async function openHost(on: Stage, directory = on.workspace, session = "ses_1"): Promise<HostShell> {
  const { start, command } = await openOpencode(on, directory, session);
  return {
    start: (text, change) => start("true", { ...change, rewritten: text }),
    command: (text, change) => command("true", { ...change, rewritten: text }),
  };
}
/** This machine without /dev/fuse. */
const WITHOUT_FUSE = ["/usr/bin/bwrap", "--bind", "/", "/", "--dev", "/dev", "--bind", "/proc", "/proc", "--die-with-parent"];
const socketFile = (on: Stage): string => join(on.home, ".local/share/hallpass/hook.socket");

/** The processes that have this word in their command line. */
function processesWith(word: string): readonly string[] {
  return fs.readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/u.test(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(word);
    } catch {
      return false;
    }
  });
}
const none = (word: string) => eventually(async () => (processesWith(word).length === 0 ? "none" : null), WITHIN);
const there = (path: string) => eventually(async () => (fs.existsSync(path) ? "there" : null), WITHIN);

confined("a host's shell, with a daemon", () => {
  test("starts no Node; exit code, outputs, input and terminal are the command's own", LONG, async () => {
    const on = stage();
    const daemon = await startDaemon(on);
    const { command } = await openHost(on);
    expect(await command("cat notes.txt; echo said >&2; exit 3", LIGHT)).toEqual({
      code: 3,
      stdout: "inside the workspace\n",
      stderr: "said\n",
    });
    expect(await stateOf(daemon)).toEqual([["opencode", "verified"]]);
    expect(await command("kill -TERM $$", LIGHT)).toMatchObject({ code: 143 });
    const typed = ["/bin/sh", "-c", 'printf typed | "$@"', "sh"];
    const open = 'cat; for n in 3 4 5 6 7 8 9 10 11 12; do test -e "/proc/$$/fd/$n" && echo "$n"; done; true';
    expect(await command(open, { ...LIGHT, before: typed })).toMatchObject({ stdout: "typed" });
    const terminal = ["/usr/bin/python3", "-c", "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"];
    expect((await command("test -t 0 && test -t 1 && echo terminal", { ...LIGHT, before: terminal })).stdout).toContain("terminal");
    // In the environment nothing is but what may pass, and nothing of ours.
    const { stdout } = await command("env | grep -c HALLPASS; echo $NODE_ENV$MY_TOKEN; tr '\\0' '\\n' </proc/1/environ | wc -l", {
      env: (env) => ({ ...withoutNode(env), NODE_ENV: "x", MY_TOKEN: "y" }),
    });
    expect(stdout).toBe("0\nx\n0\n");
    await daemon.stop();
    expect(await command("cat notes.txt", LIGHT)).toMatchObject({ code: 1, stdout: "" });
    expect(await command("cat notes.txt")).toMatchObject({ code: 0, stdout: "inside the workspace\n" });
  });

  test
    // An ordinary user's bubblewrap makes a user namespace, and in that the daemon's sandbox cannot be entered.
    .runIf(process.getuid?.() === 0 && spawnSync("/usr/bin/bwrap", [...WITHOUT_FUSE.slice(1), "/bin/true"]).status === 0)
    .each(["as the daemon prepares it", "by Node"])(
    "where programs cannot be made to wait, the agent is told afterwards how to ask: %s",
    LONG,
    async (how) => {
      const on = stage();
      await startDaemon(on, WITHOUT_FUSE);
      const { command } = await openHost(on);
      const byNode = { before: [...WITHOUT_FUSE, "/bin/sh", "-c", 'ulimit -Sn 66; exec "$@"', "sh"] };
      const ran = await command("cat ../lib/far.txt ../none/x notes.txt", how === "by Node" ? byNode : LIGHT);
      expect(ran).toMatchObject({ code: 1, stdout: "inside the workspace\n" });
      expect(ran.stderr.split("\n").filter((line) => line.startsWith("hallpass:"))).toEqual([
        `hallpass: The command cannot see ${on.library}. If it needs it, ask for ${on.workspace}/../lib/far.txt with request_read_access, and run it again after a yes.`,
      ]);
    },
  );

  test("started under a bare name, the shell is not taken from PATH", LONG, async () => {
    const on = stage();
    await startDaemon(on);
    const { command } = await openHost(on);
    const planted = join(on.root, "planted");
    fs.mkdirSync(planted);
    fs.writeFileSync(join(planted, "bash"), `#!/bin/sh\ntouch ${planted}/ran\n`, { mode: 0o755 });
    const bare = ["/usr/bin/python3", "-c", "import os, sys; os.execv(sys.argv[1], ['bash', *sys.argv[2:]])"];
    const env = (own: Record<string, string>): Record<string, string> => ({ ...withoutNode(own), PATH: `${planted}:/usr/bin:/bin` });
    expect(await command("cat notes.txt", { env, before: bare })).toMatchObject({ code: 0, stdout: "inside the workspace\n" });
    expect(fs.readdirSync(planted)).toEqual(["bash"]);
  });

  test("a server, /tmp and the home directory last as long as the host's session, and are no other session's", LONG, async () => {
    const on = stage();
    const daemon = await startDaemon(on);
    const [first, second] = [await openHost(on), await openHost(on, on.workspace, "ses_2")];
    const server = "python3 -u -m http.server 0 --bind 127.0.0.1 --directory /tmp/lasting";
    const started = await first.command(
      `mkdir /tmp/lasting; echo kept > /tmp/lasting/kept; echo kept > ~/kept; ${server} >/tmp/log 2>&1 & while ! grep -q port /tmp/log; do sleep 0.05; done 2>/dev/null`,
      LIGHT,
    );
    expect(started).toEqual({ code: 0, stdout: "", stderr: "" });
    const [session] = await daemon.client.send(routes.listSessions, { query: { archived: "false" } });
    const fetched = `python3 -c 'import re, urllib.request; port = re.search("port (\\d+)", open("/tmp/log").read())[1]; print(urllib.request.urlopen("http://127.0.0.1:" + port + "/kept").read())'`;
    expect(await first.command(`${fetched}; cat ~/kept; pgrep -c python3`, LIGHT)).toMatchObject({ stdout: "b'kept\\n'\nkept\n1\n" });
    expect(await second.command("ls /tmp ~; pgrep -c python3", LIGHT)).toMatchObject({ stdout: expect.stringMatching(/^[^]*\n0\n$/u) });
    expect((await second.command("cat /tmp/lasting/kept ~/kept", LIGHT)).stdout).toBe("");
    await daemon.client.send(routes.archiveSession, { id: session?.id ?? "", query: {} });
    expect(await none(server)).toBe("none");
  });

  test(
    "two commands of a session at once: the second goes by Node, with a /tmp of its own, and the first is not disturbed",
    LONG,
    async () => {
      const on = stage();
      const daemon = await startDaemon(on);
      const { command, start } = await openHost(on);
      const running = await start("touch /tmp/mine begun; until [ -e over ]; do sleep 0.05; done; ls /tmp/mine", LIGHT);
      await there(join(on.workspace, "begun"));
      expect(await command("true", LIGHT)).toMatchObject({ code: 1 });
      expect(await command("ls /tmp/mine; touch over")).toMatchObject({ code: 0, stdout: "" });
      expect(await running.ended).toEqual({ code: 0, stdout: "/tmp/mine\n", stderr: "" });
      expect(await command("ls /tmp/mine", LIGHT)).toMatchObject({ stdout: "/tmp/mine\n" });
      // The one that could not be run never reported.
      expect(await stateOf(daemon)).toEqual([["opencode", "unverified"]]);
    },
  );

  test.each([1, 8, 60, 300])(
    "a workspace with secrets in %d directories is entered without Node, and nothing is said",
    LONG,
    async (count) => {
      const on = stage();
      for (let number = 0; number < count; number += 1) {
        fs.mkdirSync(join(on.workspace, `d${number}`));
        fs.writeFileSync(join(on.workspace, `d${number}`, ".env"), "TOKEN=1\n");
      }
      await startDaemon(on);
      const { command } = await openHost(on);
      for (let left = 2; left > 0; left -= 1)
        expect(await command(`cat notes.txt; ! cat d0/.env d${count - 1}/.env 2>/dev/null`, LIGHT)).toEqual({
          code: 0,
          stdout: "inside the workspace\n",
          stderr: "",
        });
    },
  );

  test.runIf(canWait)("while one command waits for a person, the next of its session is run, and is told nothing", LONG, async () => {
    const on = stage();
    const daemon = await startDaemon(on);
    const { command, start } = await openHost(on);
    const running = await start(`${process.execPath} -e 'console.log(String(require("node:fs").readFileSync("../lib/far.txt")))'`);
    const ask = await eventually(async () => (await daemon.client.send(routes.listAsks, { query: { state: "open" } }))[0] ?? null, WITHIN);
    for (let left = 3; left > 0; left -= 1)
      expect(await command("cat notes.txt")).toEqual({ code: 0, stdout: "inside the workspace\n", stderr: "" });
    await daemon.client.send(routes.answer, { id: ask.id, body: { decision: "deny", digest: ask.digest } });
    expect(await running.ended).toMatchObject({ code: 1 });
  });

  test("a shell that may open fewer files than it would be handed goes by Node, without a word", LONG, async () => {
    const on = stage();
    await startDaemon(on);
    const { command } = await openHost(on);
    const before = ["/bin/sh", "-c", 'ulimit -Sn 66; exec "$@"', "sh"];
    expect(await command("cat notes.txt", { ...LIGHT, before })).toEqual({ code: 1, stdout: "", stderr: "" });
    expect(await command("cat notes.txt", { before })).toEqual({ code: 0, stdout: "inside the workspace\n", stderr: "" });
  });

  test("a directory in the place of its input or outputs is not handed to the command, by Node neither", LONG, async () => {
    const on = stage();
    await startDaemon(on);
    const { command } = await openHost(on);
    const before = ["/bin/sh", "-c", `exec "$@" <${on.root}`, "sh"];
    for (const change of [{ before, ...LIGHT }, { before }])
      expect(await command("cat /proc/self/fd/0/lib/far.txt; ls /proc/self/fd/0/", change)).toMatchObject({ stdout: "" });
  });

  test("what a command leaves goes on with the outputs that the host gave it, but not with its person's terminal", LONG, async () => {
    const on = stage();
    await startDaemon(on);
    const { command } = await openHost(on);
    const into = ["/bin/sh", "-c", `exec "$@" >${join(on.root, "said")} 2>&1`, "sh"];
    expect(await command("sleep 600 & echo left", { ...LIGHT, before: into })).toMatchObject({ code: 0 });
    expect(await command("pgrep -c sleep", LIGHT)).toMatchObject({ stdout: "1\n" });
    expect(await command("pkill sleep; true", LIGHT)).toMatchObject({ code: 0 });
    // A host that sits at a terminal, and starts its shell there; and one that makes a terminal for its command.
    const host = `import os, pty, subprocess, sys
kind, shell = sys.argv[1], sys.argv[2:]
start = ["/usr/bin/perl", "-e", "system { $ARGV[0] } @ARGV; exit($? >> 8)"]
sys.exit(pty.spawn({"own": shell, "shared": start + shell, "apart": start + ["/usr/bin/setsid"] + shell}[kind]) >> 8)`;
    // The same host, whose shell is in a session of its own: it has the host's terminal all the same, and the kernel keeps nobody there from reading it.
    for (const [kind, count] of [
      ["own", "1"],
      ["shared", "0"],
      ["apart", "0"],
    ] as const) {
      expect(
        await command("nohup sleep 600 >/dev/null 2>&1 </dev/null & true", { ...LIGHT, before: ["/usr/bin/python3", "-c", host, kind] }),
      ).toMatchObject({ code: 0 });
      expect([kind, (await command("pgrep -c sleep; pkill sleep; true", LIGHT)).stdout]).toEqual([kind, `${count}\n`]);
    }
  });

  test("a shell that is killed takes its command with it, and the daemon looks through what that made", LONG, async () => {
    const on = stage();
    await startDaemon(on);
    const { command, start } = await openHost(on);
    fs.mkdirSync(join(on.workspace, "deep/er"), { recursive: true });
    const word = `sleep 6${process.pid % 1000}1`;
    const running = await start(
      `mkdir deep/er/.vscode; echo '{}' > deep/er/.vscode/tasks.json; (setsid ${word} &); touch begun; ${word}`,
      LIGHT,
    );
    await there(join(on.workspace, "begun"));
    process.kill(running.pid, "SIGKILL");
    expect(await none(word)).toBe("none");
    expect(await there(join(on.workspace, "deep/er/.vscode.set-aside/tasks.json"))).toBe("there");
    expect(await command("cat notes.txt", LIGHT)).toMatchObject({ code: 0, stdout: "inside the workspace\n" });
  });

  test("what was made is set aside before the shell ends, and the host is told", LONG, async () => {
    const on = stage();
    await startDaemon(on);
    const { command } = await openHost(on);
    fs.mkdirSync(join(on.workspace, "deep"));
    const made = await command("mkdir deep/.vscode; echo '{}' > deep/.vscode/tasks.json", LIGHT);
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining("executes later, so it was renamed") });
    expect(fs.readdirSync(join(on.workspace, "deep"))).toEqual([".vscode.set-aside"]);
  });

  test("a daemon that is killed ends the command; the shell says so, and nothing is left", LONG, async () => {
    const on = stage();
    const daemon = await startDaemon(on);
    const { command, start } = await openHost(on);
    await command("true", LIGHT);
    const word = `sleep 7${process.pid % 1000}2`;
    const running = await start(`touch begun; ${word}; echo still here`, LIGHT);
    await there(join(on.workspace, "begun"));
    await daemon.kill();
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 126, stdout: "" });
    expect(ended.stderr).toContain("hallpass: shell-failed: the daemon was lost");
    expect(await none(word)).toBe("none");
  });

  test.runIf(canWait)("a grant that is revoked is taken out of the command that runs, and its session's end ends it", LONG, async () => {
    const on = stage();
    const daemon = await startDaemon(on);
    const { start } = await openHost(on);
    const path = join(on.library, "far.txt");
    const running = await start(`until ! cat ${path}; do sleep 0.1; done >>seen 2>/dev/null; touch gone; sleep 600`, LIGHT);
    const ask = await eventually(async () => (await daemon.client.send(routes.listAsks, { query: { state: "open" } }))[0] ?? null, WITHIN);
    await daemon.client.send(routes.answer, { id: ask.id, body: { decision: "allow", digest: ask.digest } });
    await eventually(
      async () => (fs.existsSync(join(on.workspace, "seen")) && fs.readFileSync(join(on.workspace, "seen"), "utf8") !== "" ? "seen" : null),
      WITHIN,
    );
    const [grant] = await daemon.client.send(routes.listGrants, {});
    await daemon.client.send(routes.revoke, { id: grant?.id ?? "" });
    await there(join(on.workspace, "gone"));
    const [session] = await daemon.client.send(routes.listSessions, { query: { archived: "false" } });
    await daemon.client.send(routes.archiveSession, { id: session?.id ?? "", query: {} });
    expect(await running.ended).toMatchObject({ code: 1, stderr: expect.stringContaining("session-closed") });
  });
});

interface FakeDaemon {
  /** What it is asked, connection by connection. */
  readonly asked: string[];
  readonly proof: string;
}

/** Somebody who has taken the daemon's place in its file. */
async function fakeDaemon(on: Stage, answer: (socket: Socket, proof: string) => void): Promise<FakeDaemon> {
  const proof = "p".repeat(32);
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (part) => {
      asked.push(part.toString());
      answer(socket, proof);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  fs.mkdirSync(join(socketFile(on), ".."), { recursive: true, mode: 0o700 });
  fs.writeFileSync(socketFile(on), hookSocketLine({ port, token: "t".repeat(32), proof }), { mode: 0o600 });
  return { asked, proof };
}

/** Reads what is outside, and does not say so in its words. */
const READ = `node -e 'console.log(require("fs").readFileSync(["..", "lib", "far.txt"].join("/"), "utf8"))' || echo held`;

confined("an answer that is malformed, late or lost", () => {
  test.each<[string, (socket: Socket, proof: string) => void]>([
    ["from somebody who does not know the proof", (socket) => socket.end(`${"q".repeat(32)} node\n`)],
    ["to start something, from somebody who does not know the proof", (socket) => socket.write(`${"q".repeat(32)} start 1 2 3\n`)],
    ["that ends at once", (socket) => socket.end()],
    ["that is cut off", (socket, proof) => socket.end(`${proof} sta`)],
    ["of another kind", (socket, proof) => socket.end(`${proof} run cat\n`)],
    ["that names a path", (socket, proof) => socket.end(`${proof} start ../x /etc/passwd\n`)],
    ["that breaks off while it is waited for", (socket, proof) => void (socket.write(`${proof} wait\n`), socket.end())],
    ["that never comes", () => {}],
  ])("%s: the command is confined by Node", LONG, async (_name, answer) => {
    const on = stage();
    // Hooks judge by themselves meanwhile: this one takes no calls.
    const { start } = await openHost(on);
    const daemon = await fakeDaemon(on, answer);
    const ended = await (await start(READ)).ended;
    expect(ended.stdout).toBe("held\n");
    expect(daemon.asked.some((text) => text.includes("|e"))).toBe(true);
  });

  test("that is to start files that cannot be read, or words that name no program: the command is confined by Node", LONG, async () => {
    const on = stage();
    const { start } = await openHost(on);
    const file = join(on.root, "words");
    fs.writeFileSync(file, "echo\0outside\0");
    const words = fs.openSync(file, "r");
    onTestFinished(() => fs.closeSync(words));
    for (const said of ["start 999999999 1 2", `start ${process.pid} ${words}`]) {
      await fakeDaemon(on, (socket, proof) => socket.write(`${proof} ${said}\n`));
      expect((await (await start(READ)).ended).stdout).toBe("held\n");
    }
  });

  test("that is lost once something was started: nothing is run a second time", LONG, async () => {
    const on = stage();
    const { start } = await openHost(on);
    const file = join(on.root, "words");
    fs.writeFileSync(file, "/bin/true\0");
    const words = fs.openSync(file, "r");
    onTestFinished(() => fs.closeSync(words));
    await fakeDaemon(on, (socket, proof) => socket.end(`${proof} start ${process.pid} ${words}\n`));
    const ended = await (await start(READ)).ended;
    expect(ended).toMatchObject({ code: 126, stdout: "" });
    expect(ended.stderr).toContain("shell-failed");
  });
});

confined("a command that Node confines", () => {
  test("is confined by no code of the environment's, and nothing is written where that says", LONG, async () => {
    const on = stage();
    const { command } = await openHost(on);
    const planted = join(on.root, "planted");
    const words = { NODE_V8_COVERAGE: planted, NODE_REDIRECT_WARNINGS: planted, OPENSSL_CONF: planted, NODE_PATH: planted };
    const env = (own: Record<string, string>): Record<string, string> => ({ ...own, ...words });
    expect(await command("cat notes.txt", { env })).toMatchObject({ code: 0, stdout: "inside the workspace\n" });
    expect(fs.existsSync(planted)).toBe(false);
  });
});

confined("who else may speak there", () => {
  test("a confined command finds neither file nor token, and the port answers nobody without it", LONG, async () => {
    const on = stage();
    await startDaemon(on);
    const { command } = await openHost(on);
    const { port = 0 } = parseHookSocket(fs.readFileSync(socketFile(on), "utf8")) ?? {};
    const data = join(on.home, ".local/share/hallpass");
    const tried = await command(
      `cat ${socketFile(on)} ${data}/daemon.json ${data}/token; ls ${data}; ls /proc/*/fd 2>/dev/null | grep -c .; { exec 9<>/dev/tcp/127.0.0.1/${port}; printf 'hallpass 1|%032d|opencode|e1|/||0|' 0 >&9; timeout 5 cat <&9; }; echo end`,
      LIGHT,
    );
    expect(tried.stdout).toMatch(/^\d+\nend\n$/u);
    expect(tried.stderr).toContain("No such file");
  });

  test("with the token too, only the process that holds the connection is let in, and only for what it started itself", LONG, async () => {
    const on = stage();
    const daemon = await startDaemon(on);
    const { command } = await openHost(on);
    await command("true", LIGHT);
    const { port = 0, token = "" } = parseHookSocket(fs.readFileSync(socketFile(on), "utf8")) ?? {};
    const shell = JSON.stringify({ host: "opencode", workspace: on.workspace, session: "ses_1", call: "ses_1-9" });
    const payload = `${Buffer.byteLength(shell)} ${shell}true`;
    const said = (pid: number): Promise<string> =>
      new Promise((done) => {
        let text = "";
        const socket = connect(port, "127.0.0.1", () =>
          socket.write(`hallpass 1|${token}|opencode|e${pid}|/||${Buffer.byteLength(payload)}|${payload}`),
        );
        socket.on("data", (part) => (text += part.toString()));
        socket.on("close", () => done(text));
        socket.on("error", () => {});
      });
    // Another process of this user's, the daemon itself, and this one, whose third descriptor is something else.
    for (const pid of [1, daemon.pid, process.pid, 999_999_999]) expect(await said(pid)).toBe("");
    // A shell that holds the connection, and names somebody else's process as what it started.
    const liar = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf '%s' "hallpass 1|${token}|opencode|e$$|/||${Buffer.byteLength(payload)}|$1" >&3; read -r -u 3 line; case $line in *start*) ;; *) echo "$line" ;; esac; echo "pid ${daemon.pid}" >&3; read -r -t 20 -u 3 more || echo dropped`;
    expect(
      execFileSync("/bin/bash", ["-c", liar, "bash", payload], { encoding: "utf8", cwd: on.workspace, stdio: ["ignore", "pipe", "pipe"] }),
    ).toBe("dropped\n");
    expect(await command("cat notes.txt", LIGHT)).toMatchObject({ code: 0, stdout: "inside the workspace\n" });
  });
});
