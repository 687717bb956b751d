// The judge as tables: operations × places, what links make of a path, what rules and settings say, and who is there to ask.

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asNobody, canBecomeNobody, isRoot, mkfifo, nothingStaysPinned, NOW, scene, type Scene } from "../../../test/scene.ts";
import type { Operation } from "../access.ts";
import { callId, grantId, type RealDir } from "../names.ts";
import { reopenGrants, settle } from "../session/grant.ts";
import type { Session } from "../session/session.ts";
import type { Decision } from "./decision.ts";
import { explain } from "./explain.ts";

nothingStaysPinned();

const reading = ["read", "list", "search"] as const;
const writing = ["create", "replace"] as const;

describe("operations × places", () => {
  const it = scene(
    [
      "ws/main.ts: inside",
      "ws/dir/inner.ts: 1",
      "ws/.env: SECRET",
      "ws/.env.example: X=",
      "ws/.git/config: 1",
      "ws/in => main.ts",
      "ws/in-dir => dir",
      "ws/to-lib => ../lib/a.ts",
      "ws/to-lib-dir => ../lib",
      "ws/to-plain => ../plain/a.txt",
      "ws/to-env => .env",
      "ws/to-lib-env => ../lib/.env",
      "ws/.env.local => main.ts",
      "ws/.ssh => dir",
      "ws/loop => loop",
      "ws/dangling => missing.ts",
      "ws/dangling-out => ../lib/missing.ts",
      "ws/environ => /proc/self/environ",
      "ws/null => /dev/null",
      "lib/.git/HEAD: x",
      "lib/a.ts: outside",
      "lib/.env: SECRET",
      "plain/a.txt: outside",
      "ro/a.ts: 1",
      "ro/.env: SECRET",
      "ext/a.ts: 1",
      "box/a.ts: 1",
      "granted/.git/HEAD: x",
      "granted/a.ts: 1",
      "granted/.env: SECRET",
      "$OUT/a.txt: outside",
    ],
    {
      mounts: [
        { path: "ro", mode: "read_only" },
        { path: "ext", mode: "extend" },
        { path: "box", mode: "sandboxed" },
      ],
    },
  );
  let session: Session;
  const server = createServer();
  beforeAll(async () => {
    session = reopenGrants(it.session, [it.path("granted")], { clock: () => NOW, ids: () => "g" }).session;
    for (const fifo of ["ws/fifo", "lib/fifo"]) mkfifo(it.path(fifo));
    await new Promise<void>((done) => server.listen(it.path("ws/socket"), done));
  });
  afterAll(() => void server.close());

  const inside = "allow in-workspace";
  const ask = "ask out-of-scope";
  const outside = "deny write-out-of-scope";
  const secret = "deny secret-file";
  // Path as asked; what is said to read, list and search; to create and replace; to remove.
  const table: readonly [string, string, string, string, string][] = [
    ["a file in the workspace", "main.ts", inside, inside, inside],
    ["the same in full", "$ROOT/ws/main.ts", inside, inside, inside],
    ["a file that is not there yet", "missing.ts", inside, inside, inside],
    ["a file in a directory that is not there yet", "no/where/a.ts", inside, inside, inside],
    ["a directory", "dir", inside, inside, inside],
    ["an odd spelling", ".//dir/../dir/./inner.ts", inside, inside, inside],
    ["the workspace itself", ".", inside, "deny invalid-path", "deny invalid-path"],
    ["a path that ends in a slash", "dir/", inside, "deny invalid-path", "deny invalid-path"],
    ["a file as if it were a directory", "main.ts/", "deny not-found", "deny invalid-path", "deny invalid-path"],
    ["a name below a file", "main.ts/x", "deny not-found", "deny not-found", "deny not-found"],
    ["`..` behind a name that is not there", "missing/../main.ts", "deny not-found", "deny not-found", "deny not-found"],
    ["a secret", ".env", secret, secret, secret],
    ["a secret in another letter case", ".ENV", secret, secret, secret],
    ["a secret that is not there", ".env.production", secret, secret, secret],
    ["a secret in a directory that is not there", "no/where/.env", secret, secret, secret],
    ["a name made to be shared", ".env.example", inside, inside, inside],
    ["git's own files", ".git/config", inside, "deny protected-path", "deny protected-path"],
    ["a git hook that is not there yet", ".git/hooks/pre-commit", inside, "deny protected-path", "deny protected-path"],
    ["an agent's settings, not there yet", ".claude/settings.json", inside, "deny protected-path", "deny protected-path"],
    ["a link to a file of the workspace", "in", inside, "deny symlink-write", inside],
    ["a file behind a linked directory of the workspace", "in-dir/inner.ts", inside, inside, inside],
    ["a link to a repository next door", "to-lib", ask, "deny symlink-write", inside],
    ["a file behind a linked directory next door", "to-lib-dir/a.ts", ask, outside, outside],
    ["`..` behind a link: the directory that is left is judged first", "to-lib-dir/../plain/a.txt", ask, outside, outside],
    ["a link to something that cannot be granted", "to-plain", "deny no-grant-root", "deny symlink-write", inside],
    ["a link to a secret", "to-env", secret, "deny symlink-write", inside],
    ["a link to a secret outside", "to-lib-env", secret, "deny symlink-write", inside],
    ["a link that is named like a secret", ".env.local", secret, secret, secret],
    ["a file behind a link that is named like a secret place", ".ssh/inner.ts", secret, secret, secret],
    ["a link in a circle", "loop", "deny symlink-loop", "deny symlink-write", inside],
    ["a name behind a link in a circle", "loop/x", "deny symlink-loop", "deny symlink-loop", "deny symlink-loop"],
    ["a link to what is not there", "dangling", inside, "deny symlink-write", inside],
    ["a link to what is not there, outside", "dangling-out", ask, "deny symlink-write", inside],
    ["a link to the process's own environment", "environ", "deny virtual-fs", "deny symlink-write", inside],
    ["a link to a device", "null", "deny not-regular-file", "deny symlink-write", inside],
    ["a pipe", "fifo", "deny not-regular-file", "deny not-regular-file", inside],
    ["a socket", "socket", "deny not-regular-file", "deny not-regular-file", inside],
    ["a read-only mount", "$ROOT/ro/a.ts", "allow in-mount", "deny read-only-mount", "deny read-only-mount"],
    ["a secret in a mount", "$ROOT/ro/.env", secret, secret, secret],
    ["a mount that extends the workspace", "$ROOT/ext/a.ts", "allow in-mount", "allow in-mount", "allow in-mount"],
    ["a sandboxed mount", "$ROOT/box/a.ts", "allow in-mount", "allow in-mount", "allow in-mount"],
    ["a grant", "$ROOT/granted/a.ts", "allow in-grant", "deny read-only-grant", "deny read-only-grant"],
    ["a secret in a grant", "$ROOT/granted/.env", secret, secret, secret],
    ["git's files in a grant", "$ROOT/granted/.git/HEAD", "allow in-grant", "deny read-only-grant", "deny read-only-grant"],
    ["a repository outside", "$ROOT/lib/a.ts", ask, outside, outside],
    ["the same relative to the workspace", "../lib/a.ts", ask, outside, outside],
    ["what is not there in it", "../lib/missing", ask, outside, outside],
    ["a pipe in it", "../lib/fifo", ask, outside, outside],
    ["a secret in it", "../lib/.env", secret, secret, secret],
    ["no repository, outside", "../plain/a.txt", "deny no-grant-root", outside, outside],
    ["what holds the workspace", "..", "deny no-grant-root", "deny invalid-path", "deny invalid-path"],
    ["the home directory", "~", "deny no-grant-root", outside, outside],
    ["a file in the home directory", "~/notes", "deny no-grant-root", outside, outside],
    ["a place from which nothing is granted", "$OUT/a.txt", "deny out-of-whitelist", outside, outside],
    ["a file of the system", "/etc/hostname", "deny out-of-whitelist", outside, outside],
    ["a secret of the system", "/etc/shadow", secret, secret, secret],
    ["/proc", "/proc/self/environ", "deny virtual-fs", "deny virtual-fs", "deny virtual-fs"],
    ["the workspace by way of /proc", "/proc/self/root$ROOT/ws/main.ts", "deny virtual-fs", "deny virtual-fs", "deny virtual-fs"],
    ["a device", "/dev/null", "deny not-regular-file", "deny virtual-fs", "deny virtual-fs"],
    ["the directory of devices", "/dev", "deny virtual-fs", "deny virtual-fs", "deny virtual-fs"],
    ["an empty path", "", "deny invalid-path", "deny invalid-path", "deny invalid-path"],
    ["a NUL", "main.ts\0.png", "deny invalid-path", "deny invalid-path", "deny invalid-path"],
    ["half a surrogate pair", "a\ud800", "deny invalid-path", "deny invalid-path", "deny invalid-path"],
    ["another user's home", "~root/x", "deny invalid-path", "deny invalid-path", "deny invalid-path"],
    ["a name that is too long", "x".repeat(256), "deny invalid-path", "deny invalid-path", "deny invalid-path"],
  ];
  test.each(table)("%s", (_title, path, read, write, remove) => {
    const asked = path.replaceAll("$ROOT", it.root).replaceAll("$OUT", it.out);
    const said = (operation: Operation): string => it.words(operation, asked, session);
    expect({ read: reading.map(said), write: writing.map(said), remove: said("remove") }).toEqual({
      read: reading.map(() => read),
      write: writing.map(() => write),
      remove,
    });
  });

  test("what the table refuses to read, the system would have given: there is something to guard", () => {
    for (const [path, text] of [
      ["ws/to-lib", "outside"],
      ["ws/to-plain", "outside"],
      ["ws/to-lib-dir/a.ts", "outside"],
      ["ws/to-env", "SECRET"],
      ["ws/to-lib-env", "SECRET"],
      ["ws/../plain/a.txt", "outside"],
    ] as const)
      expect(readFileSync(`${it.root}/${path}`, "utf8")).toBe(text);
  });
});

describe("whole decisions", () => {
  const access = (path: string, operation: Operation = "read") => ({ call: callId("call-1"), tool: "test", operation, path });

  test("an allow: the path, the root and the two steps that led there", () => {
    const it = scene(["ws/a: 1"]);
    const root = it.session.workspace;
    expect(it.judge("read", "a")).toEqual({
      access: access("a"),
      real: it.path("ws/a"),
      root,
      verdict: "allow",
      reason: "in-workspace",
      pass: expect.objectContaining({ operation: "read" }) as object,
      trace: [
        { at: "resolve", requested: "a", absolute: `${it.path("ws")}/a`, real: it.path("ws/a"), links: [] },
        { at: "scope", root },
      ],
    });
  });

  test("a secret: which name, by which pattern; the scope is not even looked at", () => {
    const it = scene(["ws/a => .env", "ws/.env: 1"]);
    expect(it.judge("read", "a")).toEqual({
      access: access("a"),
      real: it.path("ws/.env"),
      root: null,
      verdict: "deny",
      reason: "secret-file",
      trace: [
        { at: "resolve", requested: "a", absolute: `${it.path("ws")}/a`, real: it.path("ws/.env"), links: [it.path("ws/a")] },
        { at: "secret", path: it.path("ws/.env"), pattern: "**/.env*" },
      ],
    });
  });

  test("a link named like a secret: the link is what is named", () => {
    const it = scene(["ws/a: 1", "ws/b => .env", "ws/.env => a"]);
    expect(it.judge("read", "b").trace).toEqual([
      {
        at: "resolve",
        requested: "b",
        absolute: `${it.path("ws")}/b`,
        real: it.path("ws/a"),
        links: [it.path("ws/b"), it.path("ws/.env")],
      },
      { at: "secret", path: it.path("ws/.env"), pattern: "**/.env*" },
    ]);
  });

  test("a protected name: which, by which pattern, in which root", () => {
    const it = scene(["ws/.git/hooks/", "ws/hooks => .git/hooks"]);
    expect(it.judge("create", "hooks/post-commit")).toEqual({
      access: access("hooks/post-commit", "create"),
      real: it.path("ws/.git/hooks/post-commit"),
      root: it.session.workspace,
      verdict: "deny",
      reason: "protected-path",
      trace: [
        {
          at: "resolve",
          requested: "hooks/post-commit",
          absolute: `${it.path("ws")}/hooks/post-commit`,
          real: it.path("ws/.git/hooks/post-commit"),
          links: [it.path("ws/hooks")],
        },
        { at: "scope", root: it.session.workspace },
        { at: "protected", path: it.path("ws/.git/hooks/post-commit"), pattern: "**/.git" },
      ],
    });
  });

  test("a link that is named like a protected directory is not written through", () => {
    const it = scene(["ws/dir/", "ws/.vscode => dir"]);
    const decision = it.judge("create", ".vscode/tasks.json");
    expect([decision.reason, decision.trace.at(-1)]).toEqual([
      "protected-path",
      { at: "protected", path: it.path("ws/.vscode"), pattern: "**/.vscode" },
    ]);
  });

  test("a secret that is protected as well is refused to writers as protected and to readers as a secret", () => {
    const it = scene([]);
    expect([it.words("read", ".envrc"), it.words("create", ".envrc")]).toEqual(["deny secret-file", "deny protected-path"]);
  });

  test("a system place: which", () => {
    const it = scene([`ws/fds => /proc/self/fd`]);
    const decision = it.judge("list", "fds");
    expect(decision.reason).toBe("virtual-fs");
    expect(decision.trace.at(-1)).toEqual({ at: "system-place", path: `/proc/${process.pid}/fd` });
    expect(decision.root).toBeNull();
  });

  test("nothing to grant: why not", () => {
    const it = scene(["plain/a: 1"]);
    expect(it.judge("read", "../plain/a")).toEqual({
      access: access("../plain/a"),
      real: it.path("plain/a"),
      root: null,
      verdict: "deny",
      reason: "no-grant-root",
      trace: [
        { at: "resolve", requested: "../plain/a", absolute: `${it.path("ws")}/../plain/a`, real: it.path("plain/a"), links: [] },
        { at: "scope", root: null },
        { at: "propose", proposal: null, refused: "no-grant-root" },
      ],
    });
  });

  test("an ask carries the proposal, in the ask and in the trace", () => {
    const it = scene(["lib/go.mod: m", "lib/a: 1"]);
    const decision = it.judge("read", "../lib/a");
    if (decision.verdict !== "ask" || decision.ask.offers !== "session") throw new Error(decision.reason);
    expect(decision.trace).toEqual([
      { at: "resolve", requested: "../lib/a", absolute: `${it.path("ws")}/../lib/a`, real: it.path("lib/a"), links: [] },
      { at: "scope", root: null },
      { at: "propose", proposal: decision.ask.proposal, refused: null },
    ]);
    expect(decision.ask.proposal).toMatchObject({ dir: it.path("lib"), because: "go.mod" });
    expect([decision.real, decision.root, decision.reason]).toEqual([it.path("lib/a"), null, "out-of-scope"]);
  });

  test("a path that cannot be read as one: no real path, and what is wrong with it", () => {
    const it = scene([]);
    expect(it.judge("read", "a\0")).toEqual({
      access: access("a\0"),
      real: null,
      root: null,
      verdict: "deny",
      reason: "invalid-path",
      trace: [{ at: "unresolved", requested: "a\0", why: "the path holds a NUL character" }],
    });
  });

  test("what is no string at all is no path", () => {
    const it = scene([]);
    for (const odd of [undefined, null, 7, {}, ["a"], Symbol("x")]) {
      const { verdict, reason } = it.judge("read", odd as string);
      expect([verdict, reason]).toEqual(["deny", "invalid-path"]);
    }
  });
});

describe("the deputies of links (S-4, S-5)", () => {
  test("a relative path is judged as the absolute path it means, and the ask shows both", () => {
    const it = scene(["lib/.git/", "lib/a: 1"]);
    const decision = it.judge("read", "../lib/a");
    expect(decision.verdict === "ask" && [decision.ask.requested, decision.ask.path]).toEqual(["../lib/a", it.path("lib/a")]);
  });

  test("a rule that denies a link denies the way through it, though its target may be read", () => {
    const it = scene(["ws/a: 1", "ws/private => a"], { policy: { read: { private: "deny" } } });
    expect(it.words("read", "private")).toBe("deny policy-deny");
    expect(it.words("read", "a")).toBe("allow in-workspace");
  });

  test("a rule that denies a target denies every link to it", () => {
    const it = scene(["ws/a: 1", "ws/b => a", "ws/c => b"], { policy: { read: { "$ROOT/ws/a": "deny" } } });
    expect(["a", "b", "c"].map((path) => it.words("read", path))).toEqual(Array(3).fill("deny policy-deny"));
  });

  test("a rule for links outside is asked of links outside", () => {
    const it = scene(["ws/a: 1", "lib/.git/", "lib/back => ../ws/a"], { policy: { read: { "$ROOT/lib/**": "deny" } } });
    expect(it.words("read", "../lib/back")).toBe("deny policy-deny");
  });

  test("a relative rule is read from the root that holds the link", () => {
    const it = scene(["ws/a: 1", "mnt/private/back => ../../ws/a"], {
      mounts: [{ path: "mnt", mode: "extend" }],
      policy: { read: { "/private/back": "deny", "private/back": "deny" } },
    });
    expect(it.words("read", "../mnt/private/back")).toBe("deny policy-deny");
  });

  test("a rule that allows a link opens nothing outside", () => {
    const it = scene(["ws/open => ../lib/a", "lib/.git/", "lib/a: 1"], { policy: { read: { "$ROOT/ws/**": "allow" } } });
    expect(it.words("read", "open")).toBe("ask out-of-scope");
  });
});

describe("the operator's rules", () => {
  const spec = ["ws/a: 1", "ws/gen/x: 1", "lib/.git/", "lib/a: 1", "lib/gen/x: 1", "plain/a: 1", "lib/loop => loop"];
  const cases: readonly [string, object, Operation, string, string][] = [
    ["an allow opens a read outside", { read: { "$ROOT/plain/**": "allow" } }, "read", "../plain/a", "allow policy-allow"],
    ["also of what is not there", { read: { "$ROOT/plain/**": "allow" } }, "read", "../plain/b", "allow policy-allow"],
    ["not of what leads nowhere", { read: { "$ROOT/lib/**": "allow" } }, "read", "../lib/loop", "deny symlink-loop"],
    ["and opens no secret", { read: { "$ROOT/plain/**": "allow" } }, "read", "../plain/.env", "deny secret-file"],
    ["and opens no system place", { read: { "/proc/**": "allow" } }, "read", "/proc/self/environ", "deny virtual-fs"],
    ["an allow for reading does not write", { read: { "$ROOT/plain/**": "allow" } }, "replace", "../plain/a", "deny write-out-of-scope"],
    ["an allow for writing does not read", { write: { "$ROOT/plain/**": "allow" } }, "read", "../plain/a", "deny no-grant-root"],
    ["an allow opens a write outside", { write: { "$ROOT/plain/**": "allow" } }, "create", "../plain/new", "allow policy-allow"],
    ["but no protected one", { write: { "$ROOT/plain/**": "allow" } }, "create", "../plain/.git/config", "deny protected-path"],
    ["an ask about a write asks", { write: { "$ROOT/plain/**": "ask" } }, "replace", "../plain/a", "ask policy-ask"],
    ["a deny of a write denies", { write: { "$ROOT/plain/**": "deny" } }, "replace", "../plain/a", "deny policy-deny"],
    ["`*` speaks for writes outside", { write: "allow" }, "replace", "../plain/a", "allow policy-allow"],
    ["`*` asking about writes outside asks", { write: "ask" }, "replace", "../plain/a", "ask policy-ask"],
    ["`*` says nothing inside", { write: "deny" }, "replace", "a", "allow in-workspace"],
    ["`*` denies reads outside", { read: "deny" }, "read", "../lib/a", "deny policy-deny"],
    ["`*` allows reads outside", { read: "allow" }, "read", "../plain/a", "allow policy-allow"],
    ["a deny inside denies", { read: { "gen/**": "deny" } }, "read", "gen/x", "deny policy-deny"],
    ["a deny inside holds for what is not there", { read: { "gen/**": "deny" } }, "read", "gen/y", "deny policy-deny"],
    ["an ask inside asks", { read: { "gen/**": "ask" } }, "read", "gen/x", "ask policy-ask"],
    ["an ask about writing inside leaves reading alone", { write: { "gen/**": "ask" } }, "read", "gen/x", "allow in-workspace"],
    ["an ask about writing inside asks the writer", { write: { "gen/**": "ask" } }, "replace", "gen/x", "ask policy-ask"],
    ["an ask about a repository outside", { read: { "$ROOT/lib/**": "ask" } }, "read", "../lib/a", "ask policy-ask"],
    [
      "an ask about a path that cannot be granted asks all the same",
      { read: { "$ROOT/plain/**": "ask" } },
      "read",
      "../plain/a",
      "ask policy-ask",
    ],
    ["so does an ask in the last word", { read: "ask" }, "read", "../plain/a", "ask policy-ask"],
    ["also as the list's `*`", { read: { "*": "ask" } }, "list", "../plain", "ask policy-ask"],
    ["also in the seed's shape", { permission: { external_directory: "ask" } }, "read", "../plain/a", "ask policy-ask"],
    [
      "also below the seed's `*`",
      { permission: { external_directory: { read: { "~/reference/**": "allow", "*": "ask" } } } },
      "read",
      "../plain/a",
      "ask policy-ask",
    ],
    [
      "also above every ceiling",
      { permission: { external_directory: { read: { "*": "ask" } } } },
      "read",
      "/etc/hostname",
      "ask policy-ask",
    ],
    ["but not about a secret", { read: "ask" }, "read", "../plain/.env", "deny secret-file"],
    ["nor about a system place", { read: "ask" }, "read", "/proc/self/environ", "deny virtual-fs"],
    ["nor about what is denied", { read: { "$ROOT/plain/**": "deny", "*": "ask" } }, "read", "../plain/a", "deny policy-deny"],
    ["an ask about writing says nothing of reading", { write: "ask" }, "read", "../plain/a", "deny no-grant-root"],
    ["without such a word nobody is asked", { read: { "/nowhere/**": "ask" } }, "read", "../plain/a", "deny no-grant-root"],
    ["nor above a ceiling", { read: { "/nowhere/**": "ask" } }, "read", "/etc/hostname", "deny out-of-whitelist"],
    ["an ask in the last word does, where something can", { read: "ask" }, "read", "../lib/a", "ask policy-ask"],
    [
      "a list that says nothing of the path has no part in the ask",
      { read: { "/nowhere/**": "allow" } },
      "read",
      "../lib/a",
      "ask out-of-scope",
    ],
    ["nor has a list for writing", { write: { "/nowhere/**": "allow" } }, "read", "../lib/a", "ask out-of-scope"],
    ["what a yes could not open is not asked about", { read: { "gen/**": "deny" } }, "read", "../lib/gen/x", "deny policy-deny"],
    ["beside it it is", { read: { "gen/**": "deny" } }, "read", "../lib/a", "ask out-of-scope"],
    [
      "the seed's shape speaks outside",
      { permission: { external_directory: { read: { "$ROOT/lib/**": "allow" } } } },
      "read",
      "../lib/a",
      "allow policy-allow",
    ],
    ["and not inside", { permission: { external_directory: { read: { "**/a": "deny" } } } }, "read", "a", "allow in-workspace"],
    ["and denies outside", { permission: { external_directory: { read: { "**/a": "deny" } } } }, "read", "../lib/a", "deny policy-deny"],
  ];
  test.each(cases)("%s", (_title, policy, operation, path, expected) => {
    expect(scene(spec, { policy }).words(operation, path)).toBe(expected);
  });

  test("a rule that spoke stands in the trace, with its name, before the scope", () => {
    const it = scene(spec, { policy: { read: { "$ROOT/plain/**": { verdict: "ask", why: "personal" } } } });
    expect(it.judge("read", "../plain/a").trace).toEqual([
      { at: "resolve", requested: "../plain/a", absolute: `${it.path("ws")}/../plain/a`, real: it.path("plain/a"), links: [] },
      {
        at: "layer",
        layer: "operator",
        verdict: "ask",
        rule: `operator:read.${it.root}/plain/**`,
        glob: `${it.root}/plain/**`,
        why: "personal",
        source: null,
        byDefault: false,
      },
      { at: "scope", root: null },
      { at: "propose", proposal: null, refused: "no-grant-root" },
    ]);
  });

  test("an allowed pipe outside is still no file", () => {
    const it = scene(spec, { policy: { read: { "$ROOT/plain/**": "allow" } } });
    mkfifo(it.path("plain/fifo"));
    expect(it.words("read", "../plain/fifo")).toBe("deny not-regular-file");
  });

  test("an allowed write outside does not go through a link", () => {
    const it = scene([...spec, "plain/l => ../lib/a"], { policy: { write: { "$ROOT/plain/**": "allow" } } });
    expect(it.words("replace", "../plain/l")).toBe("deny symlink-write");
  });

  test("an ask inside offers this path once, an ask outside the repository", () => {
    const it = scene(spec, { policy: { read: { "gen/**": "ask", "$ROOT/lib/gen/**": "ask", "*": "ask" } } });
    const offers = (path: string) => {
      const decision = it.judge("read", path);
      return decision.verdict === "ask" ? [decision.ask.offers, decision.ask.right, decision.root?.from ?? null] : decision.reason;
    };
    expect(offers("gen/x")).toEqual(["once", "read", "workspace"]);
    expect(offers("../plain/a")).toEqual(["once", "read", null]);
    expect(offers("/etc/hostname")).toEqual(["once", "read", null]);
    expect(offers("../lib/a")).toEqual(["session", "read", null]);
    // A yes for the session would not open it: the rule asks there too.
    expect(offers("../lib/gen/x")).toEqual(["once", "read", null]);
    const external = scene(spec, { policy: { permission: { external_directory: { read: { "$ROOT/lib/**": "ask" } } } } });
    const decision = external.judge("read", "../lib/a");
    expect(decision.verdict === "ask" && [decision.reason, decision.ask.offers]).toEqual(["policy-ask", "once"]);
  });

  test("what a path passes through and leaves again is told apart from what it leads to", () => {
    const it = scene(spec);
    const through = (path: string) => {
      const decision = it.judge("read", path);
      return decision.verdict === "ask" ? [decision.ask.path, decision.ask.onTheWay ?? false] : decision.reason;
    };
    expect(through("../lib/../ws/a")).toEqual([it.path("lib"), true]);
    expect(through("../lib/a")).toEqual([it.path("lib/a"), false]);
    expect(explain(it.judge("read", "../lib/../ws/a")).steps[0]).toBe(
      `the path passes through ${it.path("lib")} and leaves it again by ..`,
    );
  });
});

describe("the preset strict (S-8)", () => {
  const spec = ["lib/.git/", "lib/a: 1", "plain/a: 1", "home/.git/", "home/a: 1"];
  const it = scene(spec, { policy: { preset: "strict" } });
  test.each([
    ["a repository outside is asked about, once", "../lib/a", "ask policy-ask", "once"],
    ["what is in no repository is asked about, once", "../plain/a", "ask policy-ask", "once"],
    ["what is too broad to be granted is asked about, once", "~/a", "ask policy-ask", "once"],
    ["what lies outside every ceiling is asked about, once", "/etc/hostname", "ask policy-ask", "once"],
    ["a secret is not", "../plain/.env", "deny secret-file", null],
  ])("%s", (_title, path, expected, offers) => {
    const decision = it.judge("read", path);
    expect([`${decision.verdict} ${decision.reason}`, decision.verdict === "ask" ? decision.ask.offers : null]).toEqual([expected, offers]);
  });

  test("offering only once can be had without the rest of the preset", () => {
    const other = scene(spec, { policy: { asks: { offer: "once" } } });
    const decision = other.judge("read", "../lib/a");
    expect(decision.verdict === "ask" && [decision.reason, decision.ask.offers]).toEqual(["out-of-scope", "once"]);
  });
});

describe("nobody there to ask (P-12)", () => {
  const spec = ["ws/a: 1", "ws/.gitignore: *.log", "ws/x.log: 1", "lib/.git/", "lib/a: 1", "plain/a: 1"];
  const cases: readonly [string, object, Operation, string][] = [
    ["a repository outside", {}, "read", "../lib/a"],
    ["a rule's ask outside", { read: { "$ROOT/plain/**": "ask" } }, "read", "../plain/a"],
    ["a rule's ask inside", { read: { a: "ask" } }, "read", "a"],
    ["a rule's ask about writing", { write: { "$ROOT/plain/**": "ask" } }, "replace", "../plain/a"],
    ["the preset strict", { preset: "strict", gitignored: "allow" }, "read", "../lib/a"],
    ["a file git ignores", { gitignored: "ask" }, "read", "x.log"],
  ];
  test.each(cases)("%s: asked where somebody is there, denied where nobody is", (_title, policy, operation, path) => {
    expect(scene(spec, { policy }).judge(operation, path).verdict).toBe("ask");
    expect(scene(spec, { policy, attended: false }).words(operation, path)).toBe("deny no-prompt-channel");
  });

  test("what cannot be granted is refused for that, not for the silence", () => {
    expect(scene(spec, { attended: false }).words("read", "../plain/a")).toBe("deny no-grant-root");
  });
});

describe("what was answered for this call", () => {
  const answered = (it: Scene, operation: Operation, path: string): Session => {
    const decision = it.judge(operation, path);
    if (decision.verdict !== "ask") throw new Error(decision.reason);
    const settled = settle(
      it.session,
      decision.ask,
      { verdict: "allow", until: "call", by: "ada" },
      {
        clock: () => NOW,
        ids: () => "g",
        passes: () => true,
      },
    );
    if (!settled.ok) throw new Error(settled.message);
    return settled.session;
  };

  test("inside: a rule's ask is answered, for the right and the call that asked", () => {
    const it = scene(["ws/a: 1", "ws/b: 1"], { policy: { read: { a: "ask", b: "ask" }, write: { a: "ask" } } });
    const session = answered(it, "read", "a");
    expect(it.words("read", "a", session)).toBe("allow answered");
    expect(it.words("read", "b", session)).toBe("ask policy-ask");
    expect(it.words("replace", "a", session)).toBe("ask policy-ask");
    expect(it.judge("read", "a", session, "another-call").verdict).toBe("ask");
  });

  test("an answer goes before what git ignores and before second names", () => {
    const it = scene(["ws/.gitignore: x.log", "ws/x.log: 1"], { policy: { gitignored: "ask" } });
    expect(it.words("read", "x.log", answered(it, "read", "x.log"))).toBe("allow answered");
  });

  test("an answer lifts no deny: not a secret's, not a rule's, not a pipe's", () => {
    const it = scene(["lib/.git/", "lib/a: 1"]);
    const session = answered(it, "read", "../lib/a");
    const denying = scene([], { policy: { read: { [`${it.root}/lib/**`]: "deny" } } }).session;
    expect(it.words("read", "../lib/a", { ...session, policy: denying.policy })).toBe("deny policy-deny");
    unlinkSync(it.path("lib/a"));
    mkfifo(it.path("lib/a"));
    expect(it.words("read", "../lib/a", session)).toBe("deny not-regular-file");
    unlinkSync(it.path("lib/a"));
    symlinkSync("a", it.path("lib/a"));
    expect(it.words("read", "../lib/a", session)).toBe("deny symlink-loop");
  });

  test("an answer is for what the path was: a link put there since leads elsewhere and is asked about anew", () => {
    const it = scene(["lib/.git/", "lib/a: 1", "lib/b: 2"]);
    const session = answered(it, "read", "../lib/a");
    unlinkSync(it.path("lib/a"));
    symlinkSync("b", it.path("lib/a"));
    expect(it.words("read", "../lib/a", session)).toBe("ask out-of-scope");
  });
});

describe("files git ignores (P-8)", () => {
  const spec = [
    "ws/.gitignore: *.log\n/build/\n!keep.log\n",
    "ws/a.ts: 1",
    "ws/x.log: 1",
    "ws/keep.log: 1",
    "ws/build/out.js: 1",
    "ws/sub/.gitignore: local\n!x.log\n/only-here\n",
    "ws/sub/local: 1",
    "ws/sub/x.log: 1",
    "ws/sub/y.log: 1",
    "ws/sub/only-here: 1",
    "ws/sub/deep/only-here: 1",
    "ws/sub/deep/local/z: 1",
    "ws/linked/.gitignore => ../sub/.gitignore",
    "ws/linked/local: 1",
    "ws/build.ts: 1",
  ];
  const ignored = [
    "x.log",
    "build",
    "build/out.js",
    "build/new.js",
    "sub/local",
    "sub/y.log",
    "sub/only-here",
    "sub/deep/local/z",
    "new.log",
  ];
  const kept = [
    ".",
    "a.ts",
    "keep.log",
    "sub",
    "sub/x.log",
    "sub/deep/only-here",
    "linked/local",
    "build.ts",
    "no/such/dir/a.ts",
    "a.ts/x.log",
  ];

  test.each([
    ["deny", "deny policy-deny"],
    ["ask", "ask policy-ask"],
    ["allow", "allow in-workspace"],
  ])("the policy says %s: it is the same for reading and writing, with nested ignore files", (gitignored, expected) => {
    const it = scene(spec, { policy: { gitignored } });
    for (const path of ignored) expect([path, it.words("read", path)]).toEqual([path, expected]);
    for (const path of ignored.filter((one) => one !== "build")) expect([path, it.words("replace", path)]).toEqual([path, expected]);
    for (const path of kept.filter((one) => one !== "a.ts/x.log"))
      expect([path, it.words("read", path)]).toEqual([path, "allow in-workspace"]);
  });

  test("the trace says that it was git", () => {
    const it = scene(spec, { policy: { gitignored: "deny" } });
    expect(it.judge("read", "x.log").trace.at(-1)).toEqual({ at: "setting", name: "gitignored", verdict: "deny" });
  });

  test("by default nothing is made of it, and the preset strict denies", () => {
    expect(scene(spec).words("read", "x.log")).toBe("allow in-workspace");
    expect(scene(spec, { policy: { preset: "strict" } }).words("read", "x.log")).toBe("deny policy-deny");
  });

  test("a mount and a grant have ignore files of their own", () => {
    const it = scene(["mnt/.gitignore: a\n", "mnt/a: 1", "mnt/x.log: 1", "ws/.gitignore: *.log\n"], {
      mounts: [{ path: "mnt", mode: "extend" }],
      policy: { gitignored: "deny" },
    });
    expect(it.words("read", "../mnt/a")).toBe("deny policy-deny");
    expect(it.words("read", "../mnt/x.log")).toBe("allow in-mount");
  });

  test("where there is more to read than is read, everything counts as ignored", () => {
    const it = scene(["ws/.gitignore: *.log\n", "ws/x.log: 1"], { policy: { gitignored: "deny" } });
    expect(it.words("read", "x.log")).toBe("deny policy-deny");
    appendFileSync(it.path("ws/.gitignore"), `#${"x".repeat(64 * 1024)}\n`);
    expect(it.words("read", "x.log")).toBe("deny policy-deny");
    expect(it.words("read", "y.txt")).toBe("deny policy-deny");
  });

  test("a directory is ignored as one, a file of that name is not", () => {
    const it = scene(["ws/.gitignore: out/\n", "ws/a/out/x: 1", "ws/b/out: 1"], { policy: { gitignored: "deny" } });
    expect(["a/out", "a/out/x", "b/out"].map((path) => it.words("list", path))).toEqual([
      "deny policy-deny",
      "deny policy-deny",
      "allow in-workspace",
    ]);
  });
});

describe("files with several names", () => {
  test.each([
    ["deny", "deny policy-deny"],
    ["ask", "ask policy-ask"],
    ["allow", "allow in-workspace"],
  ])("the policy says %s", (hardlinks, expected) => {
    const it = scene(["ws/a: 1", "ws/single: 1", "ws/d/"], { policy: { hardlinks } });
    linkSync(it.path("ws/a"), it.path("ws/b"));
    expect([it.words("read", "a"), it.words("read", "b")]).toEqual([expected, expected]);
    expect([it.words("read", "single"), it.words("list", "d"), it.words("replace", "a"), it.words("read", "new")]).toEqual(
      Array(4).fill("allow in-workspace"),
    );
    const last = it.judge("read", "a").trace.at(-1);
    if (hardlinks !== "allow") expect(last).toEqual({ at: "setting", name: "hardlinks", verdict: hardlinks });
  });

  test("a second name of a secret in the same directory, or at the top of the root, is the secret", () => {
    const it = scene(["ws/.env: SECRET", "ws/sub/.env.local: SECRET", "ws/plain: 1"]);
    linkSync(it.path("ws/.env"), it.path("ws/notes.txt"));
    linkSync(it.path("ws/.env"), it.path("ws/sub/deeper.txt"));
    linkSync(it.path("ws/sub/.env.local"), it.path("ws/sub/copy.txt"));
    linkSync(it.path("ws/plain"), it.path("ws/plain-too"));
    expect(it.judge("read", "notes.txt").trace.at(-1)).toEqual({
      at: "secret",
      path: it.path("ws/notes.txt"),
      pattern: "another name of a secret",
    });
    expect(["notes.txt", "sub/deeper.txt", "sub/copy.txt", "plain-too"].map((path) => it.words("search", path))).toEqual([
      "deny secret-file",
      "deny secret-file",
      "deny secret-file",
      "allow in-workspace",
    ]);
    expect(readFileSync(it.path("ws/notes.txt"), "utf8")).toBe("SECRET");
  });

  test("a second name of a secret is the secret outside, too, where a rule allows reading", () => {
    const it = scene(["lib/.env: SECRET", "lib/a: 1"], { policy: { read: { "$ROOT/lib/**": "allow" } } });
    linkSync(it.path("lib/.env"), it.path("lib/notes"));
    expect([it.words("read", "../lib/notes"), it.words("read", "../lib/a")]).toEqual(["deny secret-file", "allow policy-allow"]);
  });
});

test("a directory that is named like a file of settings is a directory", () => {
  const it = scene(["ws/.npmrc/x: 1"]);
  expect([it.words("list", ".npmrc"), it.words("read", ".npmrc/x")]).toEqual(["allow in-workspace", "allow in-workspace"]);
});

test("settings that nobody made leave no step in the trace", () => {
  const it = scene(["ws/.gitignore: *.log\n", "ws/x.log: 1"]);
  linkSync(it.path("ws/x.log"), it.path("ws/y.log"));
  expect(it.judge("read", "x.log").trace.map(({ at }) => at)).toEqual(["resolve", "scope"]);
});

test("an .npmrc is a secret when it holds a token, and only then", () => {
  const it = scene(["ws/.npmrc: registry=https://registry.example/\n", "ws/sub/.npmrc: //registry.example/:_authToken=npm_abc\n"]);
  expect([it.words("read", ".npmrc"), it.words("read", "sub/.npmrc"), it.words("replace", ".npmrc")]).toEqual([
    "allow in-workspace",
    "deny secret-file",
    "allow in-workspace",
  ]);
  expect(it.judge("read", "sub/.npmrc").trace.at(-1)).toEqual({ at: "secret", path: it.path("ws/sub/.npmrc"), pattern: "holds a token" });
});

describe("roots that are no longer what they were", () => {
  test("the workspace is what stands in its place: whoever may replace it may as well fill it", () => {
    const it = scene(["ws/a: 1", "other/a: 2"]);
    renameSync(it.path("ws"), it.path("before"));
    renameSync(it.path("other"), it.path("ws"));
    expect(it.words("read", "a")).toBe("allow in-workspace");
  });

  test("a mount whose directory was replaced is closed", () => {
    const it = scene(["mnt/a: 1", "other/a: 2"], { mounts: [{ path: "mnt", mode: "extend" }] });
    renameSync(it.path("mnt"), it.path("before"));
    renameSync(it.path("other"), it.path("mnt"));
    const decision = it.judge("read", "../mnt/a");
    expect([decision.verdict, decision.reason, decision.root, decision.trace.length]).toEqual(["deny", "root-moved", null, 1]);
  });

  test("a mount inside the workspace that was replaced is the workspace's", () => {
    const it = scene(["ws/mnt/a: 1"], { mounts: [{ path: "ws/mnt", mode: "read_only" }] });
    expect(it.words("read", "mnt/a")).toBe("allow in-mount");
    renameSync(it.path("ws/mnt"), it.path("before"));
    mkdirSync(it.path("ws/mnt"));
    expect(it.words("read", "mnt/a")).toBe("allow in-workspace");
  });

  test("a grant that is stale, around one that is not, is passed over", () => {
    const it = scene(["a/.git/", "a/b/c: 1"]);
    const { session } = reopenGrants(it.session, [it.path("a"), it.path("a/b")], {
      clock: () => NOW,
      ids: () => "g",
    });
    renameSync(it.path("a/b"), it.path("b-before"));
    mkdirSync(it.path("a/b"));
    writeFileSync(it.path("a/b/c"), "2");
    const decision = it.judge("read", "../a/b/c", session);
    expect([decision.reason, decision.root?.dir]).toEqual(["in-grant", it.path("a")]);
  });

  test("a grant whose time is over holds nothing, and is not called stale", () => {
    const it = scene(["lib/.git/", "lib/a: 1"]);
    const { session } = reopenGrants(it.session, [it.path("lib")], {
      clock: () => NOW,
      ids: () => "g",
    });
    const until = (expires: number): Session => ({
      ...session,
      grants: session.grants.map((grant) => (grant.until === "session" ? { ...grant, root: { ...grant.root, expires } } : grant)),
    });
    expect([it.words("read", "../lib/a", until(NOW + 1)), it.words("read", "../lib/a", until(NOW))]).toEqual([
      "allow in-grant",
      "ask out-of-scope",
    ]);
  });

  test("the decision names the grant that opened it", () => {
    const it = scene(["lib/.git/", "lib/a: 1"]);
    const { session } = reopenGrants(it.session, [it.path("lib")], { clock: () => NOW, ids: () => "g-7" });
    expect(it.judge("read", "../lib/a", session).root).toMatchObject({
      from: "grant",
      grant: grantId("g-7"),
      dir: it.path("lib") as RealDir,
    });
  });
});

describe.skipIf(!isRoot)("what the system itself refuses", () => {
  test.skipIf(!canBecomeNobody)("a directory that may not be entered, inside and outside", () => {
    const it = scene(["ws/shut/a: 1", "lib/.git/", "lib/shut/a: 1"]);
    for (const dir of ["ws/shut", "lib/shut"]) chmodSync(it.path(dir), 0o700);
    chmodSync(join(it.root, ".."), 0o755);
    const said = (operation: Operation, path: string): string => asNobody(() => it.words(operation, path));
    expect([said("read", "shut/a"), said("create", "shut/b"), said("read", "../lib/shut/a"), said("read", "../lib/shut/missing")]).toEqual([
      "deny os-denied",
      "deny os-denied",
      "ask out-of-scope",
      "ask out-of-scope",
    ]);
  });

  test("kernel state mounted into the workspace is not read", () => {
    const it = scene(["ws/state/"]);
    execFileSync("mount", ["-t", "proc", "none", it.path("ws/state")]);
    try {
      expect([it.words("read", "state/self/environ"), it.words("list", "state"), it.words("create", "state/x")]).toEqual(
        Array(3).fill("deny virtual-fs"),
      );
      expect(readFileSync(it.path("ws/state/self/environ"), "utf8")).not.toBe("");
    } finally {
      execFileSync("umount", ["-l", it.path("ws/state")]);
      rmdirSync(it.path("ws/state"));
    }
  });

  test("kernel state mounted elsewhere is not read, though a rule allows the place", () => {
    const it = scene(["other/state/"], { policy: { read: { "$ROOT/other/**": "allow" }, write: { "$ROOT/other/**": "allow" } } });
    expect(it.words("read", "../other/state/self/environ")).toBe("allow policy-allow");
    execFileSync("mount", ["-t", "proc", "none", it.path("other/state")]);
    try {
      expect([it.words("read", "../other/state/self/environ"), it.words("create", "../other/state/x")]).toEqual(
        Array(2).fill("deny virtual-fs"),
      );
    } finally {
      execFileSync("umount", ["-l", it.path("other/state")]);
    }
  });

  test("storage mounted into the workspace is read like the rest of it", () => {
    const it = scene(["ws/state/"]);
    execFileSync("mount", ["-t", "tmpfs", "none", it.path("ws/state")]);
    try {
      writeFileSync(it.path("ws/state/a"), "1");
      expect(it.words("read", "state/a")).toBe("allow in-workspace");
    } finally {
      execFileSync("umount", ["-l", it.path("ws/state")]);
    }
  });
});

test("every verdict of this file holds a pass if and only if it allows, and an ask if and only if it asks", () => {
  const it = scene(["ws/a: 1", "lib/.git/", "lib/a: 1"]);
  const decisions: Decision[] = [it.judge("read", "a"), it.judge("read", "../lib/a"), it.judge("read", ".env")];
  expect(decisions.map((decision) => [decision.verdict, "pass" in decision, "ask" in decision])).toEqual([
    ["allow", true, false],
    ["ask", false, true],
    ["deny", false, false],
  ]);
});
