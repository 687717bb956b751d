// What a person said is what is recorded, also where it came to nothing; and a yes that is judged where the files are not is no no.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createMemoryStore } from "../../src/store/memory.ts";
import { routes } from "../../src/wire/http.ts";
import { httpStage, type HttpStage } from "./http-stage.ts";

async function asked(stage: HttpStage, call = "c1", credential?: string) {
  const agent = credential === undefined ? await stage.agent() : { credential };
  const ask = async (name: string) =>
    (
      await stage.send("/api/agent/asks", {
        method: "POST",
        token: agent.credential,
        body: { call: name, tool: "Read", operation: "read", path: stage.at.path("lib/go.mod"), reason: "to look" },
      })
    ).json;
  return { id: (await ask(call)).ask.id as string, ask };
}

test("a yes to what has changed is recorded as a yes that was not granted, and is no denial", async () => {
  const stage = await httpStage();
  const { id, ask } = await asked(stage);
  renameSync(stage.at.path("lib"), stage.at.path("was-lib"));
  mkdirSync(stage.at.path("lib/.git"), { recursive: true });
  writeFileSync(stage.at.path("lib/go.mod"), "another");
  const said = await stage.send(`/api/asks/${id}/answer`, { method: "POST", body: { decision: "allow" } });
  expect(said).toMatchObject({ status: 409, code: "grant-changed" });
  const answer = { verdict: "allow", until: "session", by: "person (api)" };
  expect(said.json.ask).toMatchObject({ state: "answered", answer, grant: null, refused: "grant-changed" });
  expect(await stage.client.send(routes.ask, { id })).toEqual(said.json.ask);
  const { records } = await stage.client.send(routes.audit, { query: { limit: 2 } });
  expect(records.map(({ event }) => event)).toMatchObject([
    { kind: "grant-refused", ask: id, code: "grant-changed" },
    { kind: "answer", ask: id, verdict: "allow", until: "session", by: "person (api)", note: null },
  ]);
  expect(await ask("c1")).toMatchObject({
    state: "done",
    ok: false,
    code: "grant-changed",
    text: /the person said yes .* nothing was granted/,
  });
  // Nobody said no: the agent may ask for what is there now.
  expect(await ask("c2")).toMatchObject({ state: "waiting" });
});

test("a yes on a machine without the files is refused, the ask stays open, and the machine with them grants it", async () => {
  const stored = createMemoryStore();
  const here = await httpStage({ stored, machine: "build-box" });
  const there = await httpStage({ stored, machine: "laptop" });
  const { id } = await asked(here);
  const yes = (stage: HttpStage) => stage.send(`/api/asks/${id}/answer`, { method: "POST", body: { decision: "allow" } });
  // Another home: what could be granted there is something else.
  const other = await yes(there);
  expect(other).toMatchObject({ status: 409, code: "files-elsewhere" });
  expect(other.json.error.message).toContain("build-box");
  expect(other.json.ask).toMatchObject({ state: "open", asker: { machine: "build-box" }, answer: null });
  // No files at all.
  renameSync(here.at.path("ws"), here.at.path("away"));
  expect(await yes(there)).toMatchObject({ status: 409, code: "files-elsewhere" });
  renameSync(here.at.path("away"), here.at.path("ws"));
  expect((await here.client.send(routes.audit, { query: { kind: "answer" } })).records).toEqual([]);
  expect((await yes(here)).json).toMatchObject({ ask: { answer: { verdict: "allow" } }, grant: { path: here.at.path("lib") } });
});
