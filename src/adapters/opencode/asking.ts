// A person's yes in opencode's own dialog. It counts only if the dialog was really shown and a person had the time to read it: a rule
// that allows, and a run that answers everything by itself, are no person.

import { randomUUID } from "node:crypto";
import { isRecord } from "../../core/record.ts";
import { textAt, type OpencodeToolContext } from "./host-types.ts";

/** Nobody reads a question and answers it in less. */
const READING = 500;

interface Shown {
  readonly at: number;
  /** opencode's name for the question. */
  readonly id: string;
  said: { readonly at: number; readonly word: string } | null;
}

export interface OpencodeDialogs {
  /** Did a person say yes? Rejects never. */
  ask(context: OpencodeToolContext, root: string, reason: string): Promise<boolean>;
  /** opencode's events, as they come. */
  saw(event: unknown): void;
}

export function createDialogs(now: () => number): OpencodeDialogs {
  const shown = new Map<string, Shown>();
  return {
    async ask(context, root, reason) {
      const mark = randomUUID();
      try {
        await context.ask({
          permission: "external_directory",
          patterns: [`${root}/*`],
          // Never for always: that would be opencode's own rule, for every tool that writes too.
          always: [],
          metadata: { filepath: root, parentDir: root, reason, hallpass: mark },
        });
      } catch {
        return false;
      }
      // The events come beside the answer, and may come a little after it.
      for (let tries = 0; tries < 20 && shown.get(mark)?.said === null; tries += 1) await new Promise((wake) => setTimeout(wake, 25));
      const dialog = shown.get(mark);
      shown.delete(mark);
      if (dialog === undefined || dialog.said === null) return false;
      return ["once", "always"].includes(dialog.said.word) && dialog.said.at - dialog.at >= READING;
    },
    saw(event) {
      const properties = isRecord(event) ? event["properties"] : undefined;
      if (!isRecord(properties)) return;
      const type = textAt(event, "type");
      if (type === "permission.asked" || type === "permission.updated") {
        const mark = textAt(properties["metadata"], "hallpass");
        if (mark !== "" && !shown.has(mark)) shown.set(mark, { at: now(), id: textAt(properties, "id"), said: null });
      } else if (type === "permission.replied") {
        const id = textAt(properties, "requestID") || textAt(properties, "permissionID");
        const word = textAt(properties, "reply") || textAt(properties, "response");
        for (const dialog of shown.values()) if (dialog.id === id && id !== "") dialog.said ??= { at: now(), word };
      }
    },
  };
}
