// The states that a newcomer meets, each looked at by axe in both themes: the first page, the sample's guide, the page of browsers, the one that
// is not signed in, a daemon that is gone. And languages that format otherwise.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { isAccessible } from "./accessible.ts";
import { allSent, drawn, stage, whenArmed } from "./browser.ts";

const on = stage();
const card = (page: Page) => page.locator('[data-ask][data-state="open"]');

/** An ask that waits. */
async function waiting() {
  const chat = await on.chat();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read ${on.server.tree.path("home/code/api/README.md")}` } });
  await expect.poll(async () => (await on.server.client.send(routes.chat, { id: chat.id })).status).toBe("waiting_for_input");
  return chat;
}

for (const [colorScheme, viewport] of [
  ["light", { width: 1280, height: 860 }],
  ["dark", { width: 390, height: 844 }],
] as const)
  test(`axe finds nothing in what a newcomer sees, ${colorScheme}, ${viewport.width} wide`, async () => {
    const { page, faults } = await on.open("/new", { colorScheme, viewport, reducedMotion: "reduce" });
    await page.locator("#directory").fill("~/code/");
    await page.getByRole("option").first().waitFor();
    await isAccessible(page);
    await page.locator("#directory").fill("/etc");
    await page.locator("#directory").press("Escape");
    await page.getByRole("button", { name: "Start here" }).click();
    await page.getByRole("alert").waitFor();
    await isAccessible(page);
    await page.getByRole("button", { name: "Try it on a sample" }).click();
    await page.getByRole("button", { name: /^Read \.\.\/price-list/ }).click();
    await whenArmed(page);
    await isAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByText("You said no, and the agent went on").waitFor();
    await isAccessible(page);
    await page.goto(`${on.server.address}/#/browsers`);
    await page.getByRole("button", { name: "Show a code" }).click();
    await page.getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/).waitFor();
    await isAccessible(page);
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await page.getByRole("heading", { name: "This browser isn't signed in" }).waitFor();
    await page.getByLabel("Code, address or token").fill("0000-0000");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    await isAccessible(page);
    expect(faults).toEqual([]);
  });

for (const [colorScheme, viewport] of [
  ["light", { width: 1280, height: 860 }],
  ["dark", { width: 390, height: 844 }],
] as const)
  test(`a chat is edited, answered anew, saved, archived, found and deleted, ${colorScheme}, ${viewport.width} wide`, async () => {
    const { client, address } = on.server;
    const begun = await on.chat();
    const chat = await client.send(routes.changeChat, { id: begun.id, body: { title: `About the ${colorScheme} harbour` } });
    const { page, faults, say } = await on.open(`/chat/${chat.id}`, { colorScheme, viewport, reducedMotion: "reduce" });
    await say("Read README.md");
    const again = page.getByRole("button", { name: "Regenerate" });
    await again.waitFor();
    await isAccessible(page);
    const said = async () =>
      (await client.send(routes.messages, { id: chat.id, query: {} })).messages.flatMap((one) => (one.role === "person" ? [one] : []));
    const [first] = await said();
    await again.click();
    await expect.poll(async () => (await said())[0]?.id).not.toBe(first?.id);
    await again.waitFor();
    const edit = page.getByRole("button", { name: "Edit and send again" });
    await edit.focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Your message").fill("Read package.json");
    await isAccessible(page);
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await said()).map(({ text }) => text)).toEqual(["Read package.json"]);
    await again.waitFor();
    expect(await page.getByText("Read README.md").count()).toBe(0);

    await page.getByRole("button", { name: "This chat" }).click();
    await page.getByText("The model has reported no tokens").waitFor();
    await isAccessible(page);
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Markdown" }).click()]);
    expect(file.suggestedFilename()).toMatch(/^about-the-(light|dark)-harbour-.{8}\.md$/);
    await page.getByRole("button", { name: "Archive" }).click();
    await page.getByRole("button", { name: "Restore" }).waitFor();
    await page.goto(`${address}/#/archived`);
    await page.getByRole("button", { name: /^Restore/ }).waitFor();
    await isAccessible(page);
    await page.goto(`${address}/#/search/`);
    await page.getByLabel("Text to look for").fill(`${colorScheme} HARBOUR`);
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Found" }).getByRole("link").waitFor();
    await isAccessible(page);
    await page.getByRole("list", { name: "Found" }).getByRole("link").click();
    await page.getByRole("button", { name: "This chat" }).click();
    await page.getByRole("button", { name: "Delete this chat…" }).click();
    await page.getByText("removed for good").waitFor();
    await isAccessible(page);
    await page.getByRole("button", { name: "Delete for good" }).click();
    await page.getByRole("heading", { name: "There is no such chat" }).waitFor();
    await expect(client.send(routes.chat, { id: chat.id })).rejects.toMatchObject({ code: "not-found" });
    expect(faults).toEqual([]);
  });

for (const locale of ["de-DE", "ar"])
  test(`every page is drawn where the language is ${locale}`, async () => {
    const chat = await waiting();
    const { page, faults } = await on.open("/inbox", { locale });
    await card(page).first().waitFor();
    for (const [at, ready] of [
      [`/chat/${chat.id}`, "[data-ask]"],
      ["/new", "#directory"],
      ["/browsers", "[aria-label='Signed in'] li"],
      ["/grants", "main h1"],
      ["/audit", "[aria-label=Timeline] li"],
    ] as const) {
      await page.goto(`${on.server.address}/#${at}`);
      await page.locator(ready).first().waitFor();
      expect(await page.getByText("This page failed").count(), at).toBe(0);
    }
    await on.server.client.send(routes.cancel, { id: chat.id });
    expect(faults).toEqual([]);
  });

test("a daemon that is gone: a line says so, nothing on a card can be pressed, not even by Escape, and back again it can", async () => {
  const chat = await waiting();
  const { page } = await on.open(`/chat/${chat.id}`);
  await whenArmed(page);
  await on.server.stop();
  await page.getByText("The daemon cannot be reached").waitFor();
  const buttons = card(page).locator("footer button");
  await expect.poll(() => buttons.evaluateAll((all) => all.filter((one) => !(one as HTMLButtonElement).disabled).length)).toBe(0);
  await page.keyboard.press("Escape");
  await isAccessible(page);
  expect(await card(page).getByRole("alert").count()).toBe(0);
  await on.server.start();
  await page.getByText("The daemon cannot be reached").waitFor({ state: "detached" });
  await whenArmed(page);
  await card(page)
    .getByRole("button", { name: /^Allow reading \S+ for this session$/ })
    .click();
  await page.getByText("Allowed reading for this session").waitFor();
});

test("at twice the size nothing can be allowed before what a yes opens has been on the screen", async () => {
  const chat = await waiting();
  // A window of 1280 × 720 at 200 %.
  const { page, faults } = await on.open(`/chat/${chat.id}`, { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 });
  const answers: string[] = [];
  page.on("request", (request) => void (request.url().endsWith("/answer") && answers.push(request.postData() ?? "")));
  await card(page).waitFor();
  await drawn(page);
  const opens = card(page).locator('[data-fact="opens"]');
  const isShown = (): Promise<boolean> =>
    opens.evaluate((element) => {
      const [box, region] = [element.getBoundingClientRect(), element.closest("[role=group]")?.getBoundingClientRect()];
      return region !== undefined && box.bottom <= Math.min(region.bottom, innerHeight) + 1 && box.top >= Math.max(region.top, 0) - 1;
    });
  const allow = card(page).getByRole("button", { name: /^Allow reading \S+ for this session$/ });
  // The half second of a window that has room, and was opened later, is over: so is that of the small one.
  const roomy = await on.open(`/chat/${chat.id}`);
  await whenArmed(roomy.page);
  await allSent(page);
  expect(await isShown()).toBe(false);
  expect(await allow.getAttribute("aria-disabled")).toBe("true");
  // A press that does not scroll to the button first.
  await allow.dispatchEvent("click");
  await allSent(page);
  expect(answers).toEqual([]);
  await opens.scrollIntoViewIfNeeded();
  await card(page)
    .getByRole("group", { name: "What is asked" })
    .evaluate((group) => group.scrollTo(0, group.scrollHeight));
  await whenArmed(page);
  await allow.click();
  await page.getByText("Allowed reading for this session").waitFor();
  expect(faults).toEqual([]);
});

test("at twice the size the menu is scrolled as a whole, so that the chats in it can be seen", async () => {
  const chat = await on.chat();
  const { page, faults } = await on.open("/inbox", { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 });
  await page.getByRole("button", { name: /^Menu/ }).click();
  const link = page.getByRole("navigation", { name: "Chats" }).locator(`a[href$="/chat/${chat.id}"]`);
  await link.scrollIntoViewIfNeeded();
  // Whole, and under nothing else.
  await expect
    .poll(() =>
      link.evaluate((element) => {
        const { left, top, bottom } = element.getBoundingClientRect();
        const at = (y: number): boolean => element.contains(document.elementFromPoint(left + 10, y));
        return at(top + 2) && at(bottom - 2);
      }),
    )
    .toBe(true);
  expect(faults).toEqual([]);
});
