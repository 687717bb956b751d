// Spans for OpenTelemetry, where its interface is installed beside us and somebody set it up; otherwise nothing, at no cost.

export interface Spans {
  /** A request, as a span of its own. Attributes are the method, the path's shape and the status, nothing else. */
  request(name: string, work: () => Promise<Response>): Promise<Response>;
}

interface Span {
  setAttribute(key: string, value: string | number): unknown;
  end(): void;
}
interface Api {
  readonly trace: { getTracer(name: string): { startSpan(name: string): Span } };
}

/** `load` imports the package; null where there is none, or it is not what it should be. */
export async function openSpans(load: () => Promise<unknown>): Promise<Spans | null> {
  const api = await load().catch(() => null);
  if (!isApi(api)) return null;
  const tracer = api.trace.getTracer("hallpass");
  return {
    async request(name, work) {
      const span = tracer.startSpan(name);
      try {
        const response = await work();
        span.setAttribute("http.response.status_code", response.status);
        return response;
      } finally {
        span.end();
      }
    },
  };
}

function isApi(api: unknown): api is Api {
  if (typeof api !== "object" || api === null || !("trace" in api)) return false;
  const { trace } = api;
  return typeof trace === "object" && trace !== null && "getTracer" in trace && typeof trace.getTracer === "function";
}
