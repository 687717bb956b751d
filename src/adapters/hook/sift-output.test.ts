import { expect, test } from "vitest";
import { tree } from "../../../test/tree.ts";
import { hookHosts } from "./hosts/all.ts";
import { openSieve } from "./sift-output.ts";

/** Which of these files are taken out of what Claude Code's own search of a directory found. */
async function takenOut(searched: string, policy: object, ...found: readonly string[]): Promise<readonly string[]> {
  const it = tree([
    `home/.config/hallpass/policy.json: ${JSON.stringify(policy)}`,
    "home/ws/.git/HEAD: ref",
    "home/ws/notes/a.md: word",
    "home/ws/notes/shut/b.md: word",
    "home/ws/notes/.env: word",
    "home/ws/src/c.ts: word",
  ]);
  const input = { path: it.path(`home/ws/${searched}`), pattern: "word" };
  const call = { tool: "Grep", input, cwd: it.path("home/ws"), callId: "c", sessionId: "s", agentId: null } as never;
  const sieve = await openSieve(hookHosts["claude-code"], call, {
    workspace: it.path("home/ws"),
    home: it.path("home"),
    env: {},
    platform: "linux",
    lets: [],
    attended: true,
    kept: null,
    isRecorded: false,
  });
  return found.filter((name) => sieve.isShut(it.path(`home/ws/${name}`)));
}

const asking = { read: { "~/ws/notes/shut/**": "deny", "~/ws/notes/**": "ask" } };
const all = ["notes/a.md", "notes/shut/b.md", "notes/.env", "src/c.ts"];

test("of a search that a rule asks about, and a person allowed, only secrets and what is denied are taken out", async () => {
  expect(await takenOut("notes", asking, ...all)).toEqual(["notes/shut/b.md", "notes/.env"]);
});

test("of a search that nobody was asked about, what a rule asks about is taken out too", async () => {
  expect(await takenOut(".", asking, ...all)).toEqual(["notes/a.md", "notes/shut/b.md", "notes/.env"]);
});
