// The network for commands: the policy's word first, then a person's; what is decided is recorded, and a fault shuts.

import { describe, expect, test } from "vitest";
import { NOW, scene, type ScenePlan } from "../../../test/scene.ts";
import { askId, callId, grantId } from "../names.ts";
import type { NetworkGrant } from "../session/grant.ts";
import type { Session } from "../session/session.ts";

const given = { id: grantId("g"), answers: askId("a"), by: "ada", at: NOW };
const forSession: NetworkGrant = { ...given, call: null, expires: null };
const forCall: NetworkGrant = { ...given, call: callId("c"), expires: null };

function connect(plan: ScenePlan, change: Partial<Session> = {}, isNeeded = true) {
  const it = scene(["ws/a"], plan);
  const decision = it.guard.connect({ call: callId("c"), tool: "bash", command: "npm ci", isNeeded }, { ...it.session, ...change });
  return { decision, events: it.events };
}

describe("who decides", () => {
  test.each<[string, ScenePlan, Partial<Session>, string, string]>([
    ["nobody has said anything: a person", {}, {}, "ask", "no-network"],
    ["nobody can be asked", {}, { attended: false }, "deny", "no-prompt-channel"],
    ["granted for the session", {}, { network: [forSession] }, "allow", "network-granted"],
    ["granted, and nobody is there any more", {}, { network: [forSession], attended: false }, "allow", "network-granted"],
    ["for this call", {}, { network: [forCall] }, "allow", "answered"],
    ["for another call", {}, { network: [{ ...forCall, call: callId("d") }] }, "ask", "no-network"],
    ["for a time to come", {}, { network: [{ ...forSession, expires: NOW + 1 }] }, "allow", "network-granted"],
    ["for a time that is over", {}, { network: [{ ...forSession, expires: NOW }] }, "ask", "no-network"],
    ["opened by the policy", { policy: { commands: { network: "host" } } }, { attended: false }, "allow", "policy-allow"],
    [
      "shut by the policy, whatever was granted",
      { policy: { commands: { network: "none" } } },
      { network: [forSession, forCall] },
      "deny",
      "policy-deny",
    ],
  ])("%s", (_name, plan, change, verdict, reason) => {
    const { decision, events } = connect(plan, change);
    expect(decision).toMatchObject({ verdict, reason });
    expect(events).toMatchObject([
      { kind: "decision", operation: "connect", requested: "network", real: null, verdict, reason, fault: null },
    ]);
  });

  test("the ask offers what the policy lets it offer, and the record names it", () => {
    for (const offer of ["once", "session"] as const) {
      const { decision, events } = connect({ policy: { asks: { offer } } });
      if (decision.verdict !== "ask") throw new Error(decision.verdict);
      expect(decision.ask).toMatchObject({ path: "network", requested: "npm ci", offers: offer, about: { what: "network" } });
      expect(events).toMatchObject([{ ask: decision.ask.id }]);
    }
  });

  test("what a rule or a grant allowed is recorded with it", () => {
    expect(connect({ policy: { commands: { network: "host" } } }).events).toMatchObject([
      { rule: "operator:commands.network", grant: null },
    ]);
    expect(connect({}, { network: [forSession] }).events).toMatchObject([{ rule: null, grant: "g" }]);
    // A grant that was kept: a rule allows it, and the end of the grant ends the command.
    const kept = connect({ policy: { commands: { network: "host" } } }, { network: [forSession] });
    expect(kept).toMatchObject({ decision: { reason: "policy-allow", grant: { id: "g" } }, events: [{ grant: null }] });
  });
});

test("a command that does not need it has it where it is open, and else nothing is asked or recorded", () => {
  expect(connect({}, { network: [forSession] }, false)).toMatchObject({ decision: { verdict: "allow" }, events: [{ verdict: "allow" }] });
  expect(connect({}, {}, false)).toEqual({ decision: { verdict: "deny", reason: "no-network", rule: null }, events: [] });
});

test("a fault shuts it, and what cannot be recorded is not opened", () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  const shut = { verdict: "deny", reason: "guard-fault", rule: null };
  expect(connect({ ports: { clock: boom } }, { network: [forSession] }).decision).toEqual(shut);
  expect(connect({ ports: { audit: boom } }, { network: [forSession] }).decision).toEqual(shut);
  expect(connect({ ports: { ids: boom } })).toMatchObject({ decision: shut, events: [{ verdict: "deny", fault: "boom" }] });
});
