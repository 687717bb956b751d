// Every answer a card offers, given in a real browser: what was sent, what holds afterwards on the server, and what the card then says.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { offlineModel } from "../../src/agent/models/offline.ts";
import { scriptedModel } from "../../src/agent/models/scripted.ts";
import { createClient } from "../../src/wire/client.ts";
import { routes } from "../../src/wire/http.ts";
import type { WireMessage } from "../../src/wire/values.ts";
import { stage, whenArmed } from "./browser.ts";

const offline = offlineModel();
/** Changes a file that the policy asks about. */
const changing = scriptedModel(async (transcript) => {
  const calls = transcript
    .slice(transcript.findLastIndex(({ role }) => role === "person"))
    .flatMap((message) => (message.role === "agent" ? message.calls : []));
  if (calls.length > 0) return "That is all.";
  return { calls: [{ name: "edit_file", input: { path: "README.md", old: "Sells things.", new: "Sells <b>everything</b>." } }] };
});
const on = stage({
  model: {
    name: offline.name,
    turn: (prompt, running) => {
      const said = prompt.transcript.findLast(({ role }) => role === "person")?.text ?? "";
      return (said === "change it" ? changing : offline).turn(prompt, running);
    },
  },
});
const place = (path: string): string => on.server.tree.path(`home/code/${path}`);
const openCard = (page: Page) => page.locator('[data-ask][data-state="open"]');
const settledCard = (page: Page) => page.locator('[data-ask]:not([data-state="open"])');
const fact = (page: Page, name: string) => openCard(page).locator(`[data-fact="${name}"]`);
const grantsOf = async (session: string) => on.server.client.send(routes.listGrants, { query: { session } });
const statusOf = async (chat: string) => (await on.server.client.send(routes.chat, { id: chat })).status;

/** How many calls the agent's last message has; none: it has spoken its last word. */
const lastCalls = (messages: readonly WireMessage[]): number => {
  const last = messages.findLast(({ role }) => role === "agent");
  return last?.role === "agent" ? last.calls.length : -1;
};

/** A window on a chat whose agent asks for a file of another repository. */
async function asked(path = "api/package.json") {
  const chat = await on.chat();
  const window = await on.open(`/chat/${chat.id}`);
  const sent: unknown[] = [];
  window.page.on("request", (request) => void (request.url().endsWith("/answer") && sent.push(request.postDataJSON())));
  await window.say(`Read ${place(path)}`);
  await openCard(window.page).waitFor();
  await whenArmed(window.page);
  return { ...window, chat, sent };
}
const choose = async (page: Page, name: string | RegExp): Promise<void> => {
  await openCard(page).getByRole("button", { name: "More" }).click();
  const item = page.getByRole("menuitem", { name });
  await item.waitFor();
  // An item that grants is inert in a menu that has just opened.
  await expect.poll(() => item.getAttribute("aria-disabled")).not.toBe("true");
  await item.click();
};

test("for one hour: the grant ends by itself, and the card says when", async () => {
  const { page, chat, sent, faults } = await asked();
  await choose(page, /^Allow reading \S+ for one hour$/);
  await settledCard(page).getByText("Allowed reading for a limited time").waitFor();
  expect(sent).toMatchObject([{ decision: "allow", minutes: 60 }]);
  const [grant] = await grantsOf(chat.session);
  expect(grant?.path).toBe(place("api"));
  expect(Math.abs((grant?.expires ?? 0) - Date.now() - 3_600_000)).toBeLessThan(60_000);
  expect(await settledCard(page).innerText()).toMatch(/until (?:\d+ \w+, )?\d\d:\d\d/);
  expect(await settledCard(page).innerText()).toContain("by a person in the browser");
  await settledCard(page).getByRole("button", { name: "Revoke" }).waitFor();
  expect(faults).toEqual([]);
});

test("only this file, once: it is read, nothing is granted, and the next file is asked for again", async () => {
  const { page, chat, sent, say, faults } = await asked();
  await openCard(page)
    .getByRole("button", { name: /^Allow only \S+, once$/ })
    .click();
  await settledCard(page).getByText("Allowed reading package.json, once").waitFor();
  expect(sent).toMatchObject([{ decision: "allow_once" }]);
  await page.locator(".prose", { hasText: "2.1.0" }).last().waitFor();
  expect((await grantsOf(chat.session)).filter(({ live }) => live)).toEqual([]);
  expect(await settledCard(page).getByRole("button", { name: "Revoke" }).count()).toBe(0);
  await page.getByText("workspace only").waitFor();
  await say(`Read ${place("api/README.md")}`);
  await openCard(page).waitFor();
  // What was answered before for this root is on the new card.
  expect(await fact(page, "before").innerText()).toMatch(/allowed by a person in the browser at \d\d:\d\d/);
  await page.keyboard.press("Escape");
  await settledCard(page).last().getByText("Denied reading").waitFor();
  expect(faults).toEqual([]);
});

test("keep for this project: allowed now, written into the operator's own policy, and not asked in a later session", async () => {
  const { page, faults } = await asked("docs/guide.md");
  await choose(page, /^Always allow reading/);
  const sheet = page.getByRole("dialog");
  await sheet.locator('button[data-grants][aria-disabled="false"]').waitFor();
  await sheet.getByRole("button", { name: "Always allow it in this workspace" }).click();
  await page.getByText(/Kept: written to/).waitFor();
  const { layers } = await on.server.client.send(routes.policy, { query: {} });
  const operator = layers.find(({ author }) => author === "operator");
  expect(operator?.text ?? "").toContain("code/docs");
  const later = await on.chat();
  const other = await on.open(`/chat/${later.id}`);
  await other.say(`Read ${place("docs/guide.md")}`);
  await other.page.locator(".prose", { hasText: "Guide" }).last().waitFor();
  expect(await other.page.locator("[data-ask]").count()).toBe(0);
  await on.server.client.send(routes.savePolicy, { body: { text: "{}", before: operator?.text ?? null } });
  expect(faults).toEqual([]);
});

test("keep for this project, thought better of: Back grants nothing and the ask is still open", async () => {
  const { page, chat, sent } = await asked();
  await choose(page, /^Always allow reading/);
  await page.getByRole("dialog").getByRole("button", { name: "Back" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await openCard(page).count()).toBe(1);
  expect(sent).toEqual([]);
  expect(await grantsOf(chat.session)).toEqual([]);
  await on.server.client.send(routes.cancel, { id: chat.id });
});

test("deny and stop: the turn ends there, and the card says so", async () => {
  const { page, chat, sent, faults } = await asked();
  await choose(page, "Deny and stop the agent");
  await settledCard(page).getByText("Denied reading, and stopped the agent").waitFor();
  expect(sent).toMatchObject([{ decision: "deny_and_stop" }]);
  await expect.poll(() => statusOf(chat.id)).toBe("idle");
  const { messages } = await on.server.client.send(routes.messages, { id: chat.id, query: {} });
  // After a plain no the agent has the last word; here the refused call is the last thing there is.
  expect(lastCalls(messages)).toBe(1);
  expect(await grantsOf(chat.session)).toEqual([]);
  expect(faults).toEqual([]);
});

test("deny with a note: the note reaches the agent, Escape goes back without denying, and an empty note cannot be sent", async () => {
  const { page, chat, sent } = await asked();
  await openCard(page).getByRole("button", { name: "Deny with a note" }).click();
  expect(await page.getByRole("button", { name: "Deny and send this note" }).isDisabled()).toBe(true);
  await page.keyboard.press("Escape");
  await openCard(page).getByRole("button", { name: "Deny with a note" }).click();
  expect(sent).toEqual([]);
  await page.keyboard.type("look in vendor/ <b>instead</b>");
  await page.getByRole("button", { name: "Deny and send this note" }).click();
  await settledCard(page).getByText("Denied reading").waitFor();
  expect(await settledCard(page).innerText()).toContain("With the note: look in vendor/ <b>instead</b>");
  expect(sent).toMatchObject([{ decision: "deny", note: "look in vendor/ <b>instead</b>" }]);
  await expect.poll(() => statusOf(chat.id)).toBe("idle");
  const { messages } = await on.server.client.send(routes.messages, { id: chat.id, query: {} });
  expect(JSON.stringify(messages)).toContain("look in vendor/");
  expect(lastCalls(messages)).toBe(0);
});

test("an answer of another device: the card names who, when and from where", async () => {
  const { page, chat } = await asked();
  const [ask] = await on.server.client.send(routes.listAsks, { query: { session: chat.session, state: "open" } });
  const phone = createClient({
    address: on.server.address,
    token: on.server.client.token,
    fetch: (request) => fetch(request),
    via: "terminal",
  });
  await phone.send(routes.answer, { id: ask?.id ?? "", body: { decision: "deny" } });
  await settledCard(page).getByText("Denied reading").waitFor();
  expect(await settledCard(page).innerText()).toMatch(/by a person in the terminal · \d\d:\d\d/);
});

test("a sub-agent is named on the card, under the agent that started it and the program both run in", async () => {
  const body = { host: "claude-code", workspace: place("shop") };
  const above = await on.server.client.send(routes.register, { body: { ...body, hostSession: "above", label: "lead" } });
  const below = await on.server.client.send(routes.register, {
    body: { ...body, hostSession: "below", label: "searcher <i>", parent: above.session.id },
  });
  const agent = createClient({ address: on.server.address, token: below.credential, fetch: (request) => fetch(request), via: "hook" });
  await agent.send(routes.agentAsk, {
    body: { call: "call-1", tool: "Grep", operation: "read", path: place("api/README.md"), reason: "to find the port" },
  });
  const { page, faults } = await on.open(`/chat/${below.chat.id}`);
  await openCard(page).waitFor();
  const names = (await fact(page, "who").innerText()).replaceAll(/\s+/g, " ");
  expect(names).toContain("lead › searcher <i> (through the hook of Claude Code)");
  expect(names).toContain(place("shop"));
  await page.keyboard.press("Escape");
  await settledCard(page).getByText("Denied reading").waitFor();
  await settledCard(page).getByText("What was asked").click();
  expect((await settledCard(page).innerText()).replaceAll(/\s+/g, " ")).toContain("lead › searcher <i> (through the hook of Claude Code)");
  expect(faults).toEqual([]);
});

test("a write that must be asked for: the card shows the change line by line, offers it once, and nothing for the session", async () => {
  const before =
    (await on.server.client.send(routes.policy, { query: {} })).layers.find(({ author }) => author === "operator")?.text ?? null;
  await on.server.client.send(routes.savePolicy, { body: { text: '{ "write": { "**/README.md": "ask" } }', before } });
  const chat = await on.chat();
  const { page, say, faults } = await on.open(`/chat/${chat.id}`);
  await say("change it");
  await openCard(page).getByText("Let the agent change README.md?").waitFor();
  const change = fact(page, "diff").getByLabel("The change, line by line");
  expect(await change.innerText()).toContain("-Sells things.\n");
  expect(await change.innerText()).toContain("+Sells <b>everything</b>.");
  expect(await fact(page, "opens").innerText()).toContain("README.md, in this one call");
  expect(
    await openCard(page)
      .getByRole("button", { name: /session/ })
      .count(),
  ).toBe(0);
  // In a small window that it changes the file lies further down: nothing can be allowed before it has been on the screen.
  const small = await on.open(`/chat/${chat.id}`, { viewport: { width: 640, height: 400 } });
  const yes = openCard(small.page).getByRole("button", { name: "Allow writing README.md, once" });
  await expect.poll(() => yes.getAttribute("title")).toContain("to see what a yes opens");
  await openCard(small.page)
    .getByRole("group", { name: "What is asked" })
    .evaluate((facts) => facts.scrollTo(0, facts.scrollHeight));
  await expect.poll(() => yes.getAttribute("aria-disabled")).toBe("false");
  await small.page.close();
  await whenArmed(page);
  await openCard(page).getByRole("button", { name: "Allow writing README.md, once" }).click();
  await settledCard(page).getByText("Allowed writing README.md, once").waitFor();
  await expect.poll(() => statusOf(chat.id)).toBe("idle");
  // The call in the chat is unfolded, with the same change in the colours of what goes and what comes.
  const call = page.locator("details", { hasText: "README.md" }).filter({ hasText: "allowed" });
  const added = call.getByText("+Sells <b>everything</b>.");
  await added.waitFor();
  const colour = (text: string) => call.getByText(text).evaluate((element) => getComputedStyle(element).backgroundColor);
  // The line is drawn anew once the colours of its language have come.
  await expect.poll(() => colour("+Sells <b>everything</b>.")).toBe("rgb(228, 244, 234)");
  await expect.poll(() => colour("-Sells things.")).toBe("rgb(252, 235, 234)");
  await on.server.client.send(routes.savePolicy, { body: { text: "{}", before: '{ "write": { "**/README.md": "ask" } }' } });
  expect(faults).toEqual([]);
});
