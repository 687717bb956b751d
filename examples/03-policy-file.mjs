// A policy: rules with their reasons and their own examples, what they come to, and two policies that do not load because they
// do not say what their author meant. The language is described in docs/policy.md.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callId, combinePolicies, compilePolicy, createGuard, explain, openSession, parsePolicy } from "hallpass";

const home = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-example-")));
for (const path of [
  "code/app/main.ts",
  "code/app/fixtures/id_rsa_test",
  "code/app/src/gen/api.ts",
  "docs/guide.md",
  "docs/drafts/next.md",
]) {
  mkdirSync(join(home, path, ".."), { recursive: true });
  writeFileSync(join(home, path), "text\n");
}

try {
  const policy = {
    read: {
      "~/docs/drafts/**": {
        verdict: "deny",
        why: "drafts are nobody's business yet",
        matches: "~/docs/drafts/next.md",
        not: "~/docs/guide.md",
      },
      "~/docs/**": { verdict: "allow", why: "the handbook is for everyone" },
    },
    write: {
      "src/gen/**": {
        verdict: "ask",
        why: "made by the generator; change its input instead",
        matches: ["src/gen/api.ts"],
        not: ["src/main.ts"],
      },
    },
    secrets: { except: ["**/fixtures/id_rsa_test"] },
  };
  const parsed = parsePolicy(policy, { author: "operator", home });
  assert(parsed.ok);

  const guard = createGuard();
  const opened = openSession({ workspace: join(home, "code/app"), home, policy: compilePolicy(combinePolicies([parsed.part]), home) });
  assert(opened.ok);

  const story = [
    ["read", "~/docs/guide.md", "allow", "policy-allow"],
    ["read", "~/docs/drafts/next.md", "deny", "policy-deny"],
    ["replace", "src/gen/api.ts", "ask", "policy-ask"],
    ["replace", "main.ts", "allow", "in-workspace"],
    ["read", "fixtures/id_rsa_test", "allow", "in-workspace"], // on the list of secrets, and lifted by the operator
  ];
  for (const [operation, path, verdict, reason] of story) {
    const decision = guard.judge({ call: callId("call-1"), tool: "story", operation, path }, opened.session);
    if (decision.verdict === "allow") decision.pass.close();
    const because = explain(decision).steps.find((step) => step.includes("rule"));
    console.log(`${operation} ${path}: ${decision.verdict}${because === undefined ? "" : ` (${because})`}`);
    assert.deepEqual([decision.verdict, decision.reason], [verdict, reason]);
  }

  // A rule that does not match its own example is an error, and so is a deny that an allow above it makes pointless.
  const untrue = parsePolicy(
    { read: { "~/docs/*": { verdict: "allow", matches: "~/docs/drafts/next.md" } } },
    { author: "operator", home },
  );
  const pointless = parsePolicy({ read: { "~/docs/**": "allow", "~/docs/drafts/**": "deny" } }, { author: "operator", home });
  for (const { ok, errors } of [untrue, pointless]) {
    assert.equal(ok, false);
    console.log(`does not load: ${errors[0].message}`);
  }

  // A repository's own policy may ask and deny. What it allows is ignored, and said to be.
  const project = parsePolicy({ read: { "/etc/**": "allow" } }, { author: "project", home });
  assert(project.ok);
  assert.equal(project.part.layer.rules.length, 0);
  console.log(`in a repository: ${project.part.ignored[0].message}`);
} finally {
  rmSync(home, { recursive: true });
}
