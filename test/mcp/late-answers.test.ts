// A yes for once that comes after the call it was asked for was given up: the same call, made again, has it, and no second one does.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { connect, keepDaemon, world } from "./clients.ts";

/** A real daemon, a client of it that waits for a second, and a person who answers once. */
async function scene(flags: readonly string[], policy: object = {}) {
  const it = world();
  mkdirSync(join(it.home, ".config/hallpass"), { recursive: true });
  writeFileSync(join(it.home, ".config/hallpass/policy.json"), JSON.stringify({ ceilings: [it.home], ...policy }));
  const keeper = await keepDaemon(it.home);
  const agent = await connect(it.home, { flags: ["--workspace", it.workspace, "--wait", "1", ...flags] });
  onTestFinished(async () => {
    await agent.close();
    await keeper.stop();
    it.remove();
  });
  const sayYes = async (): Promise<void> => {
    const { id } = await keeper.openAsk();
    await keeper.person.send(routes.answer, { id, body: { decision: "allow_once" } });
  };
  return { it, agent, sayYes, keeper };
}

test("a request that is made again is told of the yes and leaves it to the read", async () => {
  const { it, agent, sayYes } = await scene([]);
  const asking = { path: it.beside, reason: "to compare" };
  expect((await agent.call("request_read_access", asking)).data["code"]).toBe("timeout");
  await sayYes();
  expect((await agent.call("request_read_access", asking)).text).toContain("read it directly");
  expect((await agent.call("read_file", { path: it.beside })).text).toBe("OUTSIDE");
  expect((await agent.call("read_file", { path: it.beside })).failed).toBe(true);
});

test.each([{}, { asks: { offer: "once" } }])("a read that the guard asks about, under %j", async (policy) => {
  const { it, agent, sayYes } = await scene(["--ask", "by-guard"], policy);
  const read = () => agent.call("read_file", { path: it.beside });
  expect((await read()).data["code"]).toBe("timeout");
  await sayYes();
  expect((await read()).text).toBe("OUTSIDE");
  expect((await read()).data["code"]).toBe("timeout");
});

test("of two writes at the same moment one has it", async () => {
  const { it, agent, sayYes } = await scene([], { write: { "~/lib/**": "ask" } });
  const path = join(it.home, "lib/new.txt");
  const write = (content: string) => agent.call("write_file", { path, content });
  expect((await write("one")).data["code"]).toBe("timeout");
  await sayYes();
  const both = await Promise.all(["one", "one"].map(write));
  expect(both.filter(({ failed }) => failed)).toHaveLength(1);
  expect(readFileSync(path, "utf8")).toBe("one");
});

test("a yes to a write is to what its card showed: other content asks again, and the difference is one to the file as it is", async () => {
  const { it, agent, sayYes, keeper } = await scene([], { write: { "~/ws/**": "ask" } });
  const path = join(it.workspace, "notes.txt");
  writeFileSync(path, "old\nkept\n");
  const calls = [
    { name: "write_file", input: { path, content: "new\nkept\n" }, other: { path, content: "worse\n" } },
    { name: "edit_file", input: { path, old: "old", new: "new" }, other: { path, old: "old", new: "worse" } },
  ];
  for (const { name, input, other } of calls) {
    writeFileSync(path, "old\nkept\n");
    expect((await agent.call(name, input)).data["code"]).toBe("timeout");
    const shown = await keeper.openAsk();
    expect(shown.diff, name).toContain("-old\n+new\n kept");
    expect(shown.changes.map(({ does }) => does)).toEqual([name === "write_file" ? "overwrites" : "changes"]);
    // Changed before the answer: a yes to what was shown is not taken, and the card shows the difference again.
    writeFileSync(path, "old\nmore\n");
    const late = keeper.person.send(routes.answer, { id: shown.id, body: { decision: "allow_once", digest: shown.digest } });
    await expect(late).rejects.toMatchObject({ code: "grant-changed" });
    expect((await keeper.openAsk()).diff).toContain("more");
    await sayYes();
    expect((await agent.call(name, other)).data["code"], name).toBe("timeout");
    expect(readFileSync(path, "utf8")).toBe("old\nmore\n");
    const again = await keeper.openAsk();
    expect(again.diff).toContain("+worse");
    await keeper.person.send(routes.answer, { id: again.id, body: { decision: "deny" } });
    // The yes is still there for the call it was given to.
    expect((await agent.call(name, input)).failed, name).toBe(false);
    expect(readFileSync(path, "utf8")).toContain("new\n");
  }
}, 120_000);
