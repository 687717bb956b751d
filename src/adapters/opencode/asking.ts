// A person's yes in opencode's own dialog. It counts only if the dialog was really shown and a person had the time to read it: a rule
// that allows, and a run that answers everything by itself, are no person.

import { randomUUID } from "node:crypto";
import { isRecord } from "../../core/record.ts";
import { textAt, type OpencodeToolContext } from "./host-types.ts";

/** Nobody reads a question and answers it in less. */
const READING = 500;

interface ShownDialog {
  readonly at: number;
  /** opencode's name for the question. */
  readonly id: string;
  reply: { readonly at: number; readonly choice: string } | null;
}

export interface OpencodeDialogs {
  /** Did a person say yes? Rejects never. */
  ask(context: OpencodeToolContext, root: string, reason: string): Promise<boolean>;
  /** opencode's events, as they come. */
  saw(event: unknown): void;
}

export function createDialogs(now: () => number): OpencodeDialogs {
  const dialogs = new Map<string, ShownDialog>();
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
      for (let tries = 0; tries < 20 && dialogs.get(mark)?.reply === null; tries += 1) await new Promise((wake) => setTimeout(wake, 25));
      const dialog = dialogs.get(mark);
      dialogs.delete(mark);
      if (dialog === undefined || dialog.reply === null) return false;
      return ["once", "always"].includes(dialog.reply.choice) && dialog.reply.at - dialog.at >= READING;
    },
    saw(event) {
      const properties = isRecord(event) ? event["properties"] : undefined;
      if (!isRecord(properties)) return;
      const type = textAt(event, "type");
      if (type === "permission.asked" || type === "permission.updated") {
        const mark = textAt(properties["metadata"], "hallpass");
        if (mark !== "" && !dialogs.has(mark)) dialogs.set(mark, { at: now(), id: textAt(properties, "id"), reply: null });
      } else if (type === "permission.replied") {
        const id = textAt(properties, "requestID") || textAt(properties, "permissionID");
        const choice = textAt(properties, "reply") || textAt(properties, "response");
        for (const dialog of dialogs.values()) if (dialog.id === id && id !== "") dialog.reply ??= { at: now(), choice };
      }
    },
  };
}
