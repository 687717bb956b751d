import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { NETWORK } from "../../core/access.ts";
import { callId, sessionId } from "../../core/names.ts";
import { agentMessage, grantAsk, someChat, someGrant, someSession, yes } from "../../../test/store-conformance/values.ts";
import { openStore } from "../../store/open.ts";
import { run } from "../main.ts";

test("a session is ended by the first characters of its id, and is no longer listed", async () => {
  const on = mkdtempSync(join(tmpdir(), "hallpass-sessions-"));
  onTestFinished(() => rmSync(on, { recursive: true, force: true }));
  const [data, home, cwd] = [join(on, "data"), join(on, "home"), join(on, "ws")];
  for (const dir of [home, cwd]) mkdirSync(dir);
  const file = join(data, "hallpass.db");
  const ids = ["aaaaaaaaaaaaaaaaaaaa", "aabbbbbbbbbbbbbbbbbb", "cccccccccccccccccccc"];
  const store = await openStore({ databaseUrl: null, file });
  for (const id of ids) await store.addSession(someSession({ id: sessionId(id), workspace: cwd, label: id.slice(0, 3) }), []);
  // The network is granted, which is in no list of directories.
  const session = sessionId(ids[2] ?? "");
  await store.addChat(someChat({ id: "chat", session }));
  await store.append("chat", agentMessage("turn", [callId("call-0")]), null);
  await store.openAsk(grantAsk(0, { session, chat: "chat", path: NETWORK }));
  const grant = someGrant({ session, path: NETWORK });
  expect(await store.answerAsk(grant.ask, yes, { grant, calls: [], events: [] })).toBe(true);
  await store.close();
  const said = async (...words: readonly string[]) => {
    const streams = { output: new PassThrough(), errors: new PassThrough() };
    const code = await run(["sessions", ...words], {
      cwd,
      home,
      env: { HALLPASS_DATA: data },
      platform: "linux",
      input: new PassThrough(),
      ...streams,
    });
    return { code, output: String(streams.output.read() ?? ""), errors: String(streams.errors.read() ?? "") };
  };
  expect((await said()).output).toMatch(/^cccccccc +ccc on machine +\S+ +1 +0 /mu);
  expect(await said("end", "aa")).toMatchObject({ code: 2, errors: /more than one open session's id/ });
  expect(await said("end", "zz")).toMatchObject({ code: 2, errors: /no open session/ });
  expect(await said("end")).toMatchObject({ code: 2 });
  expect(await said("end", "ccc")).toMatchObject({ code: 0, output: `ended: ccc on machine in ${cwd}; 1 grant ended with it\n` });
  expect(await said("end", "ccc")).toMatchObject({ code: 2 });
  expect((await said()).output).not.toContain("cccc");
  // Of those that have ended it says why.
  const ending = await openStore({ databaseUrl: null, file });
  await ending.archiveSession({ kind: "session-ended", at: 5, session: sessionId(ids[1] ?? ""), by: "hallpass", why: "idle" });
  await ending.close();
  const all = (await said("--all")).output;
  expect(all).toMatch(/^cccccccc .* ended: a person ended it$/mu);
  expect(all).toMatch(/^aabbbbbb .* ended: nobody used it for long$/mu);
  expect(all).toMatch(/^aaaaaaaa .* ago$/mu);
  const after = await openStore({ databaseUrl: null, file });
  expect((await after.audit({})).map(({ event }) => event)).toMatchObject([
    { kind: "session-ended", session: ids[2], by: "person (terminal)", why: "person" },
    { kind: "session-ended", session: ids[1], by: "hallpass", why: "idle" },
  ]);
  await after.close();
});
