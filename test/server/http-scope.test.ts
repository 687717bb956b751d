// Sessions, roots, asks and grants over HTTP: lists that only shrink, one answer that wins, roots that move, what a yes would open.

import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Script } from "../../src/agent/models/scripted.ts";
import { callId } from "../../src/core/names.ts";
import { routes } from "../../src/wire/http.ts";
import type { Tree } from "../tree.ts";
import { httpStage, type HttpStage, type Json, send, TOKEN } from "./http-stage.ts";
import { naiveServer } from "./naive-server.ts";

const request = (path: string) => ({ calls: [{ name: "request_read_access", input: { path, reason: "to look" } }] });

/** A chat that asks for one path after the other, each after an answer. */
const asks =
  (...paths: string[]) =>
  (at: Tree): Script => [...paths.map((path) => request(at.path(path))), "done", "done", "done"];

async function begun(stage: HttpStage) {
  const session = await stage.client.send(routes.addSession, { body: { workspace: stage.at.path("ws") } });
  const chat = await stage.client.send(routes.addChat, { body: { session: session.id } });
  await stage.client.send(routes.say, { id: chat.id, body: { text: "go" } });
  await stage.server.agent.settled();
  return { session, chat };
}

async function openAsk(stage: HttpStage) {
  const [ask] = await stage.client.send(routes.listAsks, { query: { state: "open" } });
  if (ask === undefined) throw new Error("nothing was asked");
  return ask;
}

async function granted(stage: HttpStage) {
  const it = await begun(stage);
  const { grant } = await stage.client.send(routes.answer, { id: (await openAsk(stage)).id, body: { decision: "allow" } });
  await stage.server.agent.settled();
  if (grant === null) throw new Error("nothing was granted");
  return { ...it, grant };
}

describe("allowed_read_paths", () => {
  const patch = (stage: HttpStage, id: string, paths: readonly string[]) =>
    stage.send(`/api/sessions/${id}`, { method: "PATCH", body: { allowed_read_paths: paths } });

  test("LIF-08 a path cannot be added", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod") });
    const { session } = await granted(stage);
    const lib = stage.at.path("lib");
    for (const paths of [
      ["/etc"],
      [lib, "/etc"],
      [lib, stage.at.path("other")],
      [`${lib}/../other`],
      ["lib"],
      [`${lib}\0`],
      [`${lib}/src`],
      [""],
    ]) {
      expect(await patch(stage, session.id, paths), paths.join()).toMatchObject({ status: 400, code: "bad-request" });
      expect((await stage.client.send(routes.session, { id: session.id })).allowed_read_paths).toEqual([lib]);
    }
    const naive = await naiveServer(TOKEN);
    await send(naive.port, "/v1/session", { method: "PATCH", body: { allowed_read_paths: ["/etc"] } });
    expect(naive.allowed).toEqual(["/etc"]);
  });

  test("LIF-09 a path cannot be exchanged for the one above it", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod") });
    const { session } = await granted(stage);
    expect(await patch(stage, session.id, [stage.at.root])).toMatchObject({ status: 400, code: "bad-request" });
    expect((await stage.client.send(routes.session, { id: session.id })).allowed_read_paths).toEqual([stage.at.path("lib")]);
  });

  test("another spelling of the same name keeps it; leaving it out revokes the grant", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod") });
    const { session, grant } = await granted(stage);
    expect((await patch(stage, session.id, [`${stage.at.root}//lib/./`])).json.allowed_read_paths).toEqual([stage.at.path("lib")]);
    expect((await patch(stage, session.id, [])).json.allowed_read_paths).toEqual([]);
    expect((await stage.server.store.grant(grant.id as never))?.revokedAt).not.toBeNull();
    const said = await stage.client.send(routes.explain, { id: session.id, body: { path: stage.at.path("lib/go.mod") } });
    expect(said).toMatchObject({ verdict: "ask", reason: "out-of-scope", proposal: stage.at.path("lib") });
  });
});

describe("answers", () => {
  test("two devices answer at once: one wins, the other gets 409 and what became of it", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod") });
    await begun(stage);
    const { id } = await openAsk(stage);
    const answers = ["allow", "deny", "allow", "deny"].map((decision) =>
      stage.send(`/api/asks/${id}/answer`, { method: "POST", body: { decision } }),
    );
    const said = await Promise.all(answers);
    expect(said.filter(({ status }) => status === 200).length).toBe(1);
    for (const late of said.filter(({ status }) => status !== 200)) {
      expect(late).toMatchObject({ status: 409, code: "request-closed" });
      expect(late.json.ask).toMatchObject({ id, state: "answered", answer: { by: "person (api)" } });
    }
  });

  test("an answer to another card than the one that is there now is refused", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod") });
    await begun(stage);
    const ask = await openAsk(stage);
    const said = await stage.send(`/api/asks/${ask.id}/answer`, { method: "POST", body: { decision: "allow", digest: "0".repeat(64) } });
    expect(said).toMatchObject({ status: 409, code: "grant-changed" });
    expect(said.json.ask).toMatchObject({ state: "open", digest: ask.digest });
    expect((await stage.client.send(routes.answer, { id: ask.id, body: { decision: "allow", digest: ask.digest } })).grant).not.toBeNull();
  });

  test("the directory replaced between card and answer: nothing is granted", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod") });
    const { session } = await begun(stage);
    const ask = await openAsk(stage);
    renameSync(stage.at.path("lib"), stage.at.path("was-lib"));
    mkdirSync(stage.at.path("lib/.git"), { recursive: true });
    writeFileSync(stage.at.path("lib/go.mod"), "another");
    const said = await stage.send(`/api/asks/${ask.id}/answer`, { method: "POST", body: { decision: "allow" } });
    expect(said).toMatchObject({ status: 409, code: "grant-changed" });
    expect((await stage.client.send(routes.session, { id: session.id })).allowed_read_paths).toEqual([]);
  });

  test("the seed's addresses answer asks of their own chat alone", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod") });
    const { session } = await begun(stage);
    const ask = await openAsk(stage);
    const other = await stage.client.send(routes.addChat, { body: { session: session.id } });
    const body = { ask_id: ask.id, decision: "allow" };
    expect(await stage.send(`/api/chats/${other.id}/grant_read_access`, { method: "POST", body })).toMatchObject({ status: 404 });
    expect(await stage.send(`/api/chats/${ask.chat}/grant_read_access`, { method: "POST", body: { ...body, root: "/" } })).toMatchObject({
      status: 400,
    });
    expect(
      await stage.send(`/api/chats/${ask.chat}/answer_user_input`, { method: "POST", body: { ask_id: ask.id, answer: "yes" } }),
    ).toMatchObject({
      status: 400,
      code: "bad-request",
    });
    const said = await stage.send(`/api/chats/${ask.chat}/grant_read_access`, {
      method: "POST",
      headers: { "x-hallpass-via": "Evil; as=root" },
      body: { ...body, minutes: 60 },
    });
    expect(said.json.grant).toMatchObject({ by: "person (api)", path: stage.at.path("lib") });
    expect(said.json.grant.expires - said.json.grant.at).toBeGreaterThan(59 * 60_000);
  });

  test("what an agent asks is answered at the chat that waits with it, too, and at no other", async () => {
    const stage = await httpStage();
    const { session, chat } = await begun(stage);
    const { credential, session: asking } = await stage.agent();
    const asked = await stage.send("/api/agent/asks", {
      method: "POST",
      token: credential,
      body: { call: "one", tool: "read_file", path: stage.at.path("lib/go.mod"), operation: "read", reason: "to see" },
    });
    const { id } = asked.json.ask;
    // As the loop leaves it while an agent that a call has started asks.
    const call = { id: callId("c"), name: "spawn_agent", input: {}, state: { at: "waiting", ask: id, kind: "pending_grant" } } as const;
    const turn = { role: "agent", id: "turn", at: Date.now(), text: "", calls: [call], usage: null, error: null } as const;
    await stage.server.store.append(chat.id, turn, "waiting_for_input");
    const body = { ask_id: id, decision: "allow" };
    const other = await stage.client.send(routes.addChat, { body: { session: session.id } });
    expect(await stage.send(`/api/chats/${other.id}/grant_read_access`, { method: "POST", body })).toMatchObject({ status: 404 });
    const given = await stage.send(`/api/chats/${chat.id}/grant_read_access`, { method: "POST", body });
    expect([given.status, given.json.grant?.path]).toEqual([200, stage.at.path("lib")]);
    // The grant is the asking agent's.
    expect(given.json.grant.session).toBe(asking);
  });

  describe("a package in a monorepo", () => {
    const mono = async () => {
      const stage = await httpStage({
        script: (at) => {
          const ask = { path: at.path("mono/packages/ui/src/a.ts"), reason: "why" };
          return [{ calls: [{ name: "request_read_access", input: ask }] }, "done"];
        },
      });
      mkdirSync(stage.at.path("mono/.git"), { recursive: true });
      mkdirSync(stage.at.path("mono/packages/ui/src"), { recursive: true });
      for (const name of ["packages/ui/package.json", "packages/ui/src/a.ts", "README.md"])
        writeFileSync(stage.at.path(`mono/${name}`), "{}");
      await begun(stage);
      const ask = await openAsk(stage);
      expect(ask).toMatchObject({
        proposal: { dir: stage.at.path("mono/packages/ui") },
        folder: stage.at.path("mono/packages/ui/src"),
        repository: { dir: stage.at.path("mono"), survey: { files: 3 } },
      });
      const give = (opens?: string) =>
        stage.send(`/api/asks/${ask.id}/answer`, { method: "POST", body: { decision: "allow", digest: ask.digest, opens } });
      return { stage, ask, give };
    };

    test.each([
      [undefined, "mono/packages/ui"],
      ["folder", "mono/packages/ui/src"],
      ["repository", "mono"],
    ])("opens what was chosen and no more: %s", async (opens, path) => {
      const { stage, ask, give } = await mono();
      const { json, status } = await give(opens);
      expect([status, json.grant?.path]).toEqual([200, stage.at.path(path)]);
      expect((await stage.client.send(routes.session, { id: ask.session })).allowed_read_paths).toEqual([stage.at.path(path)]);
      expect(json.ask.answer.opened).toBe(opens === undefined ? undefined : stage.at.path(path));
    });

    test("a folder that is a link by now, and a repository that is another one, are not opened", async () => {
      const one = await mono();
      const [src, moved] = [one.stage.at.path("mono/packages/ui/src"), one.stage.at.path("elsewhere")];
      renameSync(src, moved);
      symlinkSync(moved, src);
      expect(await one.give("folder")).toMatchObject({ code: "grant-changed" });
      const two = await mono();
      const inside = two.stage.at.path("mono/packages/ui");
      rmSync(two.stage.at.path("mono/.git"), { recursive: true });
      mkdirSync(two.stage.at.path("mono/packages/.git"));
      expect(inside).toBe(two.ask.proposal?.dir);
      expect(await two.give("repository")).toMatchObject({ code: "grant-changed" });
      expect((await two.stage.client.send(routes.session, { id: two.ask.session })).allowed_read_paths).toEqual([]);
    });

    test("where nothing else is offered nothing else can be opened", async () => {
      const stage = await httpStage({ script: asks("lib/go.mod") });
      await begun(stage);
      const ask = await openAsk(stage);
      for (const opens of ["folder", "repository"])
        expect(await stage.send(`/api/asks/${ask.id}/answer`, { method: "POST", body: { decision: "allow", opens } })).toMatchObject({
          status: 400,
          code: "bad-request",
        });
    });
  });

  test("a card for a write shows the difference it would make", async () => {
    const stage = await httpStage({
      policy: { write: { "src/**": "ask" } },
      script: () => [{ calls: [{ name: "edit_file", input: { path: "src/b.txt", old: "b", new: "better" } }] }, "done"],
    });
    await begun(stage);
    const ask = await openAsk(stage);
    expect(ask).toMatchObject({ right: "write", offers: "once", reason: "policy-ask" });
    expect(ask.diff).toContain("-b");
    expect(ask.diff).toContain("+better");
    await stage.client.send(routes.answer, { id: ask.id, body: { decision: "allow_once", digest: ask.digest } });
    await stage.server.agent.settled();
    expect(readFileSync(stage.at.path("ws/src/b.txt"), "utf8")).toContain("better");
    // What it changed stays with the call.
    const { messages } = await stage.client.send(routes.messages, { id: ask.chat, query: {} });
    const outcomes = messages.flatMap((message) =>
      message.role === "agent" ? message.calls.flatMap(({ state }) => (state.at === "done" ? [state.outcome] : [])) : [],
    );
    expect(outcomes).toMatchObject([{ ok: true, diff: expect.stringContaining("+better") }]);
  });

  test("a yes is to the change that was shown: where the file is another by then it is refused, and the card shows what would change now", async () => {
    const stage = await httpStage({
      policy: { write: { "src/**": "ask" } },
      script: () => [{ calls: [{ name: "write_file", input: { path: "src/b.txt", content: "new\n" } }] }, "done"],
    });
    await begun(stage);
    const ask = await openAsk(stage);
    expect(ask.changes).toEqual([{ path: "src/b.txt", does: "overwrites", unshown: null }]);
    writeFileSync(stage.at.path("ws/src/b.txt"), "what somebody has written meanwhile\n");
    const body = { decision: "allow_once", digest: ask.digest };
    const late = await stage.send(`/api/asks/${ask.id}/answer`, { method: "POST", body });
    expect([late.status, late.code]).toEqual([409, "grant-changed"]);
    expect(late.json.ask).toMatchObject({ state: "open", diff: expect.stringContaining("-what somebody has written meanwhile") });
    expect(readFileSync(stage.at.path("ws/src/b.txt"), "utf8")).toContain("meanwhile");
    await stage.client.send(routes.answer, { id: ask.id, body: { decision: "allow_once", digest: late.json.ask.digest } });
    await stage.server.agent.settled();
    expect(readFileSync(stage.at.path("ws/src/b.txt"), "utf8")).toBe("new\n");
  });

  test("a card names who asks, and the chain above", async () => {
    const stage = await httpStage();
    const register = (body: object) =>
      stage.send("/api/agents/register", { method: "POST", body: { host: "mcp", workspace: stage.at.path("ws"), ...body } });
    const parent = await register({ hostSession: "p", label: "planner" });
    const child = await register({ hostSession: "c", label: "reader", parent: parent.json.session.id });
    const { json } = await stage.send("/api/agent/asks", {
      method: "POST",
      token: child.json.credential,
      body: { call: "1", tool: "Read", operation: "read", path: stage.at.path("lib/go.mod"), reason: "why not" },
    });
    const card = await stage.client.send(routes.ask, { id: json.ask.id });
    expect(card.asker).toEqual({ host: "mcp", label: "reader", parents: ["planner"], machine: null });
    expect(card.earlier).toEqual([]);
    expect((await register({ hostSession: "c", label: "reader" })).json.session.id).toBe(child.json.session.id);
  });
});

describe("roots", () => {
  test("a yes for one call that was not used ends when the roots change; without a change it serves once", async () => {
    for (const [moves, reads] of [
      [true, false],
      [false, true],
    ]) {
      const script = (at: Tree): Script => [
        request(at.path("lib/go.mod")),
        "stopped",
        { calls: [{ name: "read_file", input: { path: at.path("lib/go.mod") } }] },
        "done",
      ];
      const stage = await httpStage({ script });
      const { session, chat } = await begun(stage);
      await stage.client.send(routes.answer, { id: (await openAsk(stage)).id, body: { decision: "allow_once" } });
      await stage.server.agent.settled();
      if (moves) {
        const body = { path: stage.at.path("other"), mode: "read_only" as const };
        await stage.client.send(routes.addMount, { id: session.id, body });
      }
      await stage.client.send(routes.say, { id: chat.id, body: { text: "go on" } });
      await stage.server.agent.settled();
      const { messages } = await stage.client.send(routes.messages, { id: chat.id });
      const last = messages.flatMap((message) => (message.role === "agent" ? message.calls : [])).at(-1);
      expect([moves, last?.name, last?.state.at === "done" && last.state.outcome.ok]).toEqual([moves, "read_file", reads]);
    }
  });

  test("moving the workspace settles what is in scope now, and closes what can no longer be asked for", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod") });
    const { session, chat } = await begun(stage);
    const ask = await openAsk(stage);
    const moved = await stage.client.send(routes.reanchor, { id: session.id, body: { workspace: stage.at.path("lib") } });
    expect(moved.workspace).toBe(stage.at.path("lib"));
    await stage.server.agent.settled();
    expect((await stage.client.send(routes.ask, { id: ask.id })).state).toBe("closed");
    expect((await stage.client.send(routes.chat, { id: chat.id })).status).toBe("idle");
    expect(JSON.stringify((await stage.client.send(routes.messages, { id: chat.id })).messages)).toContain("already-in-scope");
  });

  test("an ask that is still what was shown stays", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod") });
    const { session } = await begun(stage);
    const ask = await openAsk(stage);
    await stage.client.send(routes.reanchor, { id: session.id, body: { workspace: stage.at.path("other") } });
    expect((await stage.client.send(routes.ask, { id: ask.id })).state).toBe("open");
  });

  test("a workspace that is none changes nothing", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod") });
    const { session } = await begun(stage);
    for (const workspace of [
      stage.at.path("missing"),
      "/",
      stage.at.path("ws/a.txt"),
      "relative",
      `${stage.at.path("ws")}\0`,
      "/proc/self",
    ])
      expect((await stage.send(`/api/sessions/${session.id}/reanchor`, { method: "POST", body: { workspace } })).status, workspace).toBe(
        400,
      );
    expect((await stage.client.send(routes.session, { id: session.id })).workspace).toBe(stage.at.path("ws"));
    expect((await openAsk(stage)).state).toBe("open");
  });

  test("mounts: the same root again changes its mode, an absent one may be taken out, an ask it covers is settled", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod") });
    const { session } = await begun(stage);
    const path = stage.at.path("lib");
    const add = (mode: "read_only" | "extend") => stage.client.send(routes.addMount, { id: session.id, body: { path, mode } });
    expect((await add("read_only")).mounts).toEqual([{ path, mode: "read_only" }]);
    expect(await stage.client.send(routes.listAsks, { query: { state: "open" } })).toEqual([]);
    expect((await add("extend")).mounts).toEqual([{ path, mode: "extend" }]);
    const remove = () => stage.client.send(routes.removeMount, { id: session.id, body: { path } });
    expect((await remove()).mounts).toEqual([]);
    expect((await remove()).mounts).toEqual([]);
  });

  test("mounts may be written as a person types them in a chat: from the workspace, or from home", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod"), files: ["home/notes/"] });
    const { session } = await begun(stage);
    for (const [typed, path] of [
      ["../lib", stage.at.path("lib")],
      ["~/notes", stage.at.path("home/notes")],
    ] as const) {
      const body = { path: typed, mode: "read_only" } as const;
      expect((await stage.client.send(routes.addMount, { id: session.id, body })).mounts).toEqual([{ path, mode: "read_only" }]);
      expect((await stage.client.send(routes.removeMount, { id: session.id, body: { path: typed } })).mounts).toEqual([]);
    }
  });
});

test("a workspace may be written as a person types it; the home directory and the system's own are refused with what to do", async () => {
  const stage = await httpStage({ files: ["home/code/shop/"] });
  const real = stage.at.path("home/code/shop");
  for (const typed of ["~/code/shop", "code/shop", real]) {
    expect((await stage.client.send(routes.addProject, { body: { path: typed } })).path).toBe(real);
    expect((await stage.client.send(routes.addSession, { body: { workspace: typed } })).workspace).toBe(real);
  }
  const refusal = (path: string) => stage.client.send(routes.addProject, { body: { path } }).catch((error: unknown) => String(error));
  expect(await refusal("~")).toContain("that is your home directory; choose a project in it");
  expect(await refusal("/etc")).toContain("that directory belongs to the system");
  expect(await refusal("~/nothing")).toContain("there is no directory `");
});

test("a session opened in a registered project's directory belongs to that project", async () => {
  const stage = await httpStage();
  const project = await stage.client.send(routes.addProject, { body: { path: stage.at.path("ws") } });
  const session = await stage.client.send(routes.addSession, { body: { workspace: stage.at.path("ws") } });
  const other = await stage.client.send(routes.addSession, { body: { workspace: stage.at.path("lib") } });
  expect([session.project, other.project]).toEqual([project.id, null]);
});

describe("looking", () => {
  test("a directory in which no file may be made is not writable, and a link says where it leads", async () => {
    const files = ["ws/.git/HEAD: x", "ws/.git/hooks/", "ws/to-lib => ../lib/go.mod", "ws/to-env => .env", "ws/alias => a.txt"];
    const stage = await httpStage({ files, policy: { write: { "src/**": "ask", lock: "deny" } } });
    const { id } = await stage.client.send(routes.addSession, { body: { workspace: stage.at.path("ws") } });
    const tree = async (path: string): Promise<readonly Json[]> =>
      (await stage.send(`/api/sessions/${id}/tree?path=${stage.at.path(path)}`)).json.entries;
    const states = (await tree("ws")).map(({ name, kind, state, leads }: Json) => [name, kind, state, leads]);
    expect(states).toEqual([
      [".git", "directory", "readable", null],
      ["src", "directory", "writable", null],
      [".env", "file", "withheld", null],
      ["a.txt", "file", "writable", null],
      ["alias", "link", "readable", stage.at.path("ws/a.txt")],
      ["to-env", "link", "withheld", stage.at.path("ws/.env")],
      ["to-lib", "link", "outside", stage.at.path("lib/go.mod")],
    ]);
    expect((await tree("ws/.git")).map(({ name, state }: Json) => [name, state])).toEqual([
      ["hooks", "readable"],
      ["HEAD", "readable"],
    ]);
    // What the picture says is what the guard would decide.
    const create = await stage.client.send(routes.explain, { id, body: { path: ".git/hooks/x", operation: "create" } });
    expect([create.verdict, create.reason]).toEqual(["deny", "protected-path"]);
  });

  test("one directory as the agent has it: secrets by name for the person, and nothing outside", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod") });
    const { session } = await begun(stage);
    const tree = (query: string) => stage.send(`/api/sessions/${session.id}/tree?${query}`);
    const own = (await tree(`path=${stage.at.path("ws")}`)).json;
    expect(own.entries.map(({ name, state, reason }: Json) => [name, state, reason])).toEqual([
      ["src", "writable", "in-workspace"],
      [".env", "withheld", "secret-file"],
      ["a.txt", "writable", "in-workspace"],
    ]);
    expect(await tree(`path=${stage.at.path("lib")}`)).toMatchObject({ status: 403, code: "out-of-scope" });
    expect(await tree(`path=${stage.at.root}`)).toMatchObject({ status: 403 });
    const ask = await openAsk(stage);
    const after = (await tree(`path=${stage.at.path("lib")}&ask=${ask.id}`)).json;
    const states = Object.fromEntries(after.entries.map(({ name, state }: Json) => [name, state]));
    expect(states).toMatchObject({ "go.mod": "readable", src: "readable", ".env": "withheld" });
    expect(await tree(`path=${stage.at.path("other")}&ask=${ask.id}`)).toMatchObject({ status: 403 });
    // Looking granted nothing.
    expect((await stage.client.send(routes.session, { id: session.id })).allowed_read_paths).toEqual([]);
  });

  test("each choice of an ask can be looked at, and shows what that choice opens", async () => {
    const files = ["mono/.git/", "mono/top.txt", "mono/ui/package.json: {}", "mono/ui/src/b.ts", "mono/ui/src/up => ../package.json"];
    const stage = await httpStage({ files, script: asks("mono/ui/src/b.ts") });
    const { session } = await begun(stage);
    const { id } = await openAsk(stage);
    const seen = async (path: string, opens = "") => {
      const query = `path=${stage.at.path(path)}&ask=${id}${opens === "" ? "" : `&opens=${opens}`}`;
      const { status, json } = await stage.send(`/api/sessions/${session.id}/tree?${query}`);
      return status === 200 ? json.entries.map(({ name, state }: Json) => `${name} ${state}`) : status;
    };
    expect(await seen("mono/ui/src")).toEqual(["b.ts readable", "up readable"]);
    expect(await seen("mono")).toBe(403);
    // The folder alone: what a link in it leads to is not opened with it.
    expect(await seen("mono/ui/src", "folder")).toEqual(["b.ts readable", "up outside"]);
    expect(await seen("mono/ui", "folder")).toBe(403);
    expect(await seen("mono", "repository")).toEqual([".git readable", "ui readable", "top.txt readable"]);
    expect(await seen("lib", "repository")).toBe(403);
    // Another directory of the same name is not what a yes would open.
    renameSync(stage.at.path("mono"), stage.at.path("was-mono"));
    cpSync(stage.at.path("was-mono"), stage.at.path("mono"), { recursive: true, verbatimSymlinks: true });
    expect(await seen("mono", "repository")).toBe(409);
  });

  test("completion knows what is in scope and no secrets", async () => {
    const stage = await httpStage();
    const session = await stage.client.send(routes.addSession, { body: { workspace: stage.at.path("ws") } });
    const complete = (prefix: string) => stage.client.send(routes.complete, { id: session.id, query: { prefix } });
    expect(await complete("")).toEqual(expect.arrayContaining(["a.txt", "src/"]));
    expect(await complete("s")).toEqual(["src/", "src/b.txt"]);
    expect(await complete(`${stage.at.path("ws")}/a`)).toEqual([stage.at.path("ws/a.txt")]);
    expect(await complete(".e")).toEqual([]);
    for (const prefix of [`${stage.at.path("lib")}/`, "/etc/", "../lib/", "\0"]) expect(await complete(prefix), prefix).toEqual([]);
    // Anywhere in the roots, by characters in their order; a mounted directory too, with its whole path, and its secrets never.
    mkdirSync(stage.at.path("ws/src/deep"));
    mkdirSync(stage.at.path("lib/src"), { recursive: true });
    writeFileSync(stage.at.path("ws/src/deep/shopping-cart.ts"), "");
    writeFileSync(stage.at.path("lib/src/cartesian.ts"), "");
    writeFileSync(stage.at.path("lib/.env"), "CART=1");
    expect(await complete("shcart")).toEqual(["src/deep/shopping-cart.ts"]);
    expect(await complete("cartes")).toEqual([]);
    await stage.client.send(routes.addMount, { id: session.id, body: { path: stage.at.path("lib"), mode: "read_only" } });
    expect(await complete("cartes")).toEqual([stage.at.path("lib/src/cartesian.ts")]);
    expect(await complete("lib/src/c")).toEqual([stage.at.path("lib/src/cartesian.ts")]);
    for (const prefix of ["env", ".env", "lib/.e", `${stage.at.path("lib")}/.e`]) expect(await complete(prefix), prefix).toEqual([]);
    await stage.client.send(routes.removeMount, { id: session.id, body: { path: stage.at.path("lib") } });
    expect(await complete("cartes")).toEqual([]);
    // Completing records nothing; what was mounted and taken out does.
    const { records } = await stage.client.send(routes.audit, {});
    expect(records.map(({ event }) => event.kind)).toEqual(["roots-changed", "roots-changed"]);
  });

  test("an access is explained and not recorded", async () => {
    const stage = await httpStage();
    const session = await stage.client.send(routes.addSession, { body: { workspace: stage.at.path("ws") } });
    const said = await stage.client.send(routes.explain, { id: session.id, body: { path: ".env" } });
    expect(said).toMatchObject({ verdict: "deny", reason: "secret-file" });
    expect(said.headline).toContain("list of secrets");
    expect(said.notes).toEqual([expect.stringContaining("secrets.except")]);
    expect(said.lines.join()).not.toContain(said.notes[0]);
    expect((await stage.client.send(routes.audit, {})).records).toEqual([]);
  });
});

describe("what ends", () => {
  test("an archived session closes its asks, ends its grants and takes nothing any more", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod", "other/y.txt") });
    const { session, chat } = await granted(stage);
    expect((await openAsk(stage)).proposal?.dir).toBe(stage.at.path("other"));
    const ended = await stage.client.send(routes.archiveSession, { id: session.id });
    expect(ended.archivedAt).not.toBeNull();
    expect(await stage.client.send(routes.listAsks, { query: { state: "open" } })).toEqual([]);
    expect(await stage.client.send(routes.listGrants, {})).toEqual([]);
    const refused = { status: 409, code: "session-closed" };
    expect(await stage.send(`/api/chats/${chat.id}/messages`, { method: "POST", body: { text: "hello" } })).toMatchObject(refused);
    expect(await stage.send("/api/chats", { method: "POST", body: { session: session.id } })).toMatchObject(refused);
    expect((await stage.client.send(routes.listSessions, { query: { archived: "true" } })).map(({ id }) => id)).toEqual([session.id]);
  });

  test("everything granted is revoked at once", async () => {
    const stage = await httpStage({ script: asks("lib/go.mod", "other/y.txt") });
    const { session } = await granted(stage);
    await stage.client.send(routes.answer, { id: (await openAsk(stage)).id, body: { decision: "allow" } });
    const still = { mounts: [], rules: [], network: false, unknownOn: null };
    expect(await stage.client.send(routes.revokeAll, { id: session.id })).toEqual({ revoked: 2, ...still });
    expect(await stage.client.send(routes.revokeAll, { id: session.id })).toEqual({ revoked: 0, ...still });
  });
});
