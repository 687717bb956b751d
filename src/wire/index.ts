// The entry point `hallpass/wire`: the words on the wire, and a client that speaks them.

export { type Client, type ClientPorts, createClient, type Input, WireError } from "./client.ts";
export type { AppConnection } from "./connection.ts";
export { type AgentFrame, agentFrameSchema, type ClientFrame, clientFrameSchema, type Frame, frameSchema } from "./frames.ts";
export { type AnswerBody, answerBodySchema, type Role, type Route, type RouteName, type Routes, routes } from "./http.ts";
export { type FramePorts, socketProtocols, type SocketLike, subscribe, subscribeAgent, type Subscription } from "./socket.ts";
export type {
  WireMount,
  WireProblem,
  WireProject,
  WireAgentAsk,
  WireAgentDecision,
  WireAnswer,
  WireAsk,
  WireCall,
  WireChat,
  WireDecision,
  WireGrant,
  WireMessage,
  WireSession,
} from "./values.ts";
