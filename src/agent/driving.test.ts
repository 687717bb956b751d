import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createDriving, type Lease } from "./driving.ts";

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
    drive: async () => {
      happened.push("driven");
      return null;
    },
  });
  return { driving, happened };
}

test("a chat that is woken is driven under the right to it, which is given back", async () => {
  const { driving, happened } = stage();
  driving.wake("c");
  await driving.settled();
  expect(happened).toEqual(["right given", "driven", "right back"]);
});

test("a right that another has is asked for again when the chat is woken meanwhile, so that the other is told then", async () => {
  const { driving, happened } = stage("refused", "refused");
  driving.wake("c");
  await Promise.resolve();
  driving.wake("c");
  await driving.settled();
  expect(happened).toEqual(["right refused", "right refused"]);
});

test("where the right could not be asked for the chat is driven when it is woken again", async () => {
  const { driving, happened } = stage("fault");
  driving.wake("c");
  await driving.settled();
  driving.wake("c");
  await driving.settled();
  expect(happened).toEqual(["fault", "right given", "driven", "right back"]);
});

test("the chat is looked at after the right to it was got, however slow that is to come", async () => {
  const { driving, happened } = stage("slow");
  driving.wake("c");
  await driving.settled();
  expect(happened).toEqual(["right slow", "driven", "right back"]);
});

test("a chat that runs looks once more, with all that woke it meanwhile", async () => {
  const happened: string[] = [];
  const driving = createDriving({
    lease: null,
    fault: () => happened.push("fault"),
    drive: async (chat) => {
      happened.push("driven");
      if (happened.length === 1) for (let times = 0; times < 3; times += 1) driving.wake(chat);
      return null;
    },
  });
  driving.wake("c");
  await driving.settled();
  expect(happened).toEqual(["driven", "driven"]);
});
