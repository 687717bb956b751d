// Guarded tools for the AI SDK. Named exports only.

export { guardedTools, type GuardedTools, type GuardedToolsOptions } from "./guarded-tools.ts";
