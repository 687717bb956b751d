import { expect, onTestFinished, test } from "vitest";
import { askOf } from "../../../test/ask-sample.ts";
import { tree } from "../../../test/tree.ts";
import type { AuditEvent } from "../../core/audit.ts";
import { createGuard } from "../../core/guard/guard.ts";
import { openSession } from "../../core/session/session.ts";
import type { WireAsk } from "../../wire/values.ts";
import type { HostSession } from "../host-session/host-session.ts";
import { judgeAccess } from "./guarding.ts";

/** A host session whose one ask is closed so while the agent waits, and whose library can be read from then on. */
function closedWhileWaiting(closed: WireAsk["closed"]) {
  const at = tree(["ws/.git/", "lib/.git/", "lib/a: A"]);
  onTestFinished(() => at.remove());
  const decided: AuditEvent[] = [];
  const guard = createGuard({ audit: (event) => void decided.push(event) });
  let isOver = false;
  const hostSession: Pick<HostSession, "shared" | "session" | "ask" | "wait" | "leave" | "record"> = {
    shared: true,
    async session() {
      const mounts = isOver ? [{ path: at.path("lib"), mode: "read_only" as const }] : [];
      const opened = openSession({ id: "s", workspace: at.path("ws"), home: at.path("home"), ceilings: [at.root], attended: true, mounts });
      if (!opened.ok) throw new Error(opened.message);
      return opened.session;
    },
    ask: async () =>
      isOver ? { state: "done", ok: true, code: null, text: "granted" } : { state: "waiting", ask: askOf({ path: at.path("lib/a") }) },
    async wait() {
      isOver = true;
      return askOf({ path: at.path("lib/a"), state: "closed", closed });
    },
    leave: () => {},
    record: async () => {},
  };
  const ports = {
    hostSession: hostSession as HostSession,
    guard,
    decided,
    ids: () => "1",
    put: () => new Promise<never>(() => {}),
    patience: 1000,
  };
  return judgeAccess(ports, { tool: "read", operation: "read", path: at.path("lib/a") }, null, new AbortController().signal);
}

test("what an ask was closed for since it is allowed by now is judged again; any other is denied", async () => {
  expect(await closedWhileWaiting("covered")).toMatchObject({ verdict: "allow" });
  expect(await closedWhileWaiting("withdrawn")).toMatchObject({ verdict: "deny", code: "request-closed" });
});
