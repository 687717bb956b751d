// read_file: a text file, whole or by a window of lines.

import { z } from "zod";
import type { Used } from "../core/guard/guard.ts";
import type { Done } from "../core/guard/handle.ts";
import { basename, parent } from "../core/path/contain.ts";
import { show } from "../core/path/show.ts";
import { nearNames } from "./near.ts";
import { pathInput } from "./path-input.ts";
import { done, failed, refused, type ToolResult } from "./result.ts";
import { decodeText, windowOf } from "./text.ts";
import { defineTool, type ToolContext, type Tool } from "./tool.ts";

const input = z.strictObject({
  path: pathInput,
  offset: z.int().min(1).optional().describe("First line to return, counted from 1"),
  limit: z.int().min(1).optional().describe("How many lines to return"),
});

/** What a whole file's bytes become, while they are lent; null where they are not text. */
export type Decode = (bytes: Buffer) => object | string | null;

export const readFile = readFileAs(decodeText);

/** The same tool, for whoever wants a file's text as something else than a string. A window of lines is a string in any case. */
export function readFileAs(decode: Decode): Tool {
  return defineTool({
    name: "read_file",
    title: "Read a file",
    verb: "read",
    kind: "read",
    gives: "text",
    description:
      "Read a UTF-8 text file. For a large file give offset (first line, from 1) and limit (number of lines). " +
      "A refusal names the reason; outside the workspace it tells you how to ask with request_read_access. Secrets are never readable: do not try other ways.",
    input,
    run: (asked, surroundings) => read(asked, surroundings, decode),
  });
}

type Asked = z.infer<typeof input>;

interface Content {
  readonly path: string;
  readonly length: number;
  readonly text: ReturnType<Decode>;
}

/** At once for a small file: whoever reads many of them does not wait for each. */
function read(asked: Asked, surroundings: ToolContext, decode: Decode): ToolResult | Promise<ToolResult> {
  const { guard, session, call, limits } = surroundings;
  const windowed = isWindowed(asked);
  const take = windowed ? decodeText : decode;
  const used = guard.use({ call, tool: "read_file", operation: "read", path: asked.path }, session, (file) =>
    file.lend<Content>(windowed ? limits.windowFileBytes : limits.fileBytes, (lent) => ({
      path: file.path,
      length: lent.length,
      text: take(lent),
    })),
  );
  return used instanceof Promise ? used.then((one) => given(one, asked, surroundings)) : given(used, asked, surroundings);
}

const isWindowed = ({ offset, limit }: Asked): boolean => offset !== undefined || limit !== undefined;

/** What was read, or why not, as the tool says it. */
function given(used: Used<"read", Done<Content>>, asked: Asked, surroundings: ToolContext): ToolResult | Promise<ToolResult> {
  const { path, offset, limit } = asked;
  const { limits } = surroundings;
  const windowed = isWindowed(asked);
  const bytes = windowed ? limits.windowFileBytes : limits.fileBytes;
  if (used.verdict !== "allow") return refused(used);
  if (!used.done.ok)
    return used.done.code === "not-found"
      ? notThere(path, used.real ?? path, surroundings)
      : failed(used.done.code, path, used.done.code === "is-directory" ? "Use list_dir." : undefined);
  const content = used.done.value;
  if (!content.ok) return failed(content.code, path, content.code === "too-large" ? tooLarge(bytes, windowed) : undefined);
  const { path: real, text, length } = content.value;
  if (text === null) return failed("binary-file", path, "Only UTF-8 text is read.");
  if (!windowed || typeof text !== "string") return done({ path: real, content: text, bytes_read: length });
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

function tooLarge(bytes: number, windowed: boolean): string {
  return windowed
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
