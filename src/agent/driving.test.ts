import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { sessionId } from "../core/names.ts";
import { createDriving, type Lease } from "./driving.ts";
import type { ChatInSession, StoredSession } from "./ports.ts";

const session: StoredSession = {
  id: sessionId("s"),
  project: null,
  parent: null,
  workspace: "/w",
  asking: "by-model",
  attended: true,
  host: null,
  hostSession: null,
  label: null,
  machine: "local",
  allowedReadPaths: [],
  at: 1,
  archivedAt: null,
};
const look: ChatInSession = { chat: { id: "c", session: session.id, title: "", status: "idle", at: 1 }, session, transcript: [], said: [] };

/** Driving, and everything that happens in it, in order. `gives` says what becomes of each wish for the right to a chat. */
function stage(...gives: readonly ("given" | "refused" | "fault" | "slow")[]) {
  const happened: string[] = [];
  const left = [...gives];
  const lease = async (): Promise<Lease | null> => {
    const becomes = left.shift() ?? "given";
    if (becomes === "slow") await sleep(60);
    if (becomes === "fault") throw new Error("away");
    happened.push(`right ${becomes}`);
    return becomes === "refused" ? null : { signal: new AbortController().signal, end: async () => void happened.push("right back") };
  };
  const driving = createDriving({
    lease,
    fault: () => happened.push("fault"),
    drive: async (_chat, _signal, seen) => {
      happened.push(seen === null ? "driven" : "driven by what was seen");
      return null;
    },
  });
  return { driving, happened };
}

test("the right to a chat is got before it has something to do; it is driven when it has, by what was seen with it", async () => {
  const { driving, happened } = stage();
  const prepared = driving.prepare("c", session);
  expect(await prepared.isHeld()).toBe(true);
  expect(happened).toEqual(["right given"]);
  prepared.tell(true, look);
  prepared.tell(false);
  await driving.settled();
  expect(happened).toEqual(["right given", "driven by what was seen", "right back"]);
});

test("where nothing comes of it the right is given back and nothing is driven, unless somebody woke the chat meanwhile", async () => {
  const { driving, happened } = stage();
  const first = driving.prepare("c", session);
  await first.isHeld();
  first.tell(false);
  await driving.settled();
  expect(happened.splice(0)).toEqual(["right given", "right back"]);
  const second = driving.prepare("c", session);
  await second.isHeld();
  driving.wake("c");
  second.tell(false);
  await driving.settled();
  expect(happened).toEqual(["right given", "right back", "right given", "driven", "right back"]);
});

test("a right that another has is asked for again when there is something to do, so that the other is told then", async () => {
  const { driving, happened } = stage("refused", "refused");
  const prepared = driving.prepare("c", session);
  expect(await prepared.isHeld()).toBe(false);
  prepared.tell(true);
  await driving.settled();
  expect(happened).toEqual(["right refused", "right refused"]);
});

test("where the right could not be asked for the chat is woken all the same when there is something to do", async () => {
  const { driving, happened } = stage("fault");
  const prepared = driving.prepare("c", session);
  expect(await prepared.isHeld()).toBe(false);
  prepared.tell(true);
  await driving.settled();
  expect(happened).toEqual(["fault", "right given", "driven", "right back"]);
});

test("nobody waits long for a right that is slow to come, and the look is made after it", async () => {
  const { driving, happened } = stage("slow");
  const prepared = driving.prepare("c", session);
  expect(await prepared.isHeld()).toBe(false);
  expect(happened).toEqual([]);
  prepared.tell(true);
  await driving.settled();
  expect(happened).toEqual(["right slow", "driven", "right back"]);
});

test("alone on a store the right is always had, and a chat is driven once by what was seen, with all that woke it meanwhile", async () => {
  const happened: string[] = [];
  const driving = createDriving({
    lease: null,
    fault: () => happened.push("fault"),
    drive: async (_chat, _signal, seen) => {
      happened.push(seen === null ? "driven" : "driven by what was seen");
      return null;
    },
  });
  const prepared = driving.prepare("c", session);
  await prepared.sent;
  expect(await prepared.isHeld()).toBe(true);
  // RACE: woken between the look and the word: what was seen may be old by then, so it is looked at again afterwards.
  driving.wake("c");
  expect(happened).toEqual([]);
  prepared.tell(true, look);
  prepared.tell(false);
  await driving.settled();
  expect(happened).toEqual(["driven by what was seen", "driven"]);
});

test("a chat that runs looks once more", async () => {
  const { driving, happened } = stage();
  driving.wake("c");
  const prepared = driving.prepare("c", session);
  expect(await prepared.isHeld()).toBe(false);
  prepared.tell(true, look);
  await driving.settled();
  expect(happened.filter((one) => one === "driven").length).toBeGreaterThan(0);
  expect(happened).not.toContain("driven by what was seen");
});
