// The entries of a conversation as lines. What agents and files say goes through `show`, line by line.

import { grantName, isNetwork, meaningOf } from "../core/guard/explain.ts";
import { show } from "../core/path/show.ts";
import { closedWords } from "../core/closed-words.ts";
import type { WireAsk, WireCall } from "../wire/values.ts";
import { askerNames, partText } from "../core/guard/card.ts";
import { cutEnd, cutMiddle, hang, wrap } from "./columns.ts";
import type { ConversationEntry } from "./conversation.ts";
import { type Line, line, span } from "./lines.ts";
import { markdownLines } from "./markdown-lines.ts";

/** How a grant is ended from where the lines are shown. */
export type RevokeHint = (grant: string) => string;

export function entryLines(entry: ConversationEntry, width: number, revoke: RevokeHint): readonly Line[] {
  switch (entry.kind) {
    case "person":
      return [line(""), ...block(entry.text, width, "› ", "bold")];
    case "agent":
      return [
        line(""),
        ...(entry.text === "" ? [] : markdownLines(entry.text.replace(/\n+$/u, ""), width)),
        ...(entry.error === null ? [] : block(entry.error, width, "✗ ", "red")),
      ];
    case "reminder":
      return block(entry.text, width, "· ", "dim");
    case "note":
      // Already shown where it quotes anything; what is left that is unusual is escaped all the same, backslashes are let be.
      return entry.text
        .split("\n")
        .flatMap((one) => hang(show(one).replaceAll("\\\\", "\\"), width).map((text) => line(text, tones[entry.tone])));
    case "call":
      return callLines(entry.call, width);
    case "ask":
      return settledLines(entry.ask, width, revoke);
  }
}

const tones = { plain: "plain", good: "green", bad: "red", dim: "dim" } as const;

/** A text of many lines, each shown and wrapped, the first with a mark. */
function block(text: string, width: number, mark: string, style: "bold" | "dim" | "red"): readonly Line[] {
  const inner = width - mark.length;
  const lines = text.split("\n").flatMap((one) => wrap(show(one.replaceAll("\t", "    ").replace(/\r$/u, "")), inner));
  return lines.map((one, at) => [span(at === 0 ? mark : " ".repeat(mark.length), "cyan"), span(one, style)]);
}

/** One line for a call: what it does, and how it went. */
export function callLines(call: WireCall, width: number): readonly Line[] {
  const what = `${show(call.name)} ${inputOf(call.input)}`.trimEnd();
  const { state } = call;
  if (state.at !== "done") {
    const suffix = state.at === "waiting" ? " · waits for you" : "";
    return [[span("  … ", "yellow"), span(cutMiddle(what, width - 4 - suffix.length)), span(suffix, "dim")]];
  }
  if (state.outcome.ok) {
    const size = sizeOf(state.outcome.output);
    return [[span("  ✓ ", "green"), span(cutMiddle(what, width - 4 - size.length)), span(size, "dim")]];
  }
  // The hint is for the agent; a person is told what the code means.
  const { code } = state.outcome;
  const why = cutEnd(show(`it ${meaningOf(code)} · ${code}`), 400);
  return [
    [span("  ✗ ", "red"), span(cutMiddle(what, width - 4))],
    ...wrap(why, width - 6).map((text) => [span("    "), span(text, "dim")]),
  ];
}

/** The part of a tool's input a person wants to see: the path, the pattern, the command. */
function inputOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const fields = new Map(Object.entries(input));
  const parts = ["command", "pattern", "path", "question", "workspace"].flatMap((name) => {
    const value: unknown = fields.get(name);
    return typeof value === "string" ? [show(value)] : [];
  });
  return parts.join(" in ");
}

function sizeOf(output: string): string {
  const lines = output === "" ? 0 : output.replace(/\n$/u, "").split("\n").length;
  return lines > 1 ? ` · ${lines} lines` : "";
}

/** An answered card: its result, and how to revoke it. */
export function settledLines(ask: WireAsk, width: number, revoke: RevokeHint): readonly Line[] {
  const paths = ask.requested.map(show).join(", ");
  const { answer } = ask;
  const what = `${show(ask.tool)} ${paths}`.trimEnd();
  const row = (mark: string, style: "green" | "red" | "dim", text: string): readonly Line[] =>
    wrap(text, width - 4).map((one, at) => [span(at === 0 ? `  ${mark} ` : "    ", style), span(one, at === 0 ? "plain" : "dim")]);
  if (ask.state === "open" && ask.waiting !== null) return row("?", "dim", `Allowed, and waits for ${show(ask.waiting.machine)}: ${what}`);
  if (ask.state === "open") return row("?", "dim", `Waits for an answer: ${what}`);
  if (ask.closed === "covered") return row("✓", "dim", `Closed, since ${closedWords.covered}: ${what}`);
  if (answer === null) {
    const status = ask.closed === "withdrawn" ? "Withdrawn" : "Closed";
    return row("✗", "red", `${status}${ask.closed === null ? "" : `, since ${closedWords[ask.closed]}`}, nothing was allowed: ${what}`);
  }
  switch (answer.verdict) {
    case "allow": {
      if (ask.refused !== null) return row("✗", "red", `Allowed, but nothing was granted, since it ${meaningOf(ask.refused)}: ${what}`);
      if (answer.until === "call") {
        // What else was put to the same card is asked about for itself.
        const [first = "", ...others] = ask.requested;
        const again = others.length === 0 ? "" : " · the others are asked about again";
        return row("✓", "green", `Allowed once: ${`${show(ask.tool)} ${show(first)}`.trimEnd()}${again}`);
      }
      const time = answer.expires === null ? "until the session ends" : `until ${partText({ kind: "time", text: String(answer.expires) })}`;
      const end = answer.keeps === true ? `${time}, to be kept for ${show(ask.workspace)}` : time;
      const back = ` · ${ask.grant === null ? "no longer granted" : revoke(ask.grant)}`;
      const opened = answer.opened ?? ask.proposal?.dir ?? ask.path ?? "";
      const granted = isNetwork(opened) ? grantName(opened) : `read ${show(opened)}`;
      return row("✓", "green", `Granted: ${granted} ${end}${back}`);
    }
    case "deny":
      return row(
        "✗",
        "red",
        `Denied: ${what}${answer.note === null ? "" : ` · with the note: ${show(answer.note)}`}${answer.stop ? " · stopped" : ""}`,
      );
    case "reply":
      return row("✓", "green", `Answered: ${show(answer.text)}`);
  }
}

/** One line of an inbox: who asks for what. */
export function askLine(ask: WireAsk, width: number): Line {
  const what = ask.kind === "pending_question" ? show(ask.question ?? "") : `${show(ask.tool)} ${ask.requested.map(show).join(", ")}`;
  const who = cutMiddle(askerNames(ask.asker).map(show).join(" › "), Math.floor(width / 3));
  return [span(`  ${who} `, "cyan"), span(cutMiddle(what, Math.max(4, width - who.length - 4)))];
}
