import { expect, onTestFinished, test } from "vitest";
import { randomIds } from "../core/clock.ts";
import { createLocalSignals } from "../store/signals.ts";
import { createElsewhere, type ElsewherePorts } from "./elsewhere.ts";
import { silentLog } from "./log.ts";
import type { Signals } from "./ports.ts";
import { Refusal } from "./problem.ts";

const ID = "session-0123456789";
const nowhere = (): never => {
  throw new Refusal("not-found", "not found");
};
const nothing: ReturnType<ElsewherePorts["here"]> = { tree: nowhere, complete: nowhere, explain: nowhere, ask: nowhere };

function machine(signals: Signals, name: string, ports: Partial<ElsewherePorts> = {}) {
  const made = createElsewhere({
    signals,
    leases: { isThere: () => true },
    machine: name,
    ids: randomIds,
    log: silentLog,
    here: () => nothing,
    ...ports,
  });
  onTestFinished(() => made.close());
  return made;
}

const question = { id: ID, query: { prefix: "a" }, body: null };

test("the machine that is named answers, and no other", async () => {
  const signals = createLocalSignals();
  const laptop = machine(signals, "laptop");
  machine(signals, "build-box", { here: () => ({ ...nothing, complete: ({ id, query }) => Promise.resolve([id, query.prefix, "box"]) }) });
  machine(signals, "third", { here: () => ({ ...nothing, complete: () => Promise.resolve(["third"]) }) });
  expect(await laptop.look("build-box", "complete", question)).toEqual([ID, "a", "box"]);
});

test("what that machine refuses is refused in its words; what it did not foresee says where the log is", async () => {
  const signals = createLocalSignals();
  const laptop = machine(signals, "laptop");
  let thrown: Error = new Refusal("out-of-scope", "it is outside");
  machine(signals, "build-box", { here: () => ({ ...nothing, complete: () => Promise.reject(thrown) }) });
  await expect(laptop.look("build-box", "complete", question)).rejects.toMatchObject({ code: "out-of-scope", message: "it is outside" });
  thrown = new TypeError("/home/me/private is undefined");
  const said = await laptop.look("build-box", "complete", question).catch((error: unknown) => error);
  expect(said).toMatchObject({ code: "io-error", message: "it could not be looked at; the log of the machine `build-box` says why" });
});

test("a machine that is offline, or does not answer, is named, and nobody waits for ever", async () => {
  const signals = createLocalSignals();
  const away = machine(signals, "laptop", { leases: { isThere: () => false }, patience: 2 ** 30 });
  await expect(away.look("build-box", "complete", question)).rejects.toMatchObject({
    code: "files-elsewhere",
    message: "the files are on the machine `build-box`, which is offline: look again when it is back",
  });
  const deaf = machine(signals, "laptop", { patience: 20 });
  await expect(deaf.look("build-box", "complete", question)).rejects.toMatchObject({
    code: "files-elsewhere",
    message: "the files are on the machine `build-box`, which does not answer: look again later",
  });
  const closing = machine(signals, "laptop", { patience: 2 ** 30 });
  const waiting = closing.look("build-box", "complete", question);
  await closing.close();
  await expect(waiting).rejects.toMatchObject({ code: "files-elsewhere" });
});

test("what is no look is not answered: another route, another shape", async () => {
  const signals = createLocalSignals();
  const seen: string[] = [];
  signals.listen((signal) => void (signal.kind === "seen" && seen.push(signal.text)));
  const asked: string[] = [];
  machine(signals, "build-box", { here: () => ({ ...nothing, complete: ({ id }) => (asked.push(id), Promise.resolve([])) }) });
  for (const text of [
    JSON.stringify({ look: "archiveSession", id: ID, query: {}, body: null }),
    JSON.stringify({ look: "complete", id: "../x", query: { prefix: "a" } }),
    JSON.stringify({ look: "complete", id: ID, query: { prefix: 1 } }),
    "{",
  ])
    await signals.send({ kind: "look", id: "q", machine: "build-box", text });
  await expect.poll(() => seen.length).toBe(4);
  expect(seen.map((text) => JSON.parse(text).ok)).toEqual([false, false, false, false]);
  expect(asked).toEqual([]);
});
