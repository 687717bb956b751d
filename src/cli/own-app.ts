// An app in this process where no daemon runs, with the models that are set up in the data directory.

import { systemClock } from "../core/clock.ts";
import { HallpassError } from "../core/errors.ts";
import type { PolicyFor } from "../config/policy-for.ts";
import { systemKeyring } from "../model-settings/keyring.ts";
import { createModelSettings, type ModelSettings } from "../model-settings/model-settings.ts";
import { placeOf } from "../server/daemon-place.ts";
import { openAppOn } from "../server/open-app.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { AppConnection } from "../wire/connection.ts";
import type { Host } from "./host.ts";

/** The models that are set up; `fixed` is the one that a flag or the environment names. */
export function modelSettingsOf(
  { home, env, platform }: Pick<Host, "home" | "env" | "platform">,
  fixed: string | null,
  data: { readonly data?: string } = {},
): ModelSettings {
  const { dir, models: file } = placeOf({ home, env, platform, ...data });
  return createModelSettings({ file, keyring: systemKeyring({ platform, env, place: dir }), env, fixed, clock: systemClock });
}

export interface OwnAppPlan {
  /** Where the person sits, for the record. */
  readonly via: string;
  /** The model to use; null: the one that is set. */
  readonly model: string | null;
  readonly policyFor?: PolicyFor;
}

/** Chats, asks and grants in memory: they end with the process. Throws `bad-request` where the model cannot be used. */
export async function openOwnApp(host: Host, { via, model, policyFor }: OwnAppPlan): Promise<AppConnection> {
  const { home, env, platform } = host;
  const models = modelSettingsOf(host, model);
  const problem = model === null ? null : await models.problemOf(model);
  if (problem !== null) throw new HallpassError("bad-request", problem.message);
  const app = await openAppOn(
    { store: createMemoryStore(), storeKind: "memory" },
    { home, env, platform, via, models, ...(policyFor === undefined ? {} : { policyFor }) },
  );
  app.start();
  return app;
}
