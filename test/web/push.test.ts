// The pages as an app on a phone: they can be installed, and a browser that asked for notices is told, while they are closed, that an agent
// waits. The push services of browsers' makers are not there: what would be sent to one is caught here.

import { createECDH, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { pushKey } from "../../src/server/push-message.ts";
import { routes } from "../../src/wire/http.ts";
import { stage } from "./browser.ts";

const sent: Request[] = [];
const key = pushKey();
const on = stage({
  push: {
    key,
    contact: "mailto:me@example.com",
    fetch: async (request) => {
      sent.push(request);
      return new Response(null, { status: 201 });
    },
  },
});

const subscription = () => ({
  endpoint: "https://push.example/phone",
  keys: { p256dh: createECDH("prime256v1").generateKeys("base64url"), auth: randomBytes(16).toString("base64url") },
});

async function asked(): Promise<void> {
  const chat = await on.chat();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read ${on.server.tree.path("home/code/api/README.md")}` } });
  await expect.poll(async () => (await on.server.client.send(routes.chat, { id: chat.id })).status).toBe("waiting_for_input");
  await on.server.client.send(routes.cancel, { id: chat.id });
}

test("the pages can be installed: a manifest with its icons, as they are said to be", async () => {
  const manifest = await fetch(`${on.server.address}/manifest.webmanifest`);
  expect(manifest.headers.get("content-type")).toContain("application/manifest+json");
  const { icons, start_url: start } = (await manifest.json()) as { icons: { src: string; type: string }[]; start_url: string };
  expect(start).toBe("/#/inbox");
  for (const { src, type } of icons) expect((await fetch(`${on.server.address}${src}`)).headers.get("content-type"), src).toContain(type);
});

test("a browser asks for notices, is told of an ask and of nothing else, and no longer once it said so or is signed out", async () => {
  await asked();
  expect(sent).toEqual([]);
  const { page, context, faults } = await on.open("/inbox");
  await context.grantPermissions(["notifications"]);
  const keys = subscription();
  await page.addInitScript((made) => {
    PushManager.prototype.subscribe = () => Promise.resolve({ toJSON: () => made } as unknown as PushSubscription);
  }, keys);
  await page.goto("about:blank");
  await page.goto(`${on.server.address}/#/browsers`);
  await page.getByRole("button", { name: "Send notices to this browser" }).click();
  await page.getByRole("button", { name: "Stop notices to this browser" }).waitFor();
  await asked();
  await expect.poll(() => sent.length).toBe(1);
  expect(sent[0]?.url).toBe(keys.endpoint);
  expect(sent[0]?.headers.get("authorization")).toContain(`k=${key.publicKey}`);
  expect(Buffer.from((await sent[0]?.arrayBuffer()) ?? []).toString("latin1")).not.toContain("api");
  await page.getByRole("button", { name: "Stop notices to this browser" }).click();
  await page.getByRole("button", { name: "Send notices to this browser" }).click();
  await page.getByRole("button", { name: "Stop notices to this browser" }).waitFor();
  await page.getByRole("button", { name: /^Sign out/ }).click();
  await page.getByRole("heading", { name: "This browser isn't signed in" }).waitFor();
  await asked();
  expect(sent.length).toBe(1);
  expect(faults).toEqual([]);
});

test("notices go to a browser that is signed in, over https, and to nobody else", async () => {
  const { client } = on.server;
  await expect(client.send(routes.setPush, { body: { subscription: subscription() } })).rejects.toMatchObject({ code: "bad-request" });
  const plain = { ...subscription(), endpoint: "http://127.0.0.1:9/x" };
  await expect(client.send(routes.setPush, { body: { subscription: plain } })).rejects.toMatchObject({ code: "bad-request" });
});
