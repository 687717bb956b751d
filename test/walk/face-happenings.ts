// What happens on a real face while its card is up: card, record and next access agree afterwards, as they do without a screen in
// while-asked.test.ts. Each happening puts everything back, but for the last, which ends the face's session.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import { routes } from "../../src/wire/http.ts";
import type { WireAsk } from "../../src/wire/values.ts";
import { eventsOf, expected, type Verdicts, verdictsIn } from "./accesses.ts";
import { askOf, type Face } from "./faces.ts";
import { promiseOf, type Shown } from "./promise.ts";
import type { WalkStage } from "./stage.ts";
import type { Wanted } from "./walker.ts";

interface Scene {
  readonly stage: WalkStage;
  readonly face: Face;
  /** Before anything was answered. */
  readonly held: Verdicts;
}

const reads = (path: string): Wanted => ({ name: "read_file", input: { path } });
const plain = {};

async function up({ stage, face }: Scene, wanted: Wanted): Promise<{ readonly ask: WireAsk; readonly shown: Shown }> {
  await face.does(wanted);
  const ask = await askOf(stage, face.session);
  return { ask, shown: await face.shows(ask) };
}

/** The kinds of the events that tell of an ask, in their order. */
const toldOf = async ({ stage, face }: Scene, ask: WireAsk): Promise<readonly string[]> =>
  (await eventsOf(stage, face.session)).flatMap((event) =>
    "ask" in event && event.ask === ask.id && event.kind !== "decision" ? [event.kind] : [],
  );
const cardNow = ({ stage }: Scene, { id }: WireAsk): Promise<WireAsk> => stage.client.send(routes.ask, { id });
const yes = (name: string): string => `Allow reading ${name} for this session`;

const happenings: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async "another directory stands in its place"(scene) {
    const { stage, face, held } = scene;
    const [api, was] = [stage.world.code("api"), stage.world.code("was-api")];
    const { ask } = await up(scene, reads(stage.world.code("api/go.mod")));
    renameSync(api, was);
    mkdirSync(`${api}/.git`, { recursive: true });
    writeFileSync(`${api}/go.mod`, "another");
    await face.choose(yes("api"));
    expect(await face.over()).toBe(false);
    expect(await cardNow(scene, ask)).toMatchObject({
      state: "answered",
      answer: { verdict: "allow" },
      grant: null,
      refused: "grant-changed",
    });
    expect(await toldOf(scene, ask)).toEqual(["answer", "grant-refused"]);
    rmSync(api, { recursive: true });
    renameSync(was, api);
    expect(await verdictsIn(stage, face.session)).toEqual(held);
  },

  async "another grant is revoked"(scene) {
    const { stage, face, held } = scene;
    await up(scene, reads(stage.world.code("api/go.mod")));
    await face.choose(yes("api"));
    expect(await face.over()).toBe(true);
    const [grant] = await stage.client.send(routes.listGrants, { query: { session: face.session } });
    const { shown } = await up(scene, reads(stage.world.code("neighbour/n.txt")));
    await stage.client.send(routes.revoke, { id: grant?.id ?? "" });
    await face.choose(yes("neighbour"));
    expect(await face.over()).toBe(true);
    expect(await verdictsIn(stage, face.session)).toEqual(expected(stage, plain, held, promiseOf(shown, yes("neighbour"))));
  },

  async "the file to be changed changes"(scene) {
    const { stage, face, held } = scene;
    const file = stage.world.code("shop/asked/plan.md");
    const before = readFileSync(file, "utf8");
    const { ask } = await up(scene, { name: "edit_file", input: { path: file, old: "two", new: "2" } });
    writeFileSync(file, "one\ntwo\nfour\n");
    await face.choose("Allow writing plan.md, once");
    // It is the same question, shown anew with the change as it is now.
    const now = await cardNow(scene, ask);
    expect([now.state, now.digest === ask.digest, now.diff?.includes(" four\n")]).toEqual(["open", false, true]);
    expect([await toldOf(scene, ask), readFileSync(file, "utf8")]).toEqual([[], "one\ntwo\nfour\n"]);
    await face.shows(now);
    await face.choose("Allow writing plan.md, once");
    expect(await face.over()).toBe(true);
    expect([await toldOf(scene, ask), readFileSync(file, "utf8")]).toEqual([["answer"], "one\n2\nfour\n"]);
    expect(await verdictsIn(stage, face.session)).toEqual(held);
    writeFileSync(file, before);
  },

  async "another device answers first"(scene) {
    const { stage, face, held } = scene;
    const { ask, shown } = await up(scene, reads(stage.world.code("api/go.mod")));
    await stage.device("phone").send(routes.answer, { id: ask.id, body: { decision: "allow", digest: ask.digest } });
    expect(await face.over()).toBe(true);
    expect(await cardNow(scene, ask)).toMatchObject({ state: "answered", answer: { verdict: "allow", by: "person (phone)" } });
    expect(await toldOf(scene, ask)).toEqual(["answer", "grant"]);
    expect(await verdictsIn(stage, face.session)).toEqual(expected(stage, plain, held, promiseOf(shown, yes("api"))));
  },

  async "it is kept for the workspace, and revoked"(scene) {
    const { stage, face, held } = scene;
    const { ask, shown } = await up(scene, reads(stage.world.code("api/go.mod")));
    const always = "Always allow reading api in shop";
    // A dialog with one step cannot confirm it, and does not offer it: there the same person keeps it in the inbox.
    if (shown.choices.includes(always)) await face.choose(always);
    else await stage.client.send(routes.answer, { id: ask.id, body: { decision: "allow", keep: true, digest: ask.digest } });
    expect(await face.over()).toBe(true);
    expect(await cardNow(scene, ask)).toMatchObject({ answer: { verdict: "allow", until: "session", keeps: true } });
    const opened = expected(stage, plain, held, promiseOf(shown, yes("api")));
    const later = await stage.chat();
    for (const session of [face.session, later.session]) expect(await verdictsIn(stage, session)).toEqual(opened);
    const [grant] = await stage.client.send(routes.listGrants, { query: { session: face.session } });
    expect(await stage.client.send(routes.revoke, { id: grant?.id ?? "" })).toMatchObject({ live: false, allowedBy: null });
    for (const session of [face.session, later.session]) expect(await verdictsIn(stage, session)).toEqual(held);
  },

  async "its session ends"(scene) {
    const { stage, face } = scene;
    const { ask } = await up(scene, reads(stage.world.code("api/go.mod")));
    await stage.client.send(routes.archiveSession, { id: face.session });
    expect(await face.over()).toBe(false);
    expect(await cardNow(scene, ask)).toMatchObject({ state: "closed", closed: "session-ended", answer: null, grant: null });
    expect(await toldOf(scene, ask)).toEqual([]);
    await expect(verdictsIn(stage, face.session)).rejects.toMatchObject({ code: "session-closed" });
  },
};

/** Take all of them on a face. Afterwards its session has ended. */
export async function walkHappenings(stage: WalkStage, face: Face): Promise<void> {
  const held = await verdictsIn(stage, face.session);
  for (const [what, happens] of Object.entries(happenings)) {
    try {
      await happens({ stage, face, held });
    } catch (error) {
      throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
    if (what !== "its session ends") await stage.client.send(routes.revokeAll, { id: face.session });
  }
}
