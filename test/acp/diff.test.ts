// The difference that a write would make, in an editor's dialog: against the file as it is, and once more where that has changed before the
// answer. For our own agent, and for another one behind the guard.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import { faceStage } from "../walk/faces.ts";
import { said } from "../walk/walker.ts";
import { tree } from "../tree.ts";
import { choose, type EditorPlan, withEditor } from "./editor.ts";

const LIMIT = 120_000;
const foreign = join(import.meta.dirname, "foreign-agent.mjs");

const textIn = ({ toolCall }: RequestPermissionRequest): string => {
  const [first] = toolCall.content ?? [];
  return first?.type === "content" && first.content.type === "text" ? first.content.text : "";
};
/** The lines of the dialog that a difference takes out and puts in. */
const changesIn = (request: RequestPermissionRequest): readonly string[] =>
  textIn(request)
    .split("\n")
    .filter((line) => /^(?:-(?!-- )|\+(?!\+\+ ))/u.test(line));

test(
  "our agent's change is shown against the file as it is, and again when that has changed before the yes",
  { timeout: LIMIT },
  async () => {
    const stage = await faceStage();
    const { world, door } = stage;
    const path = world.code("shop/asked/plan.md");
    writeFileSync(path, "one\ntwo\nthree\n");
    let dialogs = 0;
    const answer: EditorPlan["answer"] = (request) => {
      // Somebody else writes while the person reads.
      if ((dialogs += 1) === 1) writeFileSync(path, "one\ntwo\nthree\ntwo\n");
      return choose("once")(request);
    };
    try {
      await withEditor({ words: [], home: world.home, cwd: world.workspace, env: door?.env ?? {}, answer }, async (editor) => {
        const session = await editor.newSession(world.workspace);
        await editor.prompt(session, said({ name: "edit_file", input: { path, old: "two", new: "2", all: true } }));
        expect(editor.asked.map(changesIn)).toEqual([
          ["-two", "+2"],
          ["-two", "+2", "-two", "+2"],
        ]);
        expect(textIn(editor.asked[0] as RequestPermissionRequest)).toContain(`The change: changes ${path}`);
        expect(readFileSync(path, "utf8")).toBe("one\n2\nthree\n2\n");
      });
    } finally {
      await stage.close();
    }
  },
);

test("another agent's write is shown against the file as it is, and says that it overwrites", { timeout: LIMIT }, async () => {
  const at = tree(["home/ws/a.txt: before", "home/ws/.git/", 'home/.config/hallpass/policy.json: { "write": { "a.txt": "ask" } }']);
  onTestFinished(() => at.remove());
  const plan = { words: ["--", process.execPath, foreign], home: at.path("home"), cwd: at.path("home/ws"), answer: choose("deny") };
  await withEditor(plan, async (editor) => {
    const session = await editor.newSession(at.path("home/ws"));
    const path = at.path("home/ws/a.txt");
    await editor.prompt(session, JSON.stringify({ method: "fs/write_text_file", path, content: "after\n-- not a line of ours\u202e\n" }));
    const [request] = editor.asked;
    if (request === undefined) throw new Error("nobody was asked");
    expect(textIn(request)).toContain(`The change: overwrites all of ${path}`);
    expect(changesIn(request)).toEqual(["-before", "+after", "+-- not a line of ours\\u{202e}"]);
    // What was denied is not written.
    expect(editor.touched.filter(({ method }) => method === "fs/write_text_file")).toEqual([]);
    expect(readFileSync(path, "utf8")).toContain("before");
  });
});
