// What whoever answers is shown is put together from what is at hand; it must be what a look at the store shows.

import { expect, test, vi } from "vitest";
import { httpStage, type Json } from "../../../test/server/http-stage.ts";
import type { Packet } from "../packet.ts";

const answers = [{ decision: "allow" }, { decision: "allow", minutes: 5 }, { decision: "allow_once" }, { decision: "deny", note: "no" }];

for (const body of answers)
  test(`after ${JSON.stringify(body)} the card, the frame and the grant are those that the next look shows`, async () => {
    const stage = await httpStage();
    const { credential, chat } = await stage.agent();
    const asked = await stage.send("/api/agent/asks", {
      method: "POST",
      token: credential,
      body: { call: "one", tool: "read_file", path: stage.at.path("lib/src/x.go"), operation: "read", reason: "to see" },
    });
    expect(asked.json?.state, asked.text).toBe("waiting");
    const { id } = asked.json.ask;
    const heard: Json[] = [];
    const sink = { send: ({ text }: Packet) => void heard.push(JSON.parse(text)), unsent: () => 0, end() {} };
    await stage.server.hub
      .connect({ role: "person", browser: null }, sink)
      .receive(JSON.stringify({ type: "subscribe", chats: [chat], after: null }));

    const given = await stage.send(`/api/asks/${id}/answer`, { method: "POST", body });
    expect(given.status, given.text).toBe(200);
    const looked = await stage.send(`/api/asks/${id}`);
    expect(given.json.ask).toEqual(looked.json);
    await vi.waitFor(() => expect(heard.find(({ type }) => type === "ask_settled")?.ask).toEqual(looked.json));
    expect(given.json.ask.asker).toMatchObject({ host: "tests", label: "tester" });
    const { json: grants } = await stage.send("/api/grants");
    expect(given.json.grant === null ? [] : [given.json.grant]).toEqual(grants);
    expect(given.json.ask.grant).toBe(given.json.grant?.id ?? null);
  });
