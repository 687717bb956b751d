// Models: which one chats have, which providers are set up, and what runs on this machine. A key is entered and never shown again.

import { useState } from "react";
import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";
import { Page } from "../frame/page.tsx";
import { Button } from "../parts/button.tsx";
import { Field, Form } from "../parts/field.tsx";
import { SectionHeading } from "../parts/note.tsx";
import { Shown } from "../parts/shown.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { useWork } from "../parts/use-work.ts";
import { count } from "../words/counts.ts";
import { ProviderRow } from "./provider-row.tsx";
import type { ModelState } from "./model-state.ts";

export function ModelsPage() {
  const { client } = useApp();
  const { answer: state, problem: unknown, set } = useAnswer(routes.models, {});
  const { answer: local, problem: unseen } = useAnswer(routes.localModels, {});
  const { problem, during } = useWork();
  /** What each provider has, once it was asked. */
  const [found, setFound] = useState<Readonly<Record<string, readonly string[]>>>({});
  const load = async (): Promise<void> => set(await client.send(routes.models, {}));
  const choose = (model: string): void =>
    void during(async () => {
      await client.send(routes.chooseModel, { body: { model } });
      await load();
    });
  const names = [
    "offline",
    ...Object.entries(found).flatMap(([provider, models]) => models.map((name) => `${provider}/${name}`)),
    ...(local ?? []).flatMap(({ provider, models }) => models.map((name) => `${provider}/${name}`)),
  ];
  return (
    <Page
      title="Models"
      says="which model your chats use, and its keys"
      problem={problem ?? unknown ?? unseen}
      className="max-w-[50rem] gap-6"
    >
      {state !== null && (
        <>
          <Usual key={state.model} state={state} names={names} choose={choose} />
          <section aria-label="On this machine">
            <SectionHeading>On this machine</SectionHeading>
            <p className="mb-2 text-sm text-soft">
              {local === null
                ? "Looking for Ollama, LM Studio, llama.cpp and vLLM…"
                : local.length === 0
                  ? "No model server is running here. Start Ollama, LM Studio, llama.cpp or vLLM and open this page again; they need no key."
                  : "These are running here and need no key."}
            </p>
            <ul className="grid gap-2">
              {(local ?? []).map(({ provider, models }) => (
                <li key={provider} className="rounded-lg border border-line bg-surface px-3 py-2.5 text-sm">
                  <span className="font-semibold">{titleOf(state, provider)}</span>{" "}
                  <span className="text-soft">· {count(models.length, "model")}</span>
                  <Choices provider={provider} models={models} state={state} choose={choose} />
                </li>
              ))}
            </ul>
          </section>
          <section aria-label="Providers">
            <SectionHeading>Providers</SectionHeading>
            <p className="mb-2 text-sm text-soft">
              Keys are kept in {state.keyring ?? "a file that only you can read"}; no agent can open it, and they are never shown again.
            </p>
            <ul className="grid grid-cols-1 gap-2">
              {state.providers
                .filter(({ isLocal, keptIn, addressFrom }) => !isLocal || keptIn !== "nowhere" || addressFrom === "saved")
                .map((provider) => (
                  <ProviderRow
                    key={provider.provider}
                    settings={provider}
                    changed={async (models) => {
                      if (models !== null) setFound((old) => ({ ...old, [provider.provider]: models }));
                      await load();
                    }}
                  >
                    <Choices provider={provider.provider} models={found[provider.provider] ?? []} state={state} choose={choose} />
                  </ProviderRow>
                ))}
            </ul>
          </section>
        </>
      )}
    </Page>
  );
}

const titleOf = ({ providers }: ModelState, provider: string): string =>
  providers.find((one) => one.provider === provider)?.title ?? provider;

/** The model of chats that name none. */
function Usual({
  state,
  names,
  choose,
}: {
  readonly state: ModelState;
  readonly names: readonly string[];
  readonly choose: (model: string) => void;
}) {
  const [typed, setTyped] = useState(state.model);
  const { model, isFixed } = state;
  return (
    <Form className="grid gap-2 rounded-xl border border-line bg-surface p-4" submit={() => choose(typed.trim())}>
      <label htmlFor="model" className="text-sm font-medium">
        The model of your chats
      </label>
      <p className="text-sm text-soft">
        {isFixed
          ? "It was set when the daemon was started (--model or HALLPASS_MODEL). Start the daemon without it to choose here."
          : "As provider/model, or offline for the built-in agent. To use another one in a chat, press the model's name above it."}
      </p>
      <div className="flex flex-wrap gap-2">
        <Field id="model" list="models" className="min-w-56 flex-1 font-mono" value={typed} disabled={isFixed} set={setTyped} />
        <datalist id="models">
          {names.slice(0, 300).map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        {!isFixed && (
          <Button type="submit" weight="solid" disabled={typed.trim() === "" || typed.trim() === model}>
            Use it
          </Button>
        )}
      </div>
      <p className="text-xs text-faint" role="status">
        in use: <Shown text={model} width={80} />
      </p>
    </Form>
  );
}

const LISTED = 6;

/** A few of a provider's models, to be chosen by one press. */
function Choices({
  provider,
  models,
  state,
  choose,
}: {
  readonly provider: string;
  readonly models: readonly string[];
  readonly state: ModelState;
  readonly choose: (model: string) => void;
}) {
  const [all, setAll] = useState(false);
  if (models.length === 0) return null;
  return (
    <ul className="mt-2 flex flex-wrap gap-1.5">
      {(all ? models : models.slice(0, LISTED)).map((name) => {
        const full = `${provider}/${name}`;
        return (
          <li key={name}>
            <Button
              size="small"
              className="max-sm:min-h-11!"
              aria-pressed={state.model === full}
              disabled={state.isFixed}
              onClick={() => choose(full)}
            >
              <Shown text={name} width={48} className="font-mono" />
              {state.model === full && <span className="text-accent">in use</span>}
            </Button>
          </li>
        );
      })}
      {models.length > LISTED && (
        <li>
          <Button size="small" weight="ghost" className="max-sm:min-h-11!" onClick={() => setAll(!all)}>
            {all ? "fewer" : `all ${models.length}`}
          </Button>
        </li>
      )}
    </ul>
  );
}
