// Offers a person to mount the directory of a call that was refused for its path, for this session, after showing which directory it is.

import { useState } from "react";
import { routes } from "../../../src/wire/http.ts";
import { useApp, useStored } from "../app-context.ts";
import { ConfirmSheet } from "../ask/confirm-sheet.tsx";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { WorkNote } from "../parts/note.tsx";
import { useWork } from "../parts/use-work.ts";

export interface MountRefusedProps {
  readonly session: string;
  readonly chat: string | null;
  /** As the agent wrote it. */
  readonly path: string;
  readonly right: "read" | "write";
}

const modes = { read: "read_only", write: "extend" } as const;

export function MountRefused({ session, chat, path, right }: MountRefusedProps) {
  const { client, daemon } = useApp();
  /** The directory to mount; null while nobody is asked about it. */
  const [dir, setDir] = useState<string | null>(null);
  const { busy, message, say, during } = useWork();
  const look = async (): Promise<void> => {
    const { proposal, real, requested } = await client.send(routes.explain, { id: session, body: { path } });
    setDir(proposal ?? parentDirectory(real ?? requested));
  };
  const mount = async (): Promise<void> => {
    daemon.session(await client.send(routes.addMount, { id: session, body: { path: dir ?? "", mode: modes[right] } }));
    say({ text: "Allowed. Tell the agent to try again.", bad: false });
  };
  // Where the agent asks by itself, the card is what is answered.
  const isAsked = useStored(({ asks }) => Object.values(asks).some((ask) => ask.state === "open" && ask.chat === chat));
  if (isAsked && dir === null && message === null) return null;
  const doing = right === "read" ? "reading" : "writing";
  return (
    <div className="border-t border-line px-2.5 py-1">
      <Button weight="ghost" size="small" className="w-fit" disabled={busy} onClick={() => void during(look)}>
        Allow {doing}…
      </Button>
      <div aria-live="polite">
        <WorkNote message={message} />
      </div>
      <ConfirmSheet
        open={dir !== null}
        title={`Allow ${doing}?`}
        label={`Allow ${doing} there`}
        busy={busy}
        seen={dir !== null && dir.trim() !== ""}
        close={() => setDir(null)}
        grant={() => void during(mount)}
      >
        <label className="grid gap-1">
          Directory
          <Field className="font-mono" value={dir ?? ""} set={setDir} />
        </label>
        <p>
          {right === "read"
            ? "This session may read all of it without asking, but for what the policy denies or asks about, and may not change it."
            : "This session may read, change and run commands in all of it without asking, but for what the policy denies or asks about."}{" "}
          This lasts until you remove it from the session's mounts, or the session ends. Secret files stay hidden.
        </p>
      </ConfirmSheet>
    </div>
  );
}

/** The directory that holds it. */
const parentDirectory = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")));
