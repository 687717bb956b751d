// A process that is granted `lib`, has it mounted too, changes it, and says what became of both. For file systems and kernels that
// a test must be started in: `node --import tsx birth-process.ts <tree>`; one line of JSON.

import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGuard } from "../../src/core/guard/guard.ts";
import { callId, grantId, askId } from "../../src/core/names.ts";
import { reopenGrants } from "../../src/core/session/grant.ts";
import { addRoot, listRoots, openSession, type Session } from "../../src/core/session/session.ts";

export interface Said {
  /** Does the file system, or what stands in for it, say a birth at all? */
  readonly says: boolean;
  /** Is it the time of the last change? */
  readonly isLastChange: boolean;
  /** Was a birth kept of the grant, and of the mount? */
  readonly kept: readonly boolean[];
  /** Under a new grant, a new mount, and a grant that was stored with another birth. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const root = process.argv[2] ?? "";
const lib = join(root, "lib");
const ports = { clock: () => 0, ids: () => "id" };
const guard = createGuard(ports);

const opened = openSession({ workspace: join(root, "ws"), home: join(root, "home"), ceilings: [root] });
if (!opened.ok) throw new Error(opened.message);
const granted = reopenGrants(opened.session, [lib], ports).session;
const mounted = addRoot(opened.session, lib, "extend");
if (!mounted.ok) throw new Error(mounted.message);
const { dev, ino } = statSync(lib);
const stored = { id: grantId("stored"), ask: askId("ask"), path: lib, dev, ino, born: 1, by: "ada", at: 0, expires: null };
const sessions: readonly Session[] = [granted, mounted.session, reopenGrants(opened.session, [stored], ports).session];

const words = (): readonly string[] =>
  sessions.map((session) => {
    const decision = guard.judge({ call: callId("call"), tool: "test", operation: "read", path: join(lib, "a.ts") }, session);
    if (decision.verdict === "allow") decision.pass.close();
    return `${decision.verdict} ${decision.reason}`;
  });

const before = words();
writeFileSync(join(lib, "new.ts"), "x");
const after = words();
const { birthtimeMs, ctimeMs } = statSync(lib);
const born = [listRoots(granted).at(-1)?.born, listRoots(mounted.session).at(-1)?.born];
const said: Said = {
  says: birthtimeMs !== 0,
  isLastChange: birthtimeMs === ctimeMs,
  kept: born.map((one) => typeof one === "number"),
  before,
  after,
};
console.log(JSON.stringify(said));
