// The record as a table for people: when, whose agent, what and why, in the words of the page. Paths as they were asked for, with what they
// really were where that differs.

import type { z } from "zod";
import { personWords } from "../core/guard/card.ts";
import { show } from "../core/path/show.ts";
import { textAt } from "../core/record.ts";
import type { Routes } from "../wire/http.ts";
import { recordWords } from "../wire/record-words.ts";
import type { Paint } from "./paint.ts";
import { table, windowWidth } from "./table.ts";

export type RecordPage = z.infer<Routes["audit"]["answer"]>;
export type RecordRow = RecordPage["records"][number];

export function auditTable(
  records: readonly RecordRow[],
  stream: { readonly columns?: number; readonly isTTY?: boolean },
  paint: Paint,
): string {
  const tone = (text: string, { event }: RecordRow): string => {
    const verdict = event["verdict"];
    return verdict === "deny" ? paint.red(text) : verdict === "ask" ? paint.yellow(text) : verdict === "allow" ? paint.green(text) : text;
  };
  return table<RecordRow>(
    records,
    [
      { name: "no", value: ({ sequence }) => String(sequence) },
      { name: "when", value: ({ event }) => timeOf(event.at) },
      { name: "what", value: ({ event }) => whatOf(event), paint: tone },
      { name: "why", value: ({ event }) => whyOf(event), cut: true },
      { name: "agent", value: ({ about }) => agentOf(about), cut: true },
      { name: "tool", value: ({ event }) => show(textAt(event, "tool")), cut: true },
      { name: "path", value: ({ event }) => pathOf(event), cut: true },
    ],
    { width: windowWidth(stream), paint },
  );
}

const timeOf = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ");

const wordsOf = (event: RecordRow["event"]) => recordWords(event, { time: timeOf, person: personWords });

function whatOf(event: RecordRow["event"]): string {
  const verdict = show(textAt(event, "verdict"));
  return event.kind === "decision" ? verdict : event.kind === "answer" ? `answer: ${verdict}` : show(event.kind);
}

/** A decision's reason; of everything else, what happened. */
function whyOf(event: RecordRow["event"]): string {
  const { what, why } = wordsOf(event);
  return show(event.kind === "decision" ? why : [what.replace(/:$/u, ""), why].filter((part) => part !== "").join("; "));
}

const agentOf = (about: RecordRow["about"]): string =>
  about === null ? "" : show(about.machine === null ? about.agent : `${about.agent} on ${about.machine}`);

function pathOf(event: RecordRow["event"]): string {
  const { path, really } = wordsOf(event);
  return really === null ? show(path ?? "") : `${show(path ?? "")} → ${show(really)}`;
}
