// The door `hallpass/mcp`: our tools as an MCP server, for whoever hosts one. Named exports only.

export type { Asked, Desk, DeskAccess, Visitor } from "../desk/desk.ts";
export { type DeskPorts, openDesk } from "../desk/wire-desk.ts";
export { patience, type Patience } from "./asking.ts";
export { createMcpHttp, type HttpPorts, type McpHttp } from "./http.ts";
export { createMcp, type Mcp, type McpPorts } from "./server.ts";
export { findWorkspace, type Found, pathOfRoot, type Places } from "./workspace.ts";
