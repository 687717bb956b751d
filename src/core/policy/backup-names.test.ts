// What a name may be a backup of, held against the endings written as one regular expression.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { undecorated } from "./backup-names.ts";

const DECORATED =
  /(?:~|\.(?:bak|backup|old|orig|save|saved|sw[k-p]|tmp|temp|copy|rej|[0-9]{1,8}|tar|gz|tgz|bz2|xz|zst|zip|7z)|#| (?:- )?copy(?: [0-9]{1,8})?| (?:- )?\((?:(?:another |[0-9]{1,8}(?:st|nd|rd|th) )?copy(?: [0-9]{1,8})?|[0-9]{1,8})\))(?:\/|$)/;

describe("backups", () => {
  test.each([
    ["/a/.env.bak", "/a/.env"],
    ["/a/.env~", "/a/.env"],
    ["/a/.env.~1~", "/a/.env"],
    ["/a/#.env#", "/a/.env"],
    ["/a/.env.20240101", "/a/.env"],
    ["/a/.ssh.old/key", "/a/.ssh/key"],
    ["/a/.env.bak.2", "/a/.env"],
    ["/a/server.key (copy)", "/a/server.key"],
    ["/a/server.key (another copy)", "/a/server.key"],
    ["/a/server.key (3rd copy)", "/a/server.key"],
    ["/a/server.key (copy 2)", "/a/server.key"],
    ["/a/.env (1)", "/a/.env"],
    ["/a/.env copy", "/a/.env"],
    ["/a/.env copy 2", "/a/.env"],
    ["/a/.env - copy", "/a/.env"],
    ["/a/.env - copy (2)", "/a/.env"],
    ["/a/dump.env.gz", "/a/dump.env"],
    ["/a/backup.pem.tar", "/a/backup.pem"],
    ["/a/.ssh.tar.gz", "/a/.ssh"],
    ["/a/.ssh (copy)/id", "/a/.ssh/id"],
    ["/a/.env.tar.bz2.bak (2)", "/a/.env"],
  ])("%s may be one of %s", (path, plain) => expect(undecorated(path)).toContain(plain));

  test.each([
    "/a/bak",
    "bak",
    "12",
    "/a/.env.202401011",
    "/a/a.txt",
    "/a/b.bak.txt",
    "/a/copy",
    "/a/(copy)",
    "/a/hard copy that",
    "/a/gz",
    "/",
    "",
  ])("%j is a backup of nothing", (path) => expect(undecorated(path)).toEqual([]));

  test("the endings are looked for as one expression would", () => {
    const piece = fc.constantFrom(
      "a",
      "bak",
      "old",
      "swp",
      "swq",
      "saved",
      "copy",
      "rej",
      "12",
      "123456789",
      "٣",
      "~",
      "#",
      ".",
      "..",
      "/",
      "\n",
      " copy",
      " (copy)",
      " (2)",
      " -",
      " ",
      ".gz",
      ".tar",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = pieces.join("");
        expect(undecorated(path).length > 0).toBe(DECORATED.test(path));
      }),
      { numRuns: 5_000 },
    );
  });
});
