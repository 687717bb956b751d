// An agent's change undone: exactly what was there before, and nothing where the file is not as the change left it or may not be written.

import { chmodSync, existsSync, readFileSync, renameSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { nothingStaysPinned, policyOf, scene, type ScenePlan } from "../../test/scene.ts";
import { searcherOf, toolbox } from "../../test/toolbox.ts";
import { HallpassError } from "../core/errors.ts";
import { callId } from "../core/names.ts";
import type { Session } from "../core/session/session.ts";
import { changesOf, wholeDiff } from "./change.ts";
import { defaultLimits } from "./limits.ts";
import { tools } from "./registry.ts";
import { undoChanges } from "./undo.ts";

nothingStaysPinned();
const searcher = searcherOf();

/** A call that is done on a file `ws/a` as the loop does it: what it would change is worked out, then it is run. */
async function changed(before: string | null, name: string, input: object, plan: ScenePlan = {}) {
  const it = scene([], plan);
  const at = it.path("ws/a");
  if (before !== null) writeFileSync(at, before);
  const looking = { guard: it.guard, session: it.session, call: callId("call-1"), limits: defaultLimits };
  const changes = await changesOf(name, tools[name]?.plans(input) ?? [], looking);
  await toolbox(it, searcher()).done(name, input);
  const files = changes.flatMap(({ undo }) => (undo === null ? [] : [undo]));
  return {
    it,
    at,
    files,
    text: (path = "ws/a") => (existsSync(it.path(path)) ? readFileSync(it.path(path), "utf8") : null),
    async undo(session: Session = it.session): Promise<string> {
      try {
        await undoChanges(files, wholeDiff(changes) ?? "", "person", { ...looking, session });
        return "undone";
      } catch (error) {
        if (!(error instanceof HallpassError)) throw error;
        return error.code;
      }
    },
  };
}

const write = (content: string) => ({ path: "a", content });
const many = (text: string): string => text.repeat(500);

describe("what was there before is there again, byte for byte", () => {
  test.each([
    ["a line among many", "write_file", write(`${many("x\n")}new\n${many("y\n")}`), many("x\n") + many("y\n")],
    ["no end of line", "write_file", write("one\ntwo\n"), "one\ntwo"],
    ["ends of lines as on Windows", "write_file", write("one\ntwo\n"), "one\r\ntwo\r\n"],
    ["a byte order mark", "write_file", write("two\n"), "\ufeffone\n"],
    ["an empty file", "write_file", write("one\n"), ""],
    ["all of it taken out", "write_file", write(""), "one\ntwo\n"],
    ["lines that look like a difference", "write_file", write("+++ b/x\n@@ -1 +1 @@\n"), "--- a/x\n-- y\n@@ -1 +1 @@\n"],
    ["an edit", "edit_file", { path: "a", old: "two", new: "2" }, "\ufeffone\r\ntwo\r\nthree"],
    ["a patch", "apply_patch", { patch: "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n" }, "one\ntwo\n"],
  ])("%s", async (_, name, input, before) => {
    const { undo, text } = await changed(before, name, input);
    expect(text()).not.toBe(before);
    expect(await undo()).toBe("undone");
    expect(text()).toBe(before);
    expect(await undo()).toBe("stale-path");
  });

  test("a file that was made is removed, an empty one too", async () => {
    for (const content of ["", "one\n"]) {
      const { undo, text } = await changed(null, "write_file", write(content));
      expect([text(), await undo(), text(), await undo()]).toEqual([content, "undone", null, "not-found"]);
    }
  });

  test("mode stays, and each step is in the record", async () => {
    const { it, at, undo } = await changed("one\n", "write_file", write("two\n"));
    chmodSync(at, 0o750);
    it.events.splice(0);
    expect(await undo()).toBe("undone");
    expect(statSync(at).mode & 0o777).toBe(0o750);
    const told = it.events.map((event) => (event.kind === "decision" ? `${event.tool} ${event.operation} ${event.verdict}` : event.kind));
    expect(told).toEqual(["undo read allow", "undo replace allow", "undo read allow", "undo replace allow"]);
  });
});

describe("it is refused, and nothing is written", () => {
  test.each([
    ["the file was changed since", "stale-path", (at: string) => writeFileSync(at, "mine\n")],
    ["it is gone", "not-found", (at: string) => unlinkSync(at)],
    [
      "it is a link by now",
      "symlink-write",
      (at: string) => {
        renameSync(at, `${at}.real`);
        symlinkSync(`${at}.real`, at);
      },
    ],
  ])("%s", async (_, code, harm) => {
    const { at, undo, text } = await changed("one\n", "write_file", write("two\n"));
    harm(at);
    const now = text();
    expect([await undo(), text()]).toEqual([code, now]);
  });

  test("one of several files is enough to refuse all", async () => {
    const patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+two\n";
    const { it, undo, text } = await changed("one\n", "apply_patch", { patch });
    writeFileSync(it.path("ws/b"), "mine\n");
    expect([await undo(), text(), text("ws/b")]).toEqual(["stale-path", "1\n", "mine\n"]);
    writeFileSync(it.path("ws/b"), "two\n");
    expect([await undo(), text(), text("ws/b")]).toEqual(["undone", "one\n", null]);
  });

  test("a rule denies it by now; where a rule asks, the person has just said it, and the record has their yes", async () => {
    const { it, undo, text } = await changed("one\n", "write_file", write("two\n"));
    const under = (verdict: "ask" | "deny"): Session => ({
      ...it.session,
      policy: policyOf({ write: { "**/a": verdict } }, it.session.home),
    });
    expect([await undo(under("deny")), text()]).toEqual(["policy-deny", "two\n"]);
    it.events.splice(0);
    expect([await undo(under("ask")), text()]).toEqual(["undone", "one\n"]);
    expect(it.events.flatMap((event) => (event.kind === "answer" ? [event.by] : []))).toEqual(["person"]);
  });

  test("a session that does not hold the file", async () => {
    const { it, undo, text } = await changed("one\n", "write_file", { path: "a", content: "two\n" });
    const other = scene([`ws/x: `]);
    expect(await undo({ ...other.session, home: it.session.home })).toBe("not-found");
    expect(text()).toBe("two\n");
  });
});

test("of what is too large, and of what is no text, nothing is kept", async () => {
  const large = await changed("x".repeat(300_000), "write_file", write("two\n"));
  const binary = await changed("\u0000", "write_file", write("two\n"));
  expect([large.files, binary.files]).toEqual([[], []]);
});
