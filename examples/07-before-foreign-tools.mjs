// Before foreign tools: a host that owns its tools asks first. Every string under a path-shaped key of the arguments is judged, at
// any depth; a refusal comes with a scope alert that tells the model the ways on. It judges, and cannot hold what the tool opens.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createGuard, createPathScopeGuard, openSession, VIOLATION_PREFIX } from "hallpass";

const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-example-")));
for (const path of ["app/src/main.ts", "library/package.json", "library/index.ts", "shared/logo.svg"]) {
  mkdirSync(join(place, path, ".."), { recursive: true });
  writeFileSync(join(place, path), "");
}

try {
  const opened = openSession({
    workspace: join(place, "app"),
    mounts: [{ path: join(place, "shared"), mode: "extend" }],
    ceilings: [place],
    home: homedir(),
  });
  assert(opened.ok);
  const { session } = opened;
  const scope = createPathScopeGuard(createGuard());
  scope.registerPathScopeGuard();

  // In the workspace and in the mount: the tool may run.
  assert.equal(scope.beforeTool("copy", { source: "src/main.ts", destination: join(place, "shared/main.ts") }, session).action, "allow");

  // Deep inside the arguments a path leads next door: the tool does not run, and the model is told why and what else it can do.
  const outside = join(place, "library/index.ts");
  const stopped = scope.beforeTool("batch_edit", { edits: [{ file: "src/main.ts" }, { file: outside }] }, session);
  assert.equal(stopped.action, "deny");
  assert(stopped.reason.startsWith(VIOLATION_PREFIX));
  // Nobody asks to read what is to be written.
  for (const remedy of ["add_root:", "reanchor:", "fork:"]) assert(stopped.alert.body.includes(remedy));
  console.log(stopped.alert.body.replaceAll(place, "~"));

  // One alert a tool and path: the second has the same key and takes the place of the first.
  assert.equal(scope.beforeTool("batch_edit", { file: outside }, session).alert.dedupeKey, stopped.alert.dedupeKey);

  // Without a session there is no scope, so nothing is in it.
  assert.equal(scope.beforeTool("copy", { source: "src/main.ts" }, null).action, "deny");

  // A host that only observes: the alert is given, and the call goes on.
  scope.registerPathScopeGuard({ on_violation: "reminder" });
  const reminded = scope.beforeTool("batch_edit", { file: outside }, session);
  assert.equal(reminded.action, "allow");
  assert.notEqual(reminded.alert, null);

  // A misspelt option is an error, never a guard that guards less than was meant.
  assert.throws(() => scope.registerPathScopeGuard({ on_violations: "deny" }), { code: "bad-request" });
  console.log("\nstopped with deny, told with reminder, and a misspelt option is refused");
} finally {
  rmSync(place, { recursive: true });
}
