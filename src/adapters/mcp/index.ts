// The door `hallpass/mcp`: our tools as an MCP server, for whoever hosts one. Named exports only.

export type { Desk, Visitor } from "../desk/desk.ts";
export { type DeskPorts, openDesk } from "../desk/wire-desk.ts";
export { createMcpHttp, type HttpPorts, type McpHttp } from "./http.ts";
export { createMcp, type Mcp, type McpPorts } from "./server.ts";
export { serveStdio } from "./stdio.ts";
