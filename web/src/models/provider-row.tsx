// One provider: where its key is kept, a field for another one, and what came of trying it.

import { type ReactNode, useId, useState } from "react";
import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { Field, Form } from "../parts/field.tsx";
import { Note, Problem } from "../parts/note.tsx";
import { Shown } from "../parts/shown.tsx";
import { useWork } from "../parts/use-work.ts";
import { isReady, type ProviderSettings } from "./model-state.ts";

export interface ProviderRowProps {
  readonly settings: ProviderSettings;
  /** Called after a save, removal or test; with the models, where the provider listed them. */
  readonly changed: (models: readonly string[] | null) => Promise<void>;
  readonly children: ReactNode;
}

export function ProviderRow({ settings, changed, children }: ProviderRowProps) {
  const { client } = useApp();
  const id = useId();
  const [open, setOpen] = useState(false);
  const [key, setKey] = useState("");
  const [address, setAddress] = useState("");
  const { busy, message, say, during } = useWork();
  const { provider, title, keptIn, keyVariable, needsKey, problem } = settings;
  const entered = { provider, key: key.trim() || undefined, address: address.trim() || undefined };
  const save = async (): Promise<void> => {
    const { trial } = await client.send(routes.saveProvider, { body: entered });
    const isRefused = !trial.ok && (trial.kind === "wrong-key" || trial.kind === "missing-key");
    if (isRefused) return say({ text: `${trial.message}. Nothing was saved.`, bad: true });
    setKey("");
    setAddress("");
    setOpen(false);
    say(
      trial.ok
        ? { text: "It works and was saved.", bad: false }
        : { text: `Saved, but it could not be tested: ${trial.message}`, bad: true },
    );
    await changed(trial.ok ? trial.models : null);
  };
  const test = async (): Promise<void> => {
    const trial = await client.send(routes.testProvider, { body: { provider } });
    say(trial.ok ? { text: "It works.", bad: false } : { text: trial.message, bad: true });
    if (trial.ok) await changed(trial.models);
  };
  const forget = async (): Promise<void> => {
    await client.send(routes.forgetProvider, { body: { provider } });
    say({ text: "Removed.", bad: false });
    await changed(null);
  };
  return (
    <li className="rounded-lg border border-line bg-surface px-3 py-2.5 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-40 grow">
          <p className="font-semibold">{title}</p>
          <p className="text-xs text-soft">{stateWords(settings)}</p>
        </div>
        {isReady(settings) && (
          <Button size="small" className="max-sm:min-h-11!" disabled={busy} onClick={() => void during(test)}>
            Test
          </Button>
        )}
        {(keptIn === "keyring" || keptIn === "file" || settings.addressFrom === "saved") && (
          <Button size="small" weight="danger" className="max-sm:min-h-11!" disabled={busy} onClick={() => void during(forget)}>
            Remove
          </Button>
        )}
        {keptIn !== "environment" && (
          <Button size="small" className="max-sm:min-h-11!" aria-expanded={open} onClick={() => setOpen(!open)}>
            {keptIn === "nowhere" ? "Set up…" : "Change…"}
          </Button>
        )}
      </div>
      <Problem text={problem} />
      {open && (
        <Form className="mt-3 grid gap-2" submit={() => void during(save)}>
          <label className="grid gap-1" htmlFor={`${id}-key`}>
            Key{needsKey ? "" : " (if it needs one)"}
          </label>
          <Field
            id={`${id}-key`}
            type="password"
            autoComplete="off"
            spellCheck={false}
            autoFocus
            className="font-mono"
            value={key}
            set={setKey}
          />
          {(settings.address === null || settings.addressFrom !== "environment") && (
            <>
              <label className="grid gap-1" htmlFor={`${id}-address`}>
                Address{settings.address === null ? "" : " (leave empty to keep it)"}
              </label>
              <Field
                id={`${id}-address`}
                className="font-mono"
                placeholder={settings.address ?? "http://127.0.0.1:8080/v1"}
                value={address}
                set={setAddress}
              />
            </>
          )}
          <div className="flex gap-2">
            <Button
              type="submit"
              weight="solid"
              disabled={busy || (needsKey ? key.trim() === "" : key.trim() === "" && address.trim() === "")}
            >
              {busy ? "Testing…" : "Save"}
            </Button>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
          </div>
          <p className="text-xs text-faint">
            It is tested with one request that costs nothing. {needsKey && `You can set ${keyVariable} in the environment instead.`}
          </p>
        </Form>
      )}
      <div aria-live="polite">
        {message !== null && (
          <div className="mt-2">
            <Note kind={message.bad ? "problem" : "info"}>
              <Shown text={message.text} />
            </Note>
          </div>
        )}
      </div>
      {children}
    </li>
  );
}

function stateWords({ keptIn, keyVariable, needsKey, address }: ProviderSettings): string {
  const key = {
    environment: `key from ${keyVariable}`,
    keyring: "key in the keyring",
    file: "key saved",
    nowhere: needsKey ? "no key" : address === null ? "no address" : "no key needed",
  }[keptIn];
  return address === null || keptIn === "nowhere" ? key : `${key} · ${address}`;
}
