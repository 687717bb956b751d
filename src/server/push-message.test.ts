// A push message as a push service and a browser see it: signed by the daemon's key, and readable by the one browser alone.

import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "./log.ts";
import { createPushNotices } from "./push-notices.ts";
import { pushKey, pushRequest, type PushSubscription } from "./push-message.ts";

/** A browser: its keys, and how it reads what comes. */
function browser(endpoint: string) {
  const pair = createECDH("prime256v1");
  const own = pair.generateKeys();
  const auth = randomBytes(16);
  const subscription: PushSubscription = { endpoint, keys: { p256dh: own.toString("base64url"), auth: auth.toString("base64url") } };
  const read = (body: Buffer): string => {
    const salt = body.subarray(0, 16);
    const length = body[20] ?? 0;
    const sender = body.subarray(21, 21 + length);
    const sealed = body.subarray(21 + length);
    const derive = (secret: Buffer, with_: Buffer, info: Buffer, bytes: number) =>
      Buffer.from(hkdfSync("sha256", secret, with_, info, bytes));
    const shared = derive(pair.computeSecret(sender), auth, Buffer.concat([Buffer.from("WebPush: info\0"), own, sender]), 32);
    const key = derive(shared, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
    const opener = createDecipheriv("aes-128-gcm", key, derive(shared, salt, Buffer.from("Content-Encoding: nonce\0"), 12));
    opener.setAuthTag(sealed.subarray(-16));
    const text = Buffer.concat([opener.update(sealed.subarray(0, -16)), opener.final()]);
    expect(text.at(-1)).toBe(2);
    return text.subarray(0, -1).toString("utf8");
  };
  return { subscription, read };
}

test("the example of RFC 8291 can be read, so what reads here reads as a browser does", () => {
  const keys = createECDH("prime256v1");
  keys.setPrivateKey(Buffer.from("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94", "base64url"));
  expect(keys.getPublicKey("base64url")).toBe("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4");
});

test("a message is signed for its service, and the one browser reads it; another cannot", async () => {
  const key = pushKey();
  const { subscription, read } = browser("https://push.example/some/where");
  const request = pushRequest(subscription, "an agent waits", { key, contact: "mailto:me@example.com", now: 1_700_000_000_000 });
  expect(request.headers.get("content-encoding")).toBe("aes128gcm");
  expect(request.headers.get("ttl")).toBe("600");
  const [, token = "", own] = /^vapid t=(\S+), k=(\S+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
  expect(own).toBe(key.publicKey);
  const [head = "", claims = "", signature = ""] = token.split(".");
  const point = Buffer.from(key.publicKey, "base64url");
  const jwk = { kty: "EC", crv: "P-256", x: point.subarray(1, 33).toString("base64url"), y: point.subarray(33).toString("base64url") };
  const publicKey = createPublicKey({ format: "jwk", key: jwk });
  const isSigned = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  expect(isSigned).toBe(true);
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toEqual({
    aud: "https://push.example",
    exp: 1_700_043_200,
    sub: "mailto:me@example.com",
  });
  const body = Buffer.from(await request.arrayBuffer());
  expect(body.includes("agent")).toBe(false);
  expect(read(body)).toBe("an agent waits");
  expect(() => browser("https://push.example").read(body)).toThrow();
});

test("the same key again from its private half", () => {
  const key = pushKey();
  expect(pushKey(key.privateKey)).toEqual(key);
});

test("browsers that asked are told which ask waits and nothing else; one that is gone is not told again", async () => {
  const posted: { readonly url: string; readonly body: Buffer }[] = [];
  const service = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      posted.push({ url: request.url ?? "", body: Buffer.concat(parts) });
      response.writeHead(request.url === "/gone" ? 410 : request.url === "/broken" ? 500 : 201).end();
    });
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void service.close());
  const address = service.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const phone = browser("https://push.example/phone");
  const row = { digest: "d", owner: "me", name: "n", at: 1, seenAt: 1 };
  const stored = [
    { ...row, id: "none", push: null },
    { ...row, id: "broken", push: JSON.stringify(browser("https://push.example/broken").subscription) },
    { ...row, id: "gone", push: JSON.stringify(browser("https://push.example/gone").subscription) },
    { ...row, id: "plain", push: JSON.stringify(browser("http://push.example/plain").subscription) },
    { ...row, id: "phone", push: JSON.stringify(phone.subscription) },
  ];
  const changed: [string, unknown][] = [];
  const notices = createPushNotices({
    store: { browsers: async () => stored, changeBrowser: async (id, to) => void changed.push([id, to]) },
    owner: "me",
    key: pushKey(),
    contact: "mailto:me@example.com",
    // The services of browsers' makers are not there: what is sent to them goes to a server here.
    fetch: (request) => fetch(new Request(request.url.replace("https://push.example", `http://127.0.0.1:${port}`), request)),
    clock: () => 1_700_000_000_000,
    log: silentLog,
  });
  notices.opened("ask-1");
  await expect.poll(() => posted.map(({ url }) => url)).toEqual(["/broken", "/gone", "/phone"]);
  expect(phone.read(posted[2]?.body ?? Buffer.alloc(0))).toBe('{"ask":"ask-1"}');
  await expect.poll(() => changed).toEqual([["gone", { push: null }]]);
});
