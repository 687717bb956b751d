// A repository's own policy tightens and never opens, by the whole judge: whatever it says, no access is judged laxer than without it.

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nothingStaysPinned, NOW, scene, type Scene } from "../../../test/scene.ts";
import type { Operation } from "../access.ts";
import { callId } from "../names.ts";
import { combinePolicies } from "../policy/combine.ts";
import { compilePolicy } from "../policy/compile.ts";
import { type Author, parsePolicy, type PolicyPart } from "../policy/parse.ts";
import { openSession } from "../session/session.ts";
import { createGuard } from "./guard.ts";

nothingStaysPinned();

let it: Scene;
beforeAll(() => {
  it = scene([
    "ws/main.ts: 1",
    "ws/sub/a.ts: 1",
    "ws/.env: 1",
    "lib/.git/HEAD: x",
    "lib/a.ts: 1",
    "lib/.env: 1",
    "plain/a.txt: 1",
    "home/notes.txt: 1",
  ]);
});
afterAll(() => it.remove());

const operations: readonly Operation[] = ["read", "list", "search", "create", "replace", "remove"];
const places = () => [
  ...[
    "ws/main.ts",
    "ws/new.ts",
    "ws/sub",
    "ws/.env",
    "lib/a.ts",
    "lib/new.ts",
    "lib/.env",
    "plain/a.txt",
    "plain/new",
    "home/notes.txt",
  ].map(it.path),
  "/etc/passwd",
  "/etc/cron.d/x",
  "/proc/self/environ",
  it.path("lib"),
];
const globs = () => ["/etc/**", "/**", `${it.root}/**`, `${it.path("lib")}/**`, `${it.path("plain")}/*`, "**/*.ts", "~/**"];

function partOf(author: Author, value: object): PolicyPart | null {
  const parsed = parsePolicy(value, { author, home: it.path("home") });
  return parsed.ok ? parsed.part : null;
}

function judged(parts: readonly PolicyPart[], operation: Operation, path: string): { verdict: string; rank: number } {
  const policy = compilePolicy(combinePolicies(parts), it.path("home"));
  const opened = openSession({ workspace: it.path("ws"), home: it.path("home"), policy, ceilings: [it.root], attended: true });
  if (!opened.ok) throw new Error(opened.message);
  const decision = createGuard({ clock: () => NOW, ids: () => "id" }).judge(
    { call: callId("c"), tool: "test", operation, path },
    opened.session,
  );
  if (decision.verdict === "allow") decision.pass.close();
  const rank = decision.verdict === "allow" ? 0 : decision.verdict === "deny" ? 3 : decision.ask.offers === "session" ? 1 : 2;
  return { verdict: `${decision.verdict} ${decision.reason}`, rank };
}

const verdict = fc.constantFrom("allow", "ask", "deny");
const list = fc.oneof(
  verdict,
  fc.array(fc.tuple(fc.nat(6), verdict), { maxLength: 3 }).map((rules) => ({ rules })),
);
const document = fc.record(
  {
    preset: fc.constantFrom("strict", "balanced", "open-read"),
    read: list,
    write: list,
    gitignored: verdict,
    hardlinks: verdict,
    asks: fc.record({ offer: fc.constantFrom("once", "session"), by: fc.constantFrom("model", "guard") }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

/** A list by number becomes one by pattern; only here are the scene's places known. */
function written(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, held]: [string, unknown]) => {
      if (typeof held !== "object" || held === null || !("rules" in held) || !Array.isArray(held.rules)) return [key, held];
      return [key, Object.fromEntries(held.rules.map(([at, said]: [number, string]) => [globs()[at] ?? "*", said]))];
    }),
  );
}

test("whatever a repository says, nothing is judged laxer for it", () => {
  let tightened = 0;
  fc.assert(
    fc.property(document, document, fc.constantFrom(...operations), fc.nat(13), (owner, repository, operation, at) => {
      const path = places()[at] ?? it.path("ws");
      const own = partOf("operator", written(owner));
      const added = partOf("project", written(repository));
      fc.pre(own !== null && added !== null);
      const before = judged([own], operation, path);
      const after = judged([own, added], operation, path);
      if (after.rank > before.rank) tightened += 1;
      expect(after.rank, `${before.verdict} became ${after.verdict}`).toBeGreaterThanOrEqual(before.rank);
    }),
    { numRuns: 3000 },
  );
  // The test has teeth: what a repository says does count.
  expect(tightened).toBeGreaterThan(50);
});

test.each([
  [{ write: "ask" }, "replace", "/etc/passwd", "deny write-out-of-scope"],
  [{ write: { "/etc/**": "ask" } }, "create", "/etc/cron.d/x", "deny write-out-of-scope"],
  [{ read: { "/etc/**": "ask" } }, "read", "/etc/passwd", "deny out-of-whitelist"],
  [{ preset: "strict" }, "read", "plain/a.txt", "deny no-grant-root"],
  [{ read: "ask" }, "read", "plain/a.txt", "deny no-grant-root"],
  [{ read: { "*": "ask" } }, "read", "/etc/passwd", "deny out-of-whitelist"],
  [{ permission: { external_directory: "ask" } }, "read", "/etc/passwd", "deny out-of-whitelist"],
] as const)("a repository that says %j opens no %s of %s; the operator who says it does", (said, operation, place, expected) => {
  const path = place.startsWith("/") ? place : it.path(place);
  const [nothing, own, repository] = [partOf("operator", {}), partOf("operator", said), partOf("project", said)];
  if (nothing === null || own === null || repository === null) throw new Error("a policy was refused");
  expect(judged([nothing], operation, path).verdict).toBe(expected);
  expect(judged([nothing, repository], operation, path).verdict).toBe(expected);
  expect(judged([own], operation, path).verdict).toMatch(/^ask /);
});
