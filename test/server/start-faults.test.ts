// A daemon that cannot start says why in one sentence, with a code and what to do, and never by a stack of calls. The disks are small file systems of
// their own, in a mount namespace that nobody else sees.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import Database from "libsql";
import { expect, test } from "vitest";
import { detect } from "../../src/sandbox/sandbox.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { routes } from "../../src/wire/http.ts";
import { environmentOf, executable, stage, startProgram } from "./daemon-process.ts";

const { why } = await detect();

/** What stands on the way, as a shell makes it, and the sentence. */
const faults: readonly (readonly [string, string, RegExp])[] = [
  ["a full disk", "cat /dev/zero >/mnt/small/fill 2>/dev/null; DATA=/mnt/small/data", /io-error: the disk .* is full: free some space/],
  [
    "a disk that fills up at the token",
    "mkdir -m 700 /mnt/small/data; cat /dev/zero >/mnt/small/fill 2>/dev/null; DATA=/mnt/small/data",
    /io-error: the disk .* is full/,
  ],
  ["a read-only disk", "DATA=/mnt/shut/other", /os-denied: the data directory .* can only be read: .*--data/],
  ["its own directory on a read-only disk", "DATA=/mnt/shut/data", /os-denied: the data directory .* can only be read: .*--data/],
  ["a file in its place", ": >/mnt/home/file; DATA=/mnt/home/file", /os-denied: .* is, or lies in, a file: move that away/],
  ["a file above it", ": >/mnt/home/file; DATA=/mnt/home/file/data", /os-denied: .* is, or lies in, a file/],
  ["a relative path", "DATA=data", /bad-request: the data directory `data` is a relative path/],
  ["a place of the kernel's", "DATA=/proc/self/hallpass", /os-denied: .*`\/proc\/self\/hallpass` cannot be created or opened: .*--data/],
  [
    "a link that leads nowhere",
    "ln -s /mnt/home/nowhere /mnt/home/link; DATA=/mnt/home/link",
    /os-denied: .* is, or lies in, a file|cannot be made/,
  ],
  ["others may write there", "mkdir -m 777 /mnt/home/data; DATA=/mnt/home/data", /os-denied: others may write to .*chmod go-w/],
  [
    "a text in place of the store",
    "mkdir -m 700 /mnt/home/data; echo no database >/mnt/home/data/hallpass.db; chmod 600 /mnt/home/data/hallpass.db; DATA=/mnt/home/data",
    /io-error: .*not a database/,
  ],
];

const start = `cd /mnt/home; exec env HOME=/mnt/home HALLPASS_DATA="$DATA" "$0" "$1" serve --no-open --port 0`;

test.skipIf(why !== null && process.env["CI"] === undefined).each(faults)(
  "%s",
  (_name, before, sentence) => {
    const mounts = [
      "--tmpfs",
      "/mnt",
      "--dir",
      "/mnt/home",
      "--size",
      "65536",
      "--tmpfs",
      "/mnt/small",
      "--tmpfs",
      "/mnt/shut",
      "--perms",
      "0700",
      "--dir",
      "/mnt/shut/data",
      "--perms",
      "0700",
      "--dir",
      "/mnt/shut/data",
      "--remount-ro",
      "/mnt/shut",
    ];
    const words = ["--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", ...mounts];
    const { status, stdout, stderr } = spawnSync(
      "bwrap",
      [...words, "bash", "--norc", "-c", `${before}; ${start}`, process.execPath, executable],
      {
        env: { PATH: process.env["PATH"], CI: "1" },
        encoding: "utf8",
        timeout: 100_000,
        killSignal: "SIGKILL",
      },
    );
    const said = stdout + stderr;
    expect(said).toMatch(sentence);
    expect(said).not.toMatch(/^\s+at /m);
    expect(status).not.toBe(0);
  },
  120_000,
);

test.each([
  ["with a space, quotes and a dollar", `with space "q" 'q' $HOME`],
  ["with letters of other alphabets", "données-資料-é"],
  ["with a newline", "new\nline"],
  ["longer than the path of a socket may be", `${"x".repeat(90)}/${"y".repeat(90)}`],
])("a data directory %s is one like any other", async (_name, name) => {
  const it = stage();
  const daemon = await startProgram(it, { data: it.data(name) });
  expect((await daemon.client.send(routes.health, {})).ok).toBe(true);
  expect(await daemon.stop()).toBe(0);
});

test.each([
  [
    "of a newer version",
    "INSERT INTO hallpass_migrations (number, name, checksum) VALUES (99, 'later', 'x')",
    /io-error: the database was written by a newer version of hallpass .*update hallpass, or choose another database/,
  ],
  [
    "of another build",
    "UPDATE hallpass_migrations SET checksum = 'x'",
    /io-error: the database was made by another build of hallpass .*use that build, or choose another database/,
  ],
  ["of another program", "DROP TABLE hallpass_migrations", /io-error: .*another program/],
])("a store %s is refused at the start", async (_name, statement, sentence) => {
  const it = stage();
  const file = join(it.data(), "hallpass.db");
  await (await openSqliteStore({ file })).close();
  const past = new Database(file);
  past.exec(statement);
  past.close();
  const { status, stdout, stderr } = spawnSync(process.execPath, [executable, "serve", "--no-open", "--port", "0"], {
    env: environmentOf(it, { HALLPASS_DATA: it.data() }),
    encoding: "utf8",
    timeout: 100_000,
    killSignal: "SIGKILL",
  });
  expect(stdout + stderr).toMatch(sentence);
  expect(stdout + stderr).not.toMatch(/^\s+at /m);
  expect(status).toBe(1);
});
