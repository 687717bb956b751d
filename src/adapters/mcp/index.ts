// The entry point `hallpass/mcp`: our tools as an MCP server, for whoever hosts one. Named exports only.

export type { AskTimeouts } from "./asking.ts";
export { openMcp, type OpenMcpOptions } from "./open.ts";
export { createMcpHttp, listenMcp, type McpHttp, type McpHttpOptions, type McpListener, type McpListenOptions } from "./http.ts";
export type { Mcp } from "./server.ts";
export { serveStdio } from "./stdio.ts";
