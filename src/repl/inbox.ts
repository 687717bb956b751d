// The inbox: the asks of every agent on this machine, answered one after the other in one terminal. The newest never takes the place of
// the one a person is looking at.

import type { AppConnection } from "../wire/connection.ts";
import type { AnswerBody } from "../wire/http.ts";
import type { WireAsk } from "../wire/values.ts";
import { sendAnswer, sentence } from "./answering.ts";
import type { ChatPorts } from "./chat.ts";
import { selectorCard } from "./chat-view.ts";
import { askLine, settledLines } from "./entry-lines.ts";
import { type Key, readKeys } from "./keys.ts";
import { type Line, line } from "./lines.ts";
import { notification } from "./notify.ts";
import type { SettledBlock } from "./picture.ts";
import { markAppeared, INERT, openSelector, press, type Selector } from "./selector.ts";

const revokeHint = (grant: string): string => `hallpass grants revoke ${grant.slice(0, 8)}`;
const TWICE = 2000;

/** Runs until the person leaves, and closes the connection then. */
export async function runInbox(ports: ChatPorts, app: AppConnection, header: string): Promise<void> {
  const { clock } = ports;
  let open: readonly WireAsk[] = [];
  let settled: readonly WireAsk[] = [];
  let selector: Selector | null = null;
  let live = false;
  let whole = false;
  let notice = "";
  let interrupted = Number.NEGATIVE_INFINITY;
  let leave: () => void = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  let leaving = false;
  const { screen } = ports;
  screen.onResize(() => draw());

  function draw(): void {
    const size = screen.size();
    const gone: SettledBlock[] = [
      { id: "header", lines: () => [line(header, "dim")] },
      ...settled.map((ask): SettledBlock => ({
        id: ask.id,
        lines: (width) => [askLine(ask, width), ...settledLines(ask, width, revokeHint)],
      })),
    ];
    const card = selector === null || leaving ? null : selectorCard(selector, open.length, size, clock());
    whole = card?.whole ?? false;
    const idle = live ? "nobody is waiting · questions from every agent appear here · Ctrl-C quits" : "connecting…";
    const lines: Line[] = leaving ? [] : card === null ? [line(notice === "" ? idle : notice, "dim")] : [...card.lines];
    if (card !== null && open.length > 1 && card.lines.length < size.rows - 2) lines.push(line("  Tab shows the next one", "dim"));
    screen.draw({ settled: gone, live: lines });
  }
  const show = (ask: WireAsk): void => {
    selector = openSelector(ask);
    draw();
    setImmediate(() => {
      if (selector?.ask.id !== ask.id) return;
      selector = markAppeared(selector, clock());
      draw();
      setTimeout(draw, INERT + 20);
    });
  };
  const settle = (): void => {
    const current = open.find(({ id }) => id === selector?.ask.id);
    if (selector !== null && current?.digest === selector.ask.digest) return draw();
    const next = current ?? open[0];
    if (next !== undefined) return show(next);
    selector = null;
    draw();
  };
  const opened = (frameAsk: WireAsk): void => {
    const ask = named(frameAsk);
    if (ask.state !== "open") return closed(ask);
    const known = open.some(({ id }) => id === ask.id);
    open = known ? open.map((one) => (one.id === ask.id ? ask : one)) : [...open, ask];
    if (!known) screen.signal(notification("an agent is waiting for an answer"));
    settle();
  };
  const closed = (frameAsk: WireAsk): void => {
    const ask = named(frameAsk);
    open = open.filter(({ id }) => id !== ask.id);
    if (!settled.some(({ id }) => id === ask.id)) settled = [...settled, ask];
    settle();
  };

  const send = async (ask: WireAsk, answer: AnswerBody): Promise<void> => {
    const { ask: now, keptNote, message } = await sendAnswer(app.client, ask, answer);
    if (keptNote !== null) notice = keptNote;
    // It is open still where a yes waits for another machine, and where what the card showed has changed: its card says so.
    if (now !== null) (now.state === "open" ? opened : closed)(now);
    if (message !== null && selector?.ask.id === ask.id) selector = { ...selector, sending: false, message };
    draw();
  };
  const suspend = async (): Promise<void> => {
    await screen.suspend(ports.stop);
    // Whoever comes back to a card looks at it anew.
    pressed([{ type: "key", name: "focus" }]);
  };
  const pressed = (keys: readonly Key[]): void => {
    if (keys.some((key) => key.type === "key" && (key.name === "interrupt" || key.name === "end-of-input"))) {
      // Nothing is answered by leaving: what waits goes on waiting.
      if (selector === null || clock() - interrupted < TWICE) return leave();
      interrupted = clock();
      selector = { ...selector, message: "Ctrl-C again quits; the ask stays open" };
      return draw();
    }
    if (keys.some((key) => key.type === "key" && key.name === "suspend")) return void suspend();
    if (selector === null) {
      if (keys.some((key) => key.type === "text" && key.text === "q")) leave();
      return;
    }
    const [key] = keys;
    if (keys.length === 1 && key?.type === "key" && key.name === "tab" && selector.writing === null) {
      const at = open.findIndex(({ id }) => id === selector?.ask.id);
      const next = open[(at + 1) % open.length];
      return next === undefined || next.id === selector.ask.id ? undefined : show(next);
    }
    const { ask } = selector;
    const after = press(selector, keys, clock(), whole);
    selector = after.selector;
    draw();
    if (Number.isFinite(selector.inertUntil) && selector.inertUntil > clock()) setTimeout(draw, INERT + 20);
    if (after.answer !== null) void send(ask, after.answer);
  };

  draw();
  const stopKeys = readKeys(ports.input, pressed);
  const stopEnd = ports.onEnd(leave);
  const listening = app.subscribe({
    chats: "all",
    connection(now) {
      live = now === "live";
      notice = live ? "" : "the daemon does not answer; trying again…";
      draw();
    },
    frame(frame) {
      if (frame.type === "ask_open") opened(frame.ask);
      else if (frame.type === "ask_settled") closed(frame.ask);
      else if (frame.type === "inbox") {
        open = open.filter(({ id }) => frame.asks.some((ask) => ask.id === id));
        for (const ask of frame.asks) opened(ask);
        settle();
      } else if (frame.type === "problem") {
        notice = sentence(new Error(frame.message));
        draw();
      }
    },
  });
  try {
    await left;
  } finally {
    stopKeys();
    stopEnd();
    listening.close();
    leaving = true;
    draw();
    screen.close();
    await app.close();
  }
}

/** Seen from here no chat is "this chat". */
const named = (ask: WireAsk): WireAsk =>
  ask.asker.label === null && ask.asker.host === null ? { ...ask, asker: { ...ask.asker, label: "a chat" } } : ask;
