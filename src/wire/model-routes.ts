// Routes of models: what is set up, and setting it up. A key goes in and never comes out.

import { z } from "zod";
import type { RouteTable } from "./route.ts";
import { modelFaultKindSchema } from "./values.ts";

const providerSchema = z.string().min(1).max(64);
/** `provider/model`, or `offline`. */
export const modelNameSchema = z.string().min(1).max(300);
const entered = { provider: providerSchema, key: z.string().min(1).max(4096).optional(), address: z.string().max(2048).optional() };

export const trialSchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), models: z.array(z.string()) }),
  z.object({ ok: z.literal(false), kind: modelFaultKindSchema, message: z.string() }),
]);

export const providerSettingsSchema = z.object({
  provider: z.string(),
  /** For people. */
  title: z.string(),
  needsKey: z.boolean(),
  isLocal: z.boolean(),
  /** Null where it has none until somebody says one. */
  address: z.string().nullable(),
  addressFrom: z.enum(["environment", "saved", "usual", "none"]),
  keptIn: z.enum(["environment", "keyring", "file", "nowhere"]),
  /** The variable the key is read from, where it is set. */
  keyVariable: z.string(),
  /** What is wrong with what is set. */
  problem: z.string().nullable(),
});

export const modelRoutes = {
  models: {
    method: "GET",
    path: "/api/models",
    role: "person",
    summary: "the model of chats that name none, and every provider with where its key is kept; never a key",
    answer: z.object({
      model: z.string(),
      /** Named when the daemon was started; then it cannot be chosen. */
      isFixed: z.boolean(),
      /** What people call the keyring that keys go into; null: they go into a file. */
      keyring: z.string().nullable(),
      providers: z.array(providerSettingsSchema),
    }),
  },
  localModels: {
    method: "GET",
    path: "/api/models/local",
    role: "person",
    summary: "the servers of models that answer at their usual ports on this machine; looks when it is called and not before",
    answer: z.array(z.object({ provider: z.string(), address: z.string(), models: z.array(z.string()) })),
  },
  testProvider: {
    method: "POST",
    path: "/api/models/test",
    role: "person",
    summary: "one cheap request to a provider, with what is set up or with what would be entered",
    body: z.strictObject(entered),
    answer: trialSchema,
  },
  saveProvider: {
    method: "POST",
    path: "/api/models/save",
    role: "person",
    summary: "keep a key or an address of a provider, unless the provider refuses the key",
    body: z.strictObject(entered),
    answer: z.object({ trial: trialSchema, keptIn: providerSettingsSchema.shape.keptIn }),
  },
  forgetProvider: {
    method: "POST",
    path: "/api/models/forget",
    role: "person",
    summary: "throw away what was entered for a provider",
    body: z.strictObject({ provider: providerSchema }),
    answer: z.object({}),
  },
  chooseModel: {
    method: "POST",
    path: "/api/models/choose",
    role: "person",
    summary: "the model of chats that name none",
    body: z.strictObject({ model: modelNameSchema }),
    answer: z.object({ model: z.string() }),
  },
} as const satisfies RouteTable;
