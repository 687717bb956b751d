// The tools that touch no file of their own: list_access, view_truncated_output, ask_user_input, and spawn_agent's judgement.

import { describe, expect, test } from "vitest";
import { nothingStaysPinned, NOW, scene } from "../../test/scene.ts";
import { searcherOf, toolbox } from "../../test/toolbox.ts";
import { reopenGrants, settle } from "../core/session/grant.ts";
import { createOutputs } from "./outputs.ts";

nothingStaysPinned();
const searcher = searcherOf();
const open = (spec: readonly string[], plan = {}) => {
  const it = scene(spec, plan);
  return { it, ...toolbox(it, searcher()) };
};

test("list_access tells the workspace, the mounts and the grants, and what each gives", async () => {
  const { it, done } = open(["ro/", "ext/", "box/", "lib/.git/"], {
    mounts: [
      { path: "ro", mode: "read_only" },
      { path: "ext", mode: "extend" },
      { path: "box", mode: "sandboxed" },
    ],
  });
  const { session } = reopenGrants(it.session, [it.path("lib")], {
    clock: () => NOW,
    ids: () => "g",
  });
  expect(await done("list_access", {}, { session })).toMatchObject({
    roots: [
      { path: it.path("ws"), from: "workspace", mode: "read and write" },
      { path: it.path("ro"), from: "mount", mode: "read" },
      { path: it.path("ext"), from: "mount", mode: "read and write" },
      { path: it.path("box"), from: "mount", mode: "read and write" },
      { path: it.path("lib"), from: "grant", mode: "read" },
    ],
  });
});

describe("kept outputs", () => {
  test("are given by their handle until newer ones take their room; the newest always stays", () => {
    let count = 0;
    const outputs = createOutputs(() => `h${(count += 1)}`);
    const half = "x".repeat(20 * 1_048_576);
    expect([outputs.keep("small"), outputs.keep(half), outputs.keep(`${half}!`)]).toEqual(["h1", "h2", "h3"]);
    expect([outputs.get("h1"), outputs.get("h2"), outputs.get("h3")?.length, outputs.get("h4"), outputs.get("constructor")]).toEqual([
      null,
      null,
      half.length + 1,
      null,
      null,
    ]);
    const huge = "x".repeat(40 * 1_048_576);
    expect(outputs.get(outputs.keep(huge))?.length).toBe(huge.length);
  });

  test("a handle nobody gave out is answered with what to do", async () => {
    const failure = await open([]).failed("view_truncated_output", { handle: "nonsense" });
    expect([failure.code, failure.hint.includes("run the tool again")]).toEqual(["bad-request", true]);
  });
});

test("ask_user_input can ask nobody by itself", async () => {
  expect(await open([]).code("ask_user_input", { question: "Which?" })).toBe("bad-request");
});

describe("spawn_agent", () => {
  const spec = ["ws/sub/", "ws/file: 1", "lib/.git/", "plain/", "ro/", "ext/"];
  const mounts = [
    { path: "ro", mode: "read_only" },
    { path: "ext", mode: "extend" },
  ];
  const spawn = (path: string) => ({ path, task: "do it" });

  test("where this session could write anyway, nobody is asked", async () => {
    const { it, done } = open(spec, { mounts });
    expect(await done("spawn_agent", spawn("sub"))).toEqual({ workspace: it.path("ws/sub") });
    expect(await done("spawn_agent", spawn("../ext"))).toEqual({ workspace: it.path("ext") });
  });

  test("elsewhere a person is asked, once and for this call; their yes is for that call alone", async () => {
    const { it, done, failed } = open(spec, { mounts });
    for (const path of ["../lib", "../ro"]) {
      const failure = await failed("spawn_agent", spawn(path));
      expect(failure).toMatchObject({
        code: "out-of-scope",
        category: null,
        verdict: "ask",
        ask: { offers: "once", right: "write", tool: "spawn_agent", requested: path },
      });
      if (failure.ask === null || !("operation" in failure.ask)) throw new Error("no ask");
      const settled = settle(
        it.session,
        failure.ask,
        { verdict: "allow", until: "call", by: "ada" },
        {
          clock: () => NOW,
          ids: () => "g",
          passes: () => true,
        },
      );
      if (!settled.ok) throw new Error(settled.message);
      expect(await done("spawn_agent", spawn(path), { session: settled.session })).toEqual({ workspace: it.path(path.slice(3)) });
      expect(await failed("spawn_agent", spawn(path), { session: settled.session, call: "another" })).toMatchObject({ verdict: "ask" });
    }
  });

  test("a grant for reading is not a yes to an agent there", async () => {
    const { it, failed } = open(spec);
    const { session } = reopenGrants(it.session, [it.path("lib")], {
      clock: () => NOW,
      ids: () => "g",
    });
    expect(await failed("spawn_agent", spawn("../lib"), { session })).toMatchObject({ verdict: "ask" });
  });

  test.each([
    ["what cannot be granted", "../plain", "no-grant-root"],
    ["a file", "file", "not-directory"],
    ["what is not there", "missing", "not-found"],
    ["a secret place", ".ssh", "secret-file"],
  ])("%s is refused", async (_title, path, code) => {
    expect(await open(spec).code("spawn_agent", spawn(path))).toBe(code);
  });

  test("nobody there: denied", async () => {
    const { it, code } = open(spec, { attended: false });
    const { session } = reopenGrants(it.session, [it.path("lib")], {
      clock: () => NOW,
      ids: () => "g",
    });
    expect([await code("spawn_agent", spawn("../lib")), await code("spawn_agent", spawn("../lib"), { session })]).toEqual([
      "no-prompt-channel",
      "no-prompt-channel",
    ]);
  });
});
