// A yes for once: what it opens is what its card says, and nothing more. Listings and searches are made, not only judged.

import { linkSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { scene, type Scene } from "../../../test/scene.ts";
import { createSearcher } from "../../tools/search/searcher.ts";
import type { Operation } from "../access.ts";
import { callId } from "../names.ts";
import type { Session } from "../session/session.ts";

const files = [
  "lib/.git/HEAD: ref",
  "lib/docs/a.md: word",
  "lib/docs/deep/b.md: word",
  "lib/docs/shut/c.md: word",
  "lib/docs/.env: word",
  "lib/src/d.ts: word",
  "ws/.git/HEAD: ref",
  "ws/notes/e.md: word",
  "ws/notes/shut/f.md: word",
];
const asking = {
  read: { "$ROOT/lib/docs/shut/**": "deny", "$ROOT/lib/docs/**": "ask", "$ROOT/ws/notes/shut/**": "deny", "$ROOT/ws/notes/**": "ask" },
};

const searcher = createSearcher();
afterAll(() => searcher.close());

/** The session after a yes for once to this. */
function answered(it: Scene, operation: Operation, path: string): Session {
  const decision = it.judge(operation, path);
  if (decision.verdict !== "ask") throw new Error(`nobody is asked: ${decision.reason}`);
  const settled = it.guard.answer(it.session, decision.ask, { verdict: "allow", until: "call", by: "ada" });
  if (!settled.ok) throw new Error(settled.message);
  return settled.session;
}

async function listed(it: Scene, path: string, session: Session): Promise<readonly string[]> {
  const used = await it.guard.use({ call: callId("call-1"), tool: "test", operation: "list", path }, session, (dir) => dir.listInTurns());
  if (used.verdict !== "allow" || !used.done.ok || !used.done.value.ok) throw new Error(used.reason);
  return used.done.value.value.entries.map(({ name }) => name).toSorted();
}

/** Small trees are searched at once, patterns in threads; both go by the same. */
async function found(it: Scene, path: string, session: Session, literal: boolean): Promise<readonly string[]> {
  const query = {
    kind: "grep",
    pattern: "word",
    literal,
    ignoreCase: false,
    glob: null,
    ignored: false,
    most: 99,
    fileBytes: 999,
    lineLength: 99,
    time: 9_999,
  } as const;
  const used = await it.guard.use({ call: callId("call-1"), tool: "test", operation: "search", path }, session, (start) =>
    searcher.search(start, query),
  );
  if (used.verdict !== "allow" || !used.done.ok || !used.done.value.ok) throw new Error(used.reason);
  return used.done.value.matches.map(({ file }) => file).toSorted();
}

describe("what a rule asks about", () => {
  test.each(["lib/docs", "ws/notes"])("%s: a yes to a listing shows the names, but for secrets and what is denied", async (dir) => {
    const it = scene(files, { policy: asking });
    const names = dir === "lib/docs" ? ["a.md", "deep"] : ["e.md"];
    expect(await listed(it, it.path(dir), answered(it, "list", it.path(dir)))).toEqual(names);
  });

  test.each([true, false])("a yes to a search shows all below, but for secrets and what is denied (literal: %s)", async (literal) => {
    const it = scene(files, { policy: asking });
    const [docs, notes] = [it.path("lib/docs"), it.path("ws/notes")];
    expect(await found(it, docs, answered(it, "search", docs), literal)).toEqual(["a.md", "deep/b.md"]);
    expect(await found(it, notes, answered(it, "search", notes), literal)).toEqual(["e.md"]);
  });

  test("beside a yes for the session it stays out, as the card counts it", async () => {
    const it = scene(files, { policy: asking });
    const decision = it.judge("search", it.path("lib"));
    expect(decision).toMatchObject({ verdict: "ask", ask: { offers: "session", survey: { asked: 2 } } });
    expect(await found(it, it.path("lib"), answered(it, "search", it.path("lib")), true)).toEqual(["src/d.ts"]);
  });

  test("so do what git ignores and files of several names, where the policy asks about them", async () => {
    const it = scene(["ws/.git/HEAD: ref", "ws/.gitignore: /out\n", "ws/out/a.md: word"], {
      policy: { gitignored: "ask", hardlinks: "ask" },
    });
    const out = it.path("ws/out");
    linkSync(it.path("ws/out/a.md"), it.path("ws/out/b.md"));
    expect(await listed(it, out, answered(it, "list", out))).toEqual(["a.md", "b.md"]);
    expect(await found(it, out, answered(it, "search", out), true)).toEqual(["a.md", "b.md"]);
  });
});

test("a yes to read shows the file, or the names in a directory, and nothing that lies below", () => {
  const it = scene(files);
  const dir = answered(it, "read", it.path("lib/src"));
  expect((["read", "list", "search"] as const).map((operation) => it.words(operation, it.path("lib/src"), dir))).toEqual([
    "allow answered",
    "allow answered",
    "ask out-of-scope",
  ]);
  const file = answered(it, "read", it.path("lib/src/d.ts"));
  expect(it.words("search", it.path("lib/src/d.ts"), file)).toBe("allow answered");
});

test("a yes to a listing is none to read or search, and one to a search none to list", () => {
  const it = scene(files);
  const words = (asked: Operation): readonly string[] =>
    (["read", "list", "search"] as const).map(
      (operation) => it.judge(operation, it.path("lib/src"), answered(it, asked, it.path("lib/src"))).verdict,
    );
  expect([words("list"), words("search")]).toEqual([
    ["ask", "allow", "ask"],
    ["ask", "ask", "allow"],
  ]);
});

test("what a rule allows is searched as it is read: a directory that is allowed by itself shows none of what is not", async () => {
  const it = scene([...files, "papers/a.md: word", "papers/in/b.md: word", "papers/c.txt: word"], {
    policy: { read: { "$ROOT/papers": "allow", "$ROOT/papers/**/*.md": "allow", "*": "deny" } },
  });
  const papers = it.path("papers");
  expect((["papers/a.md", "papers/c.txt"] as const).map((name) => it.words("read", it.path(name)))).toEqual([
    "allow policy-allow",
    "deny policy-deny",
  ]);
  for (const literal of [true, false]) expect(await found(it, papers, it.session, literal)).toEqual(["a.md", "in/b.md"]);
});
