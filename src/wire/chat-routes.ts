// Routes of chats: what is said in them, and what the person of a chat answers there.

import { z } from "zod";
import { answeredSchema, answerInChatSchema } from "./ask-routes.ts";
import { modelNameSchema } from "./model-routes.ts";
import { limitSchema, type RouteTable, textSchema } from "./route.ts";
import { chatSchema, idSchema, messageSchema } from "./values.ts";

const titleSchema = z.string().max(200);

/** A chat in which a text was found, and the message with some of what is around it; null where it is in the title. */
export const foundChatSchema = z.object({
  chat: chatSchema,
  message: z.object({ id: z.string(), at: z.number(), role: z.enum(["person", "agent"]), text: z.string() }).nullable(),
});

const counted = { turns: z.number(), input: z.number(), output: z.number(), cost: z.number().nullable() };

/** Tokens, and about what they cost in US dollars; null where no price is known, and in the sum where one of them has none. */
export const usageOfChatSchema = z.object({
  ...counted,
  /** `provider/model`; null where the turn did not say. */
  models: z.array(z.object({ model: z.string().nullable(), ...counted })),
  /** The day as of which the list prices are. */
  pricesAsOf: z.string(),
});

export type WireFoundChat = z.infer<typeof foundChatSchema>;
export type WireChatUsage = z.infer<typeof usageOfChatSchema>;
/** As many pictures a message may have, and as many bytes each. */
export const pictureLimits = { count: 4, bytes: 256 * 1024 } as const;

export const chatRoutes = {
  listChats: {
    method: "GET",
    path: "/api/chats",
    role: "person",
    summary:
      "chats of a session, or of all that have not ended, newest first; `archived=true`: those that a person has archived. `before` is the last one's id of the page before",
    query: z.strictObject({
      session: idSchema.optional(),
      archived: z.enum(["true", "false"]).optional(),
      before: idSchema.optional(),
      limit: limitSchema,
    }),
    answer: z.array(chatSchema),
  },
  addChat: {
    method: "POST",
    path: "/api/chats",
    role: "person",
    summary: "begin a chat in a session",
    body: z.strictObject({ session: idSchema, title: titleSchema.optional(), model: modelNameSchema.optional() }),
    answer: chatSchema,
  },
  searchChats: {
    method: "GET",
    path: "/api/search",
    role: "person",
    summary:
      "chats with this text in their title, newest first, then in a message; a page may be empty and not the last: `next` is the `after` of the next one",
    query: z.strictObject({ text: z.string().min(1).max(200), after: z.string().max(40).optional(), limit: limitSchema }),
    answer: z.object({ found: z.array(foundChatSchema), next: z.string().nullable() }),
  },
  chat: { method: "GET", path: "/api/chats/{id}", role: "person", summary: "one chat", answer: chatSchema },
  changeChat: {
    method: "PATCH",
    path: "/api/chats/{id}",
    role: "person",
    summary: "another title, or another model from its next turn on (null: the daemon's own); archived, or restored",
    body: z.strictObject({
      title: titleSchema.optional(),
      model: modelNameSchema.nullable().optional(),
      archived: z.boolean().optional(),
    }),
    answer: chatSchema,
  },
  deleteChat: {
    method: "DELETE",
    path: "/api/chats/{id}",
    role: "person",
    summary: "stop a chat, close what it asks and remove its messages for good; grants and the audit record stay",
    answer: z.object({ deleted: z.literal(true) }),
  },
  chatUsage: {
    method: "GET",
    path: "/api/chats/{id}/usage",
    role: "person",
    summary: "tokens that the models reported for a chat's turns, rewound ones too, and about what they cost where a price is known",
    answer: usageOfChatSchema,
  },
  exportChat: {
    method: "GET",
    path: "/api/chats/{id}/export",
    role: "person",
    summary: "a chat as Markdown: what was said, called, asked, answered and granted; without what was rewound",
    answer: z.string(),
    media: "text/markdown",
  },
  exportChatJson: {
    method: "GET",
    path: "/api/chats/{id}/export.json",
    role: "person",
    summary: "a chat as one JSON object, with everything that is stored of it; what was rewound is marked",
    answer: z.string(),
    media: "application/json",
  },
  messages: {
    method: "GET",
    path: "/api/chats/{id}/messages",
    role: "person",
    summary: "the newest messages, or those before one; in order, and last what was said and not heard yet",
    /** `rewound`: also messages that no longer count. */
    query: z.strictObject({ before: z.string().optional(), rewound: z.literal("true").optional(), limit: limitSchema }),
    answer: z.object({ messages: z.array(messageSchema), earlier: z.boolean() }),
  },
  say: {
    method: "POST",
    path: "/api/chats/{id}/messages",
    role: "person",
    summary:
      "say something, also while the chat runs: it is stored at once and heard before the next turn; with pictures in base64 (PNG, JPEG, WebP, GIF), where its model takes them",
    body: z.strictObject({
      text: textSchema,
      pictures: z
        .array(z.string().max(Math.ceil(pictureLimits.bytes / 3) * 4))
        .max(pictureLimits.count)
        .optional(),
    }),
    answer: chatSchema,
  },
  rewind: {
    method: "POST",
    path: "/api/chats/{id}/rewind",
    role: "person",
    summary:
      "go back to before a message of the person's and say `text` instead, or the same again without it: the chat is stopped, its asks are withdrawn, grants stay",
    body: z.strictObject({ message: z.string().min(1).max(128), text: textSchema.optional() }),
    answer: chatSchema,
  },
  picture: {
    method: "GET",
    path: "/api/chats/{id}/picture",
    role: "person",
    summary: "a picture of a message, by its place from 0 on, in base64",
    query: z.strictObject({ message: z.string().max(200), place: z.coerce.number().int().min(0) }),
    answer: z.object({ type: z.string(), data: z.string() }),
  },
  cancel: {
    method: "POST",
    path: "/api/chats/{id}/cancel",
    role: "person",
    summary: "stop, and close what is open; what was said meanwhile is heard next",
    answer: chatSchema,
  },
  undo: {
    method: "POST",
    path: "/api/chats/{id}/undo",
    role: "person",
    summary: "undo what a call changed: each file is judged as a write, and must be as the call left it; the agent is told",
    body: z.strictObject({ call: idSchema }),
    answer: z.object({ files: z.array(z.string()) }),
  },
  compact: {
    method: "POST",
    path: "/api/chats/{id}/compact",
    role: "person",
    summary: "put the conversation of a chat that rests in short; `compacted` is false where there is nothing to put in short",
    answer: z.object({ compacted: z.boolean() }),
  },
  grantReadAccess: {
    method: "POST",
    path: "/api/chats/{id}/grant_read_access",
    role: "person",
    summary: "answer an ask of this chat",
    body: answerInChatSchema,
    answer: answeredSchema,
  },
  answerUserInput: {
    method: "POST",
    path: "/api/chats/{id}/answer_user_input",
    role: "person",
    summary: "answer a question of this chat",
    body: z.strictObject({ ask_id: z.string(), answer: textSchema }),
    answer: answeredSchema,
  },
} as const satisfies RouteTable;
