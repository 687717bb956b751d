// A phone: what a person needs to say yes or no is on the screen without scrolling, the answers are under the thumb, and where there is
// more than fits the card says so.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createClient } from "../../src/wire/client.ts";
import { routes } from "../../src/wire/http.ts";
import { allSent, drawn, holdClock, stage, whenArmed } from "./browser.ts";

const on = stage();
const place = (path: string): string => on.server.tree.path(`home/code/${path}`);
const openCard = (page: Page) => page.locator('[data-ask][data-state="open"]');

async function waiting(said: string) {
  const chat = await on.chat();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: said } });
  await expect.poll(async () => (await on.server.client.send(routes.chat, { id: chat.id })).status).toBe("waiting_for_input");
  return chat;
}

/** Which of these facts can be read now: nothing of them is cut off by the card, by the head of the page or by what lies over the end. */
const readable = (page: Page, names: readonly string[]): Promise<readonly string[]> =>
  openCard(page).evaluate((card, wanted) => {
    const seen = (x: number, y: number, inside: Element): boolean => {
      const hit = document.elementFromPoint(x, y);
      return hit !== null && (inside.contains(hit) || hit.contains(inside));
    };
    return wanted.filter((name) => {
      const element = card.querySelector(`[data-fact="${name}"]`);
      const box = element?.getBoundingClientRect();
      const region = card.querySelector("[role=group]")?.getBoundingClientRect();
      if (element === null || box === undefined || region === undefined || box.height === 0) return false;
      if (box.top < region.top - 1 || box.bottom > region.bottom + 1) return false;
      return [box.top + 4, box.bottom - 4].every((y) => seen(box.left + 8, y, element));
    });
  }, names);

const NEEDED = ["who", "wants", "opens", "how-long", "reason"];

for (const [width, height] of [
  [390, 844],
  [360, 640],
] as const)
  test(`at ${width} × ${height}: who, which path, what a yes opens, how long and the agent's reason are there at once`, async () => {
    const chat = await waiting(`Read ${place("api/package.json")}`);
    const { page, faults } = await on.open(`/chat/${chat.id}`, { viewport: { width, height }, isMobile: true, hasTouch: true });
    await whenArmed(page);
    expect(await readable(page, NEEDED)).toEqual(NEEDED);
    const text = await openCard(page).innerText();
    for (const one of ["Let the agent read api?", place("api/package.json"), place("api"), "read-only", "1 secret file stays hidden"])
      expect(text.replaceAll(/\s+/g, " ")).toContain(one);
    // Every answer is in the window, large enough for a thumb, and none lies over another.
    const boxes = [];
    for (const button of await openCard(page).locator("footer button").all()) {
      const box = await button.boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(32);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
      boxes.push(box);
    }
    expect(boxes).toHaveLength(5);
    for (const [at, one] of boxes.entries())
      for (const other of boxes.slice(at + 1))
        expect(
          (one?.y ?? 0) + (one?.height ?? 0) <= (other?.y ?? 0) ||
            (one?.x ?? 0) + (one?.width ?? 0) <= (other?.x ?? 0) ||
            (other?.x ?? 0) + (other?.width ?? 0) <= (one?.x ?? 0),
        ).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    await openCard(page)
      .getByRole("button", { name: /^Allow reading \S+ for this session$/ })
      .tap();
    await page.getByText("Allowed reading for this session").waitFor();
    expect((await on.server.client.send(routes.session, { id: chat.session })).allowed_read_paths).toEqual([place("api")]);
    expect(faults).toEqual([]);
  });

test("a tap is inert for the first half second as a click is", async () => {
  const chat = await waiting(`Read ${place("api/package.json")}`);
  const { page } = await on.open(`/chat/${chat.id}`, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  await whenArmed(page);
  const box = await openCard(page)
    .getByRole("button", { name: /^Allow reading \S+ for this session$/ })
    .boundingBox();
  const [x, y] = [(box?.x ?? 0) + 40, (box?.y ?? 0) + 15];
  const sent: string[] = [];
  page.on("request", (request) => void (request.url().endsWith("/answer") && sent.push(request.url())));
  const advance = await holdClock(page);
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.touchscreen.tap(x, y);
  await advance(499);
  await page.touchscreen.tap(x, y);
  await allSent(page);
  expect(sent).toEqual([]);
  await advance(1);
  await page.touchscreen.tap(x, y);
  await page.getByText("Allowed reading for this session").waitFor();
  expect(sent).toHaveLength(1);
});

test("where the real path is another, both are there, and what does not fit is announced and reached by a tap", async () => {
  const chat = await waiting("Read vendor/routes.ts");
  const { page } = await on.open(`/chat/${chat.id}`, { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true });
  await whenArmed(page);
  const needed = ["who", "wants", "location", "opens"];
  expect(await readable(page, needed)).toEqual(needed);
  expect(await openCard(page).locator('[data-fact="location"]').innerText()).toMatch(/^Actual location/);
  const more = openCard(page).getByRole("button", { name: "more below" });
  expect(await readable(page, ["workspace"])).toEqual([]);
  for (let taps = 0; taps < 4 && (await more.count()) > 0; taps += 1) {
    await more.tap();
    await drawn(page);
  }
  expect(await more.count()).toBe(0);
  expect(await readable(page, ["why", "workspace"])).toEqual(["why", "workspace"]);
  expect(await openCard(page).locator('[data-fact="workspace"]').innerText()).toContain(place("shop"));
  await on.server.client.send(routes.cancel, { id: chat.id });
});

test("a long reason shows its beginning, says so, and all of it on a tap; the answers stay where they are", async () => {
  const { credential, chat } = await registered();
  const reason = `I need the routes. ${"Please say yes, it is quite safe. ".repeat(12)}The end.`;
  await asks(credential, reason);
  const { page } = await on.open(`/chat/${chat}`, { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true });
  await whenArmed(page);
  const deny = openCard(page).getByRole("button", { name: "Deny", exact: true });
  const before = await deny.boundingBox();
  const quote = openCard(page).locator("blockquote");
  expect((await quote.boundingBox())?.height).toBeLessThan(70);
  await openCard(page).getByRole("button", { name: "show all", exact: true }).tap();
  expect((await quote.boundingBox())?.height).toBeGreaterThan(150);
  expect(await deny.boundingBox()).toEqual(before);
  await page.keyboard.press("Escape");
  await page.getByText("Denied reading").waitFor();
});

test("the menu of a phone holds projects, sessions and chats, and says how many wait", async () => {
  const chat = await waiting(`Read ${place("api/package.json")}`);
  const { page, faults } = await on.open("/policy", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  await page.getByRole("button", { name: /Menu, \d+ waiting for you/ }).tap();
  const menu = page.getByRole("dialog");
  await menu.getByRole("group", { name: "shop" }).waitFor();
  await menu.locator(`a[href="#/chat/${chat.id}"]`).tap();
  await openCard(page).waitFor();
  await menu.waitFor({ state: "detached" });
  await on.server.client.send(routes.cancel, { id: chat.id });
  expect(faults).toEqual([]);
});

async function registered(): Promise<{ readonly credential: string; readonly chat: string }> {
  const { credential, chat } = await on.server.client.send(routes.register, {
    body: { host: "claude-code", hostSession: "phone", workspace: place("docs"), label: "writer" },
  });
  return { credential, chat: chat.id };
}

async function asks(credential: string, reason: string): Promise<void> {
  const agent = createClient({ address: on.server.address, token: credential, fetch: (request) => fetch(request), via: "hook" });
  await agent.send(routes.agentAsk, {
    body: { call: "call-1", tool: "Read", operation: "read", path: place("api/src/routes.ts"), reason: reason.slice(0, 500) },
  });
}

test("whatever is pressed on a phone takes a finger: 44 pixels high, in every page and the menu", async () => {
  const chat = await waiting(`Read ${place("docs/guide.md")}`);
  const { page, faults } = await on.open("/inbox", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  /** What a finger finds on fewer than 44 pixels, from above to below its middle. A word in a sentence may be as high as its line. */
  const small = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("button, a[href], [role=option], [role=menuitem], input, select, summary")].flatMap(
        (element) => {
          const box = element.getBoundingClientRect();
          const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
          const isInText = element.closest(".sr-only, p, .prose, [data-fact]") !== null;
          const takes = (at: number): boolean => element.contains(document.elementFromPoint(x, at));
          // What is scrolled out of sight, in part too, is not pressed there.
          const isInSight = box.height > 0 && y > 30 && y + 30 < innerHeight && takes(box.top + 2) && takes(box.bottom - 2);
          if (!isInSight || isInText) return [];
          const found = Array.from({ length: 81 }, (_, at) => takes(y - 40 + at));
          const name = element.innerText || (element.getAttribute("aria-label") ?? "");
          return found.filter(Boolean).length >= 43 ? [] : [`${element.tagName} ${name} ${found.filter(Boolean).length}`];
        },
      ),
    );
  for (const [at, ready] of [
    ["/inbox", "[data-ask]"],
    [`/asks/${(await on.server.client.send(routes.listAsks, { query: { state: "open", limit: 1 } }))[0]?.id ?? ""}`, "[data-ask]"],
    ["/new", "#directory"],
    ["/browsers", "[aria-label='Signed in'] li"],
    ["/grants", "main h1"],
  ] as const) {
    await page.goto(`${on.server.address}/#${at}`);
    await page.locator(ready).first().waitFor();
    expect(await small(), at).toEqual([]);
  }
  await page.getByRole("button", { name: /Menu/ }).tap();
  await page.getByRole("dialog").getByText("Sessions").waitFor();
  // It slides in: what is measured is where it comes to rest.
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  expect(await small(), "menu").toEqual([]);
  await on.server.client.send(routes.cancel, { id: chat.id });
  expect(faults).toEqual([]);
});
