// What goes wrong in the pages is said: a page that fails, an address that leads nowhere, a language that is none; and a link to one ask.

import { expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { stage, whenArmed } from "./browser.ts";

const on = stage();
const place = (path: string): string => on.server.tree.path(`home/code/${path}`);

test("a page that fails says so, the rest of the frame stays, and another page opens", async () => {
  await on.chat();
  const { page, faults } = await on.open("/inbox");
  await page.getByRole("heading", { name: "Inbox", level: 1 }).waitFor();
  await page.route(/audit-page.*\.js/, (route) => route.abort());
  await page.getByRole("link", { name: "Audit" }).first().click();
  await page.getByRole("heading", { name: "This page could not be shown" }).waitFor();
  await page.getByRole("alert").waitFor();
  await page.getByRole("link", { name: "Go to the inbox" }).click();
  await page.getByRole("heading", { name: "Inbox", level: 1 }).waitFor();
  // Reloading is the way back to it.
  await page.unroute(/audit-page.*\.js/);
  await page.getByRole("link", { name: "Audit" }).first().click();
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("heading", { name: "Audit", level: 1 }).waitFor();
  expect(faults.length).toBeGreaterThan(0);
});

test("a language that is no language tag blanks nothing", async () => {
  const chat = await on.chat();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: "Read README.md" } });
  await expect.poll(async () => (await on.server.client.send(routes.chat, { id: chat.id })).status).toBe("idle");
  const { page, context, faults } = await on.open("/inbox");
  await context.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "language", { get: () => "en-US@posix", configurable: true });
  });
  await page.reload();
  await page.getByRole("link", { name: "Audit" }).first().click();
  await page.getByRole("list", { name: "Timeline" }).getByRole("listitem").first().waitFor();
  await page.locator(".plot canvas").waitFor();
  expect(faults).toEqual([]);
});

test("an unknown address says that there is no such page", async () => {
  await on.chat();
  const { page, faults } = await on.open("/nothing");
  await page.getByRole("heading", { name: "There is no such page", level: 1 }).waitFor();
  await page.getByRole("link", { name: "Newest chat" }).click();
  await page.getByRole("textbox", { name: "Message to the agent" }).waitFor();
  expect(faults).toEqual([]);
});

test("a link to an ask opens its card, where it can be answered; one that is not there says so", async () => {
  const chat = await on.chat();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read ${place("api/package.json")}` } });
  const open = async () => (await on.server.client.send(routes.listAsks, { query: { state: "open" } })).find((one) => one.chat === chat.id);
  await expect.poll(async () => (await open()) !== undefined).toBe(true);
  const id = (await open())?.id ?? "";
  const { page, faults } = await on.open(`/asks/${id}`);
  await page.locator(`[data-ask="${id}"][data-state="open"]`).waitFor();
  await whenArmed(page);
  await page.getByRole("button", { name: /^Allow reading \S+ for this session$/ }).click();
  await page.getByText("Allowed reading for this session").waitFor();
  expect((await on.server.client.send(routes.ask, { id })).answer?.verdict).toBe("allow");
  const other = await on.open(`/asks/${"0".repeat(32)}`);
  await other.page.getByRole("heading", { name: "There is no such question", level: 1 }).waitFor();
  expect([...faults, ...other.faults]).toEqual([]);
});

test("a session is ended in two presses, and is gone from the sidebar", async () => {
  const chat = await on.chat();
  const { page, faults } = await on.open(`/chat/${chat.id}`);
  const sessions = page.getByRole("navigation", { name: "Chats" });
  await page.getByRole("textbox", { name: "Message to the agent" }).waitFor();
  const before = await sessions.getByRole("button", { name: "End session" }).count();
  await sessions.getByRole("button", { name: "End session" }).first().click();
  await sessions.getByRole("button", { name: "Yes, end it" }).click();
  await expect.poll(() => sessions.getByRole("button", { name: "End session" }).count()).toBe(before - 1);
  const ended = await on.server.client.send(routes.audit, { query: { kind: "session-ended" } });
  expect(ended.records[0]?.event).toMatchObject({ kind: "session-ended", by: "person (web)", why: "person" });
  expect(faults).toEqual([]);
});

test("/end ends the session of a chat, which says so", async () => {
  const chat = await on.chat();
  const { page, say, faults } = await on.open(`/chat/${chat.id}`);
  await say("/end");
  await page.getByText("This session has ended: ").first().waitFor();
  expect((await on.server.client.send(routes.session, { id: chat.session })).archivedAt).not.toBeNull();
  expect(faults).toEqual([]);
});

test("a store that is damaged is told on every page, with what to do", async () => {
  await on.chat();
  const { page, faults } = await on.open("/inbox");
  await page.route("**/api/health", async (route) => {
    const answer = await route.fetch();
    const health: object = await answer.json();
    await route.fulfill({ response: answer, json: { ...health, degraded: ["table `asks`, row `x`: `calls` is damaged"] } });
  });
  expect(await page.getByRole("alert").count()).toBe(0);
  for (const name of ["Grants", "Audit"]) {
    await page.getByRole("link", { name }).first().click();
    await page.getByRole("alert").getByText("one of the store's rows cannot be read and is left out; hallpass doctor names them").waitFor();
  }
  expect(faults).toEqual([]);
});
