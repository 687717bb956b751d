// Spans for OpenTelemetry, where its interface is installed beside us and somebody set it up; otherwise nothing, at no cost.

import type { App } from "./ports.ts";
import { methodShape, routeShape } from "./route-shape.ts";

interface Span {
  setAttribute(key: string, value: string | number): unknown;
  end(): void;
}
interface Tracer {
  startSpan(name: string, options: { readonly kind: number }): Span;
}
interface Api {
  readonly trace: { getTracer(name: string): Tracer };
}

/** OpenTelemetry's number for a span of whoever answers. */
const SERVER = 1;

/**
 * The same app, each request of it a span: its method, its path's shape and its status, and nothing else of it. `load` imports the package;
 * where there is none, or it is not what it should be, the app itself. Whatever the package does, requests are answered.
 */
export async function withSpans(app: App, load: () => Promise<unknown>): Promise<App> {
  const api = await load().catch(() => null);
  const tracer = isApi(api) ? quietly(() => api.trace.getTracer("hallpass")) : null;
  if (tracer === null) return app;
  const startSpan = (requestMethod: string, path: string): Span | null => {
    const method = methodShape(requestMethod);
    const route = routeShape(requestMethod, path);
    const span = quietly(() => tracer.startSpan(`${method} ${route}`, { kind: SERVER }));
    quietly(() => {
      span?.setAttribute("http.request.method", method);
      span?.setAttribute("http.route", route);
    });
    return span;
  };
  return {
    ...app,
    async fetch(request) {
      const span = startSpan(request.method, new URL(request.url).pathname);
      try {
        const response = await app.fetch(request);
        quietly(() => span?.setAttribute("http.response.status_code", response.status));
        return response;
      } finally {
        quietly(() => span?.end());
      }
    },
  };
}

/** What somebody else's code gives; null where it throws. */
function quietly<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

function isApi(api: unknown): api is Api {
  if (typeof api !== "object" || api === null || !("trace" in api)) return false;
  const { trace } = api;
  return typeof trace === "object" && trace !== null && "getTracer" in trace && typeof trace.getTracer === "function";
}
