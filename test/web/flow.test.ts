// The whole flow in a real browser against a real server: the embedded database in a file, the offline agent, the built pages.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { offlineModel } from "../../src/agent/models/offline.ts";
import { scriptedModel } from "../../src/agent/models/scripted.ts";
import type { Model } from "../../src/agent/ports.ts";
import { routes } from "../../src/wire/http.ts";
import { stage, whenArmed } from "./browser.ts";

const offline = offlineModel();
const lastSaid = (transcript: Parameters<Model["turn"]>[0]["transcript"]): string =>
  transcript.findLast(({ role }) => role === "person")?.text ?? "";

/** Reads the named file again and again, with a pause; for what happens while an agent reads. */
const patient = scriptedModel(async (transcript) => {
  const reads = transcript.slice(transcript.findLastIndex(({ role }) => role === "person")).filter(({ role }) => role === "agent").length;
  if (reads >= 12) return "That was all.";
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { calls: [{ name: "read_file", input: { path: lastSaid(transcript).replace("keep reading ", "") } }] };
});

/** Puts a question to the person, and repeats the answer. */
const asking = scriptedModel(async (transcript) => {
  const [call] = transcript.findLast((message) => message.role === "agent")?.calls ?? [];
  if (call?.state.at === "done" && call.state.outcome.ok) return `You said: ${call.state.outcome.output}`;
  return {
    calls: [{ name: "ask_user_input", input: { question: "Which one, <b>really</b>?", options: ["the blue one", "the red one"] } }],
  };
});

const on = stage({
  model: {
    name: offline.name,
    turn(prompt, running) {
      const said = lastSaid(prompt.transcript);
      const model = said.startsWith("keep reading ") ? patient : said === "ask me something" ? asking : offline;
      return model.turn(prompt, running);
    },
  },
});

const allow = { name: /^Allow reading \S+ for this session$/ };
const place = (path: string): string => on.server.tree.path(`home/code/${path}`);
const openCard = (page: Page) => page.locator('[data-ask][data-state="open"]');
const settledCard = (page: Page) => page.locator('[data-ask]:not([data-state="open"])');
const answerOf = (page: Page, text: string) => page.locator(".prose", { hasText: text }).last();
const allowedPaths = async (session: string) => (await on.server.client.send(routes.session, { id: session })).allowed_read_paths;

test("first run: no project yet, a workspace in two clicks, and a first word that is answered", async () => {
  const { page, faults } = await on.open("/");
  await page.getByRole("heading", { name: "Give your agent one directory" }).waitFor();
  expect(page.url()).not.toContain("token");
  await page.getByLabel("The workspace").fill(place("docs"));
  await page.getByRole("button", { name: "Start here" }).click();
  await page.getByRole("button", { name: "List the files here" }).click();
  await answerOf(page, "guide.md").waitFor();
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("List the files here");
  expect(faults).toEqual([]);
});

test("first run, from the address the daemon prints: two clicks, and a first prompt walks through an ask with the offline agent", async () => {
  const { page, faults } = await on.open("/");
  const address = `${on.server.page("/new")}&dir=${encodeURIComponent(place("docs"))}`;
  await page.goto("about:blank");
  await page.goto(address);
  expect(await page.getByLabel("The workspace").inputValue()).toBe(place("docs"));
  await page.getByRole("button", { name: "Start here" }).click();
  await page.getByRole("heading", { name: "What should it do?" }).waitFor();
  await page.getByLabel("See how asking works").fill(place("api/README.md"));
  await page.getByRole("button", { name: "Try it" }).click();
  await openCard(page).waitFor();
  expect(await openCard(page).innerText()).toContain(place("api"));
  // The card is what is answered: the refused row offers no second way meanwhile.
  expect(await page.getByRole("button", { name: "Allow reading…" }).count()).toBe(0);
  await whenArmed(page);
  await openCard(page).getByRole("button", allow).click();
  await answerOf(page, "The service behind the shop").waitFor();
  expect(faults).toEqual([]);
});

test("smoke 1: the agent is stopped, asks with its reason, is allowed, and reads", async () => {
  const chat = await on.chat();
  const { page, faults, say } = await on.open(`/chat/${chat.id}`);
  await say(`Read ${place("api/package.json")}`);
  await openCard(page).waitFor();
  const text = await openCard(page).innerText();
  for (const fact of [
    place("api"),
    place("api/package.json"),
    "the agent",
    "5 files",
    "1 secret file stays hidden",
    "1 other repository",
    "(unverified)",
    "the whole git repository",
  ])
    expect(text.toLowerCase()).toContain(fact.toLowerCase());
  await page.getByText("out-of-scope").first().waitFor();
  expect(await page.title()).toBe("(1) waiting for you · Hallpass");
  expect(await page.locator("#favicon").getAttribute("href")).toBe("/favicon-waiting.svg");
  expect((await on.server.client.send(routes.chat, { id: chat.id })).status).toBe("waiting_for_input");
  await whenArmed(page);
  await openCard(page).getByRole("button", allow).click();
  await answerOf(page, "2.1.0").waitFor();
  expect(await allowedPaths(chat.session)).toEqual([place("api")]);
  expect(await settledCard(page).innerText()).toContain("by a person in the browser");
  await page.getByText("workspace + 1 directory").waitFor();
  expect(await page.title()).toBe("Hallpass");

  // smoke 3: another file of the same repository, and nobody is asked
  await say(`Read ${place("api/src/server.ts")}`);
  await answerOf(page, "8080").waitFor();
  expect(await openCard(page).count()).toBe(0);

  // smoke 5: the secret in it stays shut, and nobody is asked
  await say(`Read ${place("api/.env")}`);
  await page.getByText("secret-file").first().waitFor();
  expect(await page.content()).not.toContain("very-secret");
  expect(await openCard(page).count()).toBe(0);

  // smoke 6: a place that can never be granted is refused without a card
  await say("Ask for access to /etc/passwd");
  await page.getByText("out-of-whitelist").first().waitFor();
  expect(await openCard(page).count()).toBe(0);

  // smoke 4: another session starts with nothing
  const other = await on.chat();
  await page.goto(`${on.server.address}/#/chat/${other.id}`);
  await say(`Read ${place("api/package.json")}`);
  await openCard(page).waitFor();
  await page.keyboard.press("Escape");
  await settledCard(page).waitFor();
  expect(faults).toEqual([]);
});

test("smoke 2: denied with a note, nothing changes, and the agent goes on", async () => {
  const chat = await on.chat();
  const { page, faults, say } = await on.open(`/chat/${chat.id}`);
  await say(`Read ${place("api/package.json")}`);
  await openCard(page).getByRole("button", { name: "Deny with a note" }).click();
  await page.getByLabel("What should the agent know?").fill("use the docs instead");
  await page.getByRole("button", { name: "Deny and send this note" }).click();
  await settledCard(page).waitFor();
  expect(await settledCard(page).innerText()).toContain("use the docs instead");
  await page.getByText("the answer was no").first().waitFor();
  expect(await allowedPaths(chat.session)).toEqual([]);
  expect(faults).toEqual([]);
});

test("a link in the workspace: the card shows the path as asked, the real one, and the directory", async () => {
  const chat = await on.chat();
  const { page, say } = await on.open(`/chat/${chat.id}`);
  await say("Read vendor/routes.ts");
  await openCard(page).waitFor();
  const text = await openCard(page).innerText();
  expect(text).toContain("vendor/routes.ts");
  expect(text).toContain(place("api/src/routes.ts"));
  expect(text).toContain("since it goes through the link");
  expect(text).toContain(`${place("api")}, the whole git repository`);
});

test("X-ray shows what a yes would open before it is given, and what the session sees after", async () => {
  const chat = await on.chat();
  const { page, faults, say } = await on.open(`/chat/${chat.id}`);
  await say(`Read ${place("api/src/server.ts")}`);
  await openCard(page).getByRole("button", { name: /X-ray/ }).click();
  const dialog = page.getByRole("dialog");
  // Each choice with what it opens.
  await dialog.getByRole("group", { name: "only the folder" }).getByText("server.ts").waitFor();
  const sheet = dialog.getByRole("group", { name: "a yes opens" });
  await sheet.getByText(".env").waitFor();
  expect(await sheet.locator("li", { hasText: ".env" }).innerText()).toContain("hidden");
  await sheet.getByRole("button", { name: /src\// }).click();
  await sheet.getByText("server.ts").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  // That Escape closed the sheet; the ask is still there.
  expect(await openCard(page).count()).toBe(1);
  await whenArmed(page);
  await openCard(page).getByRole("button", allow).click();
  await settledCard(page).waitFor();
  await say("/scope");
  await dialog.getByText("granted for reading").waitFor();
  await dialog.getByText("cart.ts").or(dialog.getByText("README.md")).first().waitFor();
  expect(faults).toEqual([]);
});

test("two windows, one ask: one answer stands, and the other window shows whose", async () => {
  const chat = await on.chat();
  const [one, other] = [await on.open(`/chat/${chat.id}`), await on.open("/inbox")];
  await one.say(`Read ${place("api/README.md")}`);
  await openCard(one.page).waitFor();
  const there = other.page.locator(`[data-ask="${await openCard(one.page).getAttribute("data-ask")}"]`);
  await there.waitFor();
  // The other window does not hear of the answer in time: its own comes too late.
  let letThrough = (): void => {};
  const isTooLate = new Promise<void>((done) => {
    letThrough = done;
  });
  await other.page.route("**/answer", async (route) => {
    await isTooLate;
    await route.continue();
  });
  await whenArmed(one.page);
  await there.locator('button[data-grants][aria-disabled="false"]').first().waitFor();
  const onItsWay = other.page.waitForRequest("**/answer");
  await there.getByRole("button", allow).click();
  await onItsWay;
  await openCard(one.page).getByRole("button", { name: "Deny", exact: false }).first().click();
  await settledCard(one.page).waitFor();
  letThrough();
  await there.locator("text=Denied reading").waitFor();
  await there.getByText("It was answered somewhere else first").waitFor();
  expect(await allowedPaths(chat.session)).toEqual([]);
  expect([...one.faults, ...other.faults]).toEqual([]);
});

test("reload, and a restart of the server, in the middle of an ask: it is still there, and answering goes on", async () => {
  const chat = await on.chat();
  const { page, say } = await on.open(`/chat/${chat.id}`);
  await say(`Read ${place("api/package.json")}`);
  await openCard(page).waitFor();
  await page.reload();
  await openCard(page).waitFor();
  await on.server.stop();
  await page.getByText("The daemon cannot be reached").waitFor();
  await on.server.start();
  await page.getByText("The daemon cannot be reached").waitFor({ state: "detached" });
  await whenArmed(page);
  await openCard(page).getByRole("button", allow).click();
  await answerOf(page, "2.1.0").waitFor();
});

test("revoke while the agent reads: the next read is refused, in the same turn", async () => {
  const chat = await on.chat();
  const { page, say } = await on.open(`/chat/${chat.id}`);
  await say(`Read ${place("api/package.json")}`);
  await openCard(page).waitFor();
  await whenArmed(page);
  await openCard(page).getByRole("button", allow).click();
  await answerOf(page, "2.1.0").waitFor();
  const revoke = settledCard(page).getByRole("button", { name: "Revoke" });
  await revoke.scrollIntoViewIfNeeded();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `keep reading ${place("api/README.md")}` } });
  await page.locator("summary", { hasText: "README.md" }).filter({ hasText: "allowed" }).first().waitFor();
  await page.evaluate(() => document.querySelector<HTMLElement>("[data-ask]")?.scrollIntoView());
  await revoke.click();
  await page.locator("summary", { hasText: "README.md" }).filter({ hasText: "needs permission" }).first().waitFor();
  await page.getByText("workspace only").waitFor();
  await expect.poll(async () => (await on.server.client.send(routes.chat, { id: chat.id })).status).toBe("idle");
  expect(await allowedPaths(chat.session)).toEqual([]);
});

test("a phone: the sidebar is a sheet, the card fits, and it can be answered", async () => {
  const chat = await on.chat();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read ${place("api/package.json")}` } });
  const { page, faults } = await on.open("/inbox", { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  await page.getByRole("button", { name: /Menu/ }).tap();
  await page.getByRole("dialog").getByRole("link", { name: /Inbox/ }).waitFor();
  await page.keyboard.press("Escape");
  const card = page.locator("[data-ask]", { hasText: place("api/package.json") }).last();
  await card.waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  for (const button of await card.locator("footer button").all()) {
    const box = await button.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
  }
  await card.getByRole("button", { name: "Deny", exact: false }).first().tap();
  await card.getByText("Denied reading").waitFor();
  expect(faults).toEqual([]);
});

test("keyboard only: from a word to a yes and back, without a pointer", async () => {
  const chat = await on.chat();
  const { page, faults } = await on.open(`/chat/${chat.id}`);
  const tabTo = async (name: RegExp): Promise<void> => {
    for (let step = 0; step < 60; step += 1) {
      await page.keyboard.press("Tab");
      const label = await page.evaluate(
        () => `${document.activeElement?.getAttribute("aria-label") ?? ""} ${document.activeElement?.textContent ?? ""}`,
      );
      if (name.test(label)) return;
    }
    throw new Error(`no way to ${String(name)} by Tab`);
  };
  await page.getByRole("textbox", { name: "Message to the agent" }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter"); // skip to the page
  await tabTo(/Message to the agent/);
  await page.keyboard.type(`Read ${place("api/package.json")}`);
  await page.keyboard.press("Enter");
  await openCard(page).waitFor();
  // The card has the focus; the first buttons after it are its own.
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-state"))).toBe("open");
  await whenArmed(page);
  await tabTo(/^\s*Allow reading \S+ for this session\s*$/);
  await page.keyboard.press("Enter");
  await answerOf(page, "2.1.0").waitFor();
  // What was answered has the focus, and taking it back is the next stop.
  await tabTo(/^\s*Revoke\s*$/);
  await page.keyboard.press("Enter");
  await page.getByText("no longer granted").waitFor();
  expect(faults).toEqual([]);
});

test("dark: as the system says, and as the person says", async () => {
  const { page } = await on.open("/inbox", { colorScheme: "dark" });
  const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  expect(await ground()).toBe("rgb(17, 19, 23)");
  await page.getByRole("button", { name: "Theme: system" }).click();
  expect(await ground()).toBe("rgb(247, 246, 243)");
  await page.reload();
  await page.getByRole("button", { name: "Theme: light" }).waitFor();
  expect(await ground()).toBe("rgb(247, 246, 243)");
});

test("a question of the agent's is answered in the same way, and grants nothing", async () => {
  const chat = await on.chat();
  const { page, faults, say } = await on.open(`/chat/${chat.id}`);
  await say("ask me something");
  await openCard(page).waitFor();
  expect(await openCard(page).innerText()).toContain("Which one, <b>really</b>?");
  await whenArmed(page);
  await openCard(page).getByRole("button", { name: "the blue one" }).click();
  await answerOf(page, "You said: the blue one").waitFor();
  expect(await settledCard(page).innerText()).toContain("the blue one");
  expect(await allowedPaths(chat.session)).toEqual([]);
  expect(faults).toEqual([]);
});

test("slash commands are done by the person and not told to the agent; paths in scope are completed", async () => {
  const chat = await on.chat();
  const { page, faults, say } = await on.open(`/chat/${chat.id}`);
  await say("/grants");
  await page.getByText("nothing has been granted in this session").waitFor();
  await say(`/mount ${place("docs")}`);
  await page.getByText("mounted /").waitFor();
  await page.getByText("workspace + 1 directory").waitFor();
  await say(`Read ${place("docs/guide.md")}`);
  await answerOf(page, "Guide").waitFor();
  const said = await on.server.client.send(routes.messages, { id: chat.id, query: {} });
  expect(said.messages.filter(({ role }) => role === "person").map(({ text }) => text)).toEqual([`Read ${place("docs/guide.md")}`]);
  const composer = page.getByRole("textbox", { name: "Message to the agent" });
  await composer.fill("Read src/ca");
  await page.getByRole("option", { name: "src/cart.ts" }).waitFor();
  await composer.press("Tab");
  expect(await composer.inputValue()).toBe("Read src/cart.ts");
  expect(faults).toEqual([]);
});

test("stop ends a turn, and closes what it asked", async () => {
  const chat = await on.chat();
  const { page, say } = await on.open(`/chat/${chat.id}`);
  await say(`Read ${place("api/package.json")}`);
  await openCard(page).waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await settledCard(page).getByText("Closed: you stopped the agent").waitFor();
  const [ask] = await on.server.client.send(routes.listAsks, { query: { session: chat.session } });
  expect(ask?.state).toBe("closed");
});
