// Figures for Prometheus, in its text format. Labels are routes, statuses and codes from closed lists: never a path, an id or a name.

import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { StoreChange } from "./changes.ts";
import { methodShape, routeShape } from "./route-shape.ts";

export interface Gauges {
  readonly openAsks: () => Promise<number>;
  readonly sockets: () => number;
  readonly runs: () => number;
  readonly dropped: () => number;
}

export interface Metrics {
  request(method: string, path: string, status: number, seconds: number): void;
  /** A call on the hook socket, by the host's name. */
  hookCall(host: string): void;
  changed(change: StoreChange): void;
  notified(outcome: "sent" | "failed"): void;
  text(gauges: Gauges): Promise<string>;
  close(): void;
}

const REQUEST_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 60];
const ANSWER_BUCKETS = [1, 5, 15, 60, 300, 1800, 7200, 86_400];
/** Open asks whose beginning is remembered. */
const REMEMBERED = 10_000;

export function createMetrics(): Metrics {
  const requests = counter("hallpass_requests_total", "Requests by route and status.");
  const durations = histogram("hallpass_request_seconds", "Seconds a request took, waiting for answers left out.", REQUEST_BUCKETS);
  const hookCalls = counter("hallpass_hook_calls_total", "Calls on the hook socket, by host.");
  const opened = counter("hallpass_asks_opened_total", "Asks put before a person.");
  const settled = counter("hallpass_asks_settled_total", "Asks that are no longer open, by how they ended.");
  const answers = histogram("hallpass_answer_seconds", "Seconds from an ask to its answer.", ANSWER_BUCKETS);
  const decisions = counter("hallpass_decisions_total", "Judgements by verdict.");
  const revocations = counter("hallpass_revocations_total", "Grants that were revoked.");
  const notices = counter("hallpass_webhooks_total", "Webhook notifications by outcome.");
  const since = new Map<string, number>();
  // Begun when somebody first looks: it wakes the process fifty times a second, and most daemons are watched by nobody.
  const lag: IntervalHistogram = monitorEventLoopDelay({ resolution: 20 });
  return {
    request(method, path, status, seconds) {
      const route = routeShape(method, path);
      requests.add({ method: methodShape(method), route, status: String(status) });
      if (route !== "/api/agent/asks/{id}") durations.add(seconds);
    },
    hookCall: (host) => hookCalls.add({ host }),
    changed(change) {
      if (change.type === "ask-opened") {
        opened.add({});
        since.set(change.ask.id, change.ask.at);
        if (since.size > REMEMBERED) since.delete(since.keys().next().value ?? "");
      } else if (change.type === "ask-settled") {
        settled.add({ as: change.answer?.verdict ?? "closed" });
        const at = since.get(change.ask);
        if (at !== undefined && change.answer !== null) answers.add(Math.max(0, change.answer.at - at) / 1000);
        since.delete(change.ask);
      } else if (change.type === "recorded")
        for (const event of change.events) {
          if (event.kind === "decision") decisions.add({ verdict: event.verdict });
          // One whose time was over was not revoked.
          else if (event.kind === "revocation") revocations.add({});
        }
    },
    notified: (outcome) => notices.add({ outcome }),
    async text({ openAsks, sockets, runs, dropped }) {
      const lagSeconds = lag.count === 0 ? 0 : Math.max(0, lag.percentile(99) / 1e9 - 0.02);
      lag.reset();
      lag.enable();
      return [
        ...[requests, durations, hookCalls, opened, settled, answers, decisions, revocations, notices].map(({ text }) => text()),
        gauge("hallpass_asks_open", "Asks that wait for a person.", await openAsks()),
        gauge("hallpass_sockets", "WebSocket connections.", sockets()),
        gauge("hallpass_sockets_dropped", "Connections dropped for not keeping up.", dropped()),
        gauge("hallpass_runs", "Chats running in this process.", runs()),
        gauge("hallpass_event_loop_lag_seconds", "99th percentile since the last look; none before the first.", lagSeconds),
        gauge("process_resident_memory_bytes", "Resident memory.", process.memoryUsage.rss()),
      ].join("");
    },
    close: () => void lag.disable(),
  };
}

const head = (name: string, help: string, type: string): string => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
const gauge = (name: string, help: string, value: number): string => `${head(name, help, "gauge")}${name} ${value}\n`;

function counter(name: string, help: string) {
  const counts = new Map<string, number>();
  return {
    add(labels: Readonly<Record<string, string>>): void {
      const pairs = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
      const key = pairs.length === 0 ? name : `${name}{${pairs.join(",")}}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    text: (): string => head(name, help, "counter") + [...counts].map(([key, count]) => `${key} ${count}\n`).join(""),
  };
}

function histogram(name: string, help: string, limits: readonly number[]) {
  const counts = limits.map(() => 0);
  let sum = 0;
  let count = 0;
  return {
    add(value: number): void {
      sum += value;
      count += 1;
      limits.forEach((limit, at) => {
        if (value <= limit) counts[at] = (counts[at] ?? 0) + 1;
      });
    },
    text(): string {
      const buckets = limits.map((limit, at) => `${name}_bucket{le="${limit}"} ${counts[at] ?? 0}\n`);
      return `${head(name, help, "histogram")}${buckets.join("")}${name}_bucket{le="+Inf"} ${count}\n${name}_sum ${sum}\n${name}_count ${count}\n`;
    },
  };
}
