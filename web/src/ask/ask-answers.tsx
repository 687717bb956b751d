// The answers to an ask: the choices of its card, and a note with a no. Deny is live at once; everything that grants
// waits for the quiet. One answer at a time: while it is on its way nothing can be pressed.

import { clsx } from "clsx";
import ChevronDown from "lucide-react/icons/chevron-down";
import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import type { AnswerBody } from "../../../src/wire/http.ts";
import type { WireAsk, WireCard } from "../../../src/wire/values.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { ConfirmSheet } from "./confirm-sheet.tsx";
import { DenyNote } from "./deny-note.tsx";
import { finger, GrantButton, GrantItem } from "./grant-button.tsx";
import { ignoreHeld } from "./use-armed.ts";

type Choice = WireCard["choices"][number];

export interface AskAnswersProps {
  readonly ask: WireAsk;
  readonly busy: boolean;
  /** Was what a yes opens on the screen? */
  readonly seen: boolean;
  readonly escapes: boolean;
  readonly answer: (answer: AnswerBody) => void;
}

const item =
  "flex min-h-9 pointer-coarse:min-h-11 cursor-default items-center rounded-md px-2.5 text-sm outline-none select-none data-[highlighted]:bg-raised data-[disabled]:opacity-60";

export function AskAnswers({ ask, busy, seen, escapes, answer }: AskAnswersProps) {
  const { quiet } = useApp();
  const [noting, setNoting] = useState(false);
  const [confirming, setConfirming] = useState<Choice | null>(null);
  const { digest, card } = ask;
  const forSession = ask.offers === "session";
  const give = (choice: Choice): void => answer({ ...choice.answer, digest });
  const first = card.choices.filter(({ place, grants }) => place === "first" && grants);
  const more = card.choices.filter(({ place }) => place === "more");
  if (noting) return <DenyNote busy={busy} send={(note) => answer({ decision: "deny", digest, note })} back={() => setNoting(false)} />;
  return (
    <div className="grid grid-cols-2 items-center gap-1.5 max-sm:whitespace-nowrap max-sm:*:justify-center sm:flex sm:flex-wrap sm:gap-y-2">
      {first.map((choice, index) => (
        <GrantButton key={choice.id} main={index === 0} wide={index === 0} busy={busy} seen={seen} onGrant={() => give(choice)}>
          {choice.label}
        </GrantButton>
      ))}
      <Button
        weight="danger"
        className={`max-sm:min-h-10! ${finger.high}`}
        disabled={busy}
        onClick={() => answer({ decision: "deny", digest })}
      >
        Deny
        {escapes && <kbd className="pointer-coarse:hidden rounded border border-current px-1 font-mono text-2xs">Esc</kbd>}
      </Button>
      <Button weight="ghost" className={`px-2! max-sm:min-h-8! ${finger.low}`} disabled={busy} onClick={() => setNoting(true)}>
        Deny with a note
      </Button>
      <DropdownMenu.Root modal={false} onOpenChange={() => quiet.disturb()}>
        <DropdownMenu.Trigger asChild>
          <Button weight="ghost" className={clsx("px-2! max-sm:min-h-8!", finger.low, !forSession && "max-sm:col-span-2")} disabled={busy}>
            More <ChevronDown size={15} aria-hidden="true" />
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal container={document.querySelector("main")}>
          <DropdownMenu.Content
            sideOffset={6}
            collisionPadding={8}
            onKeyDownCapture={ignoreHeld}
            className="z-30 min-w-60 rounded-xl border border-line bg-surface p-1.5 shadow-lift"
          >
            {more
              .filter(({ grants }) => grants)
              .map((choice) =>
                choice.confirm === null ? (
                  <GrantItem key={choice.id} className={item} seen={seen} onGrant={() => give(choice)}>
                    {choice.label}
                  </GrantItem>
                ) : (
                  <DropdownMenu.Item key={choice.id} className={item} onSelect={() => setConfirming(choice)}>
                    {choice.label}…
                  </DropdownMenu.Item>
                ),
              )}
            {more.some(({ grants }) => grants) && <DropdownMenu.Separator className="my-1 h-px bg-line" />}
            {more
              .filter(({ grants }) => !grants)
              .map((choice) => (
                <DropdownMenu.Item key={choice.id} className={`${item} text-deny`} onSelect={() => give(choice)}>
                  {choice.label}
                </DropdownMenu.Item>
              ))}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <ConfirmSheet
        open={confirming !== null}
        title={confirming?.answer.keep === true ? "Always allow this?" : "Open more than was proposed?"}
        label={confirming?.answer.keep === true ? "Always allow it in this workspace" : (confirming?.label ?? "")}
        busy={busy}
        seen={seen}
        close={() => setConfirming(null)}
        grant={() => {
          if (confirming !== null) give(confirming);
        }}
      >
        <p className="[overflow-wrap:anywhere]">{confirming?.confirm}</p>
      </ConfirmSheet>
    </div>
  );
}
