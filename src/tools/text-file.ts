// A text file that a tool is about to change.

import type { Version } from "../core/guard/handle.ts";
import { failed, type Failure, refused } from "./result.ts";
import { decodeText, hasMark } from "./text.ts";
import type { ToolContext } from "./tool.ts";

/** The text, the byte order mark that is to be put back before it, and the version that a write must find; or why it cannot be had. */
export async function readBefore(
  tool: string,
  path: string,
  { guard, session, call, limits }: Pick<ToolContext, "guard" | "session" | "call" | "limits">,
): Promise<{ readonly text: string; readonly mark: string; readonly version: Version } | Failure> {
  const read = await guard.use({ call, tool, operation: "read", path }, session, async (file) => ({
    version: file.version,
    content: await file.lend(limits.fileBytes, (bytes) => ({ text: decodeText(bytes), mark: hasMark(bytes) ? "\ufeff" : "" })),
  }));
  if (read.verdict !== "allow") return refused(read);
  if (!read.done.ok) return failed(read.done.code, path);
  const { version, content } = read.done.value;
  if (!content.ok)
    return failed(content.code, path, content.code === "too-large" ? `Files up to ${limits.fileBytes} bytes are edited.` : undefined);
  const { text, mark } = content.value;
  return text === null ? failed("binary-file", path, "Only UTF-8 text is edited.") : { text, mark, version };
}
