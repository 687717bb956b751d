// Where the model has to ask for itself, a refusal tells it how. Here it does what it is told, and a person says the first yes on the card: the
// call that was refused must pass then.

import { expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { choose } from "./accesses.ts";
import { walkStage } from "./stage.ts";
import { kinds } from "./table.ts";
import { lastCalls, said, say } from "./walker.ts";

const reading = new Set(["read_file", "list_dir", "grep", "find_files"]);

for (const [name, kind] of Object.entries(kinds))
  test(`${name}: what the refusal says to do is done, and it passes`, async ({ skip }) => {
    const stage = await walkStage(kind.policy === undefined ? {} : { policy: kind.policy });
    const wanted = kind.wants(stage.world);
    if (!reading.has(wanted.name)) skip("it is no read");
    if (kind.project !== undefined) await stage.client.send(routes.addProject, { body: { path: stage.world.code(kind.project) } });
    const { id: session } = await stage.client.send(routes.addSession, { body: { workspace: stage.world.workspace, asking: "by-model" } });
    const chat = await stage.client.send(routes.addChat, { body: { session } });
    const open = async () => (await stage.client.send(routes.listAsks, { query: { session, state: "open" } }))[0];
    const outcome = async () => {
      const [call] = await lastCalls(stage.client, chat.id);
      return call?.state.at === "done" ? call.state.outcome : null;
    };
    const agree = async (): Promise<void> => {
      const ask = await open();
      if (ask === undefined) throw new Error("nobody is asked");
      await choose(stage, chat, ask, ask.card.choices[0]?.label ?? "");
    };

    await say(stage.client, chat.id, said(wanted));
    // Asked at once: there is nothing that the model could do.
    if ((await open()) !== undefined) {
      await agree();
      expect(await outcome()).toMatchObject({ ok: true });
      return;
    }
    const refused = await outcome();
    const step = /^request_read_access\((\{.*\})\)$/mu.exec(refused?.ok === false ? refused.hint : "")?.[1];
    if (step === undefined) throw new Error(`there is nothing to do: ${JSON.stringify(refused)}`);
    await say(stage.client, chat.id, said({ name: "request_read_access", input: JSON.parse(step) as Record<string, unknown> }));
    await agree();
    expect(await outcome()).toMatchObject({ ok: true });
    await say(stage.client, chat.id, said(wanted));
    expect(await open()).toBeUndefined();
    expect(await outcome()).toMatchObject({ ok: true });
  });
