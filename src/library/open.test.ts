// The front door: what it finds, what it does by default, and that every result is one level deep.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AuditEvent } from "../core/audit.ts";
import { open, type OpenOptions } from "./open.ts";

let home = "";
const at = (path: string): string => join(home, path);
const put = (path: string, text: string): void => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
};
const opened = (options: Partial<OpenOptions> = {}) => open({ workspace: at("app"), home, env: {}, ...options });

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-open-")));
  put("app/main.ts", "export {};\n");
  put("app/.env", "TOKEN=1\n");
  put("library/go.mod", "module library\n");
  put("library/.env", "TOKEN=2\n");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test("it says what it found: the real workspace, home and data directory, which policy files hold and what in them does not count", async () => {
  symlinkSync(at("app"), at("link"));
  put(".config/hallpass/policy.json", JSON.stringify({ preset: "balanced" }));
  put("app/.hallpass/policy.json", JSON.stringify({ read: { "~/**": "allow" } }));
  const { found } = await opened({ workspace: at("link") });
  expect(found).toMatchObject({
    workspace: at("app"),
    home,
    data: at(".local/share/hallpass"),
    policies: [
      { author: "operator", file: at(".config/hallpass/policy.json") },
      { author: "project", file: at("app/.hallpass/policy.json") },
    ],
  });
  expect(found.notices.join("\n")).toContain("policy.json");
});

test("a workspace may be written with a tilde", async () => {
  expect((await opened({ workspace: "~/app" })).found.workspace).toBe(at("app"));
});

test("policy files hold by default, also when they change; `none` is said on purpose", async () => {
  const [guarded, unruled] = [await opened(), await opened({ policy: "none" })];
  const verdicts = async () => [(await guarded.read("main.ts")).verdict, (await unruled.read("main.ts")).verdict];
  expect(await verdicts()).toEqual(["allow", "allow"]);
  put(".config/hallpass/policy.json", JSON.stringify({ read: { "~/app/main.ts": "deny" } }));
  expect(await verdicts()).toEqual(["deny", "allow"]);
  expect(await guarded.read("main.ts")).toMatchObject({ reason: "policy-deny" });
  // What cannot be understood is not passed over.
  put(".config/hallpass/policy.json", "{");
  expect(await guarded.read("main.ts")).toMatchObject({ verdict: "deny", reason: "invalid-policy" });
  expect(await guarded.check("main.ts")).toMatchObject({ verdict: "deny", reason: "invalid-policy" });
  await expect(opened()).rejects.toMatchObject({ code: "invalid-policy" });
});

test.each([
  ["missing", "not-found"],
  ["/", "root-too-broad"],
  ["/proc", "root-too-broad"],
  // The operator's policy would lie in what the agent writes.
  ["~", "invalid-policy"],
])("`%s` is no workspace: %s", async (workspace, code) => {
  await expect(opened({ workspace })).rejects.toMatchObject({ code });
});

test("a file, a directory, a write and a removal are allowed in the workspace, each with what was done", async () => {
  const it = await opened();
  const read = await it.read("main.ts");
  expect(read.verdict === "allow" && [read.text(), read.path]).toEqual(["export {};\n", at("app/main.ts")]);
  expect(await it.list(".")).toMatchObject({ verdict: "allow", entries: [{ name: "main.ts", kind: "file" }], withheld: 1 });
  expect(await it.write("new.ts", "1\n")).toMatchObject({ verdict: "allow", created: true });
  expect(readFileSync(at("app/new.ts"), "utf8")).toBe("1\n");
  if (read.verdict !== "allow") throw new Error("was allowed above");
  writeFileSync(at("app/main.ts"), "changed by somebody else\n");
  expect(await it.write("main.ts", "2\n", { unchangedSince: read.version })).toMatchObject({ verdict: "deny", reason: "stale-path" });
  expect(await it.remove("new.ts")).toMatchObject({ verdict: "allow" });
  expect(await it.remove("new.ts")).toMatchObject({ verdict: "deny", reason: "not-found" });
});

test("what was allowed and could not be done is a refusal with its code and a sentence, not a result in a result", async () => {
  const it = await opened();
  expect(await it.read("main.ts", { limit: 3 })).toEqual({
    verdict: "deny",
    reason: "too-large",
    hint: "`main.ts` is too large to be read or written at once.",
  });
  expect(await it.read("nothing.ts")).toMatchObject({ verdict: "deny", reason: "not-found" });
  expect(await it.read(".")).toMatchObject({ verdict: "deny", reason: "is-directory" });
});

test("a secret is denied with a hint, and so is a write outside", async () => {
  const it = await opened();
  expect(await it.read(".env")).toMatchObject({ verdict: "deny", reason: "secret-file", hint: expect.stringContaining("secrets") });
  expect(await it.write("../library/new.ts", "x")).toMatchObject({ verdict: "deny", reason: "write-out-of-scope" });
  expect(() => readFileSync(at("library/new.ts"))).toThrow(/ENOENT/);
});

test("a yes for the session opens the repository for reading, but for its secrets, until it is revoked", async () => {
  const it = await opened();
  const asked = await it.read("../library/go.mod");
  if (asked.verdict !== "ask") throw new Error("was not asked");
  // As from another process: an ask is plain data.
  const answered = await it.answer(JSON.parse(JSON.stringify(asked.ask)), { verdict: "allow", until: "session", by: "ada" });
  if (!answered.ok) throw new Error(answered.message);
  expect(it.grants()).toEqual([answered.grant]);
  expect(await it.read("../library/go.mod")).toMatchObject({ verdict: "allow" });
  expect(await it.check("../library/go.mod", "replace")).toMatchObject({ verdict: "deny", reason: "read-only-grant" });
  expect(await it.read("../library/.env")).toMatchObject({ verdict: "deny", reason: "secret-file" });
  await it.revoke(answered.grant.id, "ada");
  expect(await it.read("../library/go.mod")).toMatchObject({ verdict: "ask" });
});

test("a yes for once serves the next read of that path, and no other", async () => {
  const it = await opened();
  const asked = await it.read("../library/go.mod");
  if (asked.verdict !== "ask") throw new Error("was not asked");
  expect(await it.answer(asked.ask, { verdict: "allow", until: "call", by: "ada" })).toMatchObject({ ok: true });
  put("library/other.ts", "");
  expect((await it.read("../library/other.ts")).verdict).toBe("ask");
  expect((await it.read("../library/go.mod")).verdict).toBe("allow");
  expect((await it.read("../library/go.mod")).verdict).toBe("ask");
  expect(it.grants()).toEqual([]);
});

test("a no opens nothing; where nobody is there, nobody is asked", async () => {
  const it = await opened();
  const asked = await it.read("../library/go.mod");
  if (asked.verdict !== "ask") throw new Error("was not asked");
  expect(await it.answer(asked.ask, { verdict: "deny", by: "ada" })).toMatchObject({ ok: false, reason: "person-declined" });
  expect((await it.read("../library/go.mod")).verdict).toBe("ask");
  expect(await (await opened({ attended: false })).read("../library/go.mod")).toMatchObject({
    verdict: "deny",
    reason: "no-prompt-channel",
  });
});

test("everything is told to the record, and a record that fails denies", async () => {
  const events: AuditEvent[] = [];
  await (await opened({ audit: (event) => void events.push(event) })).read(".env");
  expect(events).toMatchObject([{ kind: "decision", verdict: "deny", reason: "secret-file", requested: ".env" }]);
  const broken = await opened({
    audit: () => {
      throw new Error("the disk is full");
    },
  });
  expect(await broken.read("main.ts")).toMatchObject({ verdict: "deny", reason: "guard-fault" });
});
