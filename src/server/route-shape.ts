// A request's path as the row of the table it belongs to: `/api/asks/{id}`. Metrics and spans use it, since it holds no id.

import { routes } from "../wire/http.ts";

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const templates = Object.values(routes).map(({ method, path }) => ({
  method,
  path,
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll("{id}", "[^/]+")}$`),
}));

/** The row's path; `other` for what is in no row. */
export function routeShape(method: string, path: string): string {
  return templates.find((one) => one.method === method && one.pattern.test(path))?.path ?? "other";
}

/** The method, if it is a usual one: anybody may call theirs what they like. */
export const methodShape = (method: string): string => (METHODS.has(method) ? method : "other");
