// Routes of push notices: a browser asks for them, or no longer does.

import { z } from "zod";
import type { RouteTable } from "./route.ts";

const base64 = z.string().regex(/^[\w-]{16,200}$/);

/** As a browser gives it: the address of its push service, and the keys for which a message is encrypted. */
export const pushSubscriptionSchema = z.object({
  endpoint: z.url({ protocol: /^https$/ }).max(2000),
  keys: z.object({ p256dh: base64, auth: base64 }),
});

export const pushRoutes = {
  push: {
    method: "GET",
    path: "/api/push",
    role: "person",
    summary: "the key that push notices are signed with, null where the daemon sends none; and whether this browser gets them",
    answer: z.object({ key: z.string().nullable(), isOn: z.boolean() }),
  },
  setPush: {
    method: "PUT",
    path: "/api/push",
    role: "person",
    summary: "send push notices to this browser, or with null no longer",
    body: z.strictObject({ subscription: pushSubscriptionSchema.nullable() }),
    answer: z.object({ isOn: z.boolean() }),
  },
} as const satisfies RouteTable;
