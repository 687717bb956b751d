// Deny, and tell the agent something. Escape goes back to the buttons; it does not send.

import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { fieldClass, Form } from "../parts/field.tsx";

export interface DenyNoteProps {
  readonly busy: boolean;
  readonly send: (note: string) => void;
  readonly back: () => void;
}

export function DenyNote({ busy, send, back }: DenyNoteProps) {
  const [note, setNote] = useState("");
  return (
    <Form
      className="grid gap-2"
      submit={() => {
        if (note.trim() !== "") send(note.trim());
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        back();
      }}
    >
      <label className="grid gap-1 text-xs font-medium text-soft">
        What should the agent know?
        <textarea
          ref={focusOn}
          className={`${fieldClass} min-h-16 py-2`}
          maxLength={2000}
          value={note}
          onChange={({ target }) => setNote(target.value)}
          placeholder="e.g. use the copy in vendor/ instead"
        />
      </label>
      <div className="flex gap-2">
        <Button type="submit" weight="danger" disabled={busy || note.trim() === ""}>
          Deny and send this note
        </Button>
        <Button weight="ghost" disabled={busy} onClick={back}>
          Back
        </Button>
      </div>
    </Form>
  );
}

const focusOn = (element: HTMLTextAreaElement | null): void => element?.focus();
