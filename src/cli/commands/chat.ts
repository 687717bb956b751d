// hallpass chat: talk to an agent in a terminal. With the daemon where one runs; else within this process, and then it says so.

import { resolve } from "node:path";
import { systemClock } from "../../core/clock.ts";
import { show } from "../../core/path/show.ts";
import type { ChatFlags } from "../chat-backend.ts";
import { exitCodes } from "../exit-codes.ts";
import { oneOf, readWords } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { onEnd, terminalOf } from "../terminal.ts";

export async function chat(words: readonly string[], host: Host): Promise<number> {
  const plan = planOf(words, host);
  const streams = terminalOf(host);
  if (streams === null) return plainChat(plan, host);
  const header = `hallpass chat · ${show(plan.workspace)} · what lies elsewhere is asked for · /help`;
  // The first picture comes before everything it does not need.
  const [{ openScreen }, { chatView, startingChat }] = await Promise.all([
    import("../../repl/screen.ts"),
    import("../../repl/chat-view.ts"),
  ]);
  const screen = openScreen(streams, streams);
  screen.draw(chatView(startingChat(header, plan.text), screen.size(), systemClock()));
  const [{ runChat }, { openBackendFor, openChat }] = await Promise.all([import("../../repl/chat.ts"), import("../chat-backend.ts")]);
  const ended = await runChat(
    { input: streams.input, screen, clock: systemClock, openBackend: () => openBackendFor(plan, host), onEnd },
    {
      header,
      first: plan.text,
      openChat: (backend) => openChat(plan, backend, true),
      absolute: (path) => resolve(plan.workspace, path.startsWith("~/") ? `${host.home}${path.slice(1)}` : path),
    },
  );
  if (ended?.where === "daemon") host.output.write(`go on with: hallpass chat --resume ${ended.chat.id.slice(0, 8)}\n`);
  return exitCodes.done;
}

const options = {
  workspace: { type: "string", short: "w" },
  model: { type: "string", short: "m" },
  ask: { type: "string" },
  preset: { type: "string" },
  resume: { type: "string" },
} as const;

function planOf(words: readonly string[], host: Host): ChatFlags {
  const { values, positionals } = readWords(withResume(words), options);
  return {
    workspace: resolve(host.cwd, values.workspace ?? "."),
    model: values.model ?? null,
    asking: values.ask === undefined ? "by-guard" : oneOf("--ask", values.ask, ["by-guard", "by-model"]),
    preset: values.preset === undefined ? null : oneOf("--preset", values.preset, ["strict"]),
    resume: values.resume ?? null,
    text: positionals.length === 0 ? null : positionals.join(" "),
  };
}

/** `--resume` takes an id where one follows, and nothing where none does. */
function withResume(words: readonly string[]): readonly string[] {
  const at = words.indexOf("--resume");
  if (at === -1) return words;
  const next = words[at + 1] ?? "";
  const id = /^[0-9a-f][0-9a-f-]{7,}$/iu.test(next);
  return [...words.slice(0, at), `--resume=${id ? next : ""}`, ...words.slice(at + (id ? 2 : 1))];
}

/** Without a terminal: the words, or what comes in, are said once; nobody is there to be asked. */
async function plainChat(plan: ChatFlags, host: Host): Promise<number> {
  const text = plan.text ?? (host.input.isTTY === true ? "" : await readAll(host)).trim();
  if (text === "") throw new UsageError("there is nothing to say: give words, or send them in (`echo read notes.txt | hallpass chat`)");
  const [{ runPlain }, { openBackendFor, openChat }] = await Promise.all([import("../../repl/plain.ts"), import("../chat-backend.ts")]);
  const backend = await openBackendFor(plan, host);
  try {
    const chat = await openChat(plan, backend, false);
    const status = await runPlain(
      { backend, chat, say: (words) => void host.output.write(words), tell: (words) => void host.errors.write(words) },
      text,
    );
    // A chat that was begun with somebody there goes on asking them.
    if (status === "waiting_for_input") host.errors.write("an ask waits for an answer: hallpass inbox\n");
    return status === "failed" ? exitCodes.fault : status === "waiting_for_input" ? exitCodes.ask : exitCodes.done;
  } finally {
    await backend.close();
  }
}

const LONGEST = 1_000_000;

async function readAll({ input }: Host): Promise<string> {
  let text = "";
  for await (const chunk of input.setEncoding("utf8")) text += String(chunk);
  if (text.length > LONGEST) throw new UsageError(`what comes in is too long: at most ${LONGEST} characters`);
  return text;
}
