// The door `hallpass/mcp`: our tools as an MCP server, for whoever hosts one. Named exports only.

export type { AskResult, Desk, DeskAccess, Visitor } from "../desk/desk.ts";
export { type DeskPorts, openDesk } from "../desk/wire-desk.ts";
export { patience, type AskTimeouts } from "./asking.ts";
export { listenMcp, type McpListener, type McpListenOptions } from "./listen.ts";
export { openMcp, type OpenMcpOptions } from "./open.ts";
export { createMcpHttp, type HttpPorts, type McpHttp } from "./http.ts";
export { createMcp, type Mcp, type McpPorts } from "./server.ts";
export { findWorkspace, type FoundWorkspace, pathOfRoot, type WorkspaceSources } from "./workspace.ts";
export { serveStdio } from "./stdio.ts";
