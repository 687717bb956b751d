// Forty everyday commands of an agent, run in the sandbox of one session: which work as they do outside, which stay shut, and that nothing hangs for want of
// the network.

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { createBubblewrap } from "../src/sandbox/bubblewrap.ts";
import type { CommandOutcome } from "../src/sandbox/port.ts";
import { detect } from "../src/sandbox/sandbox.ts";
import { scene } from "./scene.ts";

const { why } = await detect();
const confined = describe.skipIf(why !== null && process.env["CI"] === undefined);

/** A command that ends with 0, and what it prints. `needs`: a program that not every machine has; the command is left out where that is missing. */
type Working = readonly [command: string, prints: RegExp, needs?: string];

const WORKING: readonly Working[] = [
  ["ls -la && pwd", /package\.json[^]*\/code\/shop\n$/u],
  ["cat package.json", /"name":"shop"/u],
  ["head -3 src/index.js | wc -l", /^1\n$/u],
  ["grep -rn hello src", /^src\/index\.js:1:/u],
  ["find . -name '*.js' -not -path './node_modules/*' | sort", /^\.\/src\/index\.js\n\.\/src\/index\.test\.js\n$/u],
  ["sed -i s/hello/hallo/ src/index.js && cat src/index.js && git checkout -q src/index.js", /hallo/u],
  ["git status --short", /^$/u],
  ["echo more >> notes.txt && git diff --stat", /notes\.txt/u],
  ["git config user.name && git config user.email", /^Ada\nada@example\.com\n$/u],
  ["git add notes.txt && git commit -qm note && git log --format='%an %s' -1", /^Ada note\n$/u],
  ["git log --oneline -5", /first\n$/u],
  ["echo x >> notes.txt && git stash -q && git stash pop -q && git checkout -q notes.txt && git stash list", /^$/u],
  ["git switch -q -c topic && git switch -q - && git branch -a", /^\* \w+\n {2}topic\n$/u],
  ["npm test", /pass 1/u],
  ["npm run build", /built/u],
  ["node -e 'console.log(process.version)'", /^v\d/u],
  ["npx --no-install --offline shop-tool", /^tool\n$/u],
  ["python3 -m venv --without-pip .venv && .venv/bin/python -c 'print(1)'", /^1\n$/u, "python3"],
  ["python3 -m unittest -q test_it 2>&1", /OK/u, "python3"],
  ["python3 -c 'import ssl, sqlite3, json; print(2)'", /^2\n$/u, "python3"],
  ["make", /^made\n$/u, "make"],
  ["cc -o it it.c && ./it", /^it\n$/u, "cc"],
  ["go build -o main main.go && ./main", /^go\n$/u, "go"],
  ["java It.java", /^java\n$/u, "java"],
  // Programs in the home directory that are on the PATH: the person's own are found before those of the system.
  ["cargo --version && rustc --version", /^cargo of ~\nrustc of ~\n$/u],
  ["pytest", /^pytest of ~\n$/u],
  ["ruby -v", /^ruby of ~\n$/u],
  ['echo "$NODE_ENV $EDITOR $JAVA_HOME/bin ${GITHUB_TOKEN-none}"', /^development vi \/usr\/lib\/jvm\/bin none\n$/u],
  ["env -u JAVA_HOME mvn -v", /Apache Maven/u, "mvn"],
  ["tar czf /tmp/src.tgz src && tar tzf /tmp/src.tgz | grep -c index", /^2\n$/u],
  ["ls /tmp/src.tgz && echo y > /tmp/y && mktemp", /^\/tmp\/src\.tgz\n\/tmp\//u],
  ["mkdir -p ~/.cache/tool && echo kept > ~/.cache/tool/x && cat ~/.cache/tool/x", /^kept\n$/u],
  ["echo problem >&2", /^problem\n$/u],
  [`node -e '${server()}' > server.log 2>&1 & until [ -s port ]; do sleep 0.05; done`, /^$/u],
  [`node -e 'fetch("http://localhost:" + fs.readFileSync("port")).then((it) => it.text()).then(console.log)'; pkill node`, /^served\n$/u],
  ["date +%Y && id -u && uname -s && ps aux | wc -l && df -h . | tail -1", /^20\d\d\n\d+\nLinux\n/u],
];

const SHUT: readonly (readonly [command: string, says: RegExp])[] = [
  ["cat .env", /Permission denied/u],
  ["cat ~/.ssh/id_rsa ~/.bashrc", /No such file[^]*No such file/u],
  ["cat ../library/README", /No such file|Permission denied/u],
];

/** Outputs are sockets, which cannot be opened by name. */
const NOT_WORKING: readonly string[] = ["echo problem > /dev/stderr"];

/** What is asked of the network fails, and does not hang. */
const UNCONNECTED: readonly (readonly [command: string, needs?: string])[] = [
  ["npm install left-pad"],
  ["git clone https://example.com/x.git"],
  ["curl -sS https://example.com", "curl"],
  ["pip install --no-cache-dir left-pad", "pip"],
];

/** Serves one word on a port that the kernel chooses, and says which. */
function server(): string {
  return 'const it = http.createServer((_, answer) => answer.end("served")).listen(0, "localhost", () => fs.writeFileSync("port", String(it.address().port)))';
}

const has = (program: string): boolean => spawnSync("sh", ["-c", `${program} --version || ${program} version`]).status === 0;

confined("of forty everyday commands", () => {
  const it = scene(
    [
      "home/.gitconfig: [user]\n\tname = Ada\n\temail = ada@example.com\n[alias]\n\tx = !false\n",
      "home/.ssh/id_rsa: KEY",
      "home/.bashrc: MINE",
      "home/.cargo/bin/cargo: #!/bin/sh\necho cargo of '~'\n",
      "home/.cargo/bin/rustc: #!/bin/sh\necho rustc of '~'\n",
      "home/.local/bin/pytest: #!/bin/sh\necho pytest of '~'\n",
      "home/.rbenv/shims/ruby: #!/bin/sh\necho ruby of '~'\n",
      "home/code/library/.git/HEAD: ref: refs/heads/main",
      "home/code/library/README: OUTSIDE",
      `home/code/shop/package.json: ${JSON.stringify({ name: "shop", scripts: { test: "node --test src", build: "echo built" } })}`,
      "home/code/shop/node_modules/.bin/shop-tool: #!/bin/sh\necho tool\n",
      "home/code/shop/src/index.js: console.log('hello');\n",
      "home/code/shop/src/index.test.js: require('node:test')('it', () => {});\n",
      'home/code/shop/it.c: #include <stdio.h>\nint main(void) { puts("it"); }\n',
      'home/code/shop/It.java: class It { public static void main(String[] a) { System.out.println("java"); } }\n',
      "home/code/shop/Makefile: all:\n\t@echo made\n",
      "home/code/shop/test_it.py: import unittest\nclass It(unittest.TestCase):\n    def test_it(self):\n        self.assertTrue(True)\n",
      "home/code/shop/notes.txt: note\n",
      "home/code/shop/.env: TOKEN=secret\n",
      "home/code/shop/.gitignore: .env\nnode_modules\n",
    ],
    { workspace: "home/code/shop", home: "home" },
  );
  writeFileSync(it.path("home/code/shop/main.go"), 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("go") }\n');
  const own = [".cargo/bin/cargo", ".cargo/bin/rustc", ".local/bin/pytest", ".rbenv/shims/ruby", "code/shop/node_modules/.bin/shop-tool"];
  for (const program of own) chmodSync(it.path(`home/${program}`), 0o755);
  const git = (...words: readonly string[]): void => {
    execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@example.com", ...words], {
      cwd: it.path("home/code/shop"),
      stdio: "ignore",
    });
  };
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");

  const path = [".cargo/bin", ".local/bin", ".rbenv/shims"].map((dir) => it.path(`home/${dir}`)).join(":");
  const env = { NODE_ENV: "development", EDITOR: "vi", JAVA_HOME: "/usr/lib/jvm", GITHUB_TOKEN: "ghp_x" };
  const sandbox = createBubblewrap({ path: `${path}:${process.env["PATH"] ?? ""}`, env, lasting: true });
  afterAll(() => sandbox.endSession(it.session.id));
  const run = (command: string): Promise<CommandOutcome> =>
    sandbox.run(command, {
      session: it.session,
      cwd: it.session.workspace.dir,
      network: "none",
      // What hangs for want of the network hangs for a minute and more.
      time: 40_000,
      outputBytes: 65_536,
      asking: { patience: 2_000, ask: () => Promise.resolve(null) },
    });

  test("each has its place here", () => {
    expect(WORKING).toHaveLength(36);
    expect(WORKING.length + SHUT.length + NOT_WORKING.length).toBe(40);
  });

  test.each(WORKING.map(([command, prints, needs]) => ({ command, prints, needs })))(
    "$command works",
    async ({ command, prints, needs }) => {
      if (needs !== undefined && !has(needs)) return;
      const ran = await run(command);
      if (!ran.ok) throw new Error(`${ran.code}: ${ran.why} ${ran.printed}`);
      expect(`${ran.stdout}${ran.stderr}`).toMatch(prints);
      expect(ran.exitCode).toBe(0);
    },
  );

  test("of the settings that programs need, those that may hold passwords are not shown", async () => {
    const ran = await run("ls -A /etc/maven /etc/java-*/management");
    expect(ran.ok && ran.stdout).not.toMatch(/settings\.xml|jmxremote/u);
  });

  test.each(SHUT)("%s stays shut", async (command, says) => {
    const ran = await run(command);
    expect(ran).toMatchObject({ ok: true, exitCode: 1, stdout: "" });
    expect(ran.ok && ran.stderr).toMatch(says);
  });

  test.each(NOT_WORKING)("%s does not work", async (command) => {
    expect(await run(command)).toMatchObject({ ok: true, exitCode: 1 });
  });

  test.each(UNCONNECTED.map(([command, needs]) => ({ command, needs })))(
    "$command fails without the network",
    async ({ command, needs }) => {
      if (needs !== undefined && !has(needs)) return;
      const ran = await run(command);
      expect(ran).toMatchObject({ ok: true });
      expect(ran.ok && ran.exitCode).not.toBe(0);
    },
  );
});
