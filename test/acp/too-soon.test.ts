// An editor that is set to answer by itself: a yes that comes sooner than a person can read grants nothing, through `hallpass acp` and
// through the proxy. The same yes half a second later does, which is all that the limit keeps apart.

import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tree, type Tree } from "../tree.ts";
import { choose, chooseAtOnce, type Editor, type EditorPlan, withEditor } from "./editor.ts";

const foreign = join(import.meta.dirname, "foreign-agent.mjs");

function grown(words: readonly string[] = []): { readonly at: Tree; readonly plan: EditorPlan } {
  const at = tree(["home/ws/a.txt: inside", "home/lib/.git/", "home/lib/b.txt: from the library"]);
  onTestFinished(() => at.remove());
  return { at, plan: { words, home: at.path("home"), cwd: at.path("home/ws") } };
}

async function told(editor: Editor, at: Tree, requests: readonly object[]): Promise<readonly Record<string, unknown>[]> {
  const session = await editor.newSession(at.path("home/ws"));
  await editor.prompt(session, requests.map((request) => JSON.stringify(request)).join("\n"));
  const lines = editor.text().trim().split("\n");
  return lines.map((line): Record<string, unknown> => JSON.parse(line));
}

test.each(["session", "once"])("our agent: a yes (%s) at once opens nothing, and the person is told why", async (option) => {
  const { at, plan } = grown();
  await withEditor({ ...plan, answer: chooseAtOnce(option), hasty: true }, async (editor) => {
    const session = await editor.newSession(at.path("home/ws"));
    expect(await editor.prompt(session, `read ${at.path("home/lib/b.txt")}`)).toBe("cancelled");
    expect(editor.asked.length).toBe(1);
    expect(editor.text()).not.toContain("from the library");
    expect(editor.text()).toContain("sooner than a person can read it");
    // The session lives on.
    expect(await editor.prompt(session, "read a.txt")).toBe("end_turn");
    expect(editor.text()).toContain("inside");
  });
  await withEditor({ ...plan, answer: choose(option) }, async (editor) => {
    const session = await editor.newSession(at.path("home/ws"));
    expect(await editor.prompt(session, `read ${at.path("home/lib/b.txt")}`)).toBe("end_turn");
    expect(editor.text()).toContain("from the library");
  });
});

test.each(["deny", "stop"])("our agent: a no (%s) counts at once", async (option) => {
  const { at, plan } = grown();
  await withEditor({ ...plan, answer: chooseAtOnce(option), hasty: true }, async (editor) => {
    const session = await editor.newSession(at.path("home/ws"));
    await editor.prompt(session, `read ${at.path("home/lib/b.txt")}`);
    expect(editor.text()).not.toContain("from the library");
    expect(editor.text()).not.toContain("sooner than a person");
  });
});

test.each(["session", "once"])("the proxy: a yes (%s) at once opens nothing, however often it is tried", async (option) => {
  const { at, plan } = grown(["--", process.execPath, foreign]);
  const read = { method: "fs/read_text_file", path: at.path("home/lib/b.txt") };
  await withEditor({ ...plan, answer: chooseAtOnce(option), hasty: true }, async (editor) => {
    const got = await told(editor, at, [read, read, { ...read, path: at.path("home/ws/a.txt") }]);
    expect(got[0]).toMatchObject({ code: "no-prompt-channel", refused: expect.stringContaining("sooner than a person can read it") });
    expect(got[1]?.["refused"]).toBeDefined();
    expect(got[2]).toMatchObject({ content: expect.stringContaining("the editor's") });
    expect(JSON.stringify(got)).not.toContain("from the library");
  });
  await withEditor({ ...plan, answer: choose(option) }, async (editor) => {
    expect(await told(editor, at, [read])).toMatchObject([{ content: "from the library" }]);
  });
});

test("the proxy: an editor that shows no dialog ends the call at once, with a no", async () => {
  const { at, plan } = grown(["--", process.execPath, foreign]);
  const answer = (): never => {
    throw new Error("no dialogs here");
  };
  await withEditor({ ...plan, answer }, async (editor) => {
    const got = await told(editor, at, [{ method: "fs/read_text_file", path: at.path("home/lib/b.txt") }]);
    expect(got).toMatchObject([{ code: "no-prompt-channel" }]);
  });
});

test("our agent: an editor that shows no dialog ends the turn, and nothing hangs", async () => {
  const { at, plan } = grown();
  const answer = (): never => {
    throw new Error("no dialogs here");
  };
  await withEditor({ ...plan, answer }, async (editor) => {
    const session = await editor.newSession(at.path("home/ws"));
    expect(await editor.prompt(session, `read ${at.path("home/lib/b.txt")}`)).toBe("cancelled");
    expect(editor.text()).toContain("could not be shown");
  });
});
