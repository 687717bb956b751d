// request_read_access: the model's own ask, with its reason. Here it says what would be asked; who asks a person is the host's part.

import { z } from "zod";
import { show } from "../core/path/show.ts";
import { pathInput } from "./path-input.ts";
import { badInput, categoryOf, refused } from "./result.ts";
import { defineTool } from "./tool.ts";

export const askAccess = defineTool({
  name: "request_read_access",
  description:
    "Ask a person for reading a path outside the workspace, for this session. Use it after a read was refused with out-of-scope and you need the file; say why in reason. " +
    "A yes opens the repository that holds the path, read-only. A no is final: do not ask again.",
  input: z.strictObject({ path: pathInput.describe("Absolute, or beginning with ~/"), reason: z.string().min(1).max(500) }),
  async run({ path }, { guard, session, call }) {
    if (!path.startsWith("/") && path !== "~" && !path.startsWith("~/"))
      return badInput("invalid-path", `\`${show(path)}\` is relative; ask with an absolute path`);
    const decision = guard.judge({ call, tool: "request_read_access", operation: "read", path }, session);
    if (decision.verdict !== "allow") return refused(decision);
    decision.pass.close();
    return {
      ok: false,
      code: "already-in-scope",
      category: categoryOf("already-in-scope"),
      hint: `\`${show(path)}\` is in scope already; read it directly, nobody needs to be asked.`,
      verdict: "deny",
      proposal: null,
      flags: [],
      ask: null,
    };
  },
});
