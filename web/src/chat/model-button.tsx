// The model of a chat: its name above the conversation, and a way to give the chat another one.

import Cpu from "lucide-react/icons/cpu";
import { type FormEvent, useEffect, useId, useState } from "react";
import { Link } from "wouter";
import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";
import { isReady, type LocalServers, type ModelState } from "../models/model-state.ts";
import { Button } from "../parts/button.tsx";
import { fieldClass, Note } from "../parts/note.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Shown } from "../parts/shown.tsx";

export interface ModelButtonProps {
  /** `provider/model`; null: the usual one. */
  readonly model: string | null;
  readonly change: (model: string | null) => Promise<void>;
}

export function ModelButton({ model, change }: ModelButtonProps) {
  const { client } = useApp();
  const id = useId();
  const [state, setState] = useState<ModelState | null>(null);
  const [local, setLocal] = useState<LocalServers>([]);
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => void client.send(routes.models, {}).then(setState, () => {}), [client, open]);
  // Looked for when the person opens it, and not before.
  useEffect(() => {
    if (open) client.send(routes.localModels, {}).then(setLocal, () => {});
  }, [client, open]);
  if (state === null) return null;
  const take = async (name: string | null): Promise<void> => {
    try {
      await change(name);
      setOpen(false);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void take(typed.trim());
  };
  const now = model ?? state.model;
  const names = local.flatMap(({ provider, models }) => models.map((name) => `${provider}/${name}`));
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
            {problem !== null && <Note kind="problem">{problem}</Note>}
            <p>
              This chat has <Shown text={now} className="font-mono" />
              {model === null && ", the usual one"}. Another counts from its next turn on.
            </p>
            <form className="flex flex-wrap gap-2" onSubmit={submit}>
              <input
                aria-label="Another model, as provider/model"
                list={id}
                placeholder="provider/model"
                className={`${fieldClass} min-w-48 flex-1 font-mono`}
                value={typed}
                onChange={({ target }) => setTyped(target.value)}
              />
              <datalist id={id}>
                {[...names, ...state.providers.filter(isReady).map(({ provider }) => `${provider}/`)].map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
              <Button type="submit" weight="solid" disabled={typed.trim() === ""}>
                Use it
              </Button>
            </form>
            <div className="flex flex-wrap gap-2">
              {["offline", ...names]
                .filter((name) => name !== now && !(name === "offline" && now.startsWith("offline/")))
                .map((name) => (
                  <Button key={name} size="small" className="max-sm:min-h-11!" onClick={() => void take(name)}>
                    <Shown text={name} width={40} className="font-mono" />
                  </Button>
                ))}
              {model !== null && (
                <Button size="small" className="max-sm:min-h-11!" onClick={() => void take(null)}>
                  the usual one: <Shown text={state.model} width={40} className="font-mono" />
                </Button>
              )}
            </div>
            <p className="text-xs text-faint">
              Keys and the usual model are on the page{" "}
              <Link href="/models" className="text-accent underline underline-offset-2">
                Models
              </Link>
              .
            </p>
          </div>
        </Sheet>
      )}
    </>
  );
}

/** Without the provider where the name is long enough by itself. */
const shortName = (name: string): string => (name.startsWith("offline") ? "offline" : (name.split("/").at(-1) ?? name));
