// The first page: a directory is found by typing or among what is there, what is no workspace is refused with what to do instead, and the
// sample walks through ask, X-ray, yes and revoke.

import { existsSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { stage, whenArmed } from "./browser.ts";

const on = stage();
const place = (path: string): string => on.server.tree.path(`home/code/${path}`);
const field = (page: Page) => page.getByRole("combobox", { name: "The workspace" });

test("a directory is completed as it is typed, by keys and by a press, from ~ down to a repository", async () => {
  const { page, faults } = await on.open("/new");
  await field(page).fill("~/c");
  await page.getByRole("option", { name: "~/code" }).waitFor();
  await field(page).press("ArrowDown");
  await field(page).press("Enter");
  expect(await field(page).inputValue()).toBe("~/code/");
  const offered = page.getByRole("option");
  await expect.poll(() => offered.count()).toBe(3);
  expect(await offered.allInnerTexts()).toEqual(["~/code/api", "~/code/docs", "~/code/shop"].map((path) => expect.stringContaining(path)));
  await offered.nth(1).click();
  expect(await field(page).inputValue()).toBe("~/code/docs");
  expect(await offered.count()).toBe(0);
  await field(page).press("Enter");
  await page.getByRole("heading", { name: "What should it do?" }).waitFor();
  expect(await page.getByText(place("docs")).first().isVisible()).toBe(true);
  expect(faults).toEqual([]);
});

test("whoever opens the page may type a directory at once, and the answer to Enter does not lie under what is offered", async () => {
  const { page, faults } = await on.open("/new");
  await field(page).waitFor();
  await page.keyboard.type("~");
  expect(await field(page).inputValue()).toBe("~");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("option").count()).toBe(0);
  expect(faults).toEqual([]);
});

test("a repository that is typed in full is not offered again over the button that begins", async () => {
  const { page, faults } = await on.open("/new");
  await field(page).fill("~/code/doc");
  await page.getByRole("option", { name: "~/code/docs" }).waitFor();
  await field(page).fill("~/code/docs");
  await expect.poll(() => page.getByRole("option").count()).toBe(0);
  await page.getByRole("button", { name: "Start here" }).click();
  await page.getByRole("heading", { name: "What should it do?" }).waitFor();
  expect(faults).toEqual([]);
});

test("hidden directories are offered to whoever begins with a dot, and a path that is not there offers nothing", async () => {
  const { client } = on.server;
  const named = async (prefix: string) => (await client.send(routes.directories, { query: { prefix } })).map(({ path }) => path);
  expect(await named("")).toEqual(["~/code"]);
  expect(await named("~/.c")).toEqual(["~/.config"]);
  expect(await named("code/SH")).toEqual(["code/shop"]);
  expect(await named(`${place("shop")}/`)).toEqual(["src", "vendor"].map((name) => place(`shop/${name}`)));
  expect(await named("/no/such/place/")).toEqual([]);
  expect(await named("~/\0")).toEqual([]);
});

test("repositories are found, the project used last comes first, and one press begins in it", async () => {
  const { page, faults } = await on.open("/new");
  const found = page.getByRole("region", { name: "Repositories found in your home directory" });
  await found.getByRole("button", { name: "api" }).click();
  await page.getByRole("heading", { name: "What should it do?" }).waitFor();
  await page.getByRole("button", { name: "New session" }).click();
  await expect.poll(() => found.getByRole("button").allInnerTexts()).not.toContainEqual(expect.stringContaining("/api"));
  expect(await page.getByRole("region", { name: "Recent" }).getByRole("button").first().innerText()).toContain("/api");
  expect(faults).toEqual([]);
});

test("the home directory, the system's directories and what is not there are refused with what to do instead", async () => {
  const { page, faults } = await on.open("/new");
  for (const [typed, said] of [
    ["~", "your home directory; choose a project in it"],
    ["/", "Choose one of your projects"],
    ["/etc", "Choose one of your projects"],
    ["~/code/../../../../..//usr", "Choose one of your projects"],
    ["~/nowhere", "there is no directory"],
  ] as const) {
    await field(page).fill(typed);
    await field(page).press("Escape");
    await page.getByRole("button", { name: "Start here" }).click();
    await expect.poll(() => page.getByRole("alert").innerText()).toContain(said);
  }
  expect((await on.server.client.send(routes.listProjects, {})).map(({ path }) => path)).not.toContain("/etc");
  expect(faults).toEqual([]);
});

test("a suggestion that promises a question leads to one", async () => {
  const { page, faults } = await on.open("/new");
  await field(page).fill("~/code/shop");
  await field(page).press("Escape");
  await page.getByRole("button", { name: "Start here" }).click();
  await page
    .getByRole("button", { name: /outside: it will have to ask/ })
    .first()
    .click();
  await page.locator('[data-ask][data-state="open"]').waitFor();
  expect(faults).toEqual([]);
});

test("where the policy lets nobody ask, the sample says so and opens nothing", async () => {
  const { page, faults } = await on.open("/new");
  const before = await on.server.client.send(routes.listSessions, {});
  await on.server.client.send(routes.savePolicy, { body: { text: '{ "ceilings": ["/opt"] }', before: null } });
  await page.getByRole("button", { name: "Try it on a sample" }).click();
  await expect.poll(() => page.getByRole("alert").innerText()).toContain("there is no question to show");
  await on.server.client.send(routes.savePolicy, { body: { text: "{}", before: '{ "ceilings": ["/opt"] }' } });
  expect(await on.server.client.send(routes.listSessions, {})).toEqual(before);
  expect(faults).toEqual([]);
});

test("the sample: asked, looked at, allowed and taken back, step by step; a reload loses nothing", async () => {
  const { page, faults } = await on.open("/new");
  await page.getByRole("button", { name: "Try it on a sample" }).click();
  const guide = page.getByRole("region", { name: "The sample, step by step" });
  const step = () => guide.locator("[aria-current=step]").innerText();
  await guide.getByRole("button", { name: "Read ../price-list/prices.json" }).click();
  const card = page.locator('[data-ask][data-state="open"]');
  await card.waitFor();
  await expect.poll(step).toContain("Look");
  await page.reload();
  await card.waitFor();
  await card.getByRole("button", { name: /X-ray/ }).click();
  await page.getByRole("dialog").getByText("id_ed25519").or(page.getByRole("dialog").getByText("prices.json")).first().waitFor();
  await page.keyboard.press("Escape");
  const opener = card.getByRole("button", { name: /X-ray/ });
  await expect.poll(() => opener.evaluate((button) => button === document.activeElement)).toBe(true);
  await expect.poll(step).toContain("Allow");
  await whenArmed(page);
  await card.getByRole("button", { name: /^Allow reading price-list for this session$/ }).click();
  await expect.poll(step).toContain("Take back");
  await page.locator(".prose", { hasText: "coffee" }).last().waitFor();
  await page.locator("[data-ask]").getByRole("button", { name: "Revoke" }).click();
  await guide.getByText("That's it.").waitFor();
  await guide.getByRole("button", { name: "Read .env" }).click();
  await page.getByText("secret-file").or(page.getByText("secret")).first().waitFor();
  const [session] = await on.server.client.send(routes.listSessions, { query: { limit: 1 } });
  const made = session?.workspace ?? "";
  expect(existsSync(join(made, "../price-list/.git/HEAD"))).toBe(true);
  expect(lstatSync(join(made, "prices.json")).isSymbolicLink()).toBe(true);
  expect(session?.allowed_read_paths).toEqual([]);
  await guide.getByRole("link", { name: "start in a project of your own" }).click();
  await page
    .getByRole("heading", { name: "New session" })
    .or(page.getByRole("heading", { name: "Give your agent" }))
    .waitFor();
  expect(await guide.count()).toBe(0);
  // Once more: what is there stays as it is.
  writeFileSync(join(made, "README.md"), "changed");
  await on.server.client.send(routes.addSample, {});
  expect(readFileSync(join(made, "README.md"), "utf8")).toBe("changed");
  expect(faults).toEqual([]);
});
