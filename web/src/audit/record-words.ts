// A record in words, and records as a picture: how many of each verdict in each stretch of time. Pure; what is not known is passed over.

import { personWords } from "../../../src/core/guard/card.ts";
import { closedWords } from "../../../src/wire/closed-words.ts";
import { lastsWords } from "../../../src/wire/words.ts";
import { exactTime } from "../words/times.ts";
import type { ShownRecord } from "./audit-page.tsx";

export interface RecordWords {
  readonly kind: string;
  readonly verdict: string;
  readonly what: string;
  readonly path: string | null;
  readonly why: string;
  /** Where it led, if that is another place. */
  readonly really: string | null;
}

const ENDS: Readonly<Record<string, string>> = {
  person: "session ended",
  "agent-left": "session ended: its agent has left",
  idle: "session ended: nobody used it for long",
};

const SAID: Readonly<Record<string, string>> = { allow: "allowed by", deny: "denied by", reply: "answered by" };

export function recordWords(event: ShownRecord["event"]): RecordWords {
  const text = (key: string): string | null => {
    const value = event[key];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const name = text("by");
  const by = name === null ? null : personWords(name);
  const lasting = lastsWords(event, exactTime);
  const lasts = lasting === "" ? "" : ` ${lasting}`;
  const common = { kind: event.kind, verdict: text("verdict") ?? "", path: text("requested") ?? text("path"), really: null };
  switch (event.kind) {
    case "decision": {
      const real = text("real");
      return {
        ...common,
        what: `${text("operation") ?? ""} with ${text("tool") ?? "?"}:`,
        why: `${text("reason") ?? ""}${event["late"] === undefined ? "" : "; added late: a hook decided while the daemon was away"}`,
        really: real === common.path ? null : real,
      };
    }
    case "answer":
      return {
        ...common,
        what: `${SAID[common.verdict] ?? "answered by"} ${by ?? "somebody"}${event["stop"] === true ? ", and the agent stopped" : lasts}`,
        why: text("note") === null ? "" : `note: ${text("note") ?? ""}`,
      };
    case "grant":
      return { ...common, verdict: "allow", what: `granted by ${by ?? "somebody"}${lasts}:`, why: "" };
    case "ask-closed":
      return {
        ...common,
        what: `question ${text("why") === "withdrawn" ? "withdrawn" : "closed"}`,
        why: new Map(Object.entries(closedWords)).get(text("why") ?? "") ?? "",
      };
    case "revocation":
      return { ...common, what: `revoked by ${by ?? "somebody"}`, why: "" };
    case "session-ended":
      return {
        ...common,
        what: ENDS[text("why") ?? ""] ?? "session ended",
        why: by === null || text("why") !== "person" ? "" : `by ${by}`,
      };
    case "chat-deleted":
      return { ...common, what: `chat deleted by ${by ?? "somebody"}; its messages are gone`, why: "" };
    case "rule-kept":
      return { ...common, what: `kept for good by ${by ?? "somebody"}:`, why: `${text("file") ?? ""}:${JSON.stringify(event["line"])}` };
    case "policy-changed":
      return { ...common, path: text("file"), what: `policy saved by ${by ?? "somebody"}:`, why: "" };
    case "archived":
      return {
        ...common,
        path: text("file"),
        what: `records ${JSON.stringify(event["first"])} to ${JSON.stringify(event["last"])} archived by ${by ?? "somebody"}:`,
        why: "",
      };
    case "spool-taken": {
      const damaged = event["damaged"] === 0 ? "" : `; ${JSON.stringify(event["damaged"])} damaged lines were skipped`;
      return { ...common, what: `${JSON.stringify(event["count"])} late decisions of hooks were added${damaged}`, why: "" };
    }
    case "grant-refused":
      return { ...common, what: "a yes had no effect", why: text("code") ?? "" };
    default:
      return { ...common, what: event.kind, why: text("code") ?? "" };
  }
}

/** Columns of a plot: times in seconds, then how many were allowed, asked about and denied in each stretch. */
export function countsOverTime(records: readonly ShownRecord[], stretches: number): readonly [number[], number[], number[], number[]] {
  const decisions = records.filter(({ event }) => event.kind === "decision");
  const times = decisions.map(({ event }) => event.at);
  const from = Math.min(...times);
  const to = Math.max(...times);
  if (decisions.length === 0) return [[], [], [], []];
  const width = Math.max(1000, Math.ceil((to - from + 1) / stretches));
  const size = Math.floor((to - from) / width) + 1;
  const columns = { allow: zeros(size), ask: zeros(size), deny: zeros(size) };
  for (const { event } of decisions) {
    const column = event["verdict"] === "allow" ? columns.allow : event["verdict"] === "ask" ? columns.ask : columns.deny;
    const index = Math.floor((event.at - from) / width);
    column[index] = (column[index] ?? 0) + 1;
  }
  return [Array.from({ length: size }, (_, index) => (from + index * width) / 1000), columns.allow, columns.ask, columns.deny];
}

const zeros = (size: number): number[] => Array.from({ length: size }, () => 0);
