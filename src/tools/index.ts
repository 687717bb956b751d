// The guarded tools, for whoever runs an agent of their own. Named exports only.

export { defaultLimits, type Limits } from "./limits.ts";
export { tools } from "./registry.ts";
export { createOutputs, type Outputs } from "./outputs.ts";
export { badInput, type Category, done, failed, type Failure, refused, type ToolResult } from "./result.ts";
export { runTool } from "./run.ts";
export { createSearcher, type Searcher } from "./search/searcher.ts";
export { defineTool, type ToolContext, type Tool, type ToolTraits } from "./tool.ts";
export type { Sandbox } from "../sandbox/port.ts";
export { createSandbox } from "../sandbox/sandbox.ts";
