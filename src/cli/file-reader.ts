// Reads a file for another program's agent through the guard, under the call that was judged: the file judged is the file read, and a yes
// for that call holds for no other call.

import type { AuditEvent } from "../core/audit.ts";
import type { Clock, Ids } from "../core/clock.ts";
import { HallpassError } from "../core/errors.ts";
import { createGuard } from "../core/guard/guard.ts";
import { type CallId, callId } from "../core/names.ts";
import type { ReadFile } from "../adapters/acp/requests.ts";
import { decodeText, windowOf } from "../tools/text.ts";

const LARGEST = 16 * 1024 * 1024;

/** One guard for all files. Throws `os-denied` where it may not be read by now, or is no text. */
export function createFileReader(ports: { readonly clock: Clock; readonly ids: Ids }): ReadFile {
  // What was decided, by call: two files read at once do not record each other's.
  const events = new Map<CallId, AuditEvent[]>();
  const guard = createGuard({ ...ports, audit: (event) => "call" in event && events.get(event.call)?.push(event) });
  return async (hostSession, { call: name, path, line, limit }) => {
    const call = callId(name);
    const session = await hostSession.session(name);
    const decisions: AuditEvent[] = [];
    events.set(call, decisions);
    const reading = guard.use({ call, tool: "fs/read_text_file", operation: "read", path }, session, (file) =>
      file.lend(LARGEST, decodeText),
    );
    const used = await reading.finally(() => events.delete(call));
    await hostSession.record(decisions);
    const text = used.verdict === "allow" && used.done.ok && used.done.value.ok ? used.done.value.value : null;
    if (text === null) throw new HallpassError("os-denied", "it cannot be read as text");
    return line === null && limit === null ? text : windowOf(text, line ?? 1, limit ?? Number.MAX_SAFE_INTEGER).text;
  };
}
