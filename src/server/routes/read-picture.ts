// A picture that a person sends: what it is, is told by its first bytes and never by a name.

import type { Picture } from "../../agent/transcript.ts";
import { pictureLimits } from "../../wire/chat-routes.ts";
import { Refusal } from "../problem.ts";

/** The first bytes of each kind, in hexadecimal; a dot stands for any digit. */
const beginnings: readonly (readonly [type: string, begins: RegExp])[] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^474946383[79]61/],
  ["image/webp", /^52494646.{8}57454250/],
];

/** From base64. Throws a Refusal where it is none of these kinds, or too large. */
export function readPicture(base64: string): Picture {
  const bytes = Buffer.from(base64, "base64");
  const head = bytes.subarray(0, 12).toString("hex");
  const type = beginnings.find(([, begins]) => begins.test(head))?.[0];
  if (type === undefined) throw new Refusal("bad-request", "a picture must be PNG, JPEG, WebP or GIF");
  if (bytes.length > pictureLimits.bytes) throw new Refusal("too-large", `a picture may have at most ${pictureLimits.bytes} bytes`);
  return { type, data: bytes.toString("base64") };
}
