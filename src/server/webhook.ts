// Notices to elsewhere: one POST for each ask that opens, with a link to it. Never in anybody's way: an ask is open whether or not the
// notice arrives.

import { createHmac } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { StoredAsk } from "../agent/ports.ts";
import { messageOf } from "../core/record.ts";
import { HallpassError } from "../core/errors.ts";
import { sentenceOf } from "../core/guard/card.ts";
import type { WireAsk } from "../wire/values.ts";
import type { Log } from "./ports.ts";
import { webhookFormat } from "./webhook-format.ts";

export interface WebhookPorts {
  /** `HALLPASS_WEBHOOK_URL`. */
  readonly url: string;
  /** `HALLPASS_WEBHOOK_FORMAT`; by the address where it is not said. */
  readonly format?: string | undefined;
  /** `HALLPASS_WEBHOOK_SECRET`; null: notices are not signed. */
  readonly secret: string | null;
  /** Where a person opens the inbox: `http://127.0.0.1:7777`. */
  readonly address: () => string;
  /** The ask as a card. */
  readonly card: (ask: StoredAsk) => Promise<WireAsk>;
  readonly fetch: typeof globalThis.fetch;
  readonly log: Log;
  /** Milliseconds before each further try. */
  readonly pauses?: readonly number[];
}

export interface Webhook {
  /** Send a notice; returns at once, and says later what became of it. */
  opened(ask: StoredAsk, report?: (outcome: "sent" | "failed") => void): void;
}

const PATIENCE = 5000;
const PAUSES = [1000, 5000, 15_000];
/** Notices under way; beyond it they are given up, so that a dead receiver costs nothing. */
const UNDER_WAY = 100;

/** What is sent: the card, but for the agent's own words, which are nobody's but the person's who answers. */
export function noticeOf({ id, at, kind, asker, workspace, proposal, path, card }: WireAsk, address: string) {
  return {
    event: "ask_open" as const,
    ask: id,
    at,
    kind,
    who: { host: asker.host, label: asker.label },
    workspace,
    root: proposal?.dir ?? path,
    title: card.title,
    facts: card.facts
      .filter(({ parts }) => !parts.some((part) => part.kind === "words"))
      .map((fact) => ({ label: fact.label, text: sentenceOf(fact) })),
    link: `${address}/#/asks/${id}`,
  };
}

export function createWebhook(ports: WebhookPorts): Webhook {
  const { secret, address, card, fetch, log, pauses = PAUSES } = ports;
  if (!URL.canParse(ports.url) || !/^https?:$/.test(new URL(ports.url).protocol))
    throw new HallpassError("bad-request", "HALLPASS_WEBHOOK_URL is no http address");
  const write = webhookFormat(new URL(ports.url), ports.format);
  let underWay = 0;
  const post = async (url: string, body: string): Promise<boolean> => {
    const signature =
      secret === null ? {} : { "x-hallpass-signature": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` };
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...signature },
        body,
        redirect: "error",
        signal: AbortSignal.timeout(PATIENCE),
      });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  };
  const send = async (ask: StoredAsk, report: (outcome: "sent" | "failed") => void): Promise<void> => {
    const { url, body } = write(noticeOf(await card(ask), address()));
    const text = JSON.stringify(body);
    for (const wait of [0, ...pauses]) {
      await pause(wait, undefined, { ref: false });
      if (await post(url, text)) return report("sent");
    }
    report("failed");
    log.warn({ ask: ask.id }, "a webhook notice could not be delivered");
  };
  return {
    opened(ask, report = () => {}) {
      if (underWay >= UNDER_WAY) return report("failed");
      underWay += 1;
      void send(ask, report)
        .catch((error: unknown) => log.warn({ ask: ask.id, error: messageOf(error) }, "a webhook notice failed"))
        .finally(() => {
          underWay -= 1;
        });
    },
  };
}
