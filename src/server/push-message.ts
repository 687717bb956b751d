// A message for a browser's push service: encrypted for that browser alone (RFC 8291, aes128gcm) and signed with the daemon's own key (RFC 8292),
// so that the service can read nothing of it and knows which daemon it is from.

import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign } from "node:crypto";
import type { z } from "zod";
import type { pushSubscriptionSchema } from "../wire/push-routes.ts";

/** Where a browser gets its messages, as it said itself. */
export type PushSubscription = z.infer<typeof pushSubscriptionSchema>;

/** The daemon's key: both halves as base64url. */
export interface PushKey {
  readonly publicKey: string;
  readonly privateKey: string;
}

const CURVE = "prime256v1";
/** A token is good for so long, in seconds; services take a day at the most. */
const SIGNED_FOR = 12 * 60 * 60;
/** A message that cannot be delivered is dropped after so long, in seconds: the agent has other ways to wait. */
const KEPT_FOR = 10 * 60;
const RECORD = 4096;

/** The key with this private half, or a new one. */
export function pushKey(privateKey: string | null = null): PushKey {
  const pair = createECDH(CURVE);
  if (privateKey === null) pair.generateKeys();
  else pair.setPrivateKey(Buffer.from(privateKey, "base64url"));
  return { publicKey: pair.getPublicKey("base64url"), privateKey: pair.getPrivateKey().toString("base64url") };
}

/** The request that brings a text to a browser. `contact`: who to write to about it, as a mailto: or https: address. */
export function pushRequest(
  { endpoint, keys }: PushSubscription,
  text: string,
  { key, contact, now }: { readonly key: PushKey; readonly contact: string; readonly now: number },
): Request {
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1000) + SIGNED_FOR, sub: contact };
  return new Request(endpoint, {
    method: "POST",
    redirect: "error",
    headers: {
      authorization: `vapid t=${signClaims(claims, key)}, k=${key.publicKey}`,
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
      ttl: String(KEPT_FOR),
      urgency: "high",
    },
    body: new Uint8Array(encryptText(Buffer.from(text), keys)),
  });
}

function signClaims(claims: object, { publicKey, privateKey }: PushKey): string {
  const point = Buffer.from(publicKey, "base64url");
  const x = point.subarray(1, 33).toString("base64url");
  const y = point.subarray(33).toString("base64url");
  const key = createPrivateKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y, d: privateKey } });
  const unsigned = [{ typ: "JWT", alg: "ES256" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${unsigned}.${sign("sha256", Buffer.from(unsigned), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

/** One record, with a key of its own for this message. */
function encryptText(text: Buffer, { p256dh, auth }: PushSubscription["keys"]): Buffer {
  const browser = Buffer.from(p256dh, "base64url");
  const pair = createECDH(CURVE);
  const own = pair.generateKeys();
  const salt = randomBytes(16);
  const derive = (secret: Buffer, with_: Buffer, info: Buffer, bytes: number): Buffer =>
    Buffer.from(hkdfSync("sha256", secret, with_, info, bytes));
  const keyInfo = Buffer.concat([Buffer.from("WebPush: info\0"), browser, own]);
  const shared = derive(pair.computeSecret(browser), Buffer.from(auth, "base64url"), keyInfo, 32);
  const key = derive(shared, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derive(shared, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  // The byte after the text says that this record is the last.
  const sealed = Buffer.concat([cipher.update(Buffer.concat([text, Buffer.from([2])])), cipher.final(), cipher.getAuthTag()]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD);
  return Buffer.concat([salt, size, Buffer.from([own.length]), own, sealed]);
}
