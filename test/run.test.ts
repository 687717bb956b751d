// `hallpass run`: any program in the sandbox. What it cannot reach, it cannot reach by any way; without the sandbox it can.

import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, expect, test } from "vitest";
import { shutsAbstractSockets } from "../src/sandbox/abstract-sockets.ts";
import { detect } from "../src/sandbox/sandbox.ts";
import { tree, type Tree } from "./tree.ts";

const { why } = await detect();
const confined = test.skipIf(why !== null && process.env["CI"] === undefined);
const program = join(import.meta.dirname, "../bin/hallpass.js");

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function grown(): Tree {
  const at = tree(["ws/a: A", "ws/.env: S", "lib/.git/", "lib/b: B", "lib/.env: S2", "other/c: C"]);
  onTestFinished(() => at.remove());
  return at;
}

function hallpass(at: Tree, words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, "run", ...words],
      { cwd: at.path("ws"), env: { PATH: process.env["PATH"], HOME: at.root, ...env } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end("typed\n");
  });
}

confined("the program works in the workspace, with its own input, output and exit code", async () => {
  const at = grown();
  const ended = await hallpass(at, ["-q", "--", "bash", "-c", 'read line; echo "$line $(cat a)"; echo made > new; exit 7']);
  expect(ended).toEqual({ code: 7, stdout: "typed A\n", stderr: "" });
  expect(readFileSync(at.path("ws/new"), "utf8")).toBe("made\n");
});

confined("elsewhere, secrets and what is only granted stay as the session says; without the sandbox all of it is open", async () => {
  const at = grown();
  const steps = `cat ${at.path("other/c")}; cat .env; cat ${at.path("lib/b")}; cat ${at.path("lib/.env")}; echo x > ${at.path("lib/b")}`;
  const bare = execFileSync("bash", ["-c", `${steps}; echo B > ${at.path("lib/b")}`], { cwd: at.path("ws"), encoding: "utf8" });
  expect(bare).toBe("CSBS2");
  const ended = await hallpass(at, ["-q", "--grant", at.path("lib"), "--", "bash", "-c", steps]);
  expect(ended.stdout).toBe("B\n");
  expect(readFileSync(at.path("lib/b"), "utf8")).toBe("B\n");
});

confined("it says what the program reaches before it starts, and which variables it is given", async () => {
  const at = grown();
  const ended = await hallpass(at, ["--grant", at.path("lib"), "--env", "KEY", "--", "bash", "-c", 'echo "$KEY-$OTHER"'], {
    KEY: "k",
    OTHER: "o",
  });
  expect(ended.stdout).toBe("k-\n");
  for (const said of [`reads and writes  ${at.path("ws")}`, `reads             ${at.path("lib")}`, "The network is open", "KEY"])
    expect(ended.stderr).toContain(said);
});

// A shell reads the file that BASH_ENV names, and looks by GLOBIGNORE which descriptors there are: neither may be before the sandbox is complete.
confined("a variable that shells take orders from counts once nothing of the outer disk is open any more", async () => {
  const at = grown();
  writeFileSync(
    at.path("ws/orders.sh"),
    "cat /proc/self/fd/*/.env /proc/self/fd/*/../.env /proc/self/fd/*/../other/c 2>/dev/null; echo ordered\n",
  );
  const names = ["BASH_ENV", "GLOBIGNORE", "PERL5OPT"].flatMap((name) => ["--env", name]);
  const seen = await hallpass(at, ["-q", ...names, "--", "bash", "-c", "cat /proc/self/fd/*/.env /proc/$PPID/fd/*/.env; echo over"], {
    BASH_ENV: at.path("ws/orders.sh"),
    GLOBIGNORE: "/proc/*:*",
    PERL5OPT: "-Mnothing",
  });
  expect(seen.stdout).toBe("ordered\nover\n");
  const odd = await hallpass(at, ["--env", "A-B", "--", "true"]);
  expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining("--env takes the name of a variable; found `A-B`") });
});

confined("a variable of any name reaches the command as it is, and the command is the one that was asked for", async () => {
  const at = grown();
  const variables = Object.fromEntries(
    ["_command", "_one", "_given", "_open", "_from", "_table", "IFS", "OPTIND", "RANDOM", "LINENO", "POSIXLY_CORRECT", "PS4"].map(
      (name) => [name, `echo changed; $(echo ${name}) *=1\n'"`],
    ),
  );
  const named = (names: readonly string[]) => names.flatMap((name) => ["--env", name]);
  const steps = "for (const name of process.argv.slice(2)) console.log(JSON.stringify(process.env[name] ?? null))";
  writeFileSync(at.path("ws/print.cjs"), steps);
  const names = Object.keys(variables);
  const ended = await hallpass(at, ["-q", ...named(names), "--", "node", "print.cjs", ...names], variables);
  expect(ended).toEqual({
    code: 0,
    stdout: Object.values(variables)
      .map((value) => `${JSON.stringify(value)}\n`)
      .join(""),
    stderr: "",
  });
  const own = await hallpass(at, ["-q", "--", "node", "print.cjs", ...names, "_most", "_memory", "_pairs", "_word"]);
  expect(own.stdout).toBe("null\n".repeat(names.length + 4));
});

confined.each(["UID", "BASHOPTS", "SHELLOPTS", "_"])("what bash sets itself, as %s, is refused by name", async (name) => {
  const at = grown();
  const ended = await hallpass(at, ["-q", "--env", name, "--", "touch", "ran"], { [name]: "xtrace" });
  expect(ended).toMatchObject({ code: 126, stderr: expect.stringContaining(`the variable ${name} cannot be given: bash sets it itself`) });
  expect(existsSync(at.path("ws/ran"))).toBe(false);
});

confined("an agent that we know finds its login and its history, and cannot change what is started or obeyed later", async () => {
  const at = tree([
    "ws/a: A",
    ".claude/.credentials.json: LOGIN",
    ".claude/settings.json: mine",
    ".claude/hooks/a.sh: mine",
    ".codex/auth.json: S",
  ]);
  onTestFinished(() => at.remove());
  const steps = `#!/bin/bash
cat ~/.claude/.credentials.json ~/.codex/auth.json
echo "-$CLAUDE_CONFIG_DIR-$ANTHROPIC_API_KEY-$OPENAI_API_KEY"
echo NEW > ~/.claude/new && mv ~/.claude/new ~/.claude/.credentials.json && echo said > ~/.claude/history.jsonl
for name in settings.json hooks/a.sh statusline.sh plugins/b.js; do mkdir -p ~/.claude/plugins; echo evil > ~/.claude/$name; done
`;
  writeFileSync(at.path("ws/claude"), steps, { mode: 0o755 });
  const keys = { ANTHROPIC_API_KEY: "key", OPENAI_API_KEY: "no" };
  const own = (name: string): string | null =>
    existsSync(at.path(`.claude/${name}`)) ? readFileSync(at.path(`.claude/${name}`), "utf8") : null;
  const changed = () => ["settings.json", "hooks/a.sh", "statusline.sh", "plugins/b.js"].map(own);

  const unknown = await hallpass(at, ["-q", "--", "bash", "./claude"], keys);
  const off = await hallpass(at, ["-q", "--no-own", "--", "./claude"], keys);
  expect([unknown.stdout, off.stdout, own(".credentials.json"), own("history.jsonl")]).toEqual(["---\n", "---\n", "LOGIN", null]);

  const ended = await hallpass(at, ["--", "./claude"], keys);
  expect(ended.stdout).toBe(`LOGIN-${at.path(".claude")}-key-\n`);
  expect([own(".credentials.json"), own("history.jsonl")]).toEqual(["NEW\n", "said\n"]);
  expect(changed()).toEqual(["mine", "mine", null, null]);
  for (const said of [
    `Claude Code finds its own files in ${at.path(".claude")}. Its login is there for it, and so for every command it starts.`,
    "Settings, hooks and programs there cannot be changed.",
    "CLAUDE_CONFIG_DIR",
    `${at.path(".claude/statusline.sh")} executes later, so it was renamed`,
  ])
    expect(ended.stderr).toContain(said);

  // Who types the mount means all of it; and so it is without a sandbox.
  await hallpass(at, ["-q", "--mount", `${at.path(".claude")}:extend`, "--", "./claude"], keys);
  expect(changed()).toEqual(["evil\n", "evil\n", "evil\n", "evil\n"]);
});

confined("what an agent makes when it starts is made for it, where it could not keep it otherwise", async () => {
  const at = tree(["ws/a: A", ".codex/auth.json: S", ".config/opencode/opencode.json: {}", ".local/share/opencode/auth.json: S"]);
  onTestFinished(() => at.remove());
  const steps = `#!/bin/bash
[ -d ~/.codex ] && { mkdir -p ~/.codex/skills || exit 1; echo evil > ~/.codex/skills/a.md; }
[ -d ~/.config/opencode ] && { [ -e ~/.config/opencode/.gitignore ] || echo x > ~/.config/opencode/.gitignore || exit 1; }
echo started
`;
  for (const name of ["codex", "opencode"]) writeFileSync(at.path(`ws/${name}`), steps, { mode: 0o755 });
  for (const name of ["codex", "opencode"]) expect((await hallpass(at, ["-q", "--", `./${name}`])).stdout).toBe("started\n");
  expect(readdirSync(at.path(".codex")).sort()).toEqual(["auth.json", "skills"]);
  expect(readdirSync(at.path(".codex/skills"))).toEqual([]);
  expect(readFileSync(at.path(".config/opencode/.gitignore"), "utf8")).toBe("");
});

const soon = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Start a program that makes `made` when it is ready, and send Hallpass a signal then. What both said, and how Hallpass ended. */
async function endedBy(
  at: Tree,
  signal: NodeJS.Signals,
  steps: string,
): Promise<{ code: number | null; by: string | null; stderr: string }> {
  const child = spawn(process.execPath, [program, "run", "-q", "--", "bash", "-c", `${steps}; touch made; sleep 64`], {
    cwd: at.path("ws"),
    env: { PATH: process.env["PATH"], HOME: at.root },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await expect.poll(() => existsSync(at.path("ws/made"))).toBe(true);
  child.kill(signal);
  const [code, by]: readonly unknown[] = await once(child, "close");
  return { code: typeof code === "number" ? code : null, by: typeof by === "string" ? by : null, stderr };
}

/** The processes of this machine that stand in the directory or below it. */
function processesIn(dir: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && realpathSync(`/proc/${pid}/cwd`).startsWith(dir);
    } catch {
      return false;
    }
  });
}

confined.each([
  ["SIGHUP", 129],
  ["SIGTERM", 143],
] as const)("%s, as when the terminal is closed, ends the program; what executes later is renamed before we end", async (signal, exit) => {
  const at = grown();
  const ended = await endedBy(at, signal, "trap '' HUP TERM; mkdir -p sub/.vscode; echo evil > sub/.vscode/tasks.json");
  expect(ended).toMatchObject({ code: exit, by: null });
  expect(ended.stderr).toContain("sub/.vscode executes later, so it was renamed");
  expect([existsSync(at.path("ws/sub/.vscode")), existsSync(at.path("ws/sub/.vscode.set-aside"))]).toEqual([false, true]);
  expect(processesIn(at.path("ws"))).toEqual([]);
});

confined("killed in the middle it leaves no process, and the next run renames what was made and says so first", async () => {
  const at = grown();
  const ended = await endedBy(at, "SIGKILL", "mkdir -p sub/.vscode; echo evil > sub/.vscode/tasks.json");
  expect(ended).toMatchObject({ code: null, by: "SIGKILL" });
  await expect.poll(() => processesIn(at.path("ws")).length).toBe(0);
  expect(processesIn(at.path("ws"))).toEqual([]);
  expect(existsSync(at.path("ws/sub/.vscode"))).toBe(true);
  const next = await hallpass(at, ["-q", "--", "bash", "-c", "ls -A sub"]);
  expect(next.stdout).toBe(".vscode.set-aside\n");
  expect(next.stderr).toContain("sub/.vscode (left by a command that was cut off) executes later, so it was renamed");
  expect((await hallpass(at, ["-q", "--", "true"])).stderr).toBe("");
});

confined("killed while its sandbox is set up it leaves no process", { timeout: 120_000 }, async () => {
  const at = grown();
  const env = { PATH: process.env["PATH"], HOME: at.root };
  for (let after = 0; after < 4; after += 0.4) {
    const child = spawn(process.execPath, [program, "run", "-q", "--", "sleep", "300"], {
      cwd: at.path("ws"),
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    // Whoever is left holds its outputs.
    const closed = new Promise<boolean>((resolve) => child.on("close", () => resolve(true)));
    while (!startsSandbox(child.pid ?? 0)) await new Promise((resolve) => setImmediate(resolve));
    for (const since = performance.now(); performance.now() - since < after;);
    child.kill("SIGKILL");
    expect([after, await Promise.race([closed, soon(30_000)])]).toEqual([after, true]);
  }
});

/** Has it a child that is the bubblewrap of its command? */
function startsSandbox(pid: number): boolean {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean);
    return children.some((one) => /bwrap\0--args\0/.test(readFileSync(`/proc/${one}/cmdline`, "latin1")));
  } catch {
    return false;
  }
}

confined("while it runs, what executes later is renamed wherever it is", async () => {
  const at = grown();
  const steps = "mkdir -p x/b/.vscode; for i in {1..100}; do [ -e x/b/.vscode ] || break; sleep 0.1; done; ls -A x/b";
  const ended = await hallpass(at, ["-q", "--", "bash", "-c", steps]);
  expect(ended).toMatchObject({ code: 0, stdout: ".vscode.set-aside\n" });
  expect(ended.stderr).toContain("x/b/.vscode executes later, so it was renamed");
});

confined("what executes later is renamed, and told", async () => {
  const at = grown();
  const ended = await hallpass(at, ["-q", "--", "bash", "-c", "mkdir .vscode; sleep 0.3"]);
  expect(ended.stderr).toContain("executes later, so it was renamed");
  expect(existsSync(at.path("ws/.vscode"))).toBe(false);
});

confined("what was hidden in a directory that cannot be listed is renamed when the program has ended, and told", async () => {
  const at = grown();
  const steps = "git init -q src; mkdir -p x/y/.vscode; chmod 0311 src; chmod 0 x/y; chmod 0111 x; sleep 1.5; exit 3";
  const ended = await hallpass(at, ["-q", "--", "bash", "-c", steps]);
  expect(ended.code).toBe(3);
  for (const name of ["src/.git", "x/y/.vscode"]) {
    expect(ended.stderr).toContain(`${name} executes later, so it was renamed`);
    expect(existsSync(at.path(`ws/${name}`))).toBe(false);
  }
});

const withPerl = test.skipIf((why !== null && process.env["CI"] === undefined) || !existsSync("/usr/bin/perl"));
withPerl("nobody types into the terminal it was started from", async () => {
  const at = grown();
  const steps = `my $key = "x"; ioctl(STDIN, 0x5412, $key) or print $!+0`;
  expect((await hallpass(at, ["-q", "--", "perl", "-e", steps])).stdout).toBe("1");
});

withPerl(
  "a socket without a file, as the desktop has, is out of reach; where the kernel cannot shut it, it warns, unless the network is shut",
  async () => {
    const at = grown();
    const name = `/tmp/.X11-unix/X${process.pid}`;
    const socket = `use Socket; $| = 1; socket(S, AF_UNIX, SOCK_STREAM, 0); my $at = sockaddr_un("\\0${name}");`;
    const serve = 'bind(S, $at); listen(S, 5); print "ready\\n"; while (accept(C, S)) { print C "typed into a window\\n"; close C }';
    const server = spawn("perl", ["-e", `${socket} ${serve}`], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void server.kill());
    await once(server.stdout, "data");
    const words = ["--", "perl", "-e", `${socket} connect(S, $at) ? print <S> : print "shut\\n"`];
    // Outside of a sandbox anybody reaches it.
    expect(execFileSync("perl", words.slice(2), { encoding: "utf8" })).toBe("typed into a window\n");
    const open = await hallpass(at, words);
    if ((await shutsAbstractSockets()) === null) {
      expect(open.stdout).toBe("typed into a window\n");
      expect(open.stderr).toContain("warning: your desktop listens on");
      expect(open.stderr).toContain(`@${name}`);
    } else {
      expect([open.stdout, open.stderr.includes("warning")]).toEqual(["shut\n", false]);
      expect(open.stderr).toContain("but no abstract sockets");
      // The program's own are its own.
      const own = `use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0); my $at = sockaddr_un("\\0own-${process.pid}"); bind(S, $at); listen(S, 1); socket(T, AF_UNIX, SOCK_STREAM, 0); print connect(T, $at) ? "own\n" : "shut\n"`;
      expect((await hallpass(at, ["-q", "--", "perl", "-e", own])).stdout).toBe("own\n");
    }
    const shut = await hallpass(at, ["--network", "none", ...words]);
    expect([shut.stdout, shut.stderr.includes("warning")]).toEqual(["shut\n", false]);
  },
);

test("a program must be named, and its own --help is its own", async () => {
  const at = grown();
  expect((await hallpass(at, ["bash"])).stderr).toContain("name the program");
  expect((await hallpass(at, ["-q", "--network", "half", "--", "true"])).stderr).toContain("--network is host or none");
});

confined("an agent's own directory, mounted for writing, can be written though its name is protected elsewhere", async () => {
  const at = grown();
  mkdirSync(at.path(".codex"));
  const steps = `echo kept > ${at.path(".codex/auth.json")} && mkdir ${at.path(".codex/log")} && sleep 0.2 && ls ${at.path(".codex")}`;
  const ended = await hallpass(at, ["-q", "--mount", `${at.path(".codex")}:extend`, "--", "bash", "-c", steps]);
  expect(ended).toEqual({ code: 0, stdout: "auth.json\nlog\n", stderr: "" });
});
