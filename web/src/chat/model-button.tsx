// The model of a chat: its name above the conversation, and a way to give the chat another one.

import Cpu from "lucide-react/icons/cpu";
import { useId, useState } from "react";
import { routes } from "../../../src/wire/http.ts";
import { isReady } from "../models/model-state.ts";
import { Button } from "../parts/button.tsx";
import { Field, Form } from "../parts/field.tsx";
import { Problem } from "../parts/note.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Shown } from "../parts/shown.tsx";
import { TextLink } from "../parts/text-link.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { useWork } from "../parts/use-work.ts";

export interface ModelButtonProps {
  /** `provider/model`; null: the usual one. */
  readonly model: string | null;
  readonly change: (model: string | null) => Promise<void>;
}

export function ModelButton({ model, change }: ModelButtonProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const { problem, during } = useWork();
  const { answer: state } = useAnswer(routes.models, {}, open);
  // Looked for when the person opens it, and not before.
  const { answer: local } = useAnswer(routes.localModels, open ? {} : null);
  if (state === null) return null;
  const take = (name: string | null): void =>
    void during(async () => {
      await change(name);
      setOpen(false);
    });
  const now = model ?? state.model;
  const names = (local ?? []).flatMap(({ provider, models }) => models.map((name) => `${provider}/${name}`));
  return (
    <>
      <Button
        size="small"
        className="shrink-0 whitespace-nowrap"
        title={`Model: ${now}`}
        aria-label={`Model: ${now}`}
        onClick={() => setOpen(true)}
      >
        <Cpu size={14} aria-hidden="true" />
        <span className="max-md:sr-only">
          <Shown text={shortName(now)} width={28} />
        </span>
      </Button>
      {open && (
        <Sheet open onOpenChange={setOpen} title="Model of this chat">
          <div className="grid gap-4 p-4 text-sm">
            <Problem text={problem} />
            <p>
              This chat uses <Shown text={now} className="font-mono" />
              {model === null && ", the default"}. Another one takes effect with the next turn.
            </p>
            <Form className="flex flex-wrap gap-2" submit={() => take(typed.trim())}>
              <Field
                aria-label="Another model, as provider/model"
                list={id}
                placeholder="provider/model"
                className="min-w-48 flex-1 font-mono"
                value={typed}
                set={setTyped}
              />
              <datalist id={id}>
                {[...names, ...state.providers.filter(isReady).map(({ provider }) => `${provider}/`)].map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
              <Button type="submit" weight="solid" disabled={typed.trim() === ""}>
                Use it
              </Button>
            </Form>
            <div className="flex flex-wrap gap-2">
              {["offline", ...names]
                .filter((name) => name !== now && !(name === "offline" && now.startsWith("offline/")))
                .map((name) => (
                  <Button key={name} size="small" className="max-sm:min-h-11!" onClick={() => take(name)}>
                    <Shown text={name} width={40} className="font-mono" />
                  </Button>
                ))}
              {model !== null && (
                <Button size="small" className="max-sm:min-h-11!" onClick={() => take(null)}>
                  the default: <Shown text={state.model} width={40} className="font-mono" />
                </Button>
              )}
            </div>
            <p className="text-xs text-faint">
              To change keys or the default model, open <TextLink href="/models">Models</TextLink>.
            </p>
          </div>
        </Sheet>
      )}
    </>
  );
}

/** Without the provider where the name is long enough by itself. */
const shortName = (name: string): string => (name.startsWith("offline") ? "offline" : (name.split("/").at(-1) ?? name));
