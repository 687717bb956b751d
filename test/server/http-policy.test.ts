// Policy and record over HTTP: shown with file and line, tried as a draft, saved only over what was read; a grant kept for good; what an
// agent records is its own.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { whyUntrusted } from "../../src/config/untrusted-locations.ts";
import { explainRevoked, explainRevokedAll } from "../../src/core/guard/explain.ts";
import { routes } from "../../src/wire/http.ts";
import { httpStage, type HttpStage } from "./http-stage.ts";

const operatorFile = (stage: HttpStage): string => stage.at.path("home/.config/hallpass/policy.json");

async function agentGrant(stage: HttpStage, path = "lib/go.mod") {
  const agent = await stage.agent();
  const { json } = await stage.send("/api/agent/asks", {
    method: "POST",
    token: agent.credential,
    body: { call: "c1", tool: "Read", operation: "read", path: stage.at.path(path), reason: "to look" },
  });
  const answered = await stage.client.send(routes.answer, { id: json.ask.id, body: { decision: "allow" } });
  if (answered.grant === null) throw new Error("nothing was granted");
  return { agent, grant: answered.grant };
}

describe("the policy", () => {
  test("is shown layer by layer, each rule with its file and line", async () => {
    const stage = await httpStage({
      policy: { read: { "/opt/docs/**": "allow" } },
      files: ['ws/.hallpass/policy.json: {"read": {"src/private": "deny"}}'],
    });
    const shown = await stage.client.send(routes.policy, { query: { workspace: stage.at.path("ws") } });
    expect(shown.layers.map(({ author }) => author)).toEqual(["builtin", "administrator", "operator", "project"]);
    const operator = shown.layers.find(({ author }) => author === "operator");
    expect(operator).toMatchObject({
      exists: true,
      file: operatorFile(stage),
      rules: [{ glob: "/opt/docs/**", verdict: "allow", line: 4 }],
    });
    expect(operator?.text).toContain("// mine");
    expect(shown.layers.find(({ author }) => author === "project")?.rules).toMatchObject([{ glob: "src/private", verdict: "deny" }]);
    expect(shown.layers[0]?.rules.some(({ glob }) => glob === ".env" || glob.includes(".env"))).toBe(true);
    expect(shown.preset).toBe("balanced");
  });

  test("a malformed file is told with its line, and everything is denied until it is mended", async () => {
    const stage = await httpStage();
    writeFileSync(operatorFile(stage), '{\n  "raed": {}\n}\n');
    const shown = await stage.client.send(routes.policy, { query: {} });
    expect(shown.findings).toMatchObject([{ severity: "error", line: 2, file: operatorFile(stage) }]);
    expect(await stage.send("/api/sessions", { method: "POST", body: { workspace: stage.at.path("ws") } })).toMatchObject({
      status: 409,
      code: "invalid-policy",
    });
  });

  test("one that a word of the environment leads into the workspace is not shown as holding, and it is said why", async () => {
    const env: Record<string, string> = {};
    const stage = await httpStage({ env, files: ['ws/cfg/hallpass/policy.json: {"preset": "open-read", "read": {"/opt/**": "allow"}}'] });
    const at = async (workspace: string) => stage.client.send(routes.policy, { query: { workspace: stage.at.path(workspace) } });
    env["XDG_CONFIG_HOME"] = stage.at.path("ws/cfg");
    const shown = await at("ws");
    const why = whyUntrusted({ home: stage.at.path("home"), env, platform: "linux", workspace: stage.at.path("ws") });
    expect(shown.findings).toEqual([{ severity: "error", message: why, file: null, line: null, column: null }]);
    expect(why).toContain("nothing is taken from there, and everything is denied: unset XDG_CONFIG_HOME");
    expect(shown).toMatchObject({ preset: "balanced" });
    expect(shown.layers.flatMap(({ author, rules }) => (author === "builtin" ? [] : rules))).toEqual([]);
    const body = { workspace: stage.at.path("ws"), path: stage.at.path("ws/a.txt"), text: "{}" };
    expect(await stage.send("/api/policy/try", { method: "POST", body })).toMatchObject({ status: 409, code: "invalid-policy" });
    // Beside another workspace the same words are the operator's.
    expect(await at("other")).toMatchObject({
      preset: "open-read",
      findings: [{ severity: "warning", message: expect.stringContaining("`open-read`") }],
    });
  });

  test("what lies behind a link of the repository is not shown as its policy", async () => {
    const stage = await httpStage({ files: ['lib/kept/policy.json: {"secret": "KEPT"}', "ws/.hallpass => ../lib/kept"] });
    const { layers, findings } = await stage.client.send(routes.policy, { query: { workspace: stage.at.path("ws") } });
    expect(layers.find(({ author }) => author === "project")).toMatchObject({ exists: false, text: null });
    expect(findings).toMatchObject([{ severity: "error", message: expect.stringContaining("lies behind a link") }]);
    expect(readFileSync(stage.at.path("ws/.hallpass/policy.json"), "utf8")).toContain("KEPT");
  });

  test("a text is looked through without being saved", async () => {
    const stage = await httpStage();
    const lint = async (text: string) => (await stage.client.send(routes.lintPolicy, { body: { text } })).findings;
    expect(await lint("{}")).toEqual([]);
    expect(await lint('{"read": "maybe"}')).toMatchObject([{ severity: "error", line: 1 }]);
    expect(await lint('{"read": {"/etc/**": "allow",\n"/etc/b": "allow"}}')).toMatchObject([{ severity: "warning", line: 2 }]);
  });

  test("a draft is tried on a path, and only tried", async () => {
    const stage = await httpStage();
    const asked = { workspace: stage.at.path("ws"), path: stage.at.path("lib/go.mod") };
    const tried = async (text?: string) =>
      (await stage.client.send(routes.tryPolicy, { body: { ...asked, ...(text === undefined ? {} : { text }) } })).verdict;
    expect(await tried()).toBe("ask");
    expect(await tried(JSON.stringify({ read: { [`${stage.at.path("lib")}/**`]: "allow" } }))).toBe("allow");
    expect(await tried(JSON.stringify({ read: { [stage.at.path("lib")]: "deny" } }))).toBe("deny");
    expect(await tried()).toBe("ask");
    expect(await stage.send("/api/policy/try", { method: "POST", body: { ...asked, text: "{" } })).toMatchObject({
      status: 400,
      code: "invalid-policy",
    });
    const secret = await stage.client.send(routes.tryPolicy, {
      body: { ...asked, path: stage.at.path("lib/.env"), text: JSON.stringify({ read: { [`${stage.at.path("lib")}/**`]: "allow" } }) },
    });
    expect(secret).toMatchObject({ verdict: "deny", reason: "secret-file" });
  });

  test("is saved whole, only over what was read, and only if it is well-formed", async () => {
    const stage = await httpStage();
    const file = operatorFile(stage);
    const before = readFileSync(file, "utf8");
    const save = (body: object) => stage.send("/api/policy/operator", { method: "PUT", body });
    expect(await save({ text: "{", before })).toMatchObject({ status: 400, code: "invalid-policy" });
    expect(await save({ text: "{}", before: "{}" })).toMatchObject({ status: 409, code: "stale-path" });
    expect(await save({ text: "{}", before: null })).toMatchObject({ status: 409, code: "stale-path" });
    expect(readFileSync(file, "utf8")).toBe(before);
    const text = `// better\n${JSON.stringify({ ceilings: [stage.at.root], read: { [`${stage.at.path("lib")}/**`]: "allow" } })}\n`;
    expect(await save({ text, before })).toMatchObject({ status: 200, json: { file } });
    expect(readFileSync(file, "utf8")).toBe(text);
    const session = await stage.client.send(routes.addSession, { body: { workspace: stage.at.path("ws") } });
    const said = await stage.client.send(routes.explain, { id: session.id, body: { path: stage.at.path("lib/go.mod") } });
    expect(said).toMatchObject({ verdict: "allow", reason: "policy-allow" });
    const fresh = await httpStage({ env: { XDG_CONFIG_HOME: stage.at.path("home/fresh") } });
    expect(await fresh.send("/api/policy/operator", { method: "PUT", body: { text: "{}", before: null } })).toMatchObject({ status: 200 });
    expect(statSync(stage.at.path("home/fresh/hallpass/policy.json")).mode & 0o777).toBe(0o600);
  });
});

describe("a grant kept for its workspace", () => {
  test("is a line in the operator's file, with every comment where it was, and holds in another session", async () => {
    const stage = await httpStage();
    const file = operatorFile(stage);
    writeFileSync(
      file,
      `// mine\n{\n  // nothing about taxes\n  "read": {\n    "~/taxes": "deny", // never\n  },\n  "ceilings": ["${stage.at.root}"],\n}\n`,
    );
    const { grant } = await agentGrant(stage);
    const kept = await stage.client.send(routes.keepGrant, { id: grant.id });
    const text = readFileSync(file, "utf8");
    expect(kept.file).toBe(file);
    expect(text.split("\n")[kept.line - 1]).toContain(`"${stage.at.path("lib")}/**": "allow"`);
    for (const comment of ["// mine", "// nothing about taxes", "// never"]) expect(text).toContain(comment);
    expect(await stage.client.send(routes.keepGrant, { id: grant.id })).toEqual(kept);
    expect(readFileSync(file, "utf8")).toBe(text);
    const other = await stage.client.send(routes.addSession, { body: { workspace: stage.at.path("ws") } });
    const explain = (path: string) => stage.client.send(routes.explain, { id: other.id, body: { path: stage.at.path(path) } });
    expect(await explain("lib/go.mod")).toMatchObject({ verdict: "allow", reason: "policy-allow" });
    expect(await explain("lib/.env")).toMatchObject({ verdict: "deny" });
    expect(await explain("other/y.txt")).toMatchObject({ verdict: "ask" });
    // A session in another workspace asks, as it did.
    const elsewhere = await stage.client.send(routes.addSession, { body: { workspace: stage.at.path("other") } });
    const there = { id: elsewhere.id, body: { path: stage.at.path("lib/go.mod") } };
    expect(await stage.client.send(routes.explain, there)).toMatchObject({ verdict: "ask" });
    // Revoked, the rule is gone with the grant: in every session, and from the file.
    expect(await stage.client.send(routes.revoke, { id: grant.id })).toMatchObject({ allowedBy: null });
    expect(await explain("lib/go.mod")).toMatchObject({ verdict: "ask" });
    const after = readFileSync(file, "utf8");
    expect(after).not.toContain(stage.at.path("lib"));
    for (const comment of ["// mine", "// nothing about taxes", "// never"]) expect(after).toContain(comment);
  });

  test("is given and kept with one answer; where it cannot be kept the grant stands, and the answer says why", async () => {
    const stage = await httpStage({ files: ["odd*name/.git/", "odd*name/z.txt: z"] });
    const { credential } = await stage.agent();
    const answered = async (path: string) => {
      const body = { call: path, tool: "Read", operation: "read", path: stage.at.path(path), reason: null };
      const { json } = await stage.send("/api/agent/asks", { method: "POST", token: credential, body });
      return stage.client.send(routes.answer, { id: json.ask.id, body: { decision: "allow", keep: true } });
    };
    const { kept, notKept, grant } = await answered("lib/go.mod");
    expect([kept?.file, notKept, grant?.path]).toEqual([operatorFile(stage), null, stage.at.path("lib")]);
    expect(readFileSync(operatorFile(stage), "utf8").split("\n")[(kept?.line ?? 0) - 1]).toContain(`"${stage.at.path("lib")}/**": "allow"`);
    expect(await answered("odd*name/z.txt")).toMatchObject({
      kept: null,
      notKept: expect.stringContaining("which a rule would read as a pattern"),
      grant: { path: stage.at.path("odd*name"), live: true },
    });
  });

  test("stands in the list of kept rules with its place, who kept it and what was read by it; revoked there, the next read asks", async () => {
    const stage = await httpStage();
    const { grant } = await agentGrant(stage);
    const at = await stage.client.send(routes.keepGrant, { id: grant.id });
    const dir = stage.at.path("lib");
    const listed = () => stage.client.send(routes.listKeptRules, {});
    const rule = { workspace: stage.at.path("ws"), path: `${dir}/**`, at, kept: { by: "person (test)", at: expect.any(Number) } };
    expect(await listed()).toMatchObject([{ ...rule, reads: 0, lastRead: null, complete: true }]);
    // Another agent of the same workspace reads by the rule alone.
    const other = await stage.agent();
    const decide = async (call: string) =>
      (
        await stage.send("/api/agent/decide", {
          method: "POST",
          token: other.credential,
          body: { call, tool: "Read", operation: "read", path: stage.at.path("lib/go.mod") },
        })
      ).json.verdict as string;
    expect(await decide("r1")).toBe("allow");
    const [kept] = await listed();
    expect(kept).toMatchObject({ reads: 1, lastRead: expect.any(Number) });
    expect(await stage.client.send(routes.keptRuleReads, { id: kept?.id ?? "", query: {} })).toMatchObject([
      { path: stage.at.path("lib/go.mod"), tool: "Read", operation: "read" },
    ]);
    const ended = await stage.client.send(routes.revokeKeptRule, { id: kept?.id ?? "" });
    // The grant for the same directory ends with the rule, and nothing else allows it.
    expect(ended).toMatchObject({ revoked: 1, allowedBy: null, within: null, unknownOn: null });
    expect(await decide("r2")).toBe("ask");
    expect(await listed()).toEqual([]);
    expect(await stage.client.send(routes.listGrants, {})).toEqual([]);
    expect(await stage.send(`/api/kept_rules/${kept?.id}/revoke`, { method: "POST" })).toMatchObject({ status: 404 });
  });

  test("a workspace that is named from home or with one word for all of it is listed too, and both are taken out", async () => {
    const stage = await httpStage();
    const file = operatorFile(stage);
    writeFileSync(
      file,
      `{\n  "workspaces": {\n    "~/app": { "read": "allow" },\n    "/srv/x": { "read": { "/opt/y/**": "allow", "/opt/z": "deny" } }\n  }\n}\n`,
    );
    const all = await stage.client.send(routes.listKeptRules, {});
    expect(all).toMatchObject([
      { workspace: stage.at.path("home/app"), path: "*", at: { file, line: 3 }, kept: null },
      { workspace: "/srv/x", path: "/opt/y/**", at: { file, line: 4 }, kept: null },
    ]);
    for (const { id } of all) await stage.client.send(routes.revokeKeptRule, { id });
    expect(await stage.client.send(routes.listKeptRules, {})).toEqual([]);
    expect(readFileSync(file, "utf8")).toContain(`"/opt/z": "deny"`);
  });

  test("revoked where a mount of the session holds it too, the answer says so", async () => {
    const stage = await httpStage();
    const { agent, grant } = await agentGrant(stage);
    await stage.client.send(routes.addMount, { id: agent.session, body: { path: stage.at.path("lib"), mode: "read_only" } });
    expect(await stage.client.send(routes.revoke, { id: grant.id })).toMatchObject({ allowedBy: null, within: stage.at.path("lib") });
  });

  test("revoked where another rule still allows it, the answer says which, with file and line", async () => {
    const stage = await httpStage();
    const { grant } = await agentGrant(stage);
    const file = operatorFile(stage);
    writeFileSync(file, `{\n  "read": {\n    "${stage.at.path("lib")}/**": "allow"\n  },\n  "ceilings": ["${stage.at.root}"]\n}\n`);
    expect(await stage.client.send(routes.revoke, { id: grant.id })).toMatchObject({ allowedBy: { file, line: 3 } });
  });

  test("revoked where something in it is open by itself, or by a rule, the answer says which", async () => {
    const stage = await httpStage();
    const { agent, grant } = await agentGrant(stage);
    const file = operatorFile(stage);
    writeFileSync(file, `{\n  "read": {\n    "**/*.md": "allow"\n  },\n  "ceilings": ["${stage.at.root}"]\n}\n`);
    await stage.client.send(routes.addMount, { id: agent.session, body: { path: stage.at.path("lib/src"), mode: "read_only" } });
    const ended = await stage.client.send(routes.revoke, { id: grant.id });
    expect(ended).toMatchObject({ allowedBy: null, within: null, inside: [stage.at.path("lib/src")], partlyBy: { file, line: 3 } });
    expect(explainRevoked(ended.path, ended)).toEqual({
      isShut: false,
      text: `${ended.path} was revoked, and some of it can still be read: ${stage.at.path("lib/src")} in it is open separately; a rule of the policy may allow it, ${file}:3`,
    });
  });

  test("revoked while another session has a grant of its own for it, the answer says so", async () => {
    const stage = await httpStage();
    const [{ grant: first }, { grant: second }] = [await agentGrant(stage), await agentGrant(stage)];
    const ended = await stage.client.send(routes.revoke, { id: first.id });
    expect(explainRevoked(ended.path, ended)).toEqual({
      isShut: false,
      text: `${ended.path} is shut again, but for 1 other session with a grant of its own`,
    });
    const last = await stage.client.send(routes.revoke, { id: second.id });
    expect(explainRevoked(last.path, last)).toEqual({ isShut: true, text: `${last.path} is shut again` });
  });

  test("where everything is revoked, the answer names what mounts and rules still open", async () => {
    const stage = await httpStage();
    const { agent } = await agentGrant(stage);
    const file = operatorFile(stage);
    writeFileSync(file, `{\n  "read": {\n    "/opt/notes/**": "allow"\n  },\n  "ceilings": ["${stage.at.root}"]\n}\n`);
    await stage.client.send(routes.addMount, { id: agent.session, body: { path: stage.at.path("lib/src"), mode: "read_only" } });
    const after = await stage.client.send(routes.revokeAll, { id: agent.session });
    expect(explainRevokedAll(after)).toEqual({
      isShut: false,
      text: `revoked 1 grant; besides the workspace, still open: mounted: ${stage.at.path("lib/src")}; allowed by rules of the policy: /opt/notes/** (${file}:3)`,
    });
  });

  test("a single word for reading stays, and the rest of it is denied still", async () => {
    const stage = await httpStage();
    const { grant } = await agentGrant(stage);
    writeFileSync(operatorFile(stage), `{"read": "deny", "ceilings": ["${stage.at.root}"]}\n`);
    await stage.client.send(routes.keepGrant, { id: grant.id });
    const shown = await stage.client.send(routes.policy, { query: {} });
    expect(shown.findings).toEqual([]);
    const tried = (path: string) =>
      stage.client.send(routes.tryPolicy, { body: { workspace: stage.at.path("ws"), path: stage.at.path(path) } });
    expect((await tried("lib/go.mod")).verdict).toBe("allow");
    expect((await tried("other/y.txt")).verdict).toBe("deny");
    expect(readFileSync(operatorFile(stage), "utf8")).toContain(`"read": "deny"`);
  });

  test("not where the grant is over, the name would be a pattern, or a rule above speaks already", async () => {
    const stage = await httpStage({ files: ["odd*name/.git/", "odd*name/z.txt: z"] });
    const { grant } = await agentGrant(stage);
    const odd = await agentGrant(stage, "odd*name/z.txt");
    expect(await stage.send(`/api/grants/${odd.grant.id}/keep`, { method: "POST" })).toMatchObject({ status: 400, code: "bad-request" });
    writeFileSync(operatorFile(stage), `{"read": {"${stage.at.root}/**": "ask"}, "ceilings": ["${stage.at.root}"]}\n`);
    expect(await stage.send(`/api/grants/${grant.id}/keep`, { method: "POST" })).toMatchObject({ status: 409 });
    await stage.client.send(routes.revoke, { id: grant.id });
    expect(await stage.send(`/api/grants/${grant.id}/keep`, { method: "POST" })).toMatchObject({ status: 409, code: "grant-revoked" });
  });
});

describe("the record", () => {
  test("is looked through newest first and given whole, a line an event", async () => {
    const stage = await httpStage();
    const { agent, grant } = await agentGrant(stage);
    const decide = (call: string) =>
      stage.send("/api/agent/decide", {
        method: "POST",
        token: agent.credential,
        body: { call, tool: "Read", operation: "read", path: stage.at.path("lib/go.mod") },
      });
    for (const call of ["d1", "d2", "d3"]) await decide(call);
    const page = await stage.client.send(routes.audit, { query: { limit: 2 } });
    expect(page.records.map(({ event }) => event["call"])).toEqual(["d3", "d2"]);
    expect(page.next).toBe(page.records[1]?.sequence);
    const { records, next } = await stage.client.send(routes.audit, { query: { path: "lib/go.m", kind: "decision", limit: 2 } });
    expect([records.map(({ event }) => event["call"]), next]).toEqual([["d3", "d2"], records[1]?.sequence]);
    expect(await stage.client.send(routes.audit, { query: { path: "lib/go.x" } })).toEqual({ records: [], next: null });
    const kinds = await stage.client.send(routes.audit, { query: { kind: "grant" } });
    expect(kinds.records).toMatchObject([{ event: { kind: "grant", grant: grant.id, by: "person (test)" } }]);
    expect((await stage.client.send(routes.audit, { query: { kind: "nothing" } })).records).toEqual([]);
    const lines = (await stage.client.send(routes.exportAudit, {})).trim().split("\n");
    expect(lines.length).toBe(await stage.server.store.audit({}).then((all) => all.length));
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ sequence: 1, event: { kind: "decision" } });
    expect((await stage.client.send(routes.grantReads, { id: grant.id, query: { limit: 10 } })).length).toBe(3);
  });

  test("while it is exported others are served: the loop has a turn between two pages", async () => {
    const stage = await httpStage();
    await agentGrant(stage);
    const [first] = await stage.server.store.audit({ limit: 1 });
    if (first === undefined) throw new Error("nothing was recorded");
    await stage.server.store.record(Array.from({ length: 4000 }, () => first.event));
    let [turns, isOver] = [0, false];
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    let lines = 0;
    for await (const line of stage.client.lines(routes.exportAudit, {})) lines += line === "" ? 0 : 1;
    isOver = true;
    expect(lines).toBeGreaterThan(4000);
    expect(turns).toBeGreaterThanOrEqual(8);
  });

  test("an agent records its own decisions, under its own session and grants, at a time that can be", async () => {
    const stage = await httpStage();
    const [a, b] = [await agentGrant(stage), await agentGrant(stage)];
    const event = {
      kind: "decision",
      at: 99_999_999_999_999,
      session: b.agent.session,
      call: "x1",
      tool: "Read",
      operation: "read",
      requested: "/x",
      real: "/x",
      verdict: "allow",
      reason: "in-grant",
      rule: null,
      root: null,
      grant: b.grant.id,
      ask: null,
      fault: null,
    };
    const record = (events: readonly unknown[]) =>
      stage.send("/api/agent/record", { method: "POST", token: a.agent.credential, body: { events } });
    expect((await record([event])).json).toEqual({ recorded: 1 });
    const [last] = (await stage.client.send(routes.audit, { query: { limit: 1 } })).records;
    expect(last?.event).toMatchObject({ call: "x1", session: a.agent.session, grant: null });
    // The store's clock does not follow each step of the machine's.
    expect(last?.event.at).toBeLessThanOrEqual(Date.now() + 60_000);
    for (const wrong of [
      { ...event, kind: "grant" },
      { ...event, kind: "answer" },
      { ...event, verdict: "yes" },
      { ...event, extra: 1 },
      { kind: "decision" },
    ]) {
      expect((await record([event, wrong])).status).toBe(400);
    }
    expect((await stage.client.send(routes.audit, { query: { limit: 1 } })).records[0]?.sequence).toBe(last?.sequence);
  });
});

describe("agents from elsewhere", () => {
  test("a waiting agent hears of the answer as soon as it is given", async () => {
    const stage = await httpStage();
    const agent = await stage.agent();
    const ask = async (call: string) =>
      (
        await stage.send("/api/agent/asks", {
          method: "POST",
          token: agent.credential,
          body: { call, tool: "Read", operation: "read", path: stage.at.path("lib/go.mod"), reason: "to look" },
        })
      ).json;
    const { ask: waiting } = await ask("c1");
    const began = performance.now();
    const heard = stage.send(`/api/agent/asks/${waiting.id}?wait=20`, { token: agent.credential });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await stage.client.send(routes.answer, { id: waiting.id, body: { decision: "allow" } });
    expect((await heard).json).toMatchObject({ state: "answered" });
    // Told, and not found when its time was over.
    expect(performance.now() - began).toBeLessThan(18_000);
    const state = await stage.send("/api/agent/session", { token: agent.credential });
    expect(state.json.session.allowed_read_paths).toEqual([stage.at.path("lib")]);
    const judging = await stage.client.send(routes.agentState, { id: agent.session, query: {} });
    expect(judging.grants).toMatchObject([{ path: stage.at.path("lib") }]);
    expect(await ask("c2")).toMatchObject({ state: "done", ok: true });
  });

  test("asks are limited, and too many are told so", async () => {
    const stage = await httpStage({ asksPerMinute: 2, files: ["r1/.git/", "r2/.git/", "r3/.git/"] });
    const agent = await stage.agent();
    const said = [];
    for (const place of ["r1", "r2", "r3"])
      said.push(
        await stage.send("/api/agent/asks", {
          method: "POST",
          token: agent.credential,
          body: { call: place, tool: "Read", operation: "read", path: stage.at.path(`${place}/f`), reason: null },
        }),
      );
    expect(said.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(said[2]).toMatchObject({ code: "rate-limited" });
    expect(said[2]?.headers["retry-after"]).toBe("60");
  });

  test("an agent may give up its ask", async () => {
    const stage = await httpStage();
    const agent = await stage.agent();
    const { json } = await stage.send("/api/agent/asks", {
      method: "POST",
      token: agent.credential,
      body: { call: "c1", tool: "Read", operation: "read", path: stage.at.path("lib/go.mod"), reason: "to look" },
    });
    const given = await stage.send(`/api/agent/asks/${json.ask.id}/cancel`, { method: "POST", token: agent.credential });
    expect(given.json.state).toBe("closed");
    expect(await stage.send(`/api/asks/${json.ask.id}/answer`, { method: "POST", body: { decision: "allow" } })).toMatchObject({
      status: 409,
      code: "request-closed",
    });
  });
});
