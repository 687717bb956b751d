import { describe, expect, test } from "vitest";
import type { AnswerBody } from "../../wire/http.ts";
import type { WireAsk } from "../../wire/values.ts";
import { askOf } from "../../../test/ask-sample.ts";
import type { HostSession } from "../host-session/host-session.ts";
import { type McpCaller, resumeAsk, type AskTimeouts, patience as usual, type Question, refusedLookup, waitFor } from "./asking.ts";
import type { DialogReply } from "./card.ts";

const open = askOf({ tool: "request_read_access", proposal: { dir: "/home/me/lib", because: ".git" } });
const access = { call: "call", tool: "request_read_access", operation: "read" as const, path: "/home/me/lib/go.mod" };

interface Made {
  readonly question: Question;
  /** What the host session was told, in its order. */
  readonly told: readonly (AnswerBody["decision"] | "cancelled" | "left" | "withdrawn")[];
  readonly progress: readonly string[];
}

/** A host session at which nobody answers, and a client whose dialog says `said` at once. */
function made(options: {
  shared?: boolean;
  dialog?: McpCaller["dialog"];
  said?: DialogReply;
  patience?: Partial<AskTimeouts>;
  signal?: AbortSignal;
}): Made {
  const { shared = true, dialog = "form", said = { action: "cancel" } } = options;
  const told: Made["told"][number][] = [];
  const progress: string[] = [];
  let ask: WireAsk = open;
  const hostSession: Pick<HostSession, "shared" | "wait" | "answer" | "cancel" | "leave" | "withdraw" | "ask" | "addressOf"> = {
    shared,
    // Nobody comes to the inbox: it is open still when the time is over.
    wait: (_ask, _milliseconds, signal) =>
      options.patience?.deadline === 0
        ? Promise.resolve(ask)
        : new Promise((resolve) => signal?.addEventListener("abort", () => resolve(ask), { once: true })),
    answer: (_ask, answer) => {
      told.push(answer.decision);
      ask = { ...ask, state: "answered" };
      return Promise.resolve(ask);
    },
    cancel: () => Promise.resolve(void told.push("cancelled")),
    leave: () => void told.push("left"),
    withdraw: () => Promise.resolve(void told.push("withdrawn")),
    ask: () => Promise.resolve({ state: "done", ok: true, code: null, text: "settled" }),
    addressOf: () => null,
  };
  const caller: McpCaller = {
    signal: options.signal ?? new AbortController().signal,
    dialog,
    put: () => Promise.resolve(said),
    progress: (message) => void progress.push(message),
  };
  const question: Question = {
    hostSession: hostSession as HostSession,
    access,
    reason: null,
    caller,
    patience: { ...usual, ...options.patience },
  };
  return { question, told, progress };
}

const yes: DialogReply = { action: "accept", content: { decision: "session" } };

describe("a dialog that says something at once", () => {
  // Nobody is quick enough, or everybody is: by the limit, not by the clock of this machine.
  const never = { readable: Infinity, automatic: Infinity };
  const always = { readable: 0, automatic: 0 };

  test("a yes before anybody can have read it answers nothing; where nobody else is there that is the end", async () => {
    const { question, told } = made({ shared: false, said: yes, patience: never });
    expect(await waitFor(question, open)).toMatchObject({
      ok: false,
      code: "no-prompt-channel",
      text: expect.stringContaining("sooner than a person can read"),
    });
    expect(told).toEqual(["cancelled", "left"]);
    const later = made({ shared: false, said: yes, patience: always });
    expect(await waitFor(later.question, open)).toMatchObject({ ok: true });
    expect(later.told).toEqual(["allow", "left"]);
  });

  test("is told of where nobody answers in the inbox in time either, and the ask stays open", async () => {
    const { question, told, progress } = made({ patience: { ...never, deadline: 0 } });
    const late = await resumeAsk(question, open, yes, 0);
    expect(late).toMatchObject({ ok: false, code: "timeout" });
    for (const part of ["sooner than a person can read", "still open in the inbox"]) expect(late.text).toContain(part);
    expect(progress[0]).toContain("sooner than a person can read");
    expect(told).toEqual(["left"]);
  });

  test("a decline at once is the client's own; one that took a moment is the person's", async () => {
    const declined: DialogReply = { action: "decline" };
    const automatic = made({ shared: false, said: declined, patience: never });
    expect(await waitFor(automatic.question, open)).toMatchObject({ code: "no-prompt-channel" });
    expect(automatic.told).toEqual(["cancelled", "left"]);
    const meant = made({ shared: false, said: declined, patience: always });
    await waitFor(meant.question, open);
    expect(meant.told).toEqual(["deny", "left"]);
  });

  test("a page that was opened, or was not, answers nothing", async () => {
    for (const said of [yes, { action: "decline" } as const]) {
      const { question, told } = made({ shared: false, dialog: "url", said, patience: always });
      expect(await waitFor(question, open)).toMatchObject({ code: "no-prompt-channel" });
      expect(told).toEqual(["cancelled", "left"]);
    }
  });
});

test("a call that is taken back withdraws, and answers nothing", async () => {
  const { question, told } = made({ dialog: null, signal: AbortSignal.abort(), patience: { deadline: 0 } });
  expect(await waitFor(question, open)).toMatchObject({ code: "request-closed" });
  expect(told).toEqual(["withdrawn"]);
});

test.each<readonly [string | null, boolean, ReturnType<typeof refusedLookup>]>([
  ["person-declined", true, { came: "denied" }],
  [null, true, { came: "denied" }],
  ["recently-denied", false, { came: "denied-before" }],
  ["request-withdrawn", true, { came: "withdrawn" }],
  ["request-closed", true, { came: "closed" }],
  ["timeout", true, { came: "unanswered" }],
  ["grant-changed", true, { came: "not-granted", code: "grant-changed" }],
  ["no-prompt-channel", true, { came: "not-asked", code: "no-prompt-channel" }],
  ["rate-limited", false, { came: "not-asked", code: "rate-limited" }],
  ["of another version", true, { came: "failed" }],
])("what a command reached for and was not granted: %s, asked: %s", (code, wasAsked, end) => {
  expect(refusedLookup(code, wasAsked)).toEqual(end);
});
