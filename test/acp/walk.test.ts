// The walk in an editor: every kind of ask and every answer in its own dialog, and what the agent is let do then.

import { setTimeout as pause } from "node:timers/promises";
import { methods, type RequestPermissionRequest, type RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { walkHappenings } from "../walk/face-happenings.ts";
import { type Face, faceStage, rows, walkFace } from "../walk/faces.ts";
import type { WalkStage } from "../walk/stage.ts";
import { lastCalls, said } from "../walk/walker.ts";
import { READING, withEditor } from "./editor.ts";

interface Dialog {
  readonly request: RequestPermissionRequest;
  readonly answer: (response: RequestPermissionResponse) => void;
}

/** An editor with its person, at a server of its own. */
async function inEditor(walk: (stage: WalkStage, face: Face) => Promise<void>): Promise<void> {
  const stage = await faceStage();
  const { world, client, door } = stage;
  let dialog: Dialog | null = null;
  const answer = (request: RequestPermissionRequest): Promise<RequestPermissionResponse> =>
    new Promise((resolve) => {
      dialog = { request, answer: resolve };
    });
  const plan = { words: [], home: world.home, cwd: world.workspace, env: door?.env ?? {}, answer };
  try {
    await withEditor(plan, async (editor) => {
      const id = await editor.newSession(world.workspace);
      const [chat] = await client.send(routes.listChats, { query: {} });
      if (chat === undefined) throw new Error("there is no chat");
      let turn: Promise<string> = Promise.resolve("");
      const up = async (): Promise<Dialog> => {
        for (;;) {
          if (dialog !== null) return dialog;
          await pause(10);
        }
      };
      const face: Face = {
        session: chat.session,
        async does(wanted) {
          turn = editor.prompt(id, said(wanted));
        },
        async shows() {
          const { request } = await up();
          const [first] = request.toolCall.content ?? [];
          const text = first?.type === "content" && first.content.type === "text" ? first.content.text : "";
          return { lines: [request.toolCall.title ?? "", ...text.split("\n")], choices: request.options.map(({ name }) => name) };
        },
        async choose(choice) {
          const { request, answer: give } = await up();
          const optionId = request.options.find(({ name }) => name === choice)?.optionId ?? "";
          await pause(READING);
          dialog = null;
          give({ outcome: { outcome: "selected", optionId } });
        },
        ends: {
          stopped: async () => {
            await editor.agent.notify(methods.agent.session.cancel, { sessionId: id });
            (await up()).answer({ outcome: { outcome: "cancelled" } });
          },
        },
        async over() {
          await turn;
          dialog = null;
          const [call] = await lastCalls(client, chat.id);
          return call?.state.at === "done" && call.state.outcome.ok;
        },
      };
      await walk(stage, face);
      expect(editor.touched).toEqual([]);
    });
  } finally {
    await stage.close();
  }
}

test("what a card said in the editor is what the next accesses are let do", { timeout: 600_000 }, () =>
  inEditor((stage, face) =>
    // An editor's dialog takes no words, and while it is up nobody can speak.
    walkFace(
      stage,
      face,
      rows.map(([kind, end]) => [kind, end === "Deny, with a word" || end === "withdrawn" ? "Deny" : end] as const),
    ),
  ),
);

test("whatever happens while its dialog is up: card, record and next access agree", { timeout: 600_000 }, () => inEditor(walkHappenings));
