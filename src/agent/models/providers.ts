// The model a name stands for: `anthropic/…`, `openai/…`, `ollama/…` and the like, or `offline`, the built-in agent. Opening one reads
// the environment it is given and loads nothing; the provider's package is loaded with the first turn.

import { type Ids, randomIds } from "../../core/clock.ts";
import { type Model, ModelFault } from "../ports.ts";
import { connect } from "./connect.ts";
import { offlineModel } from "./offline.ts";
import { defaultPatience, type RetryLimits } from "./patience.ts";
import { serviceModel } from "./service-model.ts";
import { type ModelEnvironment, findService, readModelName, type SavedServices } from "./services.ts";
import type { Fetch } from "./silence.ts";

/** Where a model finds its key, and how it is reached. */
export interface ModelOptions {
  readonly env: ModelEnvironment;
  /** What a person entered for services; the environment stands before it. */
  readonly saved?: SavedServices;
  readonly fetch?: Fetch;
  readonly ids?: Ids;
  /** How long and how often to try; for tests and slow machines. HALLPASS_MODEL_TIMEOUT sets the silence, in seconds. */
  readonly patience?: Partial<RetryLimits>;
}

/** Open the model of this name (`anthropic/claude-sonnet-5-5`). Throws a ModelFault that says what to set where the name, the key or the address is missing or wrong. */
export function openModel(
  name: string,
  { env, saved = {}, fetch = globalThis.fetch, ids = randomIds, patience = {} }: ModelOptions,
): Model {
  if (isOffline(name)) return offlineModel();
  return serviceModel(findService(name, env, saved), {
    connect,
    fetch,
    ids,
    patience: { ...defaultPatience, ...silenceFrom(env), ...patience },
  });
}

/** Does the name stand for the built-in agent? Throws a ModelFault where it stands for no model at all. */
export function isOffline(name: string): boolean {
  if (name === "offline" || name === "offline/guide") return true;
  if (name.startsWith("offline/")) throw new ModelFault("the built-in agent has one model; use offline or offline/guide");
  readModelName(name);
  return false;
}

function silenceFrom(env: ModelEnvironment): Partial<RetryLimits> {
  const value = env["HALLPASS_MODEL_TIMEOUT"];
  if (value === undefined || value.trim() === "") return {};
  const seconds = Number(value);
  if (!(seconds > 0 && seconds <= 86_400))
    throw new ModelFault("HALLPASS_MODEL_TIMEOUT is no number of seconds; set it to one, such as 120");
  return { silence: seconds * 1_000 };
}
