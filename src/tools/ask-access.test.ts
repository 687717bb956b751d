// request_read_access (F-2, F-3): what would be asked, and what is refused without bothering anyone.

import { describe, expect, test } from "vitest";
import { nothingStaysPinned, scene } from "../../test/scene.ts";
import { searcherOf, toolbox } from "../../test/toolbox.ts";
import { reopenGrants } from "../core/session/grant.ts";

nothingStaysPinned();
const searcher = searcherOf();
const open = (spec: readonly string[], plan = {}) => {
  const it = scene(spec, plan);
  return { it, ...toolbox(it, searcher()) };
};
const spec = ["ws/a: 1", "lib/.git/", "lib/.env: S", "lib/inner/.git/", "lib/a: 1", "plain/a: 1", "home/code/go.mod: m", "home/code/a: 1"];
const reason = "to see how it is used";

describe("asking for access", () => {
  test("a file in a repository outside: the ask, the repository and its flags", async () => {
    const { it, failed } = open(spec);
    expect(await failed("request_read_access", { path: it.path("lib/a"), reason })).toMatchObject({
      code: "out-of-scope",
      category: null,
      verdict: "ask",
      proposal: it.path("lib"),
      flags: ["contains-repos", "contains-secrets"],
      ask: { offers: "session", right: "read", tool: "request_read_access", requested: it.path("lib/a") },
    });
  });

  test("from the home directory", async () => {
    const { it, failed } = open(spec);
    expect(await failed("request_read_access", { path: "~/code/a", reason })).toMatchObject({
      verdict: "ask",
      proposal: it.path("home/code"),
    });
  });

  test.each([
    ["a relative path", "../lib/a", "invalid-path", null],
    ["another user's home", "~root/x", "invalid-path", null],
    ["what is in scope already", "$ROOT/ws/a", "already-in-scope", "deny"],
    ["what is in scope and not there", "$ROOT/ws/missing", "already-in-scope", "deny"],
    ["a secret", "$ROOT/lib/.env", "secret-file", "deny"],
    ["a secret that is not there", "$ROOT/lib/.env.local", "secret-file", "deny"],
    ["what is in no repository", "$ROOT/plain/a", "no-grant-root", "deny"],
    ["the home directory", "~", "no-grant-root", "deny"],
    ["what lies outside every ceiling", "/etc/passwd", "out-of-whitelist", "deny"],
    ["the system's own state", "/proc/self/environ", "virtual-fs", "deny"],
  ])("%s is refused without asking", async (_title, path, code, verdict) => {
    const { it, failed } = open(spec);
    const asked = path.replaceAll("$ROOT", it.root);
    const failure = await failed("request_read_access", { path: asked, reason });
    expect(failure).toMatchObject({ code, verdict, proposal: null, flags: [], ask: null });
    expect(failure.hint).toContain(`\`${asked}\``);
    const isOutside = ["no-grant-root", "out-of-whitelist"].includes(code);
    expect(failure.hint.startsWith("denied: path outside permitted scope.")).toBe(isOutside);
  });

  test("what is granted already is in scope", async () => {
    const { it, code } = open(spec);
    const { session } = reopenGrants(it.session, [it.path("lib")], { clock: () => 0, ids: () => "g" });
    expect(await code("request_read_access", { path: it.path("lib/a"), reason }, { session })).toBe("already-in-scope");
  });

  test("where nobody is there to ask it is denied", async () => {
    const { it, failed } = open(spec, { attended: false });
    expect(await failed("request_read_access", { path: it.path("lib/a"), reason })).toMatchObject({
      code: "no-prompt-channel",
      verdict: "deny",
      category: "denied-by-policy",
    });
  });

  test("what is there and what is not are answered alike", async () => {
    const { it, failed } = open(spec);
    for (const dir of ["lib", "plain"]) {
      const [there, missing] = [it.path(`${dir}/a`), it.path(`${dir}/missing`)];
      const told = async (path: string) =>
        JSON.stringify({ ...(await failed("request_read_access", { path, reason })), ask: null }).replaceAll(path, "PATH");
      expect(await told(missing)).toBe(await told(there));
    }
  });

  test.each([
    ["no reason", { path: "/x" }],
    ["an empty reason", { path: "/x", reason: "" }],
    ["a reason of more than 500 characters", { path: "/x", reason: "x".repeat(501) }],
    ["an extra property", { path: "/x", reason, mode: "write" }],
  ])("%s is no input", async (_title, input) => {
    expect(await open(spec).code("request_read_access", input)).toBe("bad-request");
  });

  test("a reason of 500 characters is one", async () => {
    const { it, failed } = open(spec);
    expect(await failed("request_read_access", { path: it.path("lib/a"), reason: "x".repeat(500) })).toMatchObject({ verdict: "ask" });
  });
});
