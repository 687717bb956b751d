// A daemon that cannot start says why in one sentence, with a code and what to do, and never by a stack of calls. The disks are small file systems of
// their own, in a mount namespace that nobody else sees.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { detect } from "../../src/sandbox/sandbox.ts";
import { executable } from "./daemon-process.ts";

const { why } = await detect();

/** What stands on the way, as a shell makes it, and the sentence. */
const faults: readonly (readonly [string, string, RegExp])[] = [
  ["a full disk", "cat /dev/zero >/mnt/small/fill 2>/dev/null; DATA=/mnt/small/data", /io-error: the disk .* is full: make room there/],
  [
    "a disk that fills up at the token",
    "mkdir -m 700 /mnt/small/data; cat /dev/zero >/mnt/small/fill 2>/dev/null; DATA=/mnt/small/data",
    /io-error: the disk .* is full/,
  ],
  ["a read-only disk", "DATA=/mnt/shut/other", /os-denied: .* cannot be made or opened: .*--data/],
  ["its own directory on a read-only disk", "DATA=/mnt/shut/data", /os-denied: the data directory .* can only be read: .*--data/],
  ["a file in its place", ": >/mnt/home/file; DATA=/mnt/home/file", /os-denied: .* is, or lies in, a file: move that away/],
  ["a file above it", ": >/mnt/home/file; DATA=/mnt/home/file/data", /os-denied: .* is, or lies in, a file/],
  ["a relative path", "DATA=data", /bad-request: the data directory `data` is a relative path/],
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
