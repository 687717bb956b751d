// What the daemon says of models, as the pages use it.

import type { z } from "zod";
import type { routes } from "../../../src/wire/http.ts";

export type ModelState = z.output<(typeof routes.models)["answer"]>;
export type ProviderSettings = ModelState["providers"][number];

/** Can a model of this provider be used as it is set up? */
export const isReady = ({ address, needsKey, keptIn, problem }: ProviderSettings): boolean =>
  problem === null && address !== null && (!needsKey || keptIn !== "nowhere");
