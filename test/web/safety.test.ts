// Input safety in a real browser: an answer is never given by accident. Each way it happens elsewhere is a test of its own.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import type { WireAsk } from "../../src/wire/values.ts";
import { allSent, drawn, holdClock, stage, whenArmed } from "./browser.ts";

const on = stage();
const allow = { name: /^Allow reading \S+ for this session$/ };
const place = (path: string): string => on.server.tree.path(`home/code/${path}`);
const openCard = (page: Page) => page.locator('[data-ask][data-state="open"]');
const askOf = async (chat: { readonly session: string }): Promise<WireAsk> => {
  const [ask] = await on.server.client.send(routes.listAsks, { query: { session: chat.session } });
  if (ask === undefined) throw new Error("nothing was asked");
  return ask;
};
/** A chat whose agent waits for a person, made before any window is there. */
async function waiting(path = "api/package.json") {
  const chat = await on.chat();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read ${place(path)}` } });
  await expect.poll(async () => (await on.server.client.send(routes.chat, { id: chat.id })).status).toBe("waiting_for_input");
  return chat;
}
const answers = (page: Page): string[] => {
  const sent: string[] = [];
  page.on("request", (request) => void (request.url().endsWith("/answer") && sent.push(request.postData() ?? "")));
  return sent;
};
/** The same, looked at in a window, and its card takes answers. */
async function onArmedCard(path?: string) {
  const chat = await waiting(path);
  const { page } = await on.open(`/chat/${chat.id}`);
  const sent = answers(page);
  await whenArmed(page);
  return { chat, page, sent };
}
/** Press a button at once, wherever the pointer was: what a hand does that was about to click there anyway. */
const strike = (page: Page, name: RegExp) =>
  page.evaluate((text) => {
    const button = [...document.querySelectorAll<HTMLElement>("[data-state=open] button")].find((one) =>
      new RegExp(text).test(one.textContent ?? ""),
    );
    if (button === undefined) throw new Error("no such button");
    const { x, y, width, height } = button.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  }, name.source);

/** A click where the button is. Nothing is scrolled for it, which would begin the half second again. */
async function press(page: Page, selector: string): Promise<void> {
  const { x, y } = await page
    .locator(selector)
    .first()
    .evaluate((button) => {
      const { left, top, width, height } = button.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    });
  await page.mouse.click(x, y);
}

test("Enter typed into the composer as the card appears does not answer it", async () => {
  const chat = await on.chat();
  const { page, say } = await on.open(`/chat/${chat.id}`);
  const sent = answers(page);
  await say(`Read ${place("api/package.json")}`);
  // Before, while and after it appears.
  for (let after = 0; after < 10; after += (await openCard(page).count()) === 0 ? 0 : 1) {
    await page.keyboard.press("Enter");
    await drawn(page);
  }
  await page.keyboard.type("yes 1 y a\n");
  await allSent(page);
  expect((await askOf(chat)).state).toBe("open");
  expect(sent).toEqual([]);
});

test("text in the composer stays there, and keeps the keys, when a card appears", async () => {
  const chat = await on.chat();
  const { page } = await on.open(`/chat/${chat.id}`);
  const composer = page.getByRole("textbox", { name: "Message to the agent" });
  await composer.fill("half a thought");
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read ${place("api/package.json")}` } });
  await openCard(page).waitFor();
  await page.keyboard.type(" and more 1 2 3");
  expect(await composer.inputValue()).toBe("half a thought and more 1 2 3");
  expect((await askOf(chat)).state).toBe("open");
});

test("a double click answers once", async () => {
  const { page, sent } = await onArmedCard();
  await openCard(page).getByRole("button", allow).dblclick();
  await page.getByText("Allowed reading for this session").waitFor();
  expect(sent).toHaveLength(1);
});

test("a double click in the inbox answers the first card and not the one that moves up", async () => {
  const [first, second] = [await waiting("api/README.md"), await waiting("docs/guide.md")];
  const { page } = await on.open("/inbox");
  const asks = [await askOf(first), await askOf(second)];
  const card = page.locator(`[data-ask="${asks[0]?.id ?? ""}"]`);
  await card.waitFor();
  await card.locator('button[data-grants][aria-disabled="false"]').first().waitFor();
  const sent = answers(page);
  await card.getByRole("button", allow).click({ clickCount: 2, delay: 20 });
  await card.getByText("Allowed reading for this session").waitFor();
  for (let strikes = 0; strikes < 5; strikes += 1) await page.mouse.click(500, 500);
  expect(sent).toHaveLength(1);
  expect((await askOf(second)).state).toBe("open");
  await on.server.client.send(routes.cancel, { id: second.id });
});

test("a click that brings the window back to the front does not answer; the next one, a moment later, does", async () => {
  const { page, sent } = await onArmedCard();
  const { x, y } = await strike(page, allow.name);
  const advance = await holdClock(page);
  await page.mouse.move(x, y);
  // What a browser does when a window behind others is clicked: the focus comes back, and the click goes through to the page.
  await page.evaluate(() => {
    window.dispatchEvent(new Event("blur"));
    window.dispatchEvent(new Event("focus"));
  });
  await page.mouse.click(x, y);
  await advance(499);
  await page.mouse.click(x, y);
  await allSent(page);
  expect(sent).toEqual([]);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await page.mouse.click(x, y);
  await allSent(page);
  expect(sent).toEqual([]);
  await advance(500);
  await page.mouse.click(x, y);
  await page.getByText("Allowed reading for this session").waitFor();
});

test("Escape denies, at once", async () => {
  const chat = await on.chat();
  const { page, say } = await on.open(`/chat/${chat.id}`);
  await say(`Read ${place("api/package.json")}`);
  await openCard(page).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Denied reading").waitFor();
  expect((await askOf(chat)).answer).toMatchObject({ verdict: "deny" });
});

/** Presses a button in every way there is, wherever it is drawn. */
const pressEveryWay = (page: Page, selector: string): Promise<void> =>
  page.evaluate((wanted) => {
    const button = document.querySelector<HTMLElement>(wanted);
    if (button === null) throw new Error("no such button");
    button.focus();
    button.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
    button.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    button.click();
  }, selector);

test("Allow is inert for half a second after the card appears, by pointer and by key: not at 499 ms, but at 500", async () => {
  const chat = await on.chat();
  const { page, say } = await on.open(`/chat/${chat.id}`);
  const sent = answers(page);
  const composer = page.getByRole("textbox", { name: "Message to the agent" });
  await composer.waitFor();
  const advance = await holdClock(page);
  await say(`Read ${place("api/package.json")}`);
  await openCard(page).waitFor();
  await drawn(page);
  await pressEveryWay(page, "[data-state=open] button[data-grants]");
  await advance(499);
  await pressEveryWay(page, "[data-state=open] button[data-grants]");
  await allSent(page);
  expect(sent).toEqual([]);
  expect((await askOf(chat)).state).toBe("open");
  await advance(1);
  await press(page, "[data-state=open] button[data-grants]");
  await page.getByText("Allowed reading for this session").waitFor();
  expect(sent).toHaveLength(1);
});

test("nothing that grants has the focus, and no single key grants in the inbox", async () => {
  const chat = await waiting();
  const { page } = await on.open("/inbox");
  const sent = answers(page);
  const ask = await askOf(chat);
  await page.locator(`[data-ask="${ask.id}"]`).waitFor();
  await whenArmed(page);
  expect(await page.evaluate(() => document.activeElement?.hasAttribute("data-grants"))).toBe(false);
  for (let step = 0; step < 20; step += 1) {
    await page.keyboard.press("j");
    if ((await page.evaluate(() => document.activeElement?.getAttribute("data-ask"))) === ask.id) break;
  }
  expect(await page.evaluate(() => document.activeElement?.getAttribute("data-ask"))).toBe(ask.id);
  for (const key of ["1", "2", "y", "a", "Space", "k", "j", "A", "Y"]) await page.keyboard.press(key);
  expect(sent).toEqual([]);
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain(`/chat/${chat.id}`);
  expect(sent).toEqual([]);
});

test("a key held down does not answer: Enter that was down before the button had the focus, and Space that repeats on it", async () => {
  const { page, sent } = await onArmedCard();
  const button = openCard(page).getByRole("button", allow);
  // Down on the card, where it does nothing; then the focus comes to the button, and the key goes on repeating.
  await openCard(page).focus();
  await page.keyboard.down("Enter");
  await button.focus();
  for (let repeats = 0; repeats < 5; repeats += 1) await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  // A button answers to Space when it is let go: one that was held down is not a press.
  await page.keyboard.down("Space");
  for (let repeats = 0; repeats < 5; repeats += 1) await page.keyboard.down("Space");
  await page.keyboard.up("Space");
  await allSent(page);
  expect(sent).toEqual([]);
  // And a plain press of the same key is one.
  await page.keyboard.press("Space");
  await page.getByText("Allowed reading for this session").waitFor();
  expect(sent).toHaveLength(1);
});

test("Enter held down on More opens the menu and chooses nothing in it, however long it is held", async () => {
  const { chat, page, sent } = await onArmedCard();
  await openCard(page).getByRole("button", { name: "More" }).focus();
  await page.keyboard.down("Enter");
  const item = page.getByRole("menuitem", { name: /^Allow reading \S+ for one hour$/ });
  await item.waitFor();
  // Keyboards wait longer than half a second before they repeat: the menu is armed by then, and its first item has the focus.
  const advance = await holdClock(page);
  await advance(700);
  await expect.poll(() => item.evaluate((element) => document.activeElement === element)).toBe(true);
  for (let repeats = 0; repeats < 5; repeats += 1) {
    await page.keyboard.down("Enter");
    await advance(40);
  }
  await page.keyboard.up("Enter");
  await allSent(page);
  expect(sent).toEqual([]);
  expect((await askOf(chat)).state).toBe("open");
  // Pressed anew, it answers.
  await advance(500);
  await item.press("Enter");
  await page.getByText("Allowed reading for a limited time").waitFor();
  expect(sent).toHaveLength(1);
});

test("a pointer that goes down on More and is let go over an item grants nothing", async () => {
  const { chat, page, sent } = await onArmedCard();
  const more = await strike(page, /^More/);
  await page.mouse.move(more.x, more.y);
  await page.mouse.down();
  const item = page.getByRole("menuitem", { name: /^Allow reading \S+ for one hour$/ });
  const box = await item.boundingBox();
  await (
    await holdClock(page)
  )(700);
  await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 10, { steps: 5 });
  await page.mouse.up();
  await allSent(page);
  expect(sent).toEqual([]);
  expect((await askOf(chat)).state).toBe("open");
  await page.keyboard.press("Escape");
  await item.waitFor({ state: "detached" });
  // That Escape closed the menu; it did not deny.
  await allSent(page);
  expect(sent).toEqual([]);
});

test("a press that begins elsewhere and ends on Allow, or begins on Allow and ends elsewhere, does nothing", async () => {
  const { page, sent } = await onArmedCard();
  const { x, y } = await strike(page, allow.name);
  for (const [from, to] of [
    [
      { x, y: y - 120 },
      { x, y },
    ],
    [
      { x, y },
      { x, y: y - 120 },
    ],
  ] as const) {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.mouse.up();
  }
  await allSent(page);
  expect(sent).toEqual([]);
  await page.mouse.click(x, y);
  await page.getByText("Allowed reading for this session").waitFor();
});

test("a second card in the place of the first is inert for half a second of its own", async () => {
  const chat = await on.chat();
  const { page, say } = await on.open(`/chat/${chat.id}`);
  const sent = answers(page);
  await say(`Read ${place("docs/guide.md")} and ${place("api/package.json")}`);
  await openCard(page).first().waitFor();
  await whenArmed(page);
  const first = await openCard(page).first().getAttribute("data-ask");
  const advance = await holdClock(page);
  await page.keyboard.press("Escape");
  const second = `[data-ask][data-state=open]:not([data-ask="${first ?? ""}"])`;
  await page.locator(`[data-ask="${first ?? ""}"][data-state=open]`).waitFor({ state: "detached" });
  await page.locator(second).waitFor();
  await drawn(page);
  // As soon as another card is the open one, and until just before its own half second is over.
  await pressEveryWay(page, `${second} button[data-grants]`);
  await advance(499);
  await pressEveryWay(page, `${second} button[data-grants]`);
  await allSent(page);
  expect(sent.map((body) => body.includes('"deny"'))).toEqual([true]);
  expect(await openCard(page).count()).toBe(1);
  await advance(1);
  await press(page, `${second} button[data-grants]`);
  await page.getByText("Allowed reading for this session").waitFor();
  expect(sent).toHaveLength(2);
});

test("a tab that was hidden and is looked at again is inert for half a second", async () => {
  const { page, sent } = await onArmedCard();
  const { x, y } = await strike(page, allow.name);
  await page.mouse.move(x, y);
  const advance = await holdClock(page);
  const turn = (to: string): Promise<void> =>
    page.evaluate((state) => {
      Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, to);
  await turn("hidden");
  await advance(700);
  await turn("visible");
  await advance(499);
  await page.mouse.click(x, y);
  expect(await openCard(page).locator("button[data-grants]").first().getAttribute("aria-disabled")).toBe("true");
  await allSent(page);
  expect(sent).toEqual([]);
  await advance(1);
  await page.mouse.click(x, y);
  await page.getByText("Allowed reading for this session").waitFor();
  expect(sent).toHaveLength(1);
});

test("the line that says the daemon is gone moves the card: what was about to be pressed is inert again", async () => {
  const chat = await waiting();
  const { page } = await on.open("/inbox");
  await whenArmed(page);
  const sent = answers(page);
  await on.server.stop();
  await page.getByText("The daemon cannot be reached").waitFor();
  const advance = await holdClock(page);
  await advance(1000);
  await on.server.start();
  await page.getByText("The daemon cannot be reached").waitFor({ state: "detached" });
  await drawn(page);
  const grants = `[data-ask="${(await askOf(chat)).id}"] button[data-grants]`;
  await pressEveryWay(page, grants);
  await advance(499);
  await pressEveryWay(page, grants);
  await allSent(page);
  expect(sent).toEqual([]);
  await advance(1);
  await press(page, grants);
  await expect.poll(() => sent).toHaveLength(1);
});

test("an Escape that belongs to an input method, or is held down, does not deny", async () => {
  const chat = await waiting();
  const { page } = await on.open(`/chat/${chat.id}`);
  const sent = answers(page);
  await openCard(page).waitFor();
  await page.evaluate(() => {
    for (const options of [{ isComposing: true }, { repeat: true }])
      document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true, ...options }));
  });
  await allSent(page);
  expect(sent).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByText("Denied reading").waitFor();
  expect(sent).toHaveLength(1);
});

test("while an answer is on its way nothing can be pressed", async () => {
  const chat = await waiting();
  const { page } = await on.open(`/chat/${chat.id}`);
  let letThrough = (): void => {};
  const isPressed = new Promise<void>((done) => {
    letThrough = done;
  });
  await page.route("**/answer", async (route) => {
    await isPressed;
    await route.continue();
  });
  const sent = answers(page);
  await whenArmed(page);
  const card = openCard(page);
  await card.getByRole("button", allow).click();
  for (const button of await card.locator("footer button").all()) expect(await button.isDisabled()).toBe(true);
  await page.keyboard.press("Escape");
  await allSent(page);
  letThrough();
  await page.getByText("Allowed reading for this session").waitFor();
  expect(sent).toHaveLength(1);
});

test("keeping a grant for good takes a second, deliberate step, and says where it was written", async () => {
  const { page, sent } = await onArmedCard("docs/guide.md");
  await openCard(page).getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: /^Always allow reading/ }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByText(place("docs")).waitFor();
  expect(sent).toEqual([]);
  await sheet.locator('button[data-grants][aria-disabled="false"]').waitFor();
  await sheet.getByRole("button", { name: "Always allow it in this workspace" }).click();
  await page.getByText(/Kept: written to/).waitFor();
  expect(await page.getByText(/policy\.jsonc?:\d+/).count()).toBe(1);
});
