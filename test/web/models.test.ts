// Models in a real browser: a key is entered, refused or kept, and never shown again; a chat says which model it has and can have another;
// a service that makes us wait, or refuses, is said as what it is.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { chatStream } from "../support/model-dialects.ts";
import { stage } from "./browser.ts";

const KEY = "sk-browser-0123456789";
let address = "";
/** What the service does with the next turns; then it answers. */
const next: ((response: ServerResponse) => void)[] = [];
const service = createServer((request, response) => {
  request.resume().on("end", () => {
    if (request.headers.authorization !== `Bearer ${KEY}`)
      return void response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"message":"no such key"}}');
    if (request.url === "/v1/models")
      return void response.writeHead(200, { "content-type": "application/json" }).end('{"data":[{"id":"large"},{"id":"small"}]}');
    const handler = next.shift();
    if (handler !== undefined) return handler(response);
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(chatStream({ text: "Hello from the service.\n\n```js\nlet a = 1;\n```" }, 1));
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;
});
afterAll(async () => {
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
});

const on = stage();

test("a key is entered once, refused or kept, and a chat speaks with the model that was chosen", async () => {
  const { page, faults, say } = await on.open("/models");
  const row = page.getByRole("listitem").filter({ hasText: "Another server (OpenAI-compatible)" });
  await row.getByRole("button", { name: "Set up…" }).click();
  await row.getByLabel("Key").fill("sk-wrong-99999999");
  await row.getByLabel("Address").fill(address);
  await row.getByRole("button", { name: "Save" }).click();
  await row.getByText(/refused the key \(401: no such key\).* Nothing was saved/).waitFor();
  await row.getByLabel("Key").fill(KEY);
  await row.getByRole("button", { name: "Save" }).click();
  await row.getByText("It works and was saved.").waitFor();
  await row.getByRole("button", { name: "large" }).click();
  await page.getByRole("status").filter({ hasText: "in use: openai-compatible/large" }).waitFor();
  expect(await page.content()).not.toContain(KEY);

  const chat = await on.chat();
  await page.evaluate((id) => (location.hash = `#/chat/${id}`), chat.id);
  await page.getByRole("button", { name: "Model: openai-compatible/large" }).waitFor();
  await say("hi");
  await page.getByText("Hello from the service.").waitFor();
  await page.getByRole("button", { name: "Copy the code" }).waitFor();
  await page.getByRole("button", { name: "Model: openai-compatible/large" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "offline" }).click();
  await page.getByRole("button", { name: "Model: offline" }).waitFor();
  expect(await on.server.client.send(routes.chat, { id: chat.id })).toMatchObject({ model: "offline" });
  await say("/model usual");
  await page.getByText("this chat uses openai-compatible/large from its next turn on").waitFor();
  expect(faults).toEqual([]);
});

test("a rate limit counts down and the same is tried again by a button; a model that hangs is waited for in sight, and stopped", async () => {
  const chat = await on.chat();
  const { page, faults, say } = await on.open(`/chat/${chat.id}`);
  const tooMany = (seconds: number) => (response: ServerResponse) =>
    void response
      .writeHead(429, { "content-type": "application/json", "retry-after": String(seconds) })
      .end('{"error":{"message":"slow down"}}');
  next.push(tooMany(4));
  await say("first");
  await page.getByText(/rate-limiting us; trying again in \d s/).waitFor();
  await page.getByText("Hello from the service.").waitFor();
  next.push(tooMany(600));
  // The page's own clock, which then goes on ten minutes at once.
  await page.clock.install();
  await say("second");
  await page.getByRole("button", { name: /Try again in \d+ s/ }).waitFor();
  const again = page.getByRole("button", { name: "Try again", exact: true });
  expect(await again.count()).toBe(0);
  await page.clock.fastForward(600_000);
  await again.click();
  await expect.poll(() => page.getByText("Hello from the service.").count(), { timeout: 30_000 }).toBe(2);
  next.push(() => {});
  await say("third");
  await page.getByText(/Waiting for the model · \d+ s/).waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await say("fourth");
  await expect.poll(() => page.getByText("Hello from the service.").count(), { timeout: 30_000 }).toBe(3);
  expect(faults).toEqual([]);
});

test("a draft outlives a look at another page, and ↑ brings back what was said", async () => {
  const chat = await on.chat();
  const { page, faults, say } = await on.open(`/chat/${chat.id}`);
  await say("one thing");
  await page.getByText("Hello from the service.").waitFor();
  const composer = page.getByRole("textbox", { name: "Message to the agent" });
  await composer.fill("half a thought");
  await page.getByRole("link", { name: "Inbox" }).click();
  await page.goBack();
  await expect.poll(() => composer.inputValue()).toBe("half a thought");
  await composer.press("ArrowUp");
  expect(await composer.inputValue()).toBe("one thing");
  await composer.press("ArrowDown");
  expect(await composer.inputValue()).toBe("half a thought");
  expect(faults).toEqual([]);
});
