// The HTTP interface: every row of the routes' table answered, in one order of checks. Host, origin, token, method, role, then the
// request itself; whoever fails one learns nothing of the next. Listens on nothing by itself.

import { Hono } from "hono";
import { pictureLimits } from "../wire/chat-routes.ts";
import { type Role, type Route, type RouteName, routes } from "../wire/http.ts";
import { bearerOf, checkHost, checkOrigin, createCallerOf, viaOf } from "./auth.ts";
import { docsPage } from "./docs-page.ts";
import { createPages } from "./pages.ts";
import type { App, AppPorts, Caller } from "./ports.ts";
import { notFound, problemResponse, Refusal } from "./problem.ts";
import { agentRoutes } from "./routes/agents.ts";
import { askRoutes } from "./routes/asks.ts";
import { auditRoutes } from "./routes/audit.ts";
import { browserRoutes } from "./routes/browsers.ts";
import { chatRoutes } from "./routes/chats.ts";
import { daemonRoutes } from "./routes/daemon.ts";
import { grantRoutes } from "./routes/grants.ts";
import { type Handlers, readCall, wrongRole } from "./routes/handler.ts";
import { lookingRoutes } from "./routes/looking.ts";
import { placeRoutes } from "./routes/places.ts";
import { modelRoutes } from "./routes/models.ts";
import { policyRoutes } from "./routes/policy.ts";
import { pushRoutes } from "./routes/push.ts";
import { type BodyLimits, bodyLimits, readJsonBody } from "./routes/read-body.ts";
import { jsonResponse, textResponse } from "./routes/respond.ts";
import { rootRoutes } from "./routes/roots.ts";
import { sessionRoutes } from "./routes/sessions.ts";

/** Bodies that may be longer than others: a policy is sent with what it was before, an ask with what would be written. */
const LONGER: Readonly<Partial<Record<RouteName, Partial<BodyLimits>>>> = {
  savePolicy: { bytes: 160 * 1024 },
  say: { bytes: 64 * 1024 + pictureLimits.count * Math.ceil(pictureLimits.bytes / 3) * 4 },
  agentAsk: { bytes: 2 * 1024 * 1024 },
};

export function createApp(ports: AppPorts): App {
  const { hosts } = ports;
  const callerOf = createCallerOf(ports);
  const authenticate = async (headers: Headers): Promise<Caller> => {
    const caller = await callerOf(bearerOf(headers));
    if (caller === null) throw new Refusal("unauthenticated", "the token is not one of this server's");
    return caller;
  };
  // A row of the table without its handler is a type error here.
  const handlers: Handlers = {
    ...daemonRoutes(ports),
    ...browserRoutes(ports),
    ...pushRoutes(ports),
    ...placeRoutes(ports),
    ...sessionRoutes(ports),
    ...rootRoutes(ports),
    ...lookingRoutes(ports),
    ...chatRoutes(ports),
    ...modelRoutes(ports),
    ...askRoutes(ports),
    ...grantRoutes(ports),
    ...policyRoutes(ports),
    ...auditRoutes(ports),
    ...agentRoutes(ports),
  };

  /** A row and its handler as one thing to call. */
  const bound = <N extends RouteName>(name: N): RouteHandler => {
    const route = routes[name];
    const handler = handlers[name];
    return {
      route,
      async serve(request, { caller, id, query }) {
        const limits = { ...bodyLimits, ...LONGER[name] };
        const body = "body" in route ? await readJsonBody(request, limits) : null;
        const by = `${caller.role} (${viaOf(request.headers)})`;
        const answer = await handler(readCall(route, { id, query, body, caller, by, signal: () => request.signal }));
        if (!("media" in route)) return jsonResponse(answer);
        return textResponse(answer instanceof ReadableStream || typeof answer === "string" ? answer : "", route.media);
      },
    };
  };

  const router = new Hono();
  for (const [path, rows] of byPath(Object.keys(routes).filter(isRouteName).map(bound))) {
    router.all(path.replace("{id}", ":id"), async ({ req }) => {
      // An address for those who have no token yet is for them alone.
      const caller: Caller = rows.some(({ route }) => route.role === "anyone") ? { role: "anyone" } : await authenticate(req.raw.headers);
      const method = req.method === "HEAD" ? "GET" : req.method;
      const row = rows.find(({ route }) => route.method === method);
      if (row === undefined) throw wrongMethod(rows.map(({ route }) => route.method));
      if (caller.role !== row.route.role) throw new Refusal("forbidden", wrongRole[row.route.role]);
      return row.serve(req.raw, { caller, id: req.param("id") ?? null, query: queryOf(req.url, row.route) });
    });
  }

  // Made when it is first asked for: few ever do, and it takes longer than everything else here.
  let described: Promise<Readonly<Record<string, unknown>>> | null = null;
  const describe = async () => (await import("./openapi.ts")).openApiDocument(ports.version);
  router.all("/openapi.json", async ({ req }) => {
    await authenticate(req.raw.headers);
    if (!isReading(req.method)) throw wrongMethod(["GET"]);
    return jsonResponse(await (described ??= describe()));
  });
  const underApi = async (headers: Headers): Promise<never> => {
    await authenticate(headers);
    throw notFound();
  };
  router.all("/api", ({ req }) => underApi(req.raw.headers));
  router.all("/api/*", ({ req }) => underApi(req.raw.headers));
  const pages = createPages(ports.pages, docsPage);
  router.all("*", ({ req }) => {
    if (!isReading(req.method)) throw wrongMethod(["GET"]);
    return pages(new URL(req.url).pathname, req.raw.headers.get("accept-encoding"));
  });
  router.onError((error) => problemResponse(error, ports));

  return {
    callerOf,
    async fetch(request) {
      try {
        const known = hosts();
        checkHost(request.headers, known);
        checkOrigin(request.headers, known);
        return await router.fetch(request);
      } catch (error) {
        return problemResponse(error, ports);
      }
    },
  };
}

interface RouteHandler {
  readonly route: Route;
  serve(
    request: Request,
    call: { readonly caller: Caller & { readonly role: Role }; readonly id: string | null; readonly query: unknown },
  ): Promise<Response>;
}

function byPath(rows: readonly RouteHandler[]): ReadonlyMap<string, readonly RouteHandler[]> {
  const paths = new Map<string, RouteHandler[]>();
  // What stands in a path as a word is looked for before what may be any id.
  for (const row of rows.toSorted((one, other) => Number(one.route.path.includes("{id}")) - Number(other.route.path.includes("{id}")))) {
    const rowsOfPath = paths.get(row.route.path);
    if (rowsOfPath === undefined) paths.set(row.route.path, [row]);
    else rowsOfPath.push(row);
  }
  return paths;
}

/** The query as one object. What stands twice could be read two ways, and what a row does not know was meant for something else. */
function queryOf(url: string, route: Route): Readonly<Record<string, string>> {
  const parameters = [...new URL(url).searchParams];
  if (route.query === undefined && parameters.length > 0) throw new Refusal("bad-request", "this address takes no query");
  if (new Set(parameters.map(([key]) => key)).size < parameters.length)
    throw new Refusal("bad-request", "a key appears twice in the query");
  return Object.fromEntries(parameters);
}

function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(routes, name);
}

const isReading = (method: string): boolean => method === "GET" || method === "HEAD";

function wrongMethod(methods: readonly string[]): Refusal {
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return new Refusal("method-not-allowed", `this address takes ${allow.join(", ")}`, { allow });
}
