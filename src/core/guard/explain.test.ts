// A decision in words: what a model, a person and a log are told. Facts are checked, not prose.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { grow, nothingStaysPinned, NOW, scene } from "../../../test/scene.ts";
import type { Operation } from "../access.ts";
import { type Code, codes, wordRefusal } from "../errors.ts";
import { askId, callId, grantId, type RealDir, type RealPath, ruleId, sessionId } from "../names.ts";
import { show } from "../path/show.ts";
import type { Root } from "../session/root.ts";
import type { Survey } from "../session/survey.ts";
import { allowReasons, type AskDecision, type Decision, type DenyReason, type Step } from "./decision.ts";
import { explain, hint, logLine, meanings } from "./explain.ts";
import { quoteJson } from "./hint.ts";

nothingStaysPinned();

const access = (path: string, operation: Operation = "read") => ({ call: callId("c"), tool: "t", operation, path });
const resolved = (path: string): [Step, ...Step[]] => [
  { at: "resolve", requested: path, absolute: path, real: `/real/${path}`, links: [] },
];
const denied = (reason: DenyReason, path = "a", operation: Operation = "read"): Decision => ({
  access: access(path, operation),
  real: `/real/${path}`,
  root: null,
  verdict: "deny",
  reason,
  trace: resolved(path),
});
const plain: Survey = { repositories: 0, secrets: 0, files: 1, worktree: false, submodule: false, complete: true };
const asking = (survey: Survey | null = plain, path = "../lib/a"): AskDecision<"read"> => ({
  access: { ...access(path), operation: "read" },
  real: "/lib/a",
  root: null,
  verdict: "ask",
  reason: "out-of-scope",
  trace: resolved(path),
  ask: {
    id: askId("i"),
    session: sessionId("s"),
    call: callId("c"),
    tool: "t",
    operation: "read",
    requested: path,
    path: "/lib/a" as RealPath,
    reason: "out-of-scope",
    at: NOW,
    offers: "session",
    right: "read",
    proposal: { dir: "/lib" as RealDir, dev: 1, ino: 2, born: null, because: ".git" },
    survey,
  },
});
const once = (right: "read" | "write"): Decision => {
  const { ask, ...rest } = asking();
  const { proposal: _, survey: __, ...common } = ask as Extract<typeof ask, { offers: "session" }>;
  return { ...rest, ask: { ...common, offers: "once", right } };
};

const boundary = codes.filter((code): code is DenyReason => code in meanings);

describe("every code", () => {
  test("has a meaning, and there is no meaning without a code", () => {
    expect(Object.keys(meanings).toSorted()).toEqual([...codes].toSorted());
    expect(new Set(Object.values(meanings)).size).toBe(codes.length);
  });

  test.each(boundary)(
    "%s: the model is told the path, the meaning and what to do next, in one line and without another way in",
    (code: Code) => {
      const text = hint(denied(code as DenyReason));
      expect(text.startsWith(`\`a\` ${meanings[code]}. `)).toBe(true);
      expect(text).toMatch(/^[^\n]+\.$/);
      expect(text).not.toContain("request_read_access(");
      expect(text).not.toContain("/real/");
    },
  );

  test("a denied secret and a denied place are told apart by their code alone, never by what is there", () => {
    const it = scene(["ws/.env: 1", "$OUT/a: 1"]);
    const told = (path: string) => hint(it.judge("read", path)).replaceAll(path, "PATH");
    expect(told(".env")).toBe(told(".env.missing"));
    expect(told(it.path("$OUT/a"))).toBe(told(it.path("$OUT/missing")));
  });
});

describe("the hint (F-1)", () => {
  test("for a read outside scope names request_read_access with the arguments to use", () => {
    const it = scene(["lib/.git/", "lib/a: 1"]);
    const text = hint(it.judge("read", "../lib/a"));
    expect(callIn(text)).toEqual({ path: `${it.path("ws")}/../lib/a`, reason: "<why you need it>" });
    expect(text).toContain("`../lib/a` is not in the workspace");
  });

  test("says whether a yes would be for the session or for this once", () => {
    expect(hint(asking())).toContain("for this session");
    expect(hint(once("read"))).toContain("once");
    expect(callIn(hint(once("read")))).toEqual({ path: "../lib/a", reason: "<why you need it>" });
  });

  test("for a write does not name a tool that only asks for reading", () => {
    expect(hint(once("write"))).not.toContain("request_read_access");
  });

  test("for what is allowed says why", () => {
    const it = scene(["ws/a: 1"]);
    expect(hint(it.judge("read", "a"))).toBe("`a` is in the workspace");
    const said = allowReasons.map((reason) => hint({ ...it.judge("read", "a"), reason } as Decision));
    expect(new Set(said).size).toBe(allowReasons.length);
  });

  test("tells readers and writers of odd files apart", () => {
    expect(hint(denied("not-regular-file", "a", "read"))).not.toBe(hint(denied("not-regular-file", "a", "replace")));
  });

  test.each<[DenyReason, DenyReason]>([
    ["secret-file", "policy-deny"],
    ["read-only-grant", "read-only-mount"],
    ["no-grant-root", "out-of-whitelist"],
    ["person-declined", "recently-denied"],
    ["stale-path", "io-error"],
  ])("%s and %s call for the same next step, and not for that of a mistyped path", (one, other) => {
    const next = (reason: DenyReason) => hint(denied(reason)).replace(meanings[reason], "");
    expect(next(one)).toBe(next(other));
    expect(next(one)).not.toBe(next("not-found"));
  });

  test("steps that differ are worded differently", () => {
    const reasons: DenyReason[] = [
      "secret-file",
      "write-out-of-scope",
      "symlink-write",
      "no-grant-root",
      "no-prompt-channel",
      "person-declined",
      "invalid-path",
      "not-regular-file",
      "stale-path",
      "is-directory",
      "not-found",
    ];
    const next = reasons.map((reason) => hint(denied(reason)).replace(meanings[reason], ""));
    expect(new Set(next).size).toBe(reasons.length);
  });
});

/** The arguments in the call that a hint shows. */
function callIn(text: string): unknown {
  const call = /^request_read_access\((.*)\)$/m.exec(text)?.[1];
  return call === undefined ? null : (JSON.parse(call) as unknown);
}

describe("unusual characters", () => {
  const unusual = fc.string({
    unit: fc.constantFrom(
      ...Array.from('ab/.~ é\\"`\n\r\t\0\u001b\u007f\u0085\u00a0\u00ad\u061c\u200b\u200d\u202e\u2028\u2066\ufe0f\ufeff'),
      "\u{e0041}",
      "\ud800",
      "日",
      "👍",
    ),
    minLength: 1,
  });
  /** Nothing `show` would still escape, but for the backslashes of escapes, and line ends between lines. */
  const tidy = (text: string): boolean => {
    const rest = text.replaceAll(/[\\\n]/g, "");
    return show(rest) === rest;
  };

  test("are escaped in every hint, log line and explanation, and lose nothing", () => {
    fc.assert(
      fc.property(unusual, (path) => {
        for (const decision of [denied("not-found", path), asking(plain, path), { ...denied("secret-file", path), real: path }]) {
          const { headline, steps, next } = explain(decision);
          for (const text of [hint(decision), logLine(decision), headline, ...steps, ...next]) expect(tidy(text)).toBe(true);
          for (const text of [logLine(decision), headline, ...steps, ...next]) expect(text).not.toContain("\n");
        }
        expect(callIn(hint(asking(plain, path)))).toEqual({ path, reason: "<why you need it>" });
        expect(JSON.parse(quoteJson(path))).toBe(path);
      }),
    );
  });

  test("outside ASCII are pointed out to the person, also where they are ordinary letters", () => {
    const twice = (path: string) => explain(denied("io-error", path)).next.length;
    expect([twice("plain"), twice("раураl"), twice("é")]).toEqual([0, 1, 1]);
  });
});

test("a search that is allowed once alone is put to a person, and no model is told to ask for it", () => {
  const once = scene(["lib/.git/", "lib/docs/a: 1"], { policy: { read: { "$ROOT/lib/docs/**": "ask" } } });
  const hints = (["read", "list", "search"] as const).map((operation) => hint(once.judge(operation, once.path("lib/docs"))));
  expect(hints.map((text) => callIn(text) !== null)).toEqual([true, true, false]);
  expect(hints[2]).toContain("A person is asked before it is searched.");
});

test("a mount that was replaced is a matter for the person, not of the path", () => {
  expect(hint(denied("root-moved"))).toContain("Only the person can mount it again");
  expect(explain(denied("root-moved")).next).toEqual([expect.stringContaining("mount it again")]);
});

test("what a setting denies is named as a setting: no rule is named above it", () => {
  const it = scene(["ws/.git/", "ws/.gitignore: /out\n", "ws/out/a: 1"], { policy: { gitignored: "deny" } });
  expect(explain(it.judge("read", "out/a")).next).toEqual(["the setting gitignored in your policy denies it; change it there"]);
});

test("a log line holds verdict, reason, operation and path, and the real path where it differs", () => {
  expect(logLine(denied("secret-file", "a", "list"))).toBe("deny secret-file list a (/real/a)");
  expect(logLine({ ...denied("secret-file"), real: null })).toBe("deny secret-file read a");
  expect(logLine({ ...denied("secret-file"), real: "a" })).toBe("deny secret-file read a");
});

describe("an explanation", () => {
  test("begins with the verdict, the operation and the path", () => {
    const it = scene(["ws/a: 1", "lib/.git/", "lib/a: 1"]);
    expect(explain(it.judge("read", "a"))).toMatchObject({
      verdict: "allow",
      headline: "reading is allowed for a: it is in the workspace.",
      next: [],
    });
    const words = (["read", "list", "search", "create", "replace", "remove"] as const).map(
      (operation) => explain(denied("secret-file", "a", operation)).headline.split(" ")[0],
    );
    expect(words).toEqual(["reading", "listing", "searching", "creating", "writing", "removing"]);
    expect(explain(asking()).headline).toMatch(/^a person is asked before reading \.\.\/lib\/a: it /);
  });

  const workspace: Root = { from: "workspace", dir: "/ws" as RealDir, dev: 1, ino: 1, born: null };
  const proposal = { dir: "/lib" as RealDir, dev: 1, ino: 1, born: null };
  const said = {
    layer: "operator",
    verdict: "ask",
    rule: ruleId("operator:read.x"),
    glob: "x/**",
    why: null,
    source: null,
    byDefault: false,
  } as const;
  const steps: readonly [Step, readonly string[]][] = [
    [{ at: "resolve", requested: "/a", absolute: "/a", real: "/a", links: [] }, ["/a", "without links"]],
    [{ at: "resolve", requested: "a", absolute: "a", real: "/ws/a", links: [] }, ["/ws/a"]],
    [{ at: "resolve", requested: "a", absolute: "a", real: "/b", links: ["/ws/a"] }, ["/b", "the link /ws/a"]],
    [{ at: "resolve", requested: "a", absolute: "a", real: "/b", links: ["/ws/a", "/ws/c"] }, ["the links /ws/a, /ws/c"]],
    [{ at: "unresolved", requested: "\0", why: "a NUL" }, ["a NUL"]],
    [{ at: "secret", path: "/ws/.env", pattern: "**/.env*" }, ["/ws/.env", "**/.env*", "secrets.except"]],
    [{ at: "protected", path: "/ws/.git", pattern: "**/.git" }, ["/ws/.git", "**/.git", "protected.except"]],
    [{ at: "system-place", path: "/proc/1" }, ["/proc/1"]],
    [{ at: "layer", ...said }, ["operator's rule `x/**` says ask"]],
    [{ at: "layer", ...said, why: "be\ncareful", source: { file: "/p.json", line: 3, column: 5 } }, ["(/p.json:3:5)", "be\\u{a}careful"]],
    [{ at: "layer", ...said, glob: "*", byDefault: true, verdict: "deny" }, ["last word of the operator's policy", "`*`", "deny"]],
    [{ at: "scope", root: workspace }, ["the workspace /ws"]],
    [{ at: "scope", root: { ...workspace, from: "mount", mode: "sandboxed" } }, ["the mount /ws (sandboxed)"]],
    [
      { at: "scope", root: { ...workspace, from: "grant", grant: grantId("g"), expires: null } },
      ["the granted directory /ws", "reading only"],
    ],
    [{ at: "scope", root: null }, ["outside the session's scope"]],
    [{ at: "setting", name: "gitignored", verdict: "deny" }, ["git ignores it", "deny"]],
    [{ at: "setting", name: "hardlinks", verdict: "ask" }, ["several names", "ask"]],
    [{ at: "propose", proposal: { ...proposal, because: "project" }, refused: null }, ["/lib", "registered project"]],
    [{ at: "propose", proposal: { ...proposal, because: "go.mod" }, refused: null }, ["/lib", "has go.mod"]],
    [{ at: "propose", proposal: null, refused: "out-of-whitelist" }, ["not below any ceiling"]],
    [{ at: "propose", proposal: null, refused: "root-too-broad" }, ["too broad to grant"]],
    [{ at: "propose", proposal: null, refused: null }, ["no directory around it is a repository"]],
    [{ at: "fault", message: "boom\u202e" }, ["boom\\u{202e}"]],
  ];
  test.each(steps)("the step %o is one line that says what it found", (step, facts) => {
    const [line = "", ...more] = explain({ ...denied("not-found"), trace: [step] }).steps;
    expect(more).toEqual([]);
    for (const fact of facts) expect(line).toContain(fact);
  });

  test("has a line for each step, in order", () => {
    const it = scene(["ws/l => ../lib/a", "lib/.git/", "lib/a: 1"], { policy: { read: { "$ROOT/**": "ask" } } });
    const decision = it.judge("read", "l");
    expect(explain(decision).steps.length).toBe(decision.trace.length);
    expect(decision.trace.map(({ at }) => at)).toEqual(["resolve", "layer", "layer", "scope", "propose", "layer"]);
  });

  test("of an ask says what a yes would open, and what would stay shut", () => {
    const { next } = explain(asking({ ...plain, secrets: 2, repositories: 1, worktree: true, submodule: true, complete: false }));
    expect(next.length).toBe(6);
    expect(next[0]).toContain("/lib");
    expect(next[1]).toBe("a yes for once lets it read this path and nothing else");
    expect(next[2]).toContain("at least 2 secret files");
    expect(next[3]).toContain("at least 1 other repository");
    expect(next[4]).toContain("worktree");
    expect(next[5]).toContain("submodule");
    expect(
      explain(asking({ ...plain, secrets: 1, repositories: 2 }))
        .next.slice(1)
        .join(),
    ).toMatch(/\b1 secret file in it stays .*2 other repositories/);
    expect(explain(asking(null)).next.length).toBe(2);
    expect(explain(asking(plain)).next.length).toBe(2);
  });

  test("of a path with links says what the reason is about: what they lead to, one on the way, or the path itself", () => {
    const it = scene([
      "ws/.env: 1",
      "ws/notes => .env",
      "ws/out => $OUT/a",
      "$OUT/a: 1",
      "ws/id_rsa => plain",
      "ws/plain: 1",
      "ws/.ssh => d",
      "ws/d/x: 1",
    ]);
    const said = (path: string) => explain(it.judge("read", path));
    expect(said("notes").headline).toContain(`notes: it leads to ${it.path("ws/.env")}, and that is on the list of secrets`);
    expect(said("notes").next.join()).toContain(`name ${it.path("ws/.env")} under secrets.except`);
    expect(said("out").headline).toContain(`out: it leads to ${it.path("$OUT/a")}, and that cannot be opened by an answer`);
    expect(said("id_rsa").headline).toContain("id_rsa: it is on the list of secrets");
    expect(said(".ssh/x").headline).toContain(`.ssh/x: it goes through ${it.path("ws/.ssh")}, and that is on the list`);
    expect(said("plain").headline).toContain("plain: it is in the workspace");
  });

  test("of an ask that offers once says so, for reading and for writing", () => {
    expect(explain(once("read")).next).toEqual(["a yes for once lets it read this path and nothing else"]);
    expect(explain(once("write")).next).toEqual(["a yes for once lets it write this path"]);
  });

  test("of a refusal tells the owner of the machine what could be changed, where something can", () => {
    const next = (reason: DenyReason) => explain(denied(reason)).next;
    expect(next("secret-file").join()).toContain("secrets.except");
    expect(next("protected-path").join()).toContain("protected.except");
    expect(next("io-error")).toEqual([]);
  });
});

test("what is not asked for is not looked at: wording a decision reads no disk", () => {
  const it = grow(["a: 1"]);
  const decision = denied("not-found", it.path("a"));
  it.remove();
  expect(explain(decision).headline).toContain(it.path("a"));
});

test("a refusal in words has its code; a plain `denied` stays the first word, as the contract of request_read_access has it", () => {
  expect(wordRefusal("secret-file", "`a` is a secret.")).toBe("secret-file: `a` is a secret.");
  expect(wordRefusal("person-declined", "denied")).toBe("denied [person-declined]");
  expect(wordRefusal("out-of-whitelist", "denied: path outside permitted scope. More.")).toBe(
    "denied: path outside permitted scope. More. [out-of-whitelist]",
  );
  expect(wordRefusal("io-error", "deniedness")).toBe("io-error: deniedness");
});
