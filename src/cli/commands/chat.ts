// hallpass chat: talk to an agent in a terminal. With the daemon where one runs; else within this process, and then it says so.

import { resolve } from "node:path";
import { systemClock } from "../../core/clock.ts";
import type { ChatFlags } from "../chat-connection.ts";
import { chatPlanOf } from "../chat-plan.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { onEnd, stopProcess, terminalOf } from "../terminal.ts";

export async function chat(call: Call<"chat">, host: Host): Promise<number> {
  const plan = chatPlanOf(call, host.cwd);
  const streams = terminalOf(host);
  if (streams === null) return plainChat(plan, host);
  const screen = host.drawn ?? (await import("../../repl/screen.ts")).openScreen(streams, streams);
  const [{ runChat }, { openChat }] = await Promise.all([import("../../repl/chat.ts"), import("../chat-connection.ts")]);
  const ended = await runChat(
    { input: streams.input, screen, clock: systemClock, onEnd, stop: stopProcess },
    {
      workspace: plan.workspace,
      first: plan.text,
      open: () => openChat(plan, host, true),
      absolute: (path) => resolve(plan.workspace, path.startsWith("~/") ? `${host.home}${path.slice(1)}` : path),
      save: async (name, lines) => (await import("../save-lines.ts")).saveLines(resolve(host.cwd, name), lines),
    },
  );
  if (ended?.app.where === "daemon") host.output.write(`continue with: hallpass chat --resume ${ended.chat.id.slice(0, 8)}\n`);
  return exitCodes.done;
}

/** Without a terminal: the words, or what comes in, are said once; nobody is there to be asked. */
async function plainChat(plan: ChatFlags, host: Host): Promise<number> {
  const text = plan.text ?? (host.input.isTTY === true ? "" : await readAll(host)).trim();
  if (text === "") throw new UsageError("there is nothing to say: give a message, or pipe one in (`echo read notes.txt | hallpass chat`)");
  const [{ runPlain }, { openChat }] = await Promise.all([import("../../repl/plain.ts"), import("../chat-connection.ts")]);
  const { app, chat } = await openChat(plan, host, false);
  try {
    const status = await runPlain(
      { app, chat, say: (words) => void host.output.write(words), tell: (words) => void host.errors.write(words) },
      text,
    );
    // A chat that was begun with somebody there goes on asking them.
    if (status === "waiting_for_input") host.errors.write("an ask waits for an answer: hallpass inbox\n");
    return status === "failed" ? exitCodes.fault : status === "waiting_for_input" ? exitCodes.ask : exitCodes.done;
  } finally {
    await app.close();
  }
}

const LONGEST = 1_000_000;

async function readAll({ input }: Host): Promise<string> {
  let text = "";
  for await (const chunk of input.setEncoding("utf8")) text += String(chunk);
  if (text.length > LONGEST) throw new UsageError(`the input is too long: at most ${LONGEST} characters`);
  return text;
}
