// Routes of signed-in browsers: each has a credential of its own, and can be signed out by itself.

import { z } from "zod";
import type { RouteTable } from "./route.ts";

/** As a browser calls itself: `Firefox on Android`. */
const nameSchema = z.string().min(1).max(80);

const browserSchema = z.object({
  id: z.string(),
  name: z.string(),
  at: z.number(),
  /** Of the last request, to the minute. */
  seenAt: z.number(),
  /** Is it the one that asks? */
  isThis: z.boolean(),
});

/** Shown once; the browser keeps it in place of the person's token. */
const admittedSchema = z.object({ id: z.string(), token: z.string() });

export const browserRoutes = {
  listBrowsers: {
    method: "GET",
    path: "/api/browsers",
    role: "person",
    summary: "the browsers that are signed in, in the order in which they came",
    answer: z.array(browserSchema),
  },
  addBrowser: {
    method: "POST",
    path: "/api/browsers",
    role: "person",
    summary: "sign a browser in with a credential of its own; `replaces` is the one it had before",
    body: z.strictObject({ name: nameSchema, replaces: z.string().max(512).optional() }),
    answer: admittedSchema,
  },
  removeBrowser: {
    method: "DELETE",
    path: "/api/browsers/{id}",
    role: "person",
    summary: "sign a browser out: its credential is no longer good, its connections end",
    answer: z.array(browserSchema),
  },
  addPairing: {
    method: "POST",
    path: "/api/pairing",
    role: "person",
    summary: "a short code that signs one browser in, once, within five minutes; the code before it is no longer good",
    answer: z.object({
      code: z.string(),
      expires: z.number(),
      /** Where another device reaches the daemon; null where it listens on this machine alone. */
      address: z.string().nullable(),
    }),
  },
  pair: {
    method: "POST",
    path: "/api/pair",
    role: "anyone",
    summary: "sign a browser in by a code; five wrong codes end it",
    body: z.strictObject({ code: z.string().min(1).max(40), name: nameSchema }),
    answer: admittedSchema,
  },
} as const satisfies RouteTable;
