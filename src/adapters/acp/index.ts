// The entry point `hallpass/acp`: our agent for editors.

export { type AcpAgentPorts, createAcpAgent, serveAcp } from "./agent.ts";
