// The built-in agent: no key, no network, no language model. It understands plain requests about files, works with the tools it is
// offered like any other agent, reads what they say, asks where a refusal says so, takes no for an answer, and tells what it found.
// A pure function of the transcript: the same transcript gives the same turn. Every message of the person's ends in an answer.

import type { Model, ModelPrompt, ModelTurn } from "../ports.ts";
import { idAfter } from "./call-ids.ts";
import { about, afterYes, alsoUnclear, leftAlone, puzzled, stranger, talkWords } from "./offline/about.ts";
import { answerFor } from "./offline/answer.ts";
import { announce } from "./offline/announce.ts";
import { exchangesIn, memoryOf } from "./offline/memory.ts";
import { planAfter } from "./offline/plan.ts";
import type { World } from "./offline/probe.ts";
import { understand } from "./offline/understand.ts";

export function offlineModel(): Model {
  return {
    name: "offline/guide",
    async turn(prompt, { signal, delta }) {
      signal.throwIfAborted();
      const turn = guideTurn(prompt);
      for (const piece of turn.text.match(/[^\n]*\n*/g) ?? []) if (piece !== "") delta(piece);
      return turn;
    },
  };
}

/** Right after a summary so much is done at once, so that it does not have to be summed up again before it is finished. */
const FRUGAL_WISHES = 3;

export function guideTurn({ transcript, tools }: Pick<ModelPrompt, "transcript" | "tools">): ModelTurn {
  const offered = new Set(tools.map(({ name }) => name));
  const exchanges = exchangesIn(transcript);
  const now = exchanges.at(-1);
  if (now === undefined) return said(about(offered));
  const memory = memoryOf(exchanges.slice(0, -1));
  const { wishes, unclear, left, talk, repeats } = understand(now.person.text, memory);
  const alone = left.length === 0 ? [] : [leftAlone(left)];
  if (wishes.length === 0)
    return said(
      talk !== null ? talkWords(talk, offered) : left.length > 0 && unclear.length === 0 ? alone.join("") : puzzled(unclear, offered),
    );
  const world: World = { tools: offered, workspace: null, request: repeats ? memory.request : now.person.text, frugal: now.afterSummary };
  const plan = planAfter(now.afterSummary ? wishes.slice(0, FRUGAL_WISHES) : wishes, now.turns, world);
  if (plan.strange) return said(stranger());
  if (plan.calls.length === 0)
    return said([answerFor(plan.tasks), ...alone, ...(unclear.length === 0 ? [] : [alsoUnclear(unclear)])].join("\n\n"));
  const words = announce(plan.calls);
  return {
    text: talk === "yes" && now.turns.length === 0 ? `${afterYes()} ${words}` : words,
    calls: plan.calls.map((call, at) => ({ id: idAfter(transcript, at), ...call })),
    usage: null,
  };
}

const said = (text: string): ModelTurn => ({ text, calls: [], usage: null });
