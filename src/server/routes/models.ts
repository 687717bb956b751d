// Models as a person sets them up. A key is taken and never given back; what is wrong with it is the answer, not an error.

import { defined } from "../../core/defined.ts";
import { ModelFault } from "../../agent/ports.ts";
import type { AppPorts } from "../ports.ts";
import { Refusal } from "../problem.ts";
import type { Handlers } from "./handler.ts";

type ModelRoute = "models" | "localModels" | "testProvider" | "saveProvider" | "forgetProvider" | "chooseModel";

export function modelRoutes({ models, model }: AppPorts): Pick<Handlers, ModelRoute> {
  return {
    models: async () => ({
      model: model(),
      isFixed: models.isFixed,
      keyring: models.keyring,
      providers: models.providers().map(({ keyFrom: _from, ...shown }) => shown),
    }),

    localModels: async () => (await models.findLocal()).map((server) => ({ ...server, models: [...server.models] })),

    testProvider: ({ body }) => understood(async () => shownTrial(await models.test(defined(body)))),

    saveProvider: ({ body }) =>
      understood(async () => {
        const trial = shownTrial(await models.save(defined(body)));
        return { trial, keptIn: models.providers().find(({ provider }) => provider === body.provider)?.keptIn ?? "nowhere" };
      }),

    async forgetProvider({ body: { provider } }) {
      await models.forget(provider);
      return {};
    },

    chooseModel: ({ body }) =>
      understood(async () => {
        if (models.isFixed)
          throw new Refusal(
            "bad-request",
            `the daemon was started with ${model()}; start it without --model and HALLPASS_MODEL to choose here`,
          );
        models.choose(body.model);
        return { model: model() };
      }),
  };
}

type Trial = Awaited<ReturnType<AppPorts["models"]["test"]>>;

const shownTrial = (trial: Trial) => (trial.ok ? { ok: true as const, models: [...trial.models] } : { ...trial });

/** What cannot be a provider, a model or an address is a bad request, in the words of whoever knows them. */
export async function understood<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ModelFault) throw new Refusal("bad-request", error.message);
    throw error;
  }
}
