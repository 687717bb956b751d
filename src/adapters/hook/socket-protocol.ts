// What is said on the hook socket, both ways: a few fields and the host's payload in, an exit code and the host's own words out. No newline
// stands before the payload, since a shell sends what it has at each; fields are parted by a bar, which none of them holds.
// INVARIANT: bin/hallpass-hook writes and reads the same, to the last byte.

import { Buffer } from "node:buffer";
import { PAYLOAD_BYTES } from "./socket-file.ts";
import type { Words } from "./host-call.ts";
import { type HostName, isHostName } from "./host-table.ts";

export interface HookRequest {
  readonly host: HostName;
  readonly workspace: string;
  readonly lets: readonly string[];
  /** Put what may be granted before a person, and wait. */
  readonly ask: boolean;
  /** So many seconds, while the daemon says that it is still there; null: a few, without a word. */
  readonly wait: number | null;
  readonly attended: boolean;
  /** The process that started the hook: the host, or a shell below it. Null where it is not known. */
  readonly parent: number | null;
  /** The host's JSON, byte for byte. */
  readonly payload: string;
}

/** No head of ours is longer: two paths, written out, and a list of tools. */
const HEAD_BYTES = 64 * 1024;

const FIRST = "hallpass 1";
const FIELDS = 7;
const BAR = 0x7c;

/** As the Node hook sends it. The shell leaves out what needs writing out: it does not send such words at all. */
export function requestText(token: string, { host, workspace, lets, ask, wait, attended, parent, payload }: HookRequest): string {
  const marks = `${ask ? "a" : ""}${attended ? "" : "u"}${parent ?? ""}${wait === null ? "" : `w${wait}`}`;
  const names = lets.map(encodeURIComponent).join(",");
  return [FIRST, token, host, marks, encodeURIComponent(workspace), names, Buffer.byteLength(payload), payload].join("|");
}

export interface RequestHead extends Omit<HookRequest, "payload"> {
  readonly token: string;
  /** A host's shell wants to enter its session's sandbox: its process. The connection is then a conversation (`bin/hallpass-enter`). Null for a hook. */
  readonly enters: number | null;
  /** Where the payload begins, and how many bytes it has. */
  readonly from: number;
  readonly length: number;
}

/** What stands before the payload. `more`: it is not whole yet; `none`: it is nothing of ours, and never will be. */
export function readHead(bytes: Buffer): RequestHead | "more" | "none" {
  let from = 0;
  for (let left = FIELDS; left > 0; left -= 1) {
    const bar = bytes.indexOf(BAR, from);
    if (bar === -1) return bytes.length > HEAD_BYTES || !isBegun(bytes) ? "none" : "more";
    from = bar + 1;
  }
  const [first, token = "", host, marks = "", workspace = "", lets = "", length = ""] = bytes.toString("latin1", 0, from - 1).split("|");
  const read = /^(?:e(?<enters>\d{1,10})|(?<ask>a?)(?<nobody>u?)(?<parent>\d{0,10})(?:w(?<wait>\d{1,4}))?)$/u.exec(marks);
  if (first !== FIRST || !isHostName(host) || read === null || !/^\d{1,7}$/u.test(length)) return "none";
  const [place, ...names] = [workspace, ...lets.split(",").filter((name) => name !== "")].map(decodeField);
  if (place === undefined || !place.startsWith("/") || Number(length) > PAYLOAD_BYTES) return "none";
  return {
    token,
    host,
    ask: read.groups?.["ask"] === "a",
    wait: numberOf(read.groups?.["wait"]),
    attended: read.groups?.["nobody"] !== "u",
    parent: numberOf(read.groups?.["parent"]),
    enters: numberOf(read.groups?.["enters"]),
    workspace: place,
    lets: names,
    from,
    length: Number(length),
  };
}

const numberOf = (digits = ""): number | null => (digits === "" ? null : Number(digits));

/** Could these bytes become a request? Whatever speaks another language is let go at its first word. */
const isBegun = (bytes: Buffer): boolean => FIRST.startsWith(bytes.toString("latin1", 0, FIRST.length));

/** As it was before it was written out; empty where it never was, which is no path and no tool. */
function decodeField(field: string): string {
  try {
    return decodeURIComponent(field);
  } catch {
    return "";
  }
}

/** The daemon's answer: what goes to stdout, or with exit 2 to stderr, after the proof, the code and the length in bytes. */
export function answerText(answer: Words, proof: string): string {
  const body = answer.exit === 0 ? answer.stdout : answer.stderr;
  return `${proof} ${answer.exit} ${Buffer.byteLength(body)}\n${body}`;
}

/** Said before the answer, now and then, to whoever waits longer than a few seconds. As long as the shortest answer. */
export const waitingText = (proof: string): string => `${proof} w w\n`;

/** Null for anything that is not such an answer, whole, of whoever knows the proof. */
export function wordsFrom(answer: Buffer, proof: string): Words | null {
  const line = answer.indexOf("\n");
  const body = answer.toString("utf8", line + 1);
  const [proofSent, exit] = answer.toString("latin1", 0, line).split(" ");
  // Written anew, it is the same to the last byte.
  if (line === -1 || proofSent !== proof || !Buffer.from(`${proof} ${exit} ${answer.length - line - 1}\n${body}`).equals(answer))
    return null;
  if (exit === "0") return { exit: 0, stdout: body };
  return exit === "2" && body.trim() !== "" ? { exit: 2, stderr: body } : null;
}
