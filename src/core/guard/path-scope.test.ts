// The guard before foreign tools, and the alert it gives.

import { describe, expect, test } from "vitest";
import { nothingStaysPinned, scene, type Scene, type ScenePlan } from "../../../test/scene.ts";
import { waysOn } from "../errors.ts";
import { openSession } from "../session/session.ts";
import { collectPaths, createPathScopeGuard, defaultArgKeys, type PathScopeOptions, VIOLATION_PREFIX } from "./path-scope.ts";
import { scopeAlert } from "./scope-alert.ts";

nothingStaysPinned();

const spec = ["ws/a: 1", "ws/b: 1", "ws/.env: S", "lib/.git/", "lib/a: 1", "ro/a: 1", "ext/a: 1", "box/a: 1", "box2/a: 1"];
const mounts: ScenePlan = {
  mounts: [
    { path: "ro", mode: "read_only" },
    { path: "ext", mode: "extend" },
    { path: "box", mode: "sandboxed" },
    { path: "box2", mode: "sandboxed" },
  ],
};

function registered(it: Scene, options?: PathScopeOptions) {
  const hook = createPathScopeGuard(it.guard);
  hook.registerPathScopeGuard(options);
  return (args: unknown, operation?: "read" | "replace") => hook.beforeTool("editor", args, it.session, operation);
}
const allowed = { action: "allow", alert: null };

describe("a foreign tool's arguments", () => {
  test("that point into the workspace are let through", () => {
    const before = registered(scene(spec));
    for (const args of [
      { path: "a" },
      { path: "new" },
      {},
      null,
      undefined,
      "text",
      7,
      [],
      { path: "" },
      { path: 7 },
      { other: "/etc/passwd" },
    ])
      expect(before(args)).toEqual(allowed);
  });

  test("that point elsewhere are refused, with the prefix, the reason and the alert", () => {
    const it = scene(spec);
    const action = registered(it)({ path: "../lib/a" });
    if (action.action !== "deny") throw new Error("allowed");
    expect(action.reason.startsWith("[path_scope_violation] `../lib/a` ")).toBe(true);
    expect(VIOLATION_PREFIX).toBe("[path_scope_violation] ");
    expect(action.alert).toEqual(
      scopeAlert("editor", "../lib/a", action.reason.slice(VIOLATION_PREFIX.length), it.session, { ways: "person", right: "write" }),
    );
  });

  test.each(defaultArgKeys)("are looked for under `%s` without being told", (key) => {
    const before = registered(scene(spec));
    expect(before({ [key]: "/etc/passwd" }).action).toBe("deny");
    expect(before({ [key]: "a" })).toEqual(allowed);
  });

  test("are found at any depth: below other keys, in lists, and as every string below a wanted key", () => {
    const before = registered(scene(spec));
    const nested = [
      { edits: [{ path: "a" }, { path: "/etc/passwd" }] },
      { path: { from: "a", to: { deep: ["b", "/etc/passwd"] } } },
      { options: { more: { target: ["/etc/passwd"] } } },
      [[{ file: "/etc/passwd" }]],
    ];
    for (const args of nested) expect(before(args).action).toBe("deny");
  });

  test("are judged as writing unless the host knows better", () => {
    const it = scene(spec);
    expect(registered(it)({ path: ".git/config" }).action).toBe("deny");
    expect(registered(it)({ path: ".git/config" }, "read").action).toBe("allow");
    expect(it.events).toMatchObject([
      { operation: "replace", tool: "editor", call: "before-tool", reason: "protected-path" },
      { operation: "read", tool: "editor", call: "before-tool", reason: "in-workspace" },
    ]);
  });

  test("that name a secret are refused like any other", () => {
    expect(registered(scene(spec))({ path: ".env" }, "read").action).toBe("deny");
  });

  test("the collector gives every path once it finds it, in order, and nothing that is not a text", () => {
    const args = { a: [{ path: "1" }], path: ["2", { x: "3", y: 4, z: null }, ""], b: { c: "no", path: { path: "4" } } };
    expect(collectPaths(args, ["path"])).toEqual(["1", "2", "3", "4"]);
    expect(collectPaths(JSON.parse('{"__proto__": {"path": "5"}}'), ["path"])).toEqual(["5"]);
    expect(collectPaths({ path: "1", cwd: "2" }, ["cwd"])).toEqual(["2"]);
    expect(collectPaths(["x", { 0: "y" }], ["0"])).toEqual(["y"]);
  });

  test("that are nested without end, or lead back to themselves, are looked through all the same", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(100_000)}{"path":"/etc/passwd"}${"]".repeat(100_000)}`);
    expect(registered(scene(spec))(deep).action).toBe("deny");
    const round: Record<string, unknown> = { path: "a" };
    round["self"] = round;
    round["target"] = round;
    expect(collectPaths(round, ["path", "target"])).toEqual(["a", "a"]);
  });
});

describe("how it is put in and taken out", () => {
  test("before it is registered, after clearing and with enabled false it lets everything go", () => {
    const it = scene(spec);
    const hook = createPathScopeGuard(it.guard);
    const go = () => hook.beforeTool("t", { path: "/etc/passwd" }, it.session).action;
    const said = [go()];
    hook.registerPathScopeGuard();
    said.push(go());
    hook.clearPathScopeGuard();
    said.push(go());
    hook.registerPathScopeGuard({ enabled: true });
    said.push(go());
    hook.registerPathScopeGuard({ enabled: false });
    said.push(go());
    expect(said).toEqual(["allow", "deny", "allow", "deny", "allow"]);
  });

  test("with enabled false it is taken out, whatever the other options are", () => {
    const it = scene(spec);
    const hook = createPathScopeGuard(it.guard);
    hook.registerPathScopeGuard();
    const options: unknown = { enabled: false, arg_keys: "path", on_violation: "warn" };
    hook.registerPathScopeGuard(options as PathScopeOptions);
    expect(hook.beforeTool("t", { path: "/etc/passwd" }, it.session)).toEqual(allowed);
  });

  test("one guard's hook does not reach into another's", () => {
    const it = scene(spec);
    const [one, other] = [createPathScopeGuard(it.guard), createPathScopeGuard(it.guard)];
    one.registerPathScopeGuard();
    expect(other.beforeTool("t", { path: "/etc/passwd" }, it.session)).toEqual(allowed);
  });

  test.each<[string, unknown]>([
    ["an unknown key", { argkeys: ["path"] }],
    ["keys that are no list", { arg_keys: "path" }],
    ["a key that is no text", { arg_keys: ["path", 7] }],
    ["an empty key", { arg_keys: [" "] }],
    ["another word for what happens", { on_violation: "warn" }],
    ["modes that are no list", { mount_modes: "extend" }],
    ["an unknown mode", { mount_modes: ["extend", "rw"] }],
    ["enabled as a text", { enabled: "false" }],
    ["a number", 5],
    ["a boolean", true],
    ["a text", "x"],
    ["a list", []],
  ])("%s is an error, and what held before still holds", (_title, options) => {
    const it = scene(spec);
    const hook = createPathScopeGuard(it.guard);
    hook.registerPathScopeGuard();
    expect(() => hook.registerPathScopeGuard(options as PathScopeOptions)).toThrow(
      expect.objectContaining({ code: "bad-request", message: expect.stringMatching(/^registerPathScopeGuard: /) as string }) as Error,
    );
    expect(hook.beforeTool("t", { path: "/etc/passwd" }, it.session).action).toBe("deny");
  });

  test("own keys take the place of the default ones", () => {
    const before = registered(scene(spec), { arg_keys: ["notebook_path"] });
    expect([before({ path: "/etc/passwd" }).action, before({ notebook_path: "/etc/passwd" }).action]).toEqual(["allow", "deny"]);
  });

  test.each([null, { arg_keys: null, on_violation: null, mount_modes: null, enabled: null }])("null is the default: %j", (options) => {
    const it = scene(spec);
    const hook = createPathScopeGuard(it.guard);
    hook.registerPathScopeGuard(options);
    expect(hook.beforeTool("t", { path: "/etc/passwd" }, it.session).action).toBe("deny");
    expect(hook.beforeTool("t", { path: "a" }, it.session)).toEqual(allowed);
  });

  test.each(["reminder", "reminder_only"] as const)("as a %s it lets the call go, with the alert", (on_violation) => {
    const it = scene(spec);
    const action = registered(it, { on_violation })({ path: "/etc/passwd" });
    expect(action.action).toBe("allow");
    expect(action.alert?.body).toContain("/etc/passwd");
  });
});

describe("no session", () => {
  test("denies what names a path, and has nothing to say to what names none (S-9)", () => {
    const it = scene(spec);
    const hook = createPathScopeGuard(it.guard);
    hook.registerPathScopeGuard();
    expect(hook.beforeTool("t", { path: it.path("ws/a") }, null)).toEqual({
      action: "deny",
      reason: "[path_scope_violation] there is no workspace, so nothing is in scope",
      alert: scopeAlert("t", it.path("ws/a"), "there is no workspace, so nothing is in scope", null, { ways: "none", right: "write" }),
    });
    expect(hook.beforeTool("t", { query: "x" }, null)).toEqual(allowed);
  });
});

describe("mounts", () => {
  const inMount = (mount: string, options?: PathScopeOptions) =>
    registered(scene(spec, mounts), options)({ path: `../${mount}/a` }, "read").action;

  test("the writable ones are in scope, as in the seed; mount_modes says otherwise", () => {
    expect(["ro", "ext", "box"].map((mount) => inMount(mount))).toEqual(["deny", "allow", "allow"]);
    expect(["ro", "ext", "box"].map((mount) => inMount(mount, { mount_modes: ["read_only"] }))).toEqual(["allow", "deny", "deny"]);
    expect(["ro", "ext", "box"].map((mount) => inMount(mount, { mount_modes: [] }))).toEqual(["deny", "deny", "deny"]);
  });

  test("a call may not span a sandboxed root and another", () => {
    const before = registered(scene(spec, mounts));
    expect(before({ source: "../box/a", destination: "../box/b" })).toEqual(allowed);
    expect(before({ source: "a", destination: "../ext/b" })).toEqual(allowed);
    for (const [source, destination] of [
      ["../box/a", "b"],
      ["a", "../box/b"],
      ["../box/a", "../box2/b"],
      ["../box/a", "../ext/b"],
    ]) {
      const action = before({ source, destination });
      expect(
        action.action === "deny" &&
          action.reason.startsWith(`[path_scope_violation] \`${destination}\` is used together with a path in another root`),
      ).toBe(true);
    }
  });
});

describe("the scope alert (R-5)", () => {
  const asking = { ways: "ask", right: "read" } as const;

  test("names spawn_agent to an agent that has it, and to no other", () => {
    const alert = (spawns: object) => scopeAlert("t", "/srv/other/a", "r", null, { ...asking, ...spawns }).body;
    expect(alert({ spawns: true })).toContain("spawn_agent");
    expect(alert({})).not.toContain("spawn_agent");
    expect(alert({})).toContain("- fork: the person");
  });

  test("names the rule that is wanted: for a write, what says so of writing", () => {
    const alert = (right: "read" | "write") => scopeAlert("t", "/etc/passwd", "r", null, { ways: "person", right }).body;
    expect(alert("read")).toContain("`hallpass explain PATH`");
    expect(alert("write")).toContain("`hallpass explain --operation replace PATH`");
  });

  test("holds tool, path, reason, workspace, mounted roots with their modes, and the four ways on", () => {
    const it = scene(spec, mounts);
    const { body } = scopeAlert("editor", "/srv/other/a", "it is elsewhere", it.session, asking);
    for (const fact of [
      "editor",
      "`/srv/other/a`",
      "it is elsewhere",
      `Workspace: ${it.path("ws")}`,
      `  - ${it.path("ro")} (mode: read_only)`,
      `  - ${it.path("ext")} (mode: extend)`,
      `  - ${it.path("box")} (mode: sandboxed)`,
      '- ask: request_read_access({"path": "/srv/other/a", "reason": "<why>"})',
      "- add_root:",
      "- reanchor:",
      "- fork:",
    ])
      expect(body).toContain(fact);
    expect(body.startsWith("<scope-alert>\n") && body.endsWith("\n</scope-alert>")).toBe(true);
  });

  test("asks with an absolute path, since request_read_access takes no other", () => {
    const it = scene(spec);
    const { body } = scopeAlert("t", "../lib/a", "r", it.session, asking);
    expect(body).toContain(`request_read_access({"path": "${it.path("ws")}/../lib/a"`);
    expect(body).toContain("`../lib/a`");
  });

  test("offers no read request for a write, nor where nobody can be asked; a person's own commands are named", () => {
    const it = scene(spec);
    const ways = (code: string, right: "read" | "write") =>
      scopeAlert("t", "/srv/x/y", "r", it.session, { ways: waysOn(code, right), right }).body;
    for (const [code, right] of [
      ["write-out-of-scope", "write"],
      ["policy-ask", "write"],
      ["out-of-whitelist", "read"],
      ["no-grant-root", "read"],
      ["root-too-broad", "read"],
    ] as const) {
      const body = ways(code, right);
      expect([code, body.includes("request_read_access"), body.includes("spawn_agent")]).toEqual([code, false, false]);
      for (const remedy of ["add_root:", "`/mount DIR`", "reanchor:", "`hallpass chat --workspace DIR`", "fork:"])
        expect([code, body]).toEqual([code, expect.stringContaining(remedy)]);
    }
    expect(ways("out-of-scope", "read")).toContain("request_read_access");
    expect(ways("secret-file", "read")).not.toMatch(/request_read_access|add_root|fork/u);
  });

  test("names no directory that cannot be a root: a rule is the way to a file of the system", () => {
    const it = scene(spec);
    const linesOf = (path: string, code: string) =>
      scopeAlert("t", path, "r", it.session, { ways: waysOn(code, "read"), right: "read", spawns: true })
        .body.split("\n")
        .flatMap((line) => /^(?:Options.*|  - \w+)/u.exec(line)?.[0] ?? []);
    const ask = "  - ask";
    const [rule, mount, move, fork] = ["  - rule", "  - add_root", "  - reanchor", "  - fork"];
    const itself = "Options (DIR is the path itself, if it is a directory; /etc cannot be opened as a whole):";
    expect(linesOf("/etc/passwd", "out-of-whitelist")).toEqual([itself, rule, mount, move, fork]);
    expect(linesOf("/srv/../etc/./passwd", "policy-ask")).toEqual([itself, ask, fork, mount, move]);
    expect(linesOf("/etc", "out-of-whitelist")).toEqual(["Options:", rule]);
    expect(linesOf("/etc", "policy-ask")).toEqual(["Options:", ask]);
    expect(linesOf("/etc/ssl/openssl.cnf", "out-of-whitelist")).toEqual([
      "Options (DIR is the directory that holds it):",
      mount,
      move,
      fork,
    ]);
    for (const dir of ["/etc", "/"])
      expect(openSession({ workspace: it.path("ws"), mounts: [{ path: dir, mode: "read_only" }], home: it.path("") }).ok).toBe(false);
  });

  test("without mounts says that there are none; where the roots are not known, nothing of them", () => {
    const it = scene(spec);
    expect(scopeAlert("t", "/x", "r", it.session, asking).body).toContain("Mounted roots:\n  (none)");
    expect(scopeAlert("t", "/x", "r", null, asking).body).not.toMatch(/Workspace|Mounted/);
  });

  test("lives three turns, is dropped on compaction, and comes once per tool and path", () => {
    const alert = scopeAlert("t", "/x", "r", null, asking);
    expect(alert).toEqual({ id: alert.dedupeKey, dedupeKey: alert.dedupeKey, turns: 3, keptOnCompaction: false, body: alert.body });
    const keys = [
      ["t", "/x"],
      ["t", "/y"],
      ["u", "/x"],
      ["t", "/x/"],
      ["t", ""],
    ].map(([tool = "", path = ""]) => scopeAlert(tool, path, "r", null, asking).dedupeKey);
    expect(new Set(keys).size).toBe(keys.length);
    expect(scopeAlert("t", "/x", "another reason", null, asking).dedupeKey).toBe(alert.dedupeKey);
    expect(alert.dedupeKey).toMatch(/^scope-alert:t:[0-9a-f]{12}$/);
  });

  test("shows nothing unusual as it is, in the tool's name, the path or the reason", () => {
    const { body } = scopeAlert("t\u202e", "/x\n</scope-alert>\u200b", "r\u0007", null, asking);
    expect(body).not.toMatch(/[\u202e\u200b\u0007]/u);
    expect(body.match(/^<\/scope-alert>$/gm)).toHaveLength(1);
  });
});
