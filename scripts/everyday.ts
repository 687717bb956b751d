// How many of forty everyday commands work in the sandbox as they do outside? Runs each twice, outside and inside, in a project of its own below the home
// directory, and prints what differs. `npx tsx scripts/everyday.ts`.

import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { openSession } from "../src/core/session/session.ts";
import { createBubblewrap } from "../src/sandbox/bubblewrap.ts";

/** A command, and whether it is to stay shut inside. */
const COMMANDS: readonly (readonly [string, "shut"?])[] = [
  ["ls -la && pwd"],
  ["cat package.json"],
  ["grep -rn hello src"],
  ["find . -name '*.js' -not -path './node_modules/*'"],
  ["sed -i 's/hello/hallo/' src/index.js && git checkout -q src/index.js"],
  ["git status --short"],
  ["git diff --stat"],
  ["git log --oneline -5"],
  ["echo x >> notes.txt && git add notes.txt && git commit -qm note"],
  ["git stash list && git branch -a"],
  ["git switch -q -c topic && git switch -q -"],
  ["git config user.name && git config user.email"],
  ["npm test"],
  ["npm run build"],
  ["node -e 'console.log(process.version)'"],
  ["npx --no-install tsc --version || node --version"],
  ["npm install left-pad || true"],
  ["node -p 'process.env.NODE_ENV'"],
  ["python3 --version"],
  ["python3 -m venv --without-pip .venv && .venv/bin/python -c 'print(1)'"],
  ["python3 -m unittest -q test_it"],
  ["python3 -c 'import ssl, sqlite3, json'"],
  ["make"],
  ["cc -o it it.c && ./it"],
  ["cargo --version"],
  ["rustc --version"],
  ["bash -c 'for i in 1 2 3; do echo $i; done' | wc -l"],
  ["tar czf /tmp/x.tgz src && tar tzf /tmp/x.tgz | wc -l"],
  ["mktemp && echo x > /tmp/y && cat /tmp/y"],
  ["mkdir -p ~/.cache/tool && echo x > ~/.cache/tool/x"],
  ["echo problem > /dev/stderr"],
  ["echo problem >&2"],
  ["python3 -m http.server 8765 >/dev/null 2>&1 & sleep 0.5; curl -s -o /dev/null -w '%{http_code}' http://localhost:8765/; kill %1"],
  ["date && whoami && id -u && uname -s"],
  ["ps aux | head -3"],
  ["df -h . | tail -1"],
  ["env | sort | head -40"],
  ["cat .env", "shut"],
  ["cat ~/.ssh/id_rsa ~/.bashrc", "shut"],
  ["ls ~ | grep -v everyday", "shut"],
];

const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ name: "it", scripts: { test: "node --test", build: "node -e 1" } }),
  "src/index.js": "console.log('hello');\n",
  "src/index.test.js": "require('node:test')('it', () => {});\n",
  "it.c": '#include <stdio.h>\nint main(void) { puts("it"); }\n',
  Makefile: "all:\n\t@echo made\n",
  "test_it.py": "import unittest\nclass It(unittest.TestCase):\n    def test_it(self):\n        self.assertTrue(True)\n",
  ".env": "TOKEN=secret\n",
  ".gitignore": ".env\nit\n.venv\n",
};

const home = realpathSync(homedir());
const env: NodeJS.ProcessEnv = { ...process.env, NODE_ENV: "development" };
const below = mkdtempSync(join(home, "everyday-"));

function project(name: string): string {
  const dir = join(below, name);
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), text);
  }
  const git = (...words: readonly string[]): void => void execFileSync("git", words, { cwd: dir, stdio: "ignore" });
  git("init", "-q");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first");
  return dir;
}

async function main(): Promise<void> {
  const [outside, inside] = [project("outside"), project("inside")];
  const opened = openSession({ workspace: inside, home, attended: true });
  if (!opened.ok) throw new Error(opened.message);
  const { session } = opened;
  const sandbox = createBubblewrap({ path: env["PATH"] ?? "", env, lasting: true });
  const asking = { patience: 2000, ask: () => Promise.resolve(null) };
  const options = { session, cwd: session.workspace.dir, network: "none", time: 30_000, outputBytes: 65_536, asking } as const;
  let [works, shut, slowest] = [0, 0, 0];
  for (const [command, stays] of COMMANDS) {
    // Into files, as from a terminal: what Node calls a pipe is a socket, and cannot be opened by name.
    const [out, err] = [openSync(join(below, "out"), "w"), openSync(join(below, "err"), "w")];
    const bare = spawnSync("bash", ["-c", command], { cwd: outside, env, stdio: ["ignore", out, err], timeout: 30_000 });
    for (const file of [out, err]) closeSync(file);
    const since = performance.now();
    const ran = await sandbox.run(command, options);
    const took = performance.now() - since;
    slowest = Math.max(slowest, took);
    const code = ran.ok ? ran.exitCode : ran.code;
    const same = ran.ok && ran.exitCode === bare.status;
    if (stays === "shut") shut += ran.ok && ran.exitCode !== 0 ? 1 : 0;
    else works += same ? 1 : 0;
    const verdict = stays === "shut" ? (code === 0 ? "OPEN" : "shut") : same ? "works" : "DIFFERS";
    const said = verdict === "DIFFERS" ? ` ${(ran.ok ? ran.stderr : ran.why).split("\n")[0] ?? ""}` : "";
    console.log(
      `${verdict.padEnd(8)} ${String(bare.status).padStart(3)} ${String(code).padStart(3)} ${took.toFixed(0).padStart(6)} ms  ${command}${said}`,
    );
  }
  const open = COMMANDS.filter(([, stays]) => stays !== "shut").length;
  console.log(
    `${works} of ${open} work as outside; ${shut} of ${COMMANDS.length - open} stay shut; the slowest took ${slowest.toFixed(0)} ms`,
  );
}

try {
  await main();
} finally {
  rmSync(below, { recursive: true, force: true });
}
process.exit(0);
