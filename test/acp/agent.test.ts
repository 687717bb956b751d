// Our agent in an editor: refused, asked in the editor's own dialog, read, denied, cancelled in the middle, and loaded again.

import { methods } from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import { tree, type Tree } from "../tree.ts";
import { choose, type EditorPlan, withEditor } from "./editor.ts";

function grown(): { readonly at: Tree; readonly plan: EditorPlan } {
  const at = tree(["home/ws/a.txt: inside", "home/lib/.git/", "home/lib/b.txt: from the library", "home/lib/.env: KEY=1"]);
  onTestFinished(() => at.remove());
  return { at, plan: { words: [], home: at.path("home"), cwd: at.path("home/ws") } };
}

test("a file of the workspace is read and told, with its call", async () => {
  const { at, plan } = grown();
  await withEditor(plan, async (editor) => {
    const session = await editor.newSession(at.path("home/ws"));
    expect(await editor.prompt(session, "read a.txt")).toBe("end_turn");
    expect(editor.text()).toContain("inside");
    expect(editor.asked).toEqual([]);
    expect(editor.updates).toContainEqual(expect.objectContaining({ sessionUpdate: "tool_call", kind: "read" }));
  });
});

test("what lies elsewhere is asked for in the editor, and a yes for the session opens that repository but for its secrets", async () => {
  const { at, plan } = grown();
  await withEditor({ ...plan, answer: choose("session") }, async (editor) => {
    const session = await editor.newSession(at.path("home/ws"));
    expect(await editor.prompt(session, `read ${at.path("home/lib/b.txt")}`)).toBe("end_turn");
    expect(editor.text()).toContain("from the library");
    expect(editor.asked.length).toBe(1);
    expect(editor.asked[0]?.options.map(({ kind }) => kind)).toEqual([
      "reject_once",
      "allow_always",
      "allow_once",
      "allow_always",
      "reject_always",
    ]);
    expect(JSON.stringify(editor.asked[0])).toContain(at.path("home/lib"));
    expect(await editor.prompt(session, `read ${at.path("home/lib/.env")}`)).toBe("end_turn");
    expect(editor.text()).not.toContain("KEY=1");
    expect(editor.asked.length).toBe(1);
  });
});

test("once is once; a no is a no; an option nobody offered is a no", async () => {
  const { at, plan } = grown();
  const path = at.path("home/lib/b.txt");
  for (const [option, opened] of [
    ["once", true],
    ["deny", false],
    ["something-else", false],
  ] as const) {
    await withEditor({ ...plan, answer: choose(option) }, async (editor) => {
      const session = await editor.newSession(at.path("home/ws"));
      await editor.prompt(session, `read ${path}`);
      expect(editor.text().includes("from the library"), option).toBe(opened);
    });
  }
});

test("cancelling in the middle of an ask ends the turn as cancelled, and nothing is read", async () => {
  const { at, plan } = grown();
  let shown: () => void = () => {};
  const isShown = new Promise<void>((resolve) => {
    shown = resolve;
  });
  const answer: EditorPlan["answer"] = () => {
    shown();
    return new Promise(() => {});
  };
  await withEditor({ ...plan, ...(answer === undefined ? {} : { answer }) }, async (editor) => {
    const session = await editor.newSession(at.path("home/ws"));
    const turn = editor.prompt(session, `read ${at.path("home/lib/b.txt")}`);
    await isShown;
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: session });
    expect(await turn).toBe("cancelled");
    expect(editor.text()).not.toContain("from the library");
    // The session lives on.
    expect(await editor.prompt(session, "read a.txt")).toBe("end_turn");
    expect(editor.text()).toContain("inside");
  });
});

test("a chat is loaded again with what was said; from another workspace it is not", async () => {
  const { at, plan } = grown();
  await withEditor(plan, async (editor) => {
    const sessionId = await editor.newSession(at.path("home/ws"));
    await editor.prompt(sessionId, "read a.txt");
    editor.updates.splice(0);
    await editor.agent.request(methods.agent.session.load, { sessionId, cwd: at.path("home/ws"), mcpServers: [] });
    await editor.heard();
    expect(editor.updates[0]).toMatchObject({ sessionUpdate: "user_message_chunk", content: { text: "read a.txt" } });
    expect(editor.text()).toContain("inside");
    const elsewhere = { sessionId, cwd: at.path("home/lib"), mcpServers: [] };
    await expect(editor.agent.request(methods.agent.session.load, elsewhere)).rejects.toMatchObject({ code: -32_602 });
  });
});

test("a workspace that is none, and a session that is none, are errors with a sentence", async () => {
  const { at, plan } = grown();
  await withEditor(plan, async (editor) => {
    await expect(editor.newSession(at.path("home/nowhere"))).rejects.toThrow();
    await expect(editor.prompt("nobody", "hello")).rejects.toThrow(/no such session/u);
  });
});
