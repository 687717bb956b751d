// request_read_access: the model's own ask, with its reason. Here it says what would be asked; who asks a person is the host's part.

import { z } from "zod";
import { REQUEST_TOOL } from "../core/access.ts";
import { show } from "../core/path/show.ts";
import { pathInput } from "./path-input.ts";
import { badInput, denied, refused } from "./result.ts";
import { defineTool } from "./tool.ts";

/** Nobody is asked about these: there is nothing to grant. */
const NOT_GRANTABLE = new Set(["out-of-whitelist", "no-grant-root", "root-too-broad"]);

export const askAccess = defineTool({
  name: REQUEST_TOOL,
  title: "Ask a person for read access outside the workspace",
  verb: "ask to read",
  asks: "access",
  description:
    "Ask a person for read access to a path outside the workspace, for this session. Use it after a read was refused with out-of-scope and you need the file; say why in reason. " +
    "A yes opens the repository that holds the path, read-only. A no is final: do not ask again. " +
    "Returns `granted: <root>`, `denied` (with the person's note, if any), `denied: path outside permitted scope` where nothing can be granted, or the reason why nobody is asked.",
  input: z.strictObject({ path: pathInput.describe("Absolute, or beginning with ~/"), reason: z.string().min(1).max(500) }),
  async run({ path }, { guard, session, call }) {
    if (!path.startsWith("/") && path !== "~" && !path.startsWith("~/"))
      return badInput("invalid-path", `\`${show(path)}\` is relative; ask with an absolute path`);
    const decision = guard.judge({ call, tool: REQUEST_TOOL, operation: "read", path }, session);
    if (decision.verdict !== "allow") {
      const failure = refused(decision);
      // Who calls this is asking already.
      if (decision.verdict === "ask")
        return { ...failure, hint: `\`${show(path)}\` can be granted; whoever runs this tool has to put the question to a person.` };
      return NOT_GRANTABLE.has(failure.code) ? { ...failure, hint: `denied: path outside permitted scope. ${failure.hint}` } : failure;
    }
    decision.pass.close();
    return denied("already-in-scope", `\`${show(path)}\` is in scope already; read it directly, nobody needs to be asked.`);
  },
});
