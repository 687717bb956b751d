import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { SESSION, someChat, someSession } from "../../../test/store-conformance/values.ts";
import { openStore } from "../../store/open.ts";
import { run } from "../main.ts";

test("chats are listed, found, exported, renamed, archived and, after a yes, deleted, by the first characters of their ids", async () => {
  const on = mkdtempSync(join(tmpdir(), "hallpass-chats-"));
  onTestFinished(() => rmSync(on, { recursive: true, force: true }));
  const [data, home, cwd] = [join(on, "data"), join(on, "home"), join(on, "ws")];
  for (const dir of [home, cwd]) mkdirSync(dir);
  const file = join(data, "hallpass.db");
  const [tides, boats] = ["aaaaaaaaaaaaaaaaaaaa", "aabbbbbbbbbbbbbbbbbb"];
  const store = await openStore({ databaseUrl: null, file });
  await store.addSession(someSession({ workspace: cwd }), []);
  await store.addChat(someChat({ id: tides, title: "Tides" }));
  await store.addChat(someChat({ id: boats, title: "Boats" }));
  await store.append(boats, { role: "person", id: "m1", at: 5, text: "Which tide is \u001b[31mit?" }, null);
  await store.close();
  const said = async (...words: readonly string[]) => {
    const streams = { output: new PassThrough(), errors: new PassThrough() };
    const host = { cwd, home, env: { HALLPASS_DATA: data }, platform: "linux" as const, input: new PassThrough() };
    const code = await run(["chats", ...words], { ...host, ...streams });
    return { code, output: String(streams.output.read() ?? ""), errors: String(streams.errors.read() ?? "") };
  };
  expect((await said()).output).toMatch(/aabbbbbb +Boats[^]*aaaaaaaa +Tides/);
  // What an agent or a person wrote moves no terminal.
  expect(await said("search", "TIDE")).toMatchObject({
    code: 0,
    output: "aaaaaaaa  Tides\naabbbbbb  Boats: you said “Which tide is \\u{1b}[31mit?”\n",
  });
  expect((await said("search", "zzz")).output).toContain("no chat has zzz");
  expect(await said("export", "aa")).toMatchObject({ code: 2, errors: /more than one chat's id/ });
  expect(await said("export", "zz")).toMatchObject({ code: 2, errors: /no chat's id begins with zz/ });
  expect(await said("export")).toMatchObject({ code: 2 });
  expect((await said("export", "aab")).output).toContain("# Boats\n");
  expect(await said("export", "aab", "--json", "-o", "boats.json")).toMatchObject({ code: 0, errors: /exported to/ });
  expect(JSON.parse(readFileSync(join(cwd, "boats.json"), "utf8"))).toMatchObject({ chat: { id: boats }, messages: [{ id: "m1" }] });
  expect(await said("export", "aab", "-o", "boats.json")).toMatchObject({ code: 1, errors: /it already exists/ });
  expect((await said("rename", "aab", "Two", "boats")).output).toBe("renamed: Two boats\n");
  expect((await said("archive", "aab")).output).toBe("archived: Two boats\n");
  expect((await said()).output).not.toContain("boats");
  expect((await said("--archived")).output).toContain("Two boats");
  expect((await said("restore", "aab")).output).toBe("restored: Two boats\n");
  // Nobody is there to say yes.
  expect(await said("delete", "aab")).toMatchObject({ code: 1, output: /removed for good/, errors: /nothing was deleted/ });
  expect(await said("delete", "aab", "--yes")).toMatchObject({ code: 0, output: "deleted: Two boats\n" });
  expect((await said()).output).not.toContain("boats");
  const after = await openStore({ databaseUrl: null, file });
  expect((await after.audit({})).map(({ event }) => event)).toMatchObject([
    { kind: "chat-deleted", chat: boats, session: SESSION, by: "person (terminal)" },
  ]);
  await after.close();
});
