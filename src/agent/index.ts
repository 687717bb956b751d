// An agent of our own over the guarded tools: a loop that can stop anywhere. Named exports only.

export { type Agent, type AgentPorts, createAgent, type NewSession } from "./agent.ts";
export type { AnswerResult, GivenAnswer } from "./answering.ts";
export type { AgentEvent, Listener } from "./events.ts";
export { offlineModel } from "./models/offline.ts";
export { type ModelOptions, openModel } from "./models/providers.ts";
export { type Script, scriptedModel, type ScriptedTurn } from "./models/scripted.ts";
export { type Budget, defaultBudget } from "./next.ts";
export {
  type Model,
  ModelFault,
  type ModelPrompt,
  type ModelTurn,
  type Store,
  type StoredAsk,
  type StoredChat,
  type StoredGrant,
  type StoredSession,
} from "./ports.ts";
export type { CallState, ChatStatus, Message, CallOutcome, ToolCall, Transcript } from "./transcript.ts";
