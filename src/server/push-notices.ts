// Notices to browsers that asked for them: that an agent waits, and which ask it is; nothing an agent wrote. Strictly opt-in: the daemon
// must be told to (`serve --push`), and each browser asks for its own. The push service is the browser maker's: it learns when, to which
// browser and from which daemon, and cannot read what.

import type { Store } from "../agent/ports.ts";
import { messageOf } from "../core/record.ts";
import type { Clock } from "../core/clock.ts";
import { pushSubscriptionSchema } from "../wire/push-routes.ts";
import type { Log } from "./ports.ts";
import { type PushKey, pushRequest } from "./push-message.ts";

export interface PushPorts {
  readonly store: Pick<Store, "browsers" | "changeBrowser">;
  /** The digest of the person's token, whose browsers are told. */
  readonly owner: string;
  readonly key: PushKey;
  /** Who the push service may write to, as a mailto: or https: address. */
  readonly contact: string;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly clock: Clock;
  readonly log: Log;
}

const PATIENCE = 10_000;
/** What a service answers for a browser that no longer takes messages. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

export function createPushNotices({ store, owner, key, contact, fetch, clock, log }: PushPorts) {
  const send = async (id: string, stored: string, ask: string): Promise<void> => {
    const subscription = pushSubscriptionSchema.safeParse(JSON.parse(stored));
    if (!subscription.success) return;
    const request = pushRequest(subscription.data, JSON.stringify({ ask }), { key, contact, now: clock() });
    const response = await fetch(new Request(request, { signal: AbortSignal.timeout(PATIENCE) }));
    await response.body?.cancel();
    if (GONE.has(response.status)) await store.changeBrowser(id, { push: null });
    else if (!response.ok) log.warn({ browser: id, status: response.status }, "a push service rejected a notice");
  };
  const tell = async (ask: string): Promise<void> => {
    for (const { id, push } of await store.browsers(owner)) {
      if (push === null) continue;
      await send(id, push, ask).catch((error: unknown) =>
        log.warn({ browser: id, error: messageOf(error) }, "sending a push notice failed"),
      );
    }
  };
  return {
    /** Tell every browser that wants to know; returns at once. */
    opened(ask: string): void {
      tell(ask).catch((error: unknown) => log.warn({ error: messageOf(error) }, "push notices failed"));
    },
  };
}
