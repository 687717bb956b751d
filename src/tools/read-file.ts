// read_file: a text file, whole or by a window of lines.

import { z } from "zod";
import { basename, parent } from "../core/path/contain.ts";
import { show } from "../core/path/show.ts";
import { nearNames } from "./near.ts";
import { pathInput } from "./path-input.ts";
import { done, failed, refused, type ToolResult } from "./result.ts";
import { decodeText, windowOf } from "./text.ts";
import { defineTool, type ToolContext } from "./tool.ts";

const input = z.strictObject({
  path: pathInput,
  offset: z.int().min(1).optional().describe("First line to return, counted from 1"),
  limit: z.int().min(1).optional().describe("How many lines to return"),
});

export const readFile = defineTool({
  name: "read_file",
  title: "Read a file",
  verb: "read",
  kind: "read",
  gives: "text",
  description:
    "Read a UTF-8 text file. For a large file give offset (first line, from 1) and limit (number of lines). " +
    "A refusal names the reason; outside the workspace it tells you how to ask with request_read_access. Secrets are never readable: do not try other ways.",
  input,
  run: read,
});

type ReadInput = z.infer<typeof input>;

async function read({ path, offset, limit }: ReadInput, context: ToolContext): Promise<ToolResult> {
  const { guard, session, call, limits } = context;
  const hasWindow = offset !== undefined || limit !== undefined;
  const bytes = hasWindow ? limits.windowFileBytes : limits.fileBytes;
  const used = await guard.use({ call, tool: "read_file", operation: "read", path }, session, (file) =>
    file.lend(bytes, (lent) => ({ path: file.path, length: lent.length, text: decodeText(lent) })),
  );
  if (used.verdict !== "allow") return refused(used);
  if (!used.done.ok)
    return used.done.code === "not-found"
      ? notThere(path, used.real ?? path, context)
      : failed(used.done.code, path, used.done.code === "is-directory" ? "Use list_dir." : undefined);
  const content = used.done.value;
  if (!content.ok) return failed(content.code, path, content.code === "too-large" ? tooLarge(bytes, hasWindow) : undefined);
  const { path: real, text, length } = content.value;
  if (text === null) return failed("binary-file", path, "Only UTF-8 text is read.");
  if (!hasWindow) return done({ path: real, content: text, bytes_read: length });
  const window = windowOf(text, offset ?? 1, limit ?? Number.MAX_SAFE_INTEGER);
  if (window.text.length > limits.fileBytes) return failed("too-large", path, "These lines together are too large; ask for fewer.");
  return done({
    path: real,
    content: window.text,
    bytes_read: Buffer.byteLength(window.text),
    from: window.from,
    to: window.to,
    total_lines: window.total,
  });
}

function tooLarge(bytes: number, hasWindow: boolean): string {
  return hasWindow
    ? `The limit is ${bytes} bytes, by lines too: have a command cut out what you need (sed -n '1,200p', tail, grep) and read that.`
    : `The limit is ${bytes} bytes; read it by lines with offset and limit.`;
}

/** The file is missing: name its near siblings, as far as a listing would show them. */
async function notThere(path: string, real: string, { guard, session, call }: ToolContext): Promise<ToolResult> {
  const used = await guard.use({ call, tool: "read_file", operation: "list", path: parent(real) }, session, (dir) => dir.listInTurns());
  const listing = used.verdict === "allow" && used.done.ok && used.done.value.ok ? used.done.value.value : null;
  const near = nearNames(basename(real), listing?.entries.map(({ name }) => name) ?? []);
  const more =
    near.length === 0
      ? "Check the path, or look with list_dir or find_files."
      : `Did you mean ${near.map((name) => `\`${show(name)}\``).join(", ")}?`;
  return failed("not-found", path, more);
}
