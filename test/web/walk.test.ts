// The walk in a real browser: every kind of ask and every answer on the page, and what the agent is let do then.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "../../scripts/chromium.mjs";
import { routes } from "../../src/wire/http.ts";
import type { WireChat } from "../../src/wire/values.ts";
import { expected, verdictsIn } from "../walk/accesses.ts";
import { walkHappenings } from "../walk/face-happenings.ts";
import { type Face, faceStage, lastLineOf, rows, walkFace } from "../walk/faces.ts";
import { promiseOf, type Shown } from "../walk/promise.ts";
import type { WalkStage } from "../walk/stage.ts";
import { lastCalls, openAsk, rest, said, shownOf } from "../walk/walker.ts";
import { builtPages } from "./server.ts";

let stage: WalkStage;
let browser: Browser;
beforeAll(async () => {
  stage = await faceStage({ pages: await builtPages() });
  browser = await launchChromium();
}, 120_000);
afterAll(async () => {
  await (browser as Browser | undefined)?.close();
  await (stage as WalkStage | undefined)?.close();
});

const PATIENCE = 30_000;
const card = (page: Page) => page.locator('[data-ask][data-state="open"]');

/** A window of its own at a place of the pages. */
async function load(place: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1400 }, locale: "en-GB", timezoneId: "UTC" });
  page.setDefaultTimeout(PATIENCE);
  await page.goto(`${stage.door?.address}/#token=${stage.door?.token}&to=${encodeURIComponent(place)}`);
  return page;
}

/** The chat's page, at which a person sits. */
async function sitDown(): Promise<{ readonly page: Page; readonly chat: WireChat; readonly say: (text: string) => Promise<void> }> {
  const chat = await stage.chat();
  const page = await load(`/chat/${chat.id}`);
  const say = async (text: string): Promise<void> => {
    const composer = page.getByRole("textbox", { name: "Message to the agent" });
    await composer.fill(text);
    await composer.press("Enter");
  };
  return { page, chat, say };
}

/** Every fact of the card as a line, and every choice, those behind More too. */
async function read(page: Page): Promise<Shown> {
  const up = card(page);
  await up.waitFor();
  const title = await up.getByRole("heading").first().innerText();
  const facts = await up.locator("[data-fact]").evaluateAll((all) =>
    all.map((fact) => {
      const [label, sentence] = ["dt", "dd"].map((part) => (fact.querySelector(part)?.textContent ?? "").replaceAll(/\s+/g, " ").trim());
      return `${label}: ${sentence}`;
    }),
  );
  const buttons = await up.getByRole("button").allInnerTexts();
  await up.getByRole("button", { name: "More", exact: true }).click();
  const items = await page.getByRole("menuitem").allInnerTexts();
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  const choices = [...buttons, ...items].map((label) => label.replaceAll(/\s+/g, " ").trim());
  return { lines: [title, ...facts], choices: choices.map((label) => label.replace(/^Deny Esc$/u, "Deny").replace(/…$/u, "")) };
}

/** A button of the card, or an item behind More and what it then asks to confirm. */
async function take(page: Page, choice: string): Promise<void> {
  const button = card(page).locator("button", { hasText: choice });
  const grants = '[data-grants][aria-disabled="false"]';
  if (choice === "Deny")
    return card(page)
      .getByRole("button", { name: /^Deny(?: Esc)?$/u })
      .click();
  if ((await button.count()) > 0) return card(page).locator(`button${grants}`, { hasText: choice }).click();
  await card(page).getByRole("button", { name: "More", exact: true }).click();
  const item = page.getByRole("menuitem").filter({ hasText: choice });
  const label = await item.innerText();
  const isPlain = label.endsWith("…") || (await item.getAttribute("data-grants")) === null;
  await (isPlain ? item : page.locator(`[role="menuitem"]${grants}`, { hasText: choice })).click();
  if (label.endsWith("…")) await page.getByRole("dialog").locator(`button${grants}`).click();
}

/** A chat's page with its person. */
async function onPage(): Promise<Face> {
  const { page, chat, say } = await sitDown();
  return {
    session: chat.session,
    does: (wanted) => say(said(wanted)),
    async shows(ask) {
      const up = page.locator(`[data-ask="${ask.id}"][data-state="open"]`);
      await up.waitFor();
      // The change as it is now.
      if (ask.diff !== null) await expect.poll(() => up.innerText(), { timeout: PATIENCE }).toContain(lastLineOf(ask.diff));
      const shown = await read(page);
      // Loaded anew, by the address that a notice links to, it says the same.
      const loaded = await load(`/asks/${ask.id}`);
      await loaded.locator(`[data-ask="${ask.id}"][data-state="open"]`).waitFor();
      expect(await read(loaded)).toEqual(shown);
      await loaded.close();
      return shown;
    },
    choose: (choice) => take(page, choice),
    ends: {
      "Deny, with a word": async () => {
        await card(page).getByRole("button", { name: "Deny with a note" }).click();
        await page.keyboard.type("use ours");
        await page.getByRole("button", { name: "Deny and send this note" }).click();
      },
      withdrawn: () => say(said()),
      stopped: () => page.getByRole("button", { name: "Stop" }).first().click(),
    },
    async over() {
      await card(page).waitFor({ state: "detached" });
      await rest(stage.client, chat.id);
      const [call] = await lastCalls(stage.client, chat.id);
      return call?.state.at === "done" && call.state.outcome.ok;
    },
  };
}

test("what a card said on the page is what the next accesses are let do", { timeout: 600_000 }, async () =>
  walkFace(stage, await onPage(), rows),
);

test("whatever happens while a card is up: card, record and next access agree", { timeout: 600_000 }, async () =>
  walkHappenings(stage, await onPage()),
);

test(
  "kept for the workspace on the page: what its words said holds in every later session there, and nowhere else",
  { timeout: 120_000 },
  async () => {
    const { page, chat, say } = await sitDown();
    const held = await verdictsIn(stage, chat.session);
    const elsewhere = await verdictsIn(stage, (await stage.chat(stage.world.code("second"))).session);
    await say(said({ name: "read_file", input: { path: stage.world.code("mono/packages/ui/src/button.ts") } }));
    await card(page).waitFor();
    const ask = await openAsk(stage.client, chat);
    const promised = promiseOf(shownOf(ask), "Allow reading ui for this session");
    await card(page).getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: /^Always allow reading ui in shop/u }).click();
    const sheet = page.getByRole("dialog");
    const words = (await sheet.innerText()).replaceAll(/\s+/gu, " ");
    expect(words).toContain(`Reading ${promised.what === "reading" ? promised.dir : ""} will be allowed in this session now`);
    expect(words).toContain(`every later session whose workspace is ${stage.world.workspace}`);
    await sheet.locator('button[data-grants][aria-disabled="false"]').click();
    await page.getByText(/Kept: written to/u).waitFor();
    const later = await stage.chat();
    for (const { session } of [chat, later]) expect(await verdictsIn(stage, session)).toEqual(expected(stage, {}, held, promised));
    expect(await verdictsIn(stage, (await stage.chat(stage.world.code("second"))).session)).toEqual(elsewhere);
    await page.getByRole("button", { name: "Revoke", exact: true }).first().click();
    await expect.poll(() => stage.client.send(routes.listGrants, { query: { session: chat.session } }), { timeout: PATIENCE }).toEqual([]);
    for (const { session } of [chat, later]) expect(await verdictsIn(stage, session)).toEqual(held);
  },
);
