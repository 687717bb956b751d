// Who may import whom. The table is the architecture; a failure says which line of it was crossed.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const src = resolve(import.meta.dirname, "../../src");

/** Left may import right: folders of ours, then packages. The loose files of core are open to everyone who may import core. */
const table: Readonly<Record<string, { readonly folders: readonly string[]; readonly packages: readonly string[] }>> = {
  core: { folders: ["core/guard", "core/path", "core/policy", "core/session"], packages: [] },
  "core/path": { folders: [], packages: [] },
  "core/fs": { folders: ["core", "core/path"], packages: ["node:fs"] },
  "core/policy": { folders: ["core", "core/path"], packages: [] },
  "core/session": { folders: ["core", "core/path", "core/fs", "core/policy"], packages: [] },
  "core/guard": { folders: ["core", "core/path", "core/fs", "core/policy", "core/session"], packages: [] },
  tools: {
    folders: ["core", "core/path", "core/policy", "core/session", "core/guard", "sandbox", "tools/search"],
    packages: ["diff", "zod", "node:buffer"],
  },
  "tools/search": {
    folders: ["core", "core/path", "core/fs", "core/policy", "core/guard", "tools"],
    packages: ["node:worker_threads"],
  },
  // `node:fs` for the few things core does not do (disk.ts); everything else goes through core/fs.
  sandbox: {
    folders: ["core", "core/path", "core/fs", "core/policy", "core/session", "core/guard"],
    packages: ["node:child_process", "node:fs", "node:os", "node:stream", "node:timers/promises"],
  },
  agent: {
    folders: ["core", "core/path", "core/policy", "core/session", "core/guard", "sandbox", "tools", "tools/search", "agent/models"],
    packages: ["zod"],
  },
  "agent/models": {
    folders: ["core", "core/path", "agent", "agent/models/offline"],
    packages: ["ai", "@ai-sdk/anthropic", "@ai-sdk/openai", "@ai-sdk/openai-compatible", "@ai-sdk/provider"],
  },
  "agent/models/offline": { folders: ["core", "core/path", "core/guard", "agent"], packages: [] },
  store: {
    folders: ["core", "core/path", "agent"],
    packages: ["kysely", "libsql", "pg", "node:crypto", "node:fs", "node:fs/promises", "node:os", "node:path", "node:timers/promises"],
  },
  "store/conformance": {
    folders: ["core", "agent"],
    packages: ["vitest", "fast-check", "node:child_process", "node:events", "node:fs", "node:timers/promises"],
  },
  "adapters/acp": {
    folders: ["core", "core/path", "core/guard", "adapters/desk", "adapters/hook", "wire"],
    packages: ["@agentclientprotocol/sdk", "node:stream"],
  },
  "adapters/hook": {
    folders: ["core", "core/path", "core/policy", "core/session", "core/guard", "config", "adapters/hook/hosts", "adapters/hook/shell"],
    packages: ["jsonc-parser", "node:buffer", "node:child_process", "node:crypto", "node:fs", "node:net", "node:path"],
  },
  "adapters/hook/hosts": { folders: ["adapters/hook"], packages: [] },
  "adapters/hook/shell": { folders: ["core", "core/path", "adapters/hook"], packages: ["node:fs"] },
  // `node:fs` for the hosts' own files, which no session's boundary is about: a person changes them by a command.
  "adapters/install": {
    folders: ["core", "core/path", "config", "adapters/hook"],
    packages: [
      "diff",
      "jsonc-parser",
      "smol-toml",
      "zod",
      "node:buffer",
      "node:child_process",
      "node:crypto",
      "node:fs",
      "node:path",
      "node:url",
    ],
  },
  "adapters/sync": { folders: ["core", "core/path", "core/policy", "adapters/install"], packages: ["node:path"] },
  // Copied into other people's directories: nothing but itself.
  "adapters/opencode": { folders: [], packages: ["node:child_process", "node:crypto"] },
  "adapters/ai": { folders: ["core", "core/session", "core/guard", "tools", "tools/search"], packages: ["ai"] },
  library: {
    folders: ["core", "core/path", "core/policy", "core/session", "core/guard", "config"],
    packages: ["node:os", "node:path"],
  },
  // Where a policy really is, and whose home it is in, is the core's and the system's to say.
  config: {
    folders: ["core", "core/fs", "core/path", "core/policy"],
    packages: ["zod", "jsonc-parser", "node:fs", "node:os", "node:path"],
  },
  // The words on the wire: shapes, and a client that runs in a browser too.
  wire: { folders: [], packages: ["zod"] },
  server: {
    folders: [
      "core",
      "core/path",
      "core/guard",
      "config",
      "sandbox",
      "agent",
      "agent/models",
      "tools",
      "store",
      "wire",
      "server/routes",
      "server/views",
    ],
    packages: [
      "hono",
      "@hono/node-server",
      "@hono/zod-openapi",
      "libsql",
      "pg",
      "pino",
      "ws",
      "zod",
      "node:crypto",
      "node:fs",
      "node:http",
      "node:https",
      "node:net",
      "node:path",
      "node:perf_hooks",
      "node:stream",
      "node:timers/promises",
    ],
  },
  // `node:fs` for the operator's own file and for names shown to the person alone; what an agent may have is core's to say.
  "server/routes": {
    folders: ["core", "core/path", "core/policy", "core/session", "core/guard", "config", "agent", "wire", "server", "server/views"],
    packages: ["zod", "jsonc-parser", "node:fs", "node:fs/promises", "node:path", "node:timers/promises"],
  },
  "server/views": {
    folders: ["core", "core/policy", "core/session", "core/guard", "tools", "agent", "wire", "server"],
    packages: ["node:crypto"],
  },
  "adapters/desk": { folders: ["core", "core/policy", "core/session", "config", "wire"], packages: ["zod"] },
  "adapters/mcp": {
    folders: ["core", "core/path", "core/guard", "sandbox", "tools", "tools/search", "agent", "wire", "adapters/desk"],
    packages: [
      "@modelcontextprotocol/server",
      "@modelcontextprotocol/server/stdio",
      "@hono/node-server",
      "zod",
      "node:buffer",
      "node:crypto",
      "node:net",
      "node:stream",
    ],
  },
  // The terminal: everything it does goes over the wire; `core/path` to show what others say, `core/guard` for a card's parts, `tools` for near names.
  slash: { folders: ["core/path", "core/guard", "wire"], packages: [] },
  repl: { folders: ["core/path", "core/guard", "slash", "tools", "wire"], packages: ["ink", "react", "node:tty"] },
  "cli/doctor": {
    folders: [
      "core",
      "core/path",
      "core/policy",
      "core/session",
      "core/guard",
      "config",
      "sandbox",
      "server",
      "store",
      "wire",
      "adapters/hook",
      "adapters/hook/hosts",
      "adapters/install",
      "cli",
    ],
    packages: ["jsonc-parser", "node:child_process", "node:fs", "node:os", "node:path", "node:util"],
  },
  cli: {
    folders: [
      "core",
      "core/path",
      "core/policy",
      "core/session",
      "core/guard",
      "config",
      "tools",
      "cli/commands",
      "adapters/desk",
      "adapters/hook",
      "adapters/hook/hosts",
      "server",
      "wire",
      "agent/models",
      "store",
      "repl",
    ],
    packages: [
      "node:crypto",
      "node:events",
      "node:fs",
      "node:os",
      "node:path",
      "node:stream",
      "node:util",
      "ws",
      "node:http",
      "node:https",
      "node:url",
      "node:tty",
      "zod",
    ],
  },
  "cli/commands": {
    folders: [
      "core",
      "core/path",
      "core/policy",
      "core/session",
      "core/guard",
      "config",
      "sandbox",
      "tools",
      "tools/search",
      "cli",
      "store",
      "server",
      "adapters/acp",
      "adapters/desk",
      "adapters/mcp",
      "adapters/hook",
      "adapters/install",
      "adapters/sync",
      "agent",
      "agent/models",
      "wire",
      "repl",
      "cli/doctor",
    ],
    packages: [
      "node:events",
      "node:fs",
      "node:os",
      "node:path",
      "node:worker_threads",
      "node:util",
      "node:child_process",
      "node:timers/promises",
      "node:readline",
      "node:readline/promises",
      "node:stream",
      "node:stream/promises",
    ],
  },
};

/** Names that give authority, and the only files that may import them. */
const guarded: Readonly<Record<string, readonly string[]>> = {
  mintPass: ["core/guard/judge.ts"],
  spendPass: ["core/guard/open.ts"],
  heldBy: ["core/fs/at.ts", "core/fs/read.ts", "core/fs/walk.ts"],
  takeOver: ["tools/search/search-worker.ts"],
  descriptorOf: ["sandbox/bubblewrap.ts", "sandbox/disk.ts"],
};

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => file.replaceAll("\\", "/"));

for (const file of files) {
  test(`${file} imports what its folder may`, () => {
    const folder = dirname(file);
    const row = table[folder];
    expect(row, `${folder} has no row in the import table`).toBeDefined();
    const text = readFileSync(join(src, file), "utf8");
    const crossed = importsOf(text)
      .map(({ from, names }) => fault(file, folder, row ?? { folders: [], packages: [] }, from, names))
      .filter((one) => one !== null);
    expect(crossed).toEqual([]);
  });
}

test("nothing but core/fs in core touches the disk, and core takes no package", () => {
  const disk = files.filter(
    (file) =>
      file.startsWith("core/") &&
      !file.startsWith("core/fs/") &&
      importsOf(readFileSync(join(src, file), "utf8")).some(({ from }) => !from.startsWith(".")),
  );
  expect(disk).toEqual([]);
});

test("no file is called after nothing in particular", () => {
  expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|types|constants|misc)\.ts$/.test(file))).toEqual([]);
});

function fault(
  file: string,
  folder: string,
  row: { readonly folders: readonly string[]; readonly packages: readonly string[] },
  from: string,
  names: string,
): string | null {
  for (const [name, owners] of Object.entries(guarded)) {
    if (new RegExp(`\\b${name}\\b`).test(names) && !owners.includes(file)) return `${name} is for ${owners.join(", ")} alone`;
  }
  if (!from.startsWith(".")) return row.packages.includes(from) ? null : `${folder} may not import ${from}`;
  const target = dirname(relative(src, resolve(src, folder, from)).replaceAll("\\", "/"));
  return target === folder || row.folders.includes(target) ? null : `${folder} may not import ${target} (${from})`;
}

function importsOf(text: string): readonly { readonly names: string; readonly from: string }[] {
  const found: { names: string; from: string }[] = [];
  for (const match of text.matchAll(/^(?:import|export)\s+(?:type\s+)?([^;"']*?)\s*from\s*["']([^"']+)["']/gm))
    found.push({ names: match[1] ?? "", from: match[2] ?? "" });
  for (const match of text.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g)) found.push({ names: "", from: match[1] ?? "" });
  for (const match of text.matchAll(/^import\s+["']([^"']+)["']/gm)) found.push({ names: "", from: match[1] ?? "" });
  return found;
}
