// WebSocket frames. A client subscribes, from a cursor or from nothing; it gets what it missed, or a snapshot where too much was
// missed, and then everything as it happens. Frames of one chat come in order; a cursor is only good for the daemon that gave it.

import { z } from "zod";
import {
  agentAskSchema,
  askSchema,
  callSchema,
  chatSchema,
  chatStatusSchema,
  delaySchema,
  messageSchema,
  modelFaultKindSchema,
  outcomeSchema,
  sessionSchema,
  usageSchema,
} from "./values.ts";

/** The schema of `ClientFrame`. `chats: "all"` needs the person's role; an agent hears of its own session alone. */
export const clientFrameSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("subscribe"),
    chats: z.union([z.literal("all"), z.array(z.string()).max(256)]),
    /** The last frame seen; null to begin with a snapshot. */
    after: z.string().nullable(),
  }),
  z.strictObject({ type: z.literal("unsubscribe"), chats: z.union([z.literal("all"), z.array(z.string()).max(256)]) }),
  z.strictObject({ type: z.literal("pong") }),
]);

const chat = z.string();
const cursor = z.string();

const framesOf = <A extends z.ZodType>(ask: A) =>
  z.discriminatedUnion("type", [
    /** Where things stand: replaces everything the client knew of this chat. Messages are the newest; earlier ones are fetched. */
    z.object({
      type: z.literal("snapshot"),
      cursor,
      chat: chatSchema,
      session: sessionSchema,
      messages: z.array(messageSchema),
      /** Are there earlier messages? */
      earlier: z.boolean(),
      asks: z.array(ask),
    }),
    /** All open asks, for a client that hears of every chat. */
    z.object({ type: z.literal("inbox"), cursor, asks: z.array(ask) }),
    z.object({ type: z.literal("message"), cursor, chat, message: messageSchema }),
    z.object({ type: z.literal("turn_start"), cursor, chat, message: z.string() }),
    z.object({ type: z.literal("text_delta"), cursor, chat, message: z.string(), text: z.string() }),
    /** The model's service did not take the turn, and it is tried again at that time. */
    z.object({ type: z.literal("turn_wait"), cursor, chat, message: z.string(), kind: modelFaultKindSchema, until: z.number() }),
    z.object({ type: z.literal("turn_end"), cursor, chat, message: z.string(), usage: usageSchema.nullable() }),
    z.object({ type: z.literal("tool_call"), cursor, chat, message: z.string(), call: callSchema }),
    /** Why a command cannot begin yet; null when that is over. Told every second. */
    z.object({ type: z.literal("tool_delay"), cursor, chat, call: z.string(), delay: delaySchema.nullable() }),
    z.object({ type: z.literal("tool_result"), cursor, chat, call: z.string(), outcome: outcomeSchema }),
    z.object({ type: z.literal("ask_open"), cursor, chat, ask }),
    z.object({ type: z.literal("ask_settled"), cursor, chat, ask }),
    /** Roots, grants or the end of a session changed. */
    z.object({ type: z.literal("session_updated"), cursor, session: sessionSchema }),
    z.object({ type: z.literal("chat_status"), cursor, chat, status: chatStatusSchema, why: z.string() }),
    z.object({ type: z.literal("chat_added"), cursor, chat: chatSchema }),
    /** Its title or its model is another one, or it was archived or restored. */
    z.object({ type: z.literal("chat_changed"), cursor, chat: chatSchema }),
    /** A person went back: these messages, and these asks of theirs, are no longer part of the conversation. What is said instead comes as a message. */
    z.object({ type: z.literal("rewound"), cursor, chat, messages: z.array(z.string()), asks: z.array(z.string()) }),
    /** It is gone, with its messages. */
    z.object({ type: z.literal("chat_deleted"), cursor, chat }),
    /** The subscription stands; everything before it was replay. */
    z.object({ type: z.literal("live"), cursor }),
    z.object({ type: z.literal("ping") }),
    z.object({ type: z.literal("problem"), code: z.string(), message: z.string() }),
  ]);

/** The schema of `Frame`. */
export const frameSchema = framesOf(askSchema);
/** The schema of `AgentFrame`: the same events, without the card of an ask. */
export const agentFrameSchema = framesOf(agentAskSchema);

/** What a client sends over its connection. */
export type ClientFrame = z.infer<typeof clientFrameSchema>;
/** An event that a person's connection receives. */
export type Frame = z.infer<typeof frameSchema>;
/** An event that an agent's connection receives. */
export type AgentFrame = z.infer<typeof agentFrameSchema>;
