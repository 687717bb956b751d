// The entry point `hallpass/acp`: our agent for editors.

export { type AcpAgentPorts, createAcpAgent } from "./agent.ts";
export { serveAcp } from "./serve.ts";
