// list_access: what this session may see, in the model's own words for it.

import { z } from "zod";
import { listRoots } from "../core/session/session.ts";
import { done } from "./result.ts";
import { defineTool } from "./tool.ts";

export const listAccess = defineTool({
  name: "list_access",
  title: "List what may be read and written",
  verb: "look at its access",
  gives: "data",
  description: "List the directories you may read and write: the workspace, mounts, and what was granted for reading in this session.",
  input: z.strictObject({}),
  run(_input, { session }) {
    const roots = listRoots(session).map((root) => ({
      path: root.dir,
      from: root.from,
      mode: root.from === "workspace" ? "read and write" : root.from === "mount" && root.mode !== "read_only" ? "read and write" : "read",
    }));
    return Promise.resolve(done({ roots, note: "Secrets stay hidden in all of them. For another repository use request_read_access." }));
  },
});
