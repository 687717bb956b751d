// A line of the record in words, for the page and for the terminal. Pure; what is not known is passed over.

import { auditKinds, type GrantEnd, type SessionEnd } from "../core/audit.ts";
import { closedWords } from "../core/closed-words.ts";
import { textAt } from "../core/record.ts";
import { lastsWords } from "./words.ts";

type LooseEvent = Readonly<Record<string, unknown>> & { readonly kind: string };

export interface RecordWords {
  readonly kind: string;
  readonly verdict: string;
  /** What happened. A path may follow it: then it ends with a colon. */
  readonly what: string;
  readonly path: string | null;
  readonly why: string;
  /** Where it led, if that is another place. */
  readonly really: string | null;
}

/** How a screen writes a time, and who somebody is. */
export interface RecordScreen {
  readonly time: (at: number) => string;
  readonly person: (by: string) => string;
}

/** Why a session ended, in words. */
export const sessionEndWords: Readonly<Record<SessionEnd, string>> = {
  person: "a person ended it",
  "agent-left": "its agent has left",
  idle: "nobody used it for long",
  "task-ended": "its task is done",
  "starter-ended": "the agent that started it was stopped or has left",
};

const grantEnds: Readonly<Record<GrantEnd, string>> = {
  expired: "grant expired",
  "clock-set-back": "grant ended, since the clock was set back and nobody can tell how much of its time is left",
  "roots-changed": "grant for once ended unused, since the session's directories changed",
};

const rootChanges: Readonly<Record<string, string>> = {
  moved: "workspace moved by",
  mounted: "mounted by",
  unmounted: "unmounted by",
};

const said: Readonly<Record<string, string>> = { allow: "allowed by", deny: "denied by", reply: "answered by" };

/** The words of a list that may not know this one. */
const wordsIn = (list: Readonly<Record<string, string>>, key: string): string | undefined => new Map(Object.entries(list)).get(key);

export function recordWords(event: LooseEvent, { time, person }: RecordScreen): RecordWords {
  const text = (key: string): string => textAt(event, key);
  const number = (key: string): string => JSON.stringify(event[key] ?? null);
  const by = text("by") === "" ? "somebody" : person(text("by"));
  const lasting = lastsWords(event, time);
  const lasts = lasting === "" ? "" : ` ${lasting}`;
  const path = text("requested") || text("path") || null;
  const words = (what: string, why = "", more: Partial<RecordWords> = {}): RecordWords => {
    const told = { kind: event.kind, verdict: text("verdict"), path, why, really: null, ...more };
    return { ...told, what: told.path === null || what.endsWith(":") ? what : `${what}:` };
  };
  // Records of other versions may have kinds that this one does not know.
  switch (auditKinds.find((kind) => kind === event.kind)) {
    case undefined:
      return words(event.kind, text("code"));
    case "decision": {
      const late = event["late"] === undefined ? "" : "; added late: a hook decided while the daemon was away";
      const fault = text("fault") === "" ? "" : ` (${text("fault")})`;
      const real = text("real");
      return words(`${text("operation")} with ${text("tool") || "?"}:`, `${text("reason")}${fault}${late}`, {
        really: real === "" || real === path ? null : real,
      });
    }
    case "open-failed":
      return words("allowed, and could not be opened", text("code"));
    case "answer": {
      const stop = event["stop"] === true ? ", and the agent stopped" : lasts;
      return words(`${wordsIn(said, text("verdict")) ?? "answered by"} ${by}${stop}`, text("note") === "" ? "" : `note: ${text("note")}`);
    }
    case "grant":
      return words(`granted by ${by}${lasts}`, "", { verdict: "allow" });
    case "grant-refused":
      return words("a yes had no effect", text("code"));
    case "ask-closed":
      return words(`question ${text("why") === "withdrawn" ? "withdrawn" : "closed"}`, wordsIn(closedWords, text("why")) ?? text("why"));
    case "revocation":
      return words(`revoked by ${by}`);
    case "grant-ended":
      return words(wordsIn(grantEnds, text("why")) ?? `grant ended (${text("why")})`);
    case "roots-changed":
      return words(
        `${wordsIn(rootChanges, text("change")) ?? "directories changed by"} ${by}${text("mode") === "" ? "" : ` (${text("mode")})`}`,
        text("before") === "" ? "" : `before: ${text("before")}`,
      );
    case "session-ended":
      return text("why") === "person"
        ? words("session ended", `by ${by}`)
        : words(`session ended: ${wordsIn(sessionEndWords, text("why")) ?? text("why")}`);
    case "chat-deleted":
      return words(`chat deleted by ${by}; its messages are gone`);
    case "rule-kept":
      return words(`kept for good by ${by}`, `${text("file")}:${number("line")}`);
    case "policy-changed":
      return words(`policy saved by ${by}`, "", { path: text("file") || null });
    case "archived":
      return words(`records ${number("first")} to ${number("last")} archived by ${by}`, "", { path: text("file") || null });
    case "spool-taken": {
      const { count, late, damaged } = event;
      const skipped =
        damaged === 0 ? "" : `; ${damaged === 1 ? "one damaged line was" : `${number("damaged")} damaged lines were`} skipped`;
      const how =
        late === count
          ? "that hooks made without the daemon"
          : late === 0
            ? "of MCP servers"
            : `of MCP servers and hooks, ${number("late")} of them late,`;
      return words(
        `${count === 1 ? "one decision" : `${number("count")} decisions`} ${how} ${count === 1 ? "was" : "were"} added${skipped}`,
      );
    }
  }
}
