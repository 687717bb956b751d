// One route of the HTTP interface, as data, and the bounds on what goes into many of them.

import { z } from "zod";

/**
 * Who may call: a person answers and revokes, an agent asks and uses. A person may not call an agent's routes: it has no session. `anyone`:
 * who has no token yet.
 */
export type Role = "person" | "agent" | "anyone";

/** One route of the API: method, path and the schemas of what goes in and out. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `{id}` for ids. */
  readonly path: string;
  readonly role: Role;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType;
  /** The answer's kind, where it is not JSON. */
  readonly media?: string;
}

/** Routes by the names that the client calls them by. */
export type RouteTable = Readonly<Record<string, Route>>;

/** What a person says or answers. */
export const textSchema = z.string().min(1).max(32_768);
/** How many of something, at the most. */
export const limitSchema = z.coerce.number().int().min(1).max(1000).optional();
