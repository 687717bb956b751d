// One table of hosts (src/adapters/hook/host-table.ts). What cannot read it, since it is a shell script, a page or core, is compared with it.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { type HostName, hostNames, hostTable, installHosts } from "../../src/adapters/hook/host-table.ts";
import { ownPrograms, planFor } from "../../src/adapters/install/index.ts";
import { agentName } from "../../src/core/guard/card.ts";
import { scene } from "../scene.ts";

const top = resolve(import.meta.dirname, "../..");

/** Where a host keeps what opens its account, in a home directory; none where it uses the system's own store. */
const credentials: Readonly<Record<HostName, readonly string[]>> = {
  "claude-code": [".claude.json", ".claude/.credentials.json"],
  codex: [".codex/auth.json"],
  gemini: [".gemini/oauth_creds.json"],
  copilot: [".copilot/config.json"],
  cursor: [],
  opencode: [".local/share/opencode/auth.json"],
};

test.each(installHosts)("%s has a guide", (host) => {
  expect(existsSync(resolve(top, `docs/guides/${host}.md`)), `write docs/guides/${host}.md`).toBe(true);
});

test.each(installHosts)("%s is named where hosts are told of", (host) => {
  for (const file of ["README.md", "docs/README.md", "docs/hosts.md"])
    expect(readFileSync(resolve(top, file), "utf8"), `name the host in ${file}`).toMatch(
      new RegExp(hostTable[host].title.replace(/ CLI$/, ""), "i"),
    );
});

test.each(hostNames)("%s has its golden payloads and answers", (host) => {
  for (const file of ["in.json", "out.json"].map((name) => `test/golden/hook/${host}/${name}`))
    expect(existsSync(resolve(top, file)), `write ${file}, which test/hook/golden.test.ts reads`).toBe(true);
});

test.each(hostNames)("%s: no agent writes what `hallpass install` writes, or what the host takes servers from", (host) => {
  const it = scene(["ws/"]);
  const where = { level: "project", workspace: it.path("ws"), home: it.path("home"), env: {}, platform: "linux" } as const;
  const installed = planFor(host, where, ownPrograms(import.meta.url, process.execPath, "linux"), () => "").files.flatMap(
    ({ files }) => files,
  );
  const servers = (hostTable[host].servers ?? []).filter((file) => !file.includes("*"));
  for (const file of [...installed, ...servers])
    expect(
      it.words("create", file),
      `add ${file.replace(`${where.workspace}/`, "")} or its directory to src/core/policy/protected.ts`,
    ).toMatch(/^deny (?:protected-path|secret-file)$/u);
  expect(it.words("create", "a-file-of-nobodys.json")).toMatch(/^allow/u);
});

test.each(hostNames)("%s: what opens its account is a secret", (host) => {
  const files = credentials[host];
  expect(files, "add the host to `credentials` in this file").toBeDefined();
  const it = scene(["ws/", ...files.map((file) => `ws/${file}: S`)]);
  for (const file of files) expect(it.words("read", file), `add ${file} to src/core/policy/secrets.ts`).toBe("deny secret-file");
});

test("the shell's hook knows each host's variable, and looks for Node in no directory one of them names", () => {
  const script = readFileSync(resolve(top, "bin/hallpass-hook"), "utf8");
  const told = hostNames.flatMap((host) => {
    const variable = hostTable[host].workspaceVariable;
    return variable === undefined ? [] : [[host, variable] as const];
  });
  const known = [...script.matchAll(/^ {4}([a-z-]+)\) told=\$\{(\w+)-\} ;;$/gmu)].map(([, host, variable]) => [host, variable]);
  expect(
    known,
    "bin/hallpass-hook: a line `HOST) told=${VARIABLE-} ;;` for each host with a workspaceVariable, in the table's order",
  ).toEqual(told);
  for (const [, variable] of told)
    expect(script, `bin/hallpass-hook: add ${variable} where it looks for Node`).toContain(`"\${${variable}:-//}"/*`);
  // Without its name here a host's every call would start Node, daemon or not.
  const untold = /^ {4}([a-z |-]+)\) told= ;;$/mu.exec(script)?.[1]?.split(" | ");
  const silent = hostNames.filter((host) => hostTable[host].workspaceVariable === undefined);
  expect(untold, "bin/hallpass-hook: the line `… ) told= ;;` names each host without a workspaceVariable").toEqual(silent);
});

test.each(hostNames)("%s is called on a card what it is called everywhere", (host) => {
  const asker = { host, label: null } as Parameters<typeof agentName>[0]["asker"];
  expect(agentName({ asker }), "add the host to `programs` in src/core/guard/card.ts").toBe(hostTable[host].title);
});
