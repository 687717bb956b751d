// A directory that was removed and made anew with the same inode, as the person sees it over HTTP: no card, no grant and no preview is for it.

import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { replaceWithSameInode, reusingSoil, whereInodeComesBack } from "../support/same-inode.ts";
import { tmpdir } from "node:os";
import { httpStage, type HttpStage } from "./http-stage.ts";

const reuses = (await reusingSoil()) === tmpdir();

async function asked() {
  const stage = await httpStage({
    script: (at) => [
      { calls: [{ name: "request_read_access", input: { path: at.path("lib/go.mod"), reason: "to look" } }] },
      "done",
      "done",
    ],
  });
  const session = await stage.client.send(routes.addSession, { body: { workspace: stage.at.path("ws") } });
  const chat = await stage.client.send(routes.addChat, { body: { session: session.id } });
  await stage.client.send(routes.say, { id: chat.id, body: { text: "go" } });
  await stage.server.agent.settled();
  const [ask] = await stage.client.send(routes.listAsks, { query: { state: "open" } });
  if (ask === undefined) throw new Error("nothing was asked");
  return { stage, session, ask };
}

async function exchange({ at }: HttpStage): Promise<void> {
  await replaceWithSameInode(at.path("lib"));
  mkdirSync(at.path("lib/.git"));
  writeFileSync(at.path("lib/go.mod"), "another");
}

describe.skipIf(!reuses)("another directory with the same inode", () => {
  test("is not what the card showed: it is not shown under it, and a yes grants nothing", () =>
    whereInodeComesBack(async () => {
      const { stage, session, ask } = await asked();
      const preview = `/api/sessions/${session.id}/tree?path=${encodeURIComponent(stage.at.path("lib"))}&ask=${ask.id}`;
      expect((await stage.send(preview)).status).toBe(200);
      await exchange(stage);
      expect(await stage.send(preview)).toMatchObject({ status: 409, code: "grant-changed" });
      const said = await stage.send(`/api/asks/${ask.id}/answer`, { method: "POST", body: { decision: "allow" } });
      expect(said).toMatchObject({ status: 409, code: "grant-changed" });
      expect((await stage.client.send(routes.session, { id: session.id })).allowed_read_paths).toEqual([]);
    }));

  test("closes the card when the session's roots are looked at again; the same directory does not", () =>
    whereInodeComesBack(async () => {
      const { stage, session, ask } = await asked();
      const mount = (path: string) =>
        stage.client.send(routes.addMount, { id: session.id, body: { path: stage.at.path(path), mode: "read_only" } });
      const state = async () => (await stage.client.send(routes.ask, { id: ask.id })).state;
      writeFileSync(stage.at.path("lib/new.txt"), "x");
      await mount("other");
      expect(await state()).toBe("open");
      await exchange(stage);
      await mount("other");
      expect(await state()).toBe("closed");
    }));

  test("is not granted: the grant is shown as one that opens nothing", () =>
    whereInodeComesBack(async () => {
      const { stage, ask } = await asked();
      await stage.client.send(routes.answer, { id: ask.id, body: { decision: "allow" } });
      await stage.server.agent.settled();
      const live = async () => (await stage.client.send(routes.listGrants, {})).map((grant) => grant.live);
      writeFileSync(stage.at.path("lib/new.txt"), "x");
      expect(await live()).toEqual([true]);
      await exchange(stage);
      expect(await live()).toEqual([false]);
    }));
});
