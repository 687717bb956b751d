// The models as a person sets them up: which providers have a key and where it is kept, and which model chats use. A model is opened with the
// settings at the moment of each turn. A key can be written but not read back: callers learn only where it is kept.

import { isOffline, type ModelOptions, openModel } from "../agent/models/providers.ts";
import { findLocalServers, listModels, type LocalServer } from "../agent/models/list-models.ts";
import { offlineModel } from "../agent/models/offline.ts";
import {
  addressFor,
  findService,
  isKey,
  locateProvider,
  type ModelEnvironment,
  type ProviderState,
  providerStates,
  readAddress,
  type SavedServices,
} from "../agent/models/services.ts";
import { type Model, ModelFault } from "../agent/ports.ts";
import type { ModelFaultKind } from "../agent/transcript.ts";
import type { Keyring } from "./keyring.ts";
import { noSettings, readSettings, type SavedSettings, writeSettings } from "./settings-file.ts";

export interface ModelSettingsPorts {
  /** Where they are kept; null: nowhere, and what is entered ends with the process. */
  readonly file: string | null;
  readonly keyring: Keyring | null;
  readonly env: ModelEnvironment;
  /** The model that a flag or the environment names: it overrides what is chosen here. */
  readonly fixed: string | null;
  readonly clock: () => number;
  readonly options?: Pick<ModelOptions, "fetch" | "ids" | "patience">;
}

/** A provider, and where its key is kept. */
export interface ShownProvider extends ProviderState {
  readonly keptIn: "environment" | "keyring" | "file" | "nowhere";
}

/** The result of one request to a service. */
export type Trial =
  | { readonly ok: true; readonly models: readonly string[] }
  | { readonly ok: false; readonly kind: ModelFaultKind; readonly message: string };

/** What a person entered; a missing part stays as it is. */
export interface ProviderInput {
  readonly provider: string;
  readonly key?: string;
  readonly address?: string;
}

export interface ModelSettings {
  /** The current default model, for chats that name none. */
  readonly model: Model;
  /** Was it named when the program was started? Then it cannot be chosen here. */
  readonly isFixed: boolean;
  /** What people call the keyring; null where keys go into a file. */
  readonly keyring: string | null;
  providers(): readonly ShownProvider[];
  /** A model by its name. Throws a ModelFault for an impossible name; a model that is not set up fails at its turn. */
  open(name: string): Model;
  /** Why the model of this name cannot be used now; null where it can. */
  problemOf(name: string): Promise<ModelFault | null>;
  /** One cheap request with the key and the address as they are, or as they would be. */
  test(entered: ProviderInput): Promise<Trial>;
  /** Keep it, unless the service refuses the key. */
  save(entered: ProviderInput): Promise<Trial>;
  /** Throw away what was entered for a provider. */
  forget(provider: string): Promise<void>;
  /** The model of chats that name none; null: the built-in agent. */
  choose(name: string | null): void;
  /** The servers of models that run on this machine. */
  findLocal(): Promise<readonly LocalServer[]>;
}

export function createModelSettings(ports: ModelSettingsPorts): ModelSettings {
  const { file, keyring, env, fixed, clock, options = {} } = ports;
  const { fetch = globalThis.fetch } = options;
  // Read anew each time: another process may have changed it. Without a file it is kept here.
  let own = noSettings;
  /** Keys read from the keyring, so that it is asked only once. */
  const cachedKeys = new Map<string, string>();
  const read = (): SavedSettings => (file === null ? own : readSettings(file));
  const write = (settings: SavedSettings): void => {
    if (file === null) own = settings;
    else writeSettings(file, settings);
  };
  const accountOf = (provider: string, address: string): string => `${provider} at ${address}`;
  const keyOf = async (provider: string, { address, keyIn, key }: SavedSettings["providers"][string]): Promise<string | null> => {
    if (keyIn !== "keyring") return key ?? null;
    const account = accountOf(provider, address);
    const known = cachedKeys.get(account) ?? (await keyring?.get(account)) ?? null;
    if (known !== null) cachedKeys.set(account, known);
    return known;
  };
  /** What was entered, with the key of the provider that is needed. */
  const savedFor = async (provider: string): Promise<SavedServices> => {
    const saved = read().providers[provider];
    return saved === undefined ? {} : { [provider]: { address: saved.address, key: await keyOf(provider, saved) } };
  };
  const defaultModel = (): string => fixed ?? read().model ?? "offline";

  const modelNamed = (name: string): Model =>
    isOffline(name)
      ? offlineModel()
      : {
          name,
          turn: async (prompt, how) =>
            openModel(name, { ...options, env, saved: await savedFor(name.slice(0, name.indexOf("/"))) }).turn(prompt, how),
        };
  const currentModel = (): Model => {
    try {
      return modelNamed(defaultModel());
    } catch (error) {
      // A name that an earlier version knew, or a file that somebody wrote by hand.
      return failingModel(error);
    }
  };

  const withEntered = async ({ provider, key, address }: ProviderInput): Promise<SavedServices> => {
    const before = await savedFor(provider);
    if (key !== undefined && !isKey(key.trim()))
      throw new ModelFault("that is not a key: it is empty, or contains characters that no key has");
    const enteredAddress = address === undefined || address.trim() === "" ? undefined : readAddress(address, provider);
    const place = enteredAddress ?? addressFor(provider, env, before);
    if (place === null) throw new ModelFault(`${provider} has no default address; enter one`);
    // A key is good for the address it was entered for.
    const savedKey = before[provider]?.address === place ? (before[provider]?.key ?? null) : null;
    return { [provider]: { address: place, key: key?.trim() ?? savedKey } };
  };
  const tryProvider = async (provider: string, saved: SavedServices): Promise<Trial> => {
    try {
      return { ok: true, models: await listModels(locateProvider(provider, env, saved), { fetch, now: clock }) };
    } catch (error) {
      if (!(error instanceof ModelFault)) throw error;
      return { ok: false, kind: error.kind, message: error.message };
    }
  };

  return {
    model: {
      get name() {
        return currentModel().name;
      },
      get isBlind() {
        return currentModel().isBlind;
      },
      get isUnlimited() {
        return currentModel().isUnlimited;
      },
      turn: (prompt, how) => currentModel().turn(prompt, how),
    },
    isFixed: fixed !== null,
    keyring: keyring?.name ?? null,

    providers() {
      const { providers } = read();
      // In place of a key that is elsewhere stands a word that is none: only whether there is one is looked at.
      const saved = Object.fromEntries(
        Object.entries(providers).map(([name, { address, keyIn }]) => [name, { address, key: keyIn === "nowhere" ? null : "kept" }]),
      );
      return providerStates(env, saved).map((state): ShownProvider => {
        const { keyFrom, provider } = state;
        return {
          ...state,
          keptIn: keyFrom === "saved" ? (providers[provider]?.keyIn ?? "nowhere") : keyFrom === "none" ? "nowhere" : keyFrom,
        };
      });
    },

    open: modelNamed,

    async problemOf(name) {
      try {
        if (!isOffline(name)) findService(name, env, await savedFor(name.slice(0, name.indexOf("/"))));
        return null;
      } catch (error) {
        if (error instanceof ModelFault) return error;
        throw error;
      }
    },

    test: async (entered) => tryProvider(entered.provider, await withEntered(entered)),

    async save(entered) {
      const { provider } = entered;
      const saved = await withEntered(entered);
      const entry = saved[provider];
      const trial = await tryProvider(provider, saved);
      if (entry === undefined || (!trial.ok && (trial.kind === "wrong-key" || trial.kind === "missing-key"))) return trial;
      const account = accountOf(provider, entry.address);
      const inKeyring = entry.key !== null && keyring !== null && (await keyring.put(account, entry.key));
      if (inKeyring && entry.key !== null) cachedKeys.set(account, entry.key);
      const place = { address: entry.address };
      const stored: SavedSettings["providers"][string] =
        entry.key === null
          ? { ...place, keyIn: "nowhere" }
          : inKeyring
            ? { ...place, keyIn: "keyring" }
            : { ...place, keyIn: "file", key: entry.key };
      const settings = read();
      write({ ...settings, providers: { ...settings.providers, [provider]: stored } });
      return trial;
    },

    async forget(provider) {
      const settings = read();
      const { [provider]: gone, ...providers } = settings.providers;
      if (gone === undefined) return;
      if (gone.keyIn === "keyring") await keyring?.remove(accountOf(provider, gone.address));
      cachedKeys.delete(accountOf(provider, gone.address));
      write({ ...settings, providers });
    },

    choose(name) {
      if (name !== null) isOffline(name);
      write({ ...read(), model: name === "offline" || name === "offline/guide" ? null : name });
    },

    findLocal: () => findLocalServers(fetch),
  };
}

function failingModel(fault: unknown): Model {
  return {
    name: "none",
    async turn() {
      if (fault instanceof ModelFault) throw fault;
      throw new ModelFault(fault instanceof Error ? fault.message : "the settings cannot be read");
    },
  };
}
