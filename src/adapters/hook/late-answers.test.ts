import { expect, test } from "vitest";
import { createLateAnswers, type SettledAsk } from "./late-answers.ts";

test("an answer that could not be looked up whole is told with the next call", async () => {
  const agent = { host: "claude-code", hostSession: "s", workspace: "/w" } as const;
  const denied = (id: string): SettledAsk => ({ id, state: "answered", path: `/${id}`, proposal: null, answer: { verdict: "deny" } });
  let failing = "b";
  const late = createLateAnswers(
    async (id) => denied(id),
    async (id) => {
      if (id === failing) throw new Error("the store does not answer");
      return null;
    },
  );
  late.remember(agent, "a");
  late.remember(agent, "b");
  await expect(late.take(agent)).rejects.toThrow("does not answer");
  failing = "";
  const told = await Promise.all([late.take(agent), late.take(agent)]);
  expect(told[0]).toMatch(/"ask":"a".*"ask":"b"/u);
  expect(told[1]).toBeNull();
  expect(await late.take(agent)).toBeNull();
});
