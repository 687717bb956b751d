// Structured lines to standard error: JSON for programs, one plain line each on a terminal. Never a file's content, a token or an
// agent's words; whoever logs says only codes, ids and counts, and what looks like a secret is taken out once more here.

import type { Writable } from "node:stream";
import pino from "pino";
import type { Log } from "./ports.ts";

export const silentLog: Log = { info() {}, warn() {}, error() {} };

/** Fields that never leave, whoever put them there. */
const HIDDEN = ["token", "key", "authorization", "cookie", "secret", "text", "words", "content", "output", "input"];
const LEVELS: Readonly<Record<string, string>> = { 30: "", 40: "warning: ", 50: "error: " };

export function createLog(stream: Writable & { readonly isTTY?: boolean }, level: string = "info"): Log {
  const destination = stream.isTTY === true ? { write: (line: string) => void stream.write(plain(line)) } : stream;
  return pino({ level, base: null, redact: { paths: HIDDEN, remove: true }, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** `12:30:01 warning: a client did not keep up  unsent=4194305` */
function plain(line: string): string {
  const parsed: unknown = JSON.parse(line);
  const fields = new Map<string, unknown>(typeof parsed === "object" && parsed !== null ? Object.entries(parsed) : []);
  const [level, time, msg] = ["level", "time", "msg"].map((key) => String(fields.get(key)));
  const rest = [...fields]
    .filter(([key]) => !["level", "time", "msg"].includes(key))
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return `${(time ?? "").slice(11, 19)} ${LEVELS[level ?? ""] ?? ""}${msg ?? ""}${rest.length === 0 ? "" : `  ${rest.join(" ")}`}\n`;
}
