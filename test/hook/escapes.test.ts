// The whole table of escapes, and the rows of the attack table that speak of hooks, through every host's hook: its payload in, its
// words out, read as the host reads them. Nothing the guard would not allow is let go by any of them.

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type HostName, hostNames } from "../../src/adapters/hook/host-table.ts";
import { hookHosts } from "../../src/adapters/hook/hosts/all.ts";
import { judgeCall, judgedOf } from "../../src/adapters/hook/judge-call.ts";
import { foreignServer } from "../../src/adapters/hook/own-server.ts";
import { createGuard, type Guard } from "../../src/core/guard/guard.ts";
import { callId } from "../../src/core/names.ts";
import type { Session } from "../../src/core/session/session.ts";
import { openSession } from "../../src/core/session/session.ts";
import { build, loadCorpus, unfit } from "../corpus.ts";
import { expected, GUARDED, operations, shapes, soil, spellings, targets } from "../escapes.ts";
import { nothingStaysPinned, scene } from "../scene.ts";
import { isInstalled } from "../installed.ts";
import { runConfined } from "./confined-shell.ts";
import { payloadFor, withoutGuard } from "./host-payloads.ts";

nothingStaysPinned();

const contentOf = (file: string): string | null => (existsSync(file) ? readFileSync(file, "utf8") : null);

async function wordsFor(host: HostName, payload: Readonly<Record<string, unknown>>, guard: Guard, session: Session) {
  const decoded = hookHosts[host].decode(payload);
  if (!decoded.ok) throw new Error(decoded.why);
  const answer = await judgeCall(hookHosts[host], decoded.call, {
    workspace: session.workspace.dir,
    home: session.home,
    lets: [],
    session,
    ask: null,
    foreignServer: (name) => foreignServer(name, { workspace: session.workspace.dir, home: session.home, data: "/nonexistent" }),
    judge: (access) => judgedOf(guard.judge({ call: callId("c"), ...access }, session)),
  });
  const words = hookHosts[host].encode(answer, decoded.call);
  return { answer, blocks: hookHosts[host].blocks({ stdout: "", stderr: "", ...words }) };
}

describe.each(hostNames)("%s: every escape is stopped, and nothing else", (host) => {
  const rows = targets.flatMap((target) => shapes.map((shape) => ({ name: `${shape.name} to ${target.name}`, target, shape })));
  test.each(rows)("$name", async ({ target, shape }) => {
    const it = scene([...soil, ...shape.links(target.path)]);
    for (const operation of operations)
      for (const { name, spell } of spellings) {
        const path = spell(shape.path(target.path), it.path("ws"));
        const { answer, blocks } = await wordsFor(host, payloadFor(host, operation, path, it.path("ws")), it.guard, it.session);
        const allowed = expected(target, shape, operation).startsWith("allow");
        expect([operation, name, blocks, answer.reason]).toEqual([operation, name, !allowed, allowed ? "" : expect.stringMatching(/./)]);
        expect(answer.verdict).not.toBe("allow");
      }
  });
});

test("without a hook the same paths give what is guarded", () => {
  const rows = targets.filter(({ place, missing, secret }) => missing !== true && (place !== "inside" || secret === true));
  for (const target of rows)
    for (const shape of shapes) {
      const it = scene([...soil, ...shape.links(target.path)]);
      expect(withoutGuard("read", shape.path(target.path), it.path("ws"))).toMatch(GUARDED);
    }
});

describe("rows of the attack table", () => {
  const table = loadCorpus();
  const row = (id: string) => {
    const found = table.find((one) => one.id === id);
    if (found === undefined) throw new Error(`no row ${id}`);
    return found;
  };
  const guard = createGuard();

  test.each(["MCP-02", "MCP-05"])("%s", async (id) => {
    const it = scene(["ws/ok.txt: inside"]);
    const { args = {} } = row(id);
    const payload = { ...payloadFor("claude-code", "read", "x", it.path("ws")), tool_name: args["tool"], tool_input: args["input"] };
    const { answer, blocks } = await wordsFor("claude-code", payload, it.guard, it.session);
    expect([blocks, answer.verdict]).toEqual([true, "deny"]);
  });

  test.each(table.filter(({ id }) => id.startsWith("HOK")).map(({ id }) => id))("%s", async (id) => {
    const built = await build(row(id));
    try {
      const { workspace, args = {}, leak = null, unchanged } = built.row;
      const { command, tool = "Bash", input = { command } } = args;
      const opened = openSession({ workspace, home: "/nonexistent", ceilings: [built.root] });
      if (!opened.ok) throw new Error(opened.message);
      const payload = { ...payloadFor("claude-code", "read", "x", workspace), tool_name: tool, tool_input: input };
      expect((await wordsFor("claude-code", payload, guard, opened.session)).blocks).toBe(true);
      if (typeof command !== "string" || !isInstalled(/\b(?:git|curl|gcc|node|python3)\b/u.exec(command)?.[0] ?? "bash")) return;
      const before = unchanged === undefined ? null : contentOf(unchanged);
      const said = runConfined({ at: { root: built.root }, workspace, home: built.root }, "bash", command);
      if (leak !== null) expect(said).toContain(leak);
      if (unchanged !== undefined) expect(contentOf(unchanged)).not.toBe(before);
    } finally {
      built.remove();
    }
  });

  /** Commands: what must be refused is stopped before it runs; the hook may be stricter than a sandbox, which sees what they do. */
  const commands = table.filter(
    ({ op, id, expect: wanted }) => op === "bash" && id.startsWith("BSH") && wanted === "deny" && unfit(row(id)) === null,
  );
  /** Rows about what the sandbox is made of, what it sets aside afterwards, or a program that names no path, which no text tells. */
  const notText = new Set(["BSH-24", "BSH-26", "BSH-33", "BSH-34", "BSH-36", "BSH-39", "BSH-42", "BSH-46"]);
  test.each(commands.filter(({ id }) => !notText.has(id)).flatMap(({ id }) => hostNames.map((host) => ({ id, host }))))(
    "$id by $host",
    async ({ id, host }) => {
      const built = await build(row(id));
      try {
        const { workspace, args = {} } = built.row;
        const opened = openSession({ workspace, home: "/nonexistent", ceilings: [built.root] });
        if (!opened.ok) throw new Error(opened.message);
        const cwd = typeof args["cwd"] === "string" ? args["cwd"] : workspace;
        const command = String(args["command"]);
        const payload = payloadFor(host, "remove", "x", cwd);
        const tool = { "claude-code": "Bash", codex: "Bash", gemini: "run_shell_command", copilot: "bash", cursor: "", opencode: "bash" }[
          host
        ];
        const directory = cwd === workspace ? {} : { workdir: cwd };
        const whole = {
          ...payload,
          ...(host === "cursor" ? { hook_event_name: "beforeShellExecution", command } : {}),
          ...(host === "copilot" ? { toolName: tool, toolArgs: { command } } : {}),
          ...(host === "opencode" ? { tool, args: { command, ...directory } } : { tool_name: tool, tool_input: { command } }),
        };
        expect((await wordsFor(host, whole, guard, opened.session)).blocks).toBe(true);
      } finally {
        built.remove();
      }
    },
  );
});
