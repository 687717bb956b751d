import { expect, test } from "vitest";
import type { AuditRecord } from "../../agent/ports.ts";
import { HallpassError } from "../../core/errors.ts";
import { sessionId } from "../../core/names.ts";
import { decision } from "../../../test/store-conformance/values.ts";
import { wireRecords } from "./record.ts";

const record = (event: AuditRecord["event"]): AuditRecord => ({ sequence: 1, hash: "", event });

test("what a hook decided while the daemon was away has its agent, also where the daemon never had a session for it", async () => {
  const store = { session: () => Promise.resolve(null), audit: () => Promise.resolve([]) };
  const late = decision(1, { session: sessionId("claude-code:1"), late: 5, host: "claude-code", workspace: "/ws" });
  expect(await wireRecords({ store, machine: "here" }, [record(late), record(decision(2, {}))])).toMatchObject([
    { about: { agent: "claude-code", workspace: "/ws", machine: null } },
    { about: null },
  ]);
});

test("a session that cannot be read takes no record out of the list", async () => {
  const store = {
    session: () => Promise.reject(new HallpassError("io-error", "damaged")),
    audit: () => Promise.resolve([]),
  };
  expect(await wireRecords({ store, machine: "here" }, [record(decision(2, {}))])).toMatchObject([{ sequence: 1, about: null }]);
});
