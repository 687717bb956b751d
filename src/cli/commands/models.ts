// hallpass models: which providers are set up, with what key, and which model chats have. A key is typed without being shown, or read from a
// pipe, and is never printed.

import { show } from "../../core/path/show.ts";
import type { AppConnection } from "../../wire/connection.ts";
import { routes } from "../../wire/http.ts";
import { reachDaemon } from "../daemon-connection.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Call, oneOf } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { openOwnApp } from "../own-app.ts";
import { withProgress } from "../progress.ts";
import { readSecret } from "../secret-input.ts";
import { table, tableSpace } from "../table.ts";

export async function models({ values, words: [what = "list", argument] }: Call<"models">, host: Host): Promise<number> {
  const verb = oneOf("models", what, ["list", "add", "test", "remove", "use"]);
  if (verb === "list" ? argument !== undefined : argument === undefined)
    throw new UsageError(
      verb === "list" ? "models list takes no further arguments" : `models ${verb} takes one more argument; see \`hallpass models --help\``,
    );
  const providerOrModel = argument ?? "";
  // A daemon of an earlier moment keeps what it was told: it is asked where it runs.
  const app = (await reachDaemon(host, "terminal")) ?? (await openOwnApp(host, { via: "terminal", model: null }));
  try {
    switch (verb) {
      case "list":
        return await list(app, values.json === true, host);
      case "add":
        return await add(app, providerOrModel, values.url, host);
      case "test":
        return await test(app, providerOrModel, values.url, host);
      case "remove":
        await app.client.send(routes.forgetProvider, { body: { provider: providerOrModel } });
        host.output.write(`removed what was saved for ${show(providerOrModel)}\n`);
        return exitCodes.done;
      case "use": {
        const { model } = await app.client.send(routes.chooseModel, { body: { model: providerOrModel } });
        host.output.write(`chats without a model of their own now use ${show(model)}\n`);
        return exitCodes.done;
      }
    }
  } finally {
    await app.close();
  }
}

async function list({ client }: AppConnection, json: boolean, host: Host): Promise<number> {
  const [settings, running] = await withProgress(host, "looking", () =>
    Promise.all([client.send(routes.models, {}), client.send(routes.localModels, {})]),
  );
  if (json) {
    host.output.write(`${JSON.stringify({ ...settings, running }, null, 2)}\n`);
    return exitCodes.done;
  }
  const rows = settings.providers.map((one) => ({ ...one, here: running.find(({ provider }) => provider === one.provider) }));
  host.output.write(`model  ${show(settings.model)}${settings.isFixed ? " (set when the daemon was started)" : ""}\n\n`);
  host.output.write(
    table(
      rows,
      [
        { name: "provider", value: ({ provider }) => provider },
        { name: "state", value: stateOf, cut: true },
        { name: "address", value: ({ address }) => show(address ?? ""), cut: true },
      ],
      tableSpace(host),
    ),
  );
  host.output.write("\nhallpass models add PROVIDER enters a key; hallpass models use PROVIDER/MODEL chooses\n");
  return exitCodes.done;
}

interface ProviderStatus {
  readonly isLocal: boolean;
  readonly needsKey: boolean;
  readonly keptIn: "environment" | "keyring" | "file" | "nowhere";
  readonly keyVariable: string;
  readonly problem: string | null;
  readonly address: string | null;
  readonly here: { readonly models: readonly string[] } | undefined;
}

function stateOf({ isLocal, needsKey, keptIn, keyVariable, problem, address, here }: ProviderStatus): string {
  if (problem !== null) return show(problem);
  if (here !== undefined)
    return `running: ${here.models
      .slice(0, 3)
      .map((one) => show(one))
      .join(", ")}${here.models.length > 3 ? " …" : ""}`;
  if (keptIn === "environment") return `key from ${keyVariable}`;
  if (keptIn !== "nowhere") return `key in ${keptIn === "keyring" ? "the keyring" : "a file of Hallpass"}`;
  if (needsKey) return "no key";
  return isLocal ? "not running" : address === null ? "no address" : "no key";
}

async function add({ client }: AppConnection, provider: string, url: string | undefined, host: Host): Promise<number> {
  const { providers, keyring } = await client.send(routes.models, {});
  const settings = providers.find((one) => one.provider === provider);
  if (settings === undefined)
    throw new UsageError(`no provider is called ${show(provider)}; one of ${providers.map((one) => one.provider).join(", ")}`);
  if (settings.keptIn === "environment")
    throw new UsageError(`${settings.keyVariable} is set and takes precedence over a saved key; unset it first`);
  const key = (await readSecret(`${settings.title} key${settings.needsKey ? "" : " (empty: none)"}: `, host)).trim();
  if (key === "" && settings.needsKey) throw new UsageError("no key was entered; nothing was saved");
  const body = { provider, ...(key === "" ? {} : { key }), ...(url === undefined ? {} : { address: url }) };
  const { trial, keptIn } = await withProgress(host, "asking", () => client.send(routes.saveProvider, { body }));
  const isRefused = !trial.ok && (trial.kind === "wrong-key" || trial.kind === "missing-key");
  const place = keptIn === "keyring" ? (keyring ?? "the keyring") : keptIn === "file" ? "a file that no agent can read" : null;
  if (isRefused) host.errors.write(`${show(trial.message)}\nnothing was saved\n`);
  else {
    host.output.write(`${place === null ? "the address is saved" : `the key is saved in ${place}`}\n`);
    host.output.write(trial.ok ? sayModels(provider, trial.models) : `it could not be tested: ${show(trial.message)}\n`);
  }
  return trial.ok ? exitCodes.done : exitCodes.fault;
}

async function test({ client }: AppConnection, provider: string, url: string | undefined, host: Host): Promise<number> {
  const body = { provider, ...(url === undefined ? {} : { address: url }) };
  const trial = await withProgress(host, "asking", () => client.send(routes.testProvider, { body }));
  if (trial.ok) host.output.write(sayModels(provider, trial.models));
  else host.errors.write(`${show(trial.message)}\n`);
  return trial.ok ? exitCodes.done : exitCodes.fault;
}

const LISTED = 12;

function sayModels(provider: string, names: readonly string[]): string {
  const listed = names.slice(0, LISTED).map((name) => `  ${provider}/${show(name)}`);
  const more = names.length > LISTED ? [`  and ${names.length - LISTED} more`] : [];
  const first = names.length === 1 ? "it works; its model" : `it works; its ${names.length} models`;
  return `${[first, ...listed, ...more, "choose one with: hallpass models use PROVIDER/MODEL"].join("\n")}\n`;
}
