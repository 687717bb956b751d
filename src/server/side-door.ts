// Another door on the same port, answered from Node's own request into Node's own response: making a Request and a Response of each call
// takes longer than judging one. Promise: host and origin are looked at as everywhere and before anything else; a body is read only as far
// as it said it would go, and not at all past what the door takes; what the door says is written once, and the connection closed.

import type { IncomingMessage, ServerResponse } from "node:http";
import { checkHost, checkOrigin, type HeaderReader } from "./auth.ts";
import type { AppPorts, SideDoor } from "./ports.ts";

/** Answers a request that is for the door, or says that it is not. Never throws. */
export type AnswerBeside = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

export function answerBeside(door: SideDoor, { hosts, log }: Pick<AppPorts, "hosts" | "log">): AnswerBeside {
  return (incoming, outgoing) => {
    const { method, url = "" } = incoming;
    if (method !== "POST" || !url.startsWith(door.path)) return false;
    const headers = headersOf(incoming.rawHeaders);
    // Whoever names another host or page is refused where everybody is.
    if (!isKnown(headers, hosts())) return false;
    // What it says is all that is sent: no date either.
    outgoing.sendDate = false;
    const length = Number(headers.get("content-length") ?? Number.NaN);
    // What is larger, or does not say how large it is, is judged where it comes from. None of it is read.
    if (!(length <= door.bytes)) return refuse(outgoing, 413);
    const answer = async (payload: string): Promise<void> => {
      try {
        const said = await door.answer({ name: url.slice(door.path.length), header: (name) => headers.get(name), payload });
        outgoing.writeHead(said.status, said.headers).end(said.body);
      } catch (error) {
        log.error({ error: error instanceof Error ? error.message : "unknown" }, "a call at the door failed");
        if (outgoing.headersSent) outgoing.destroy();
        else refuse(outgoing, 500);
      }
    };
    readText(incoming, (payload) => void answer(payload));
    return true;
  };
}

/**
 * The whole body as text; the parser gives no more of it than it was said to hold. Nothing is called where it is not whole: whoever left
 * is owed no answer, and whoever takes too long is cut off by the server's own limits.
 */
function readText(incoming: IncomingMessage, done: (text: string) => void): void {
  let first: Buffer | null = null;
  const more: Buffer[] = [];
  incoming.on("data", (piece: Buffer) => {
    if (first === null) first = piece;
    else more.push(piece);
  });
  incoming.on("end", () => {
    const bytes = first === null || more.length === 0 ? first : Buffer.concat([first, ...more]);
    done(bytes === null ? "" : bytes.toString("utf8"));
  });
}

function refuse(outgoing: ServerResponse, status: number): true {
  outgoing.writeHead(status, { "content-length": "0", connection: "close" }).end();
  return true;
}

function isKnown(headers: HeaderReader, hosts: readonly string[] | null): boolean {
  try {
    checkHost(headers, hosts);
    checkOrigin(headers, hosts);
    return true;
  } catch {
    return false;
  }
}

/** As they came, name after value; a header that came twice is one with a comma in it, and so is no host, origin or token. */
function headersOf(raw: readonly string[]): HeaderReader {
  const values = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    const before = values.get(name);
    const value = raw[at + 1] ?? "";
    values.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return { get: (name) => values.get(name) ?? null };
}
