// The record as a table for people: when, what, by whom. Paths as they were asked for, with what they really were where that differs.

import type { z } from "zod";
import { lastsWords } from "../wire/words.ts";
import { show } from "../core/path/show.ts";
import type { Routes } from "../wire/http.ts";
import type { Paint } from "./paint.ts";
import { table, windowWidth } from "./table.ts";

export type RecordPage = z.infer<Routes["audit"]["answer"]>;
export type Recorded = RecordPage["records"][number];

export function auditTable(
  records: readonly Recorded[],
  stream: { readonly columns?: number; readonly isTTY?: boolean },
  paint: Paint,
): string {
  const tone = (text: string, { event }: Recorded): string => {
    const verdict = event["verdict"];
    return verdict === "deny" ? paint.red(text) : verdict === "ask" ? paint.yellow(text) : verdict === "allow" ? paint.green(text) : text;
  };
  return table<Recorded>(
    records,
    [
      { name: "no", value: ({ sequence }) => String(sequence) },
      { name: "when", value: ({ event }) => timeOf(event.at) },
      { name: "what", value: ({ event }) => whatOf(event), paint: tone },
      {
        name: "why",
        value: ({ event }) =>
          (event["late"] === undefined ? "" : "late: ") +
          (textAt(event, "reason") || textAt(event, "code") || textAt(event, "why") || describeAnswer(event)),
        cut: true,
      },
      { name: "tool", value: ({ event }) => textAt(event, "tool") },
      { name: "path", value: ({ event }) => pathOf(event), cut: true },
    ],
    { width: windowWidth(stream), paint },
  );
}

const timeOf = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ");

function whatOf(event: Recorded["event"]): string {
  if (event.kind === "decision") return textAt(event, "verdict");
  return event.kind === "answer" ? `answer: ${textAt(event, "verdict")}` : event.kind;
}

/** How long a yes or a grant lasts, whether a no stops the agent, and who said it. */
function describeAnswer(event: Recorded["event"]): string {
  const effect = event["stop"] === true ? "and stop" : lastsWords(event, timeOf);
  return [effect, textAt(event, "by")].filter((part) => part !== "").join(", ");
}

function textAt(event: Readonly<Record<string, unknown>>, key: string): string {
  const value = event[key];
  return typeof value === "string" ? show(value) : "";
}

function pathOf(event: Readonly<Record<string, unknown>>): string {
  const requested = textAt(event, "requested") || textAt(event, "path") || textAt(event, "file");
  const real = textAt(event, "real");
  return real === "" || real === requested ? requested : `${requested} → ${real}`;
}
