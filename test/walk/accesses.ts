// What a session is let do next, on every path of the machine, and what its record says of it.

import type { AuditEvent } from "../../src/core/audit.ts";
import { createGuard } from "../../src/core/guard/guard.ts";
import { callId, sessionId } from "../../src/core/names.ts";
import { routes } from "../../src/wire/http.ts";
import type { WireAsk, WireChat } from "../../src/wire/values.ts";
import { opens, type Promised } from "./promise.ts";
import type { WalkStage } from "./stage.ts";
import type { Kind } from "./table.ts";
import { rest } from "./walker.ts";
import { isSecret, type Probe, type World } from "./world.ts";

export type Verdicts = Readonly<Record<string, string>>;

/** Judge every path of the machine as the session's next access would be. */
export async function verdictsIn(stage: WalkStage, session: string): Promise<Verdicts> {
  const { world, probes, clock } = stage;
  const live = await stage.live(session);
  const guard = createGuard({ clock });
  return Object.fromEntries(
    probes.map((one) => {
      const decision = guard.judge({ call: callId(`probe ${one.path}`), tool: "walk", ...one }, live);
      if (decision.verdict === "allow") decision.pass.close();
      return [keyOf(world, one), decision.verdict];
    }),
  );
}

/** The same as accesses of their own, each of them recorded. */
export async function accessesIn({ inside, world, probes }: WalkStage, session: string): Promise<Verdicts> {
  const found: Record<string, string> = {};
  for (const { operation, path } of probes) {
    const access = { call: `access ${path}`, tool: "walk", operation, path };
    found[keyOf(world, { operation, path })] = (await inside.agent.hosted.decide(sessionId(session), access)).verdict;
  }
  return found;
}
export const keyOf = ({ root }: World, { operation, path }: Probe): string => `${operation} ${path.slice(root.length)}`;

/** What must hold after the answer: what was promised, and for the rest what held before. */
export function expected(
  { world, probes }: WalkStage,
  { stays = {} }: Pick<Kind, "stays">,
  before: Verdicts,
  promised: Promised,
): Verdicts {
  return Object.fromEntries(
    probes.map((one) => {
      const key = keyOf(world, one);
      if (!opens(promised, one, isSecret(one.path))) return [key, before[key] ?? "new"];
      const ruled = Object.entries(stays).find(([dir]) => `${one.path}/`.startsWith(`${world.path(dir)}/`));
      return [key, ruled?.[1] ?? "allow"];
    }),
  );
}

/** Take a choice by its words. */
export async function choose({ client }: WalkStage, chat: WireChat, { id, card, digest }: WireAsk, choice: string) {
  const body = card.choices.find(({ label }) => label === choice)?.answer;
  if (body === undefined) throw new Error(`the card does not offer: ${choice}`);
  const answered = await client.send(routes.answer, { id, body: { ...body, digest } });
  await rest(client, chat.id);
  return answered;
}

export const eventsOf = async ({ inside }: WalkStage, session: string): Promise<readonly AuditEvent[]> =>
  (await inside.store.audit({ session: sessionId(session) })).map(({ event }) => event);

/** What the record says of the accesses that were made. */
export async function recordedAccesses(stage: WalkStage, session: string): Promise<Verdicts> {
  const found = (await eventsOf(stage, session)).flatMap((event) =>
    event.kind === "decision" && event.call.startsWith("access ")
      ? [[`${event.operation} ${event.requested.slice(stage.world.root.length)}`, event.verdict]]
      : [],
  );
  return Object.fromEntries(found) as Verdicts;
}
