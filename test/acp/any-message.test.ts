// Whatever an agent sends: nothing throws, every request is answered, and nothing that names a secret or a place elsewhere reaches the editor
// but in what only tells something, and in questions that are the person's to answer.

import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createProxy } from "../../src/adapters/acp/proxy.ts";
import { openHostSession } from "../../src/adapters/host-session/open.ts";
import { openApp } from "../../src/server/open-app.ts";
import { createPolicyFor } from "../../src/config/policy-for.ts";
import { randomIds, systemClock } from "../../src/core/clock.ts";
import { tree } from "../tree.ts";

type Said = Readonly<Record<string, unknown>> & { readonly id?: unknown; readonly method?: unknown };

const at = tree([
  "home/ws/a.txt: inside",
  "home/ws/.env: SHUT",
  "home/ws/out => ../lib",
  "home/lib/.git/",
  "home/lib/b.txt: SHUT",
  "home/lib/.env: SHUT",
]);

const inside = [at.path("home/ws/a.txt"), "a.txt", "./a.txt", `file://${at.path("home/ws/a.txt")}`];
const shut = [
  at.path("home/ws/.env"),
  at.path("home/lib/b.txt"),
  `${at.path("home/ws")}/../lib/b.txt`,
  at.path("home/ws/out/b.txt"),
  `file://${at.path("home/lib")}/b.txt`,
  ` ${at.path("home/lib/.env")}`,
  "../lib/b.txt",
  "/etc/shadow",
  "~/lib/b.txt",
];
const place = fc.oneof({ weight: 1, arbitrary: fc.constantFrom(...inside) }, { weight: 2, arbitrary: fc.constantFrom(...shut) });
const key = fc.constantFrom("path", "filePath", "uri", "x", "cwd", "arguments", "list", "command", "toolCallId", "sessionId", "__proto__");
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, place, fc.constantFrom(1, true, null, "", "text"), tie("list"), tie("fields")),
  list: fc.array(tie("any"), { maxLength: 3 }),
  fields: fc.dictionary(key, tie("any"), { maxKeys: 3 }),
}));
const methods = [
  "fs/read_text_file",
  "fs/write_text_file",
  "fs/x",
  "FS/read_text_file",
  "_fs/read",
  "terminal/create",
  "terminal/output",
].concat(["_x/do", "_x/openFile", "mcp/message", "session/new", "session/set_mode", "_zed.dev/lsp/request", "constructor", "", "toString"]);
const method = fc.constantFrom(...methods);
const message = fc.record(
  {
    jsonrpc: fc.constant("2.0"),
    id: fc.oneof(fc.nat({ max: 5 }), fc.constantFrom("a", "hallpass-1", null, true)),
    method,
    params: fc.oneof(
      fc.record(
        { sessionId: fc.constantFrom("s", "other"), path: place, content: value.any, command: fc.constantFrom("ls", "cat ../lib/b.txt") },
        { requiredKeys: ["sessionId"] },
      ),
      value.fields,
      value.any,
    ),
    result: value.any,
  },
  { requiredKeys: ["jsonrpc"] },
);

test("no message an agent may send brings the editor a place that is shut", async () => {
  const around = { home: at.path("home"), env: { PROJECT_ROOT_WHITELIST: at.path("home") }, platform: process.platform };
  const ports = { clock: systemClock, ids: randomIds };
  const own = await openApp({ ...around, ...ports, via: "acp" });
  const policyFor = createPolicyFor(around);
  const [editor, agent]: [Said[], Said[]] = [[], []];
  const proxy = createProxy({
    ...ports,
    openHostSession: (workspace, hostSession) =>
      openHostSession({ ...ports, connection: own, home: around.home, policyFor, identity: { host: "acp", hostSession, workspace } }),
    toAgent: (line) => void agent.push(JSON.parse(line) as Said),
    toEditor(line) {
      const said = JSON.parse(line) as Said;
      // Whatever we ask, an editor that is set so says yes at once.
      if (said.method === "session/request_permission")
        for (const optionId of ["yes", "session", "once"])
          proxy.fromEditor(JSON.stringify({ id: said.id, result: { outcome: { outcome: "selected", optionId } } }));
      else if (said.method !== "$/cancel_request") editor.push(said);
    },
    read: async () => "READ",
    confined: (workspace, cwd, words) => ["confined", workspace, cwd, ...words],
    mcpServer: null,
    patience: 5_000,
  });
  onTestFinished(async () => {
    await proxy.close();
    await own.close();
    at.remove();
  });
  proxy.fromEditor(JSON.stringify({ id: "open", method: "session/new", params: { cwd: at.path("home/ws"), mcpServers: [] } }));
  proxy.fromAgent(JSON.stringify({ id: "open", result: { sessionId: "s" } }));
  const isShut = (text: string): boolean => /\.env|\/lib\/|\/out\/|etc\/shadow/u.test(text);
  const within = new RegExp(`^${at.path("home/ws")}/(?:a\\.txt|text|file:/.*| /.*|~/.*)$`, "u");
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(message, async (one) => {
      editor.splice(0);
      agent.splice(0);
      sent += 1;
      const id = `n${sent}`;
      // Each request under its own id, so that what came of it can be waited for.
      const whole =
        one.id === undefined || one.method === undefined || one.id === null || one.id === true || one.id === "hallpass-1"
          ? one
          : { ...one, id };
      proxy.fromAgent(JSON.stringify(whole));
      const isMessage = typeof (one.params ?? {}) === "object" && !Array.isArray(one.params);
      if (isMessage && "id" in whole && whole.id === id)
        await expect.poll(() => [...agent, ...editor].some((said) => said.id === id), { interval: 2 }).toBe(true);
      for (const said of editor) {
        // A response goes to whoever asked; a command is confined, whatever it says.
        if (said.method === undefined || said.method === "terminal/create") continue;
        const { path } = (said["params"] ?? {}) as { readonly path?: unknown };
        // An address as a path is a name in the workspace, and the editor is given it as that.
        if (typeof said.method === "string" && said.method.startsWith("fs/")) expect(path).toMatch(within);
        else expect(isShut(JSON.stringify(said["params"] ?? null))).toBe(false);
      }
      expect(JSON.stringify(agent)).not.toContain("READ");
    }),
    { numRuns: 1500 },
  );
});
