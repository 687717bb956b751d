// The chat: keys and frames in, pictures and calls out. One state, changed in one place. Drawing begins before there is a backend, so
// that the first picture is there at once.

import type { ReadStream } from "node:tty";
import type { Frame } from "../wire/frames.ts";
import { type AnswerBody, routes } from "../wire/http.ts";
import type { WireAsk, WireChat } from "../wire/values.ts";
import { sendAnswer, sentence } from "./answering.ts";
import { type Backend, listen } from "./backend.ts";
import { type ChatState, chatView, settledCount, startingChat } from "./chat-view.ts";
import { isCommand, runCommand } from "./commands.ts";
import { compose, emptyComposer, submitted } from "./composer.ts";
import { editOf } from "./editing.ts";
import { openAsks, withFrame, withNote } from "./conversation.ts";
import { createFamily } from "./family.ts";
import type { Key } from "./keys.ts";
import { notification } from "./notify.ts";
import type { Screen } from "./screen.ts";
import { appeared, INERT, openSelector, press } from "./selector.ts";
import { readKeys } from "./terminal-keys.ts";

export interface ChatPlan {
  readonly header: string;
  /** Said at once, as if typed. */
  readonly first: string | null;
  /** Opens the chat to show: a new one, or one to go on with. */
  readonly openChat: (backend: Backend) => Promise<WireChat>;
  readonly absolute: (path: string) => string;
}

export interface ChatPorts {
  readonly input: ReadStream;
  /** Open already: the first picture does not wait for the rest of the program. */
  readonly screen: Screen;
  readonly clock: () => number;
  readonly openBackend: () => Promise<Backend>;
  /** Calls `leave` when the process is told to end. Gives what stops listening. */
  readonly onEnd: (leave: () => void) => () => void;
}

/** How soon a second Ctrl-C leaves. */
const TWICE = 2000;

/** Runs until the person leaves. Gives the chat and where it ran. Rejects where none could be opened. */
export async function runChat(
  ports: ChatPorts,
  plan: ChatPlan,
): Promise<{ readonly chat: WireChat; readonly where: Backend["where"] } | null> {
  const { clock } = ports;
  let state: ChatState = startingChat(plan.header, plan.first);
  let whole = false;
  let notes = 0;
  /** Something was said, and the chat has not begun to run on it yet. */
  let spoken = false;
  let interrupted = Number.NEGATIVE_INFINITY;
  let chat: WireChat | null = null;
  let leave: () => void = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const { screen } = ports;
  screen.onResize(() => draw());

  function draw(): void {
    const view = chatView(state, screen.size(), clock());
    whole = view.card?.whole ?? false;
    screen.draw(view);
  }
  const change = (to: Partial<ChatState>): void => {
    state = { ...state, ...to };
    draw();
  };
  const note = (text: string, tone: "plain" | "good" | "bad" | "dim" = "plain"): void => {
    if (text !== "") change({ conversation: withNote(state.conversation, `note:${notes++}`, text, tone) });
  };

  /** Brings the card in line with the asks that are open. */
  const settle = (): void => {
    const open = openAsks(state.conversation);
    const current = open.find(({ id }) => id === state.selector?.ask.id);
    const [first] = open;
    if (state.selector !== null && current?.digest === state.selector.ask.digest) return change({ waiting: open.length });
    const next = current ?? first;
    if (next === undefined) return change({ selector: null, held: null, waiting: 0 });
    // What the card shows is new, so that it waits anew before anything on it counts.
    change({ selector: openSelector(next), held: settledCount(state.conversation), waiting: open.length });
    if (current === undefined) screen.signal(notification("an agent waits for an answer"));
    setImmediate(() => {
      if (state.selector?.ask.id !== next.id) return;
      change({ selector: appeared(state.selector, clock()) });
      setTimeout(draw, INERT + 20);
    });
  };

  const take = (frame: Frame): void => {
    const conversation = withFrame(state.conversation, frame);
    if (frame.type === "chat_status") spoken = false;
    const running = spoken || conversation.status === "running";
    const said = frame.type === "snapshot" && state.composer.said.length === 0 ? saidIn(frame) : state.composer.said;
    state = { ...state, conversation, composer: { ...state.composer, said }, busySince: running ? (state.busySince ?? clock()) : null };
    settle();
    void sayNext();
  };

  /** Says the next of what is queued, once nothing runs and nobody is asked: a new message would close the question. */
  const sayNext = async (): Promise<void> => {
    const [text, ...queued] = state.queued;
    const { backend } = state;
    if (text === undefined || backend === null || chat === null || isAtWork()) return;
    spoken = true;
    change({ queued, busySince: clock(), notice: null });
    try {
      await backend.client.send(routes.say, { id: chat.id, body: { text } });
    } catch (error) {
      spoken = false;
      change({ busySince: null });
      note(sentence(error), "bad");
    }
  };
  const isAtWork = (): boolean =>
    state.busySince !== null ||
    state.selector !== null ||
    state.conversation.status === "running" ||
    state.conversation.status === "waiting_for_input";
  const submit = async (text: string): Promise<void> => {
    change({ composer: submitted(state.composer, text), notice: null });
    if (!isCommand(text)) {
      change({ queued: [...state.queued, text] });
      return sayNext();
    }
    note(`› ${text.replaceAll("\n", " ")}`, "dim");
    const { backend } = state;
    const { session } = state.conversation;
    try {
      const said = await runCommand(text, backend === null || session === null ? null : { backend, session, absolute: plan.absolute });
      if (said.leave === true) return leave();
      note(said.text, said.tone);
    } catch (error) {
      note(sentence(error), "bad");
    }
  };

  const interrupt = async (): Promise<void> => {
    const now = clock();
    if (now - interrupted < TWICE) return leave();
    interrupted = now;
    const works = isAtWork();
    // What was not said yet is given back, to be changed or thrown away.
    const back = state.queued.length === 0 ? (works ? state.composer.edited : emptyComposer.edited) : editOf(state.queued.join("\n"));
    change({
      notice: works ? "stopped · Ctrl-C again leaves" : "Ctrl-C again leaves",
      queued: [],
      composer: { ...state.composer, edited: back },
    });
    setTimeout(() => change({ notice: null }), TWICE).unref();
    if (!works || state.backend === null || chat === null) return;
    try {
      await state.backend.client.send(routes.cancel, { id: chat.id });
      change({ busySince: null });
    } catch (error) {
      note(sentence(error), "bad");
    }
  };

  const sent = async ({ client }: Backend, ask: WireAsk, answer: AnswerBody): Promise<void> => {
    const after = await sendAnswer(client, ask, answer);
    if ("ask" in after) return take({ type: "ask_settled", cursor: "", chat: after.ask.chat, ask: after.ask });
    if (state.selector?.ask.id === ask.id) change({ selector: { ...state.selector, sending: false, message: after.message } });
  };
  const pressed = (keys: readonly Key[]): void => {
    if (keys.some((key) => key.type === "key" && key.name === "interrupt")) return void interrupt();
    if (state.selector !== null) {
      const { ask } = state.selector;
      const { selector, answer } = press(state.selector, keys, clock(), whole);
      if (selector.inertUntil > clock() && selector.inertUntil !== Number.POSITIVE_INFINITY) setTimeout(draw, INERT + 20);
      change({ selector });
      const { backend } = state;
      if (answer === null || backend === null) return;
      void sent(backend, ask, answer);
      return;
    }
    for (const key of keys) {
      if (key.type === "key" && key.name === "end-of-input" && state.composer.edited.text === "") return leave();
      if (key.type === "key" && key.name === "redraw") return change({});
      const { composer, text } = compose(state.composer, key);
      state = { ...state, composer };
      if (text !== null) void submit(text);
    }
    draw();
  };

  draw();
  const stopKeys = readKeys(ports.input, pressed);
  const stopEnd = ports.onEnd(leave);
  const ticking = setInterval(() => {
    if (state.busySince !== null && state.selector === null) draw();
  }, 1000);
  const listening: { close(): void }[] = [];
  let backend: Backend | null = null;
  try {
    const opening = open();
    await Promise.race([left, opening.then(() => left)]);
    return chat === null || backend === null ? null : { chat, where: at(backend) };
  } finally {
    clearInterval(ticking);
    stopKeys();
    stopEnd();
    for (const one of listening) one.close();
    change({ leaving: true });
    screen.close();
    await closed(backend);
  }

  async function open(): Promise<void> {
    const opened = await ports.openBackend();
    backend = opened;
    const begun = await plan.openChat(opened);
    chat = begun;
    change({ backend: opened });
    if (opened.remark !== null) note(opened.remark, "dim");
    const connection = (now: "live" | "lost"): void => change({ connected: now === "live" });
    listening.push(listen(opened, { chats: [begun.id], frame: take, connection }));
    // Agents below this one ask in chats of their own; their cards are put up here too.
    const family = createFamily(opened.client, begun.session, take);
    listening.push(listen(opened, { chats: "all", frame: family.frame, connection: () => {} }));
    void sayNext();
  }
}

const at = ({ where }: Backend): Backend["where"] => where;
const closed = async (backend: Backend | null): Promise<void> => backend?.close();

const saidIn = (frame: Extract<Frame, { type: "snapshot" }>): readonly string[] =>
  frame.messages.flatMap((message) => (message.role === "person" ? [message.text] : []));
