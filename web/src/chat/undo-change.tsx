// What a person can do about a change that an agent made: undo it, once. Where that cannot be, why.

import Undo2 from "lucide-react/icons/undo-2";
import { routes } from "../../../src/wire/http.ts";
import type { WireOutcome } from "../../../src/wire/values.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { Problem } from "../parts/note.tsx";
import { useWork } from "../parts/use-work.ts";

export interface UndoChangeProps {
  readonly chat: string;
  readonly call: string;
  readonly undo: NonNullable<Extract<WireOutcome, { ok: true }>["undo"]>;
}

const undoTexts = {
  done: "You undid this change.",
  "too-large": "Too large to undo here.",
  "not-text": "Not text, so it cannot be undone here.",
  "not-readable": "What was there before could not be read, so it cannot be undone here.",
} as const;

export function UndoChange({ chat, call, undo }: UndoChangeProps) {
  const { client } = useApp();
  const { busy, problem, during } = useWork();
  const take = async (): Promise<void> => void (await client.send(routes.undo, { id: chat, body: { call } }));
  return (
    <div className="border-t border-line px-2.5 py-1">
      {undo === "possible" ? (
        <Button weight="ghost" size="small" className="w-fit" disabled={busy} onClick={() => void during(take)}>
          <Undo2 size={14} aria-hidden="true" /> Undo
        </Button>
      ) : (
        <p className="py-1 text-xs text-soft">{undoTexts[undo]}</p>
      )}
      <div aria-live="polite">
        <Problem text={problem} />
      </div>
    </div>
  );
}
