// A whole server within this process, on a store that ends with it: what a chat talks to where no daemon runs.

import { HallpassError } from "../core/errors.ts";
import type { Backend } from "../repl/backend.ts";
import type { Host } from "./host.ts";

export interface ProcessBackendPlan {
  /** `provider/model`; null for the built-in agent. */
  readonly model: string | null;
  readonly preset: "strict" | null;
  readonly remark: string | null;
  /** Where the person sits, for the record: `terminal`, `acp`. */
  readonly via: string;
}

export async function openProcessBackend(host: Host, { model: name, preset, remark, via }: ProcessBackendPlan): Promise<Backend> {
  const [{ openOwnApp }, { openModel }, { createPolicyFor }] = await Promise.all([
    import("./own-app.ts"),
    import("../agent/models/providers.ts"),
    import("../config/policy-for.ts"),
  ]);
  const { home, env, platform } = host;
  const around = { home, env, platform };
  const model = modelFor(openModel, name, host);
  const policyFor = preset === null ? {} : { policyFor: createPolicyFor(around, preset) };
  const { client, connect, close } = await openOwnApp({ ...around, via, model, ...policyFor });
  return { client, connect, where: "process", model: model.name, remark, close };
}

function modelFor<M>(open: (name: string, options: { readonly env: Host["env"] }) => M, name: string | null, { env }: Host): M {
  try {
    return open(name ?? "offline", { env });
  } catch (error) {
    throw new HallpassError("bad-request", error instanceof Error ? error.message : "the model cannot be opened");
  }
}
