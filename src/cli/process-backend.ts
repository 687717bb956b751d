// A whole server within this process, on a store that ends with it: what a chat talks to where no daemon runs.

import { randomIds, systemClock } from "../core/clock.ts";
import { HallpassError } from "../core/errors.ts";
import type { Backend } from "../repl/backend.ts";
import { createClient } from "../wire/client.ts";
import type { Host } from "./host.ts";

export interface ProcessBackendPlan {
  /** `provider/model`; null for the built-in agent. */
  readonly model: string | null;
  readonly preset: "strict" | null;
  readonly remark: string | null;
}

export async function openProcessBackend(host: Host, { model: name, preset, remark }: ProcessBackendPlan): Promise<Backend> {
  const [{ assemble }, { createMemoryStore }, { openModel }, { createPresetPolicyFor }] = await Promise.all([
    import("../server/assemble.ts"),
    import("../store/memory.ts"),
    import("../agent/models/providers.ts"),
    import("./preset-policy.ts"),
  ]);
  const { home, env, platform } = host;
  const model = modelFor(openModel, name, host);
  const token = randomIds();
  const assembled = await assemble({
    store: createMemoryStore(),
    storeKind: "memory",
    home,
    env,
    platform,
    token,
    model,
    ...(preset === null ? {} : { policyFor: createPresetPolicyFor(preset, { home, env, platform }) }),
    clock: systemClock,
    ids: randomIds,
  });
  return {
    client: createClient({ address: "http://hallpass.invalid", token, fetch: (request) => assembled.app.fetch(request), via: "terminal" }),
    connect: (protocols) => assembled.connect(protocols),
    where: "process",
    model: model.name,
    remark,
    close: () => assembled.close(),
  };
}

function modelFor<M>(open: (name: string, options: { readonly env: Host["env"] }) => M, name: string | null, { env }: Host): M {
  try {
    return open(name ?? "offline", { env });
  } catch (error) {
    throw new HallpassError("bad-request", error instanceof Error ? error.message : "the model cannot be opened");
  }
}
