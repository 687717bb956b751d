// The commands of a chat do the same wherever they are typed: what is sent, what is told, and what a page is asked to show.

import { describe, expect, test } from "vitest";
import type { Client } from "../wire/client.ts";
import { routes } from "../wire/http.ts";
import type { WireSession } from "../wire/values.ts";
import { readSlash, slashCommands, type SlashPorts } from "./slash-commands.ts";

const session = { id: "s1", workspace: "/w", mounts: [{ path: "/m", mode: "extend" }], allowed_read_paths: [] } as unknown as WireSession;
const grants = [
  { id: "aaaa1111", path: "/lib", reads: 1, expires: null, revokedAt: null, live: true },
  { id: "aabb2222", path: "/api", reads: 2, expires: null, revokedAt: null, live: true },
  { id: "cccc3333", path: "/old", reads: 2, expires: null, revokedAt: 5, live: true },
];

function typed(line: string, face: "terminal" | "page") {
  const sent: (readonly [string, unknown])[] = [];
  const opened: string[] = [];
  const send = async (route: (typeof routes)[keyof typeof routes], words: unknown): Promise<unknown> => {
    const name = Object.entries(routes).find(([, one]) => one === route)?.[0] ?? "";
    if (!["listGrants", "session", "messages"].includes(name)) sent.push([name, words]);
    if (name === "listGrants") return grants;
    if (name === "explain") return { verdict: "deny", headline: "no", lines: ["because"] };
    if (name === "policy") return { preset: "usual", layers: [], findings: [] };
    if (name === "changeChat") return { title: "A better name" };
    if (name === "messages")
      return {
        messages: [
          { role: "person", id: "m1" },
          { role: "person", id: "m2" },
          { role: "agent", id: "m3" },
        ],
        earlier: false,
      };
    if (name === "chatUsage") return { turns: 1, input: 2000, output: 30, cost: 0.5, models: [], pricesAsOf: "2025-11-01" };
    if (name === "searchChats")
      return {
        found: [{ chat: { id: "0123456789", title: "Tides", archivedAt: 1 }, message: { role: "agent", text: "a tide" } }],
        next: null,
      };
    if (name === "chat") return { id: "c1", title: "What's up?", archivedAt: null };
    if (name === "compact") return { compacted: true };
    const still = { within: null, inside: [], allowedBy: null, partlyBy: null, unknownOn: null, others: 0, rules: [], network: false };
    return name === "revoke" ? still : { ...session, ...(name === "revokeAll" ? { ...still, mounts: [], revoked: 2 } : {}) };
  };
  const lines = async function* () {
    yield "";
  };
  const client = { send, lines } as unknown as Client;
  const ports: SlashPorts = {
    client,
    session,
    chat: "c1",
    changed: () => {},
    save: async (name) => `/here/${name}`,
    absolute: (path) => (path.startsWith("/") ? path : `/w/${path}`),
    ...(face === "page" ? { open: (what: string, path: string) => void opened.push(`${what} ${path}`.trim()) } : {}),
  };
  const { name, argument } = readSlash(line) ?? { name: "", argument: "" };
  const command = slashCommands.find((one) => one.name === name);
  return { answer: command?.run(argument, ports), sent, opened };
}

describe.each(["terminal", "page"] as const)("in the %s", (face) => {
  test.each([
    ["/retry", "rewind", { id: "c1", body: { message: "m2" } }],
    ["/edit say it so", "rewind", { id: "c1", body: { message: "m2", text: "say it so" } }],
    ["/archive", "changeChat", { id: "c1", body: { archived: true } }],
    ["/restore", "changeChat", { id: "c1", body: { archived: false } }],
    ["/delete yes", "deleteChat", { id: "c1" }],
    ["/revoke aaaa", "revoke", { id: "aaaa1111" }],
    ["/revoke /api", "revoke", { id: "aabb2222" }],
    ["/clear_grants", "revokeAll", { id: "s1" }],
    ["/mount /a b extend", "addMount", { id: "s1", body: { path: "/a b", mode: "extend" } }],
    ["/mount docs", "addMount", { id: "s1", body: { path: "/w/docs", mode: "read_only" } }],
    ["/mount remove /m", "removeMount", { id: "s1", body: { path: "/m" } }],
    ["/compact", "compact", { id: "c1" }],
    ["/rename A better name", "changeChat", { id: "c1", body: { title: "A better name" } }],
    ["/end", "archiveSession", { id: "s1", query: {} }],
  ])("%s sends %s", async (line, route, words) => {
    const { answer, sent } = typed(line, face);
    expect((await answer)?.tone).toBe("good");
    expect(sent).toEqual([[route, words]]);
  });

  test.each(["/revoke", "/revoke aa", "/revoke /old", "/revoke zz"])("%s revokes nothing", async (line) => {
    const { answer, sent } = typed(line, face);
    expect([(await answer)?.tone, sent]).toEqual(["bad", []]);
  });

  test("what a chat took, and where it was saved, is told", async () => {
    expect((await typed("/usage", face).answer)?.text).toMatch(
      /^Tokens: 2,000 in, 30 out.* about \$0\.50, an estimate without discounts; list prices as of 2025-11-01 unless/,
    );
    expect((await typed("/export json", face).answer)?.text).toBe("exported to /here/what-s-up-c1.json");
  });

  test.each(["/edit", "/search", "/export pdf", "/delete", "/delete no"])("%s does nothing but say what it takes", async (line) => {
    const { answer, sent } = typed(line, face);
    expect([(await answer)?.text, sent]).toEqual([expect.stringMatching(/\S/), []]);
  });

  test("grants are told with the reads that were counted, and that commands' reads are not", async () => {
    const { text } = (await typed("/grants", face).answer) ?? { text: "" };
    expect(text).toContain("aaaa1111  /lib  1 read counted\naabb2222  /api  2 reads counted\n");
    expect(text).toContain("\nWhat commands in the sandbox read is not counted.\n");
  });

  test("a path's scope is told in words", async () => {
    expect((await typed("/scope /etc/passwd", face).answer)?.text).toBe("deny: no\n  because\ndeny: no");
  });
});

test("what a page has a place for is shown there, and told in words in a terminal", async () => {
  for (const line of ["/scope", "/policy", "/policy src", "/search tide"]) {
    const page = typed(line, "page");
    expect((await page.answer)?.text).toBe("");
    expect(page.opened).toEqual([line.slice(1)]);
    expect((await typed(line, "terminal").answer)?.text).not.toBe("");
  }
});
