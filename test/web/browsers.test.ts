// Signing in: the token in an address is given back for a credential of the browser's own, a code does the same, and each browser can be
// signed out by itself.

import { expect, test } from "vitest";
import { createClient, WireError } from "../../src/wire/client.ts";
import { routes } from "../../src/wire/http.ts";
import { stage } from "./browser.ts";
import { TOKEN } from "./server.ts";

const on = stage();
const kept = "hallpass.token";
const listed = () => on.server.client.send(routes.listBrowsers, {});
const signedOut = { name: "This browser isn't signed in" };

test("a browser keeps a credential of its own and never the person's token; opened again, it is still one browser", async () => {
  const { page, faults } = await on.open("/inbox");
  await page.getByText("connected").waitFor();
  const token = await page.evaluate((key) => localStorage.getItem(key), kept);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(token).not.toBe(TOKEN);
  const before = await listed();
  await page.goto("about:blank");
  await page.goto(on.server.page("/inbox"));
  await page.getByText("connected").waitFor();
  expect((await listed()).length).toBe(before.length);
  expect((await listed()).at(-1)?.name).toBe("Chrome on Linux");
  await page.reload();
  await page.getByText("connected").waitFor();
  expect(faults).toEqual([]);
});

test("one is signed out from another's page: at once, for good, and the others stay", async () => {
  const lost = await on.open("/inbox");
  await lost.page.getByText("connected").waitFor();
  const [phone] = (await listed()).toReversed();
  const { page, faults } = await on.open("/browsers");
  await page.getByText("this browser", { exact: true }).waitFor();
  const token = await lost.page.evaluate((key) => localStorage.getItem(key), kept);
  const before = (await listed()).length;
  // The newest is this one; the one before it is the other.
  await page
    .getByRole("list", { name: "Signed in" })
    .getByRole("button", { name: /^Sign out/ })
    .nth(before - 2)
    .click();
  await lost.page.getByRole("heading", signedOut).waitFor();
  expect((await listed()).map(({ id }) => id)).not.toContain(phone?.id);
  const stolen = createClient({ address: on.server.address, token: token ?? "", fetch: (request) => fetch(request), via: "test" });
  await expect(stolen.send(routes.health, {})).rejects.toMatchObject({ code: "unauthenticated" });
  await lost.page.reload();
  await lost.page.getByRole("heading", signedOut).waitFor();
  await page.getByText("this browser", { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test("a code signs a browser in, typed or from a link, once; a wrong one says what to do", async () => {
  const { page, faults } = await on.open("/browsers");
  await page.getByRole("button", { name: "Show a code" }).click();
  const code = await page.getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/).innerText();
  const other = await on.open("/inbox");
  const out = async (): Promise<void> => {
    // Before that it may still be given its credential, and would keep it.
    await other.page.getByText("connected").waitFor();
    await other.page.evaluate(() => localStorage.clear());
    await other.page.goto(`${on.server.address}/`);
    await other.page.getByRole("heading", signedOut).waitFor();
  };
  await out();
  await other.page.getByLabel("Code, address or token").fill("0000-0000");
  await other.page.getByRole("button", { name: "Sign in" }).click();
  await expect.poll(() => other.page.getByRole("alert").innerText()).toContain("hallpass pair");
  await other.page.getByLabel("Code, address or token").fill(code.toLowerCase());
  await other.page.getByRole("button", { name: "Sign in" }).click();
  await other.page.getByText("connected").waitFor();
  await out();
  const { code: another } = await on.server.client.send(routes.addPairing, {});
  await other.page.goto(`${on.server.address}/#pair=${another}`);
  await other.page.getByText("connected").waitFor();
  expect(other.page.url()).not.toContain(another);
  await expect(on.server.client.send(routes.pair, { body: { code: another, name: "late" } })).rejects.toBeInstanceOf(WireError);
  expect([...faults, ...other.faults]).toEqual([]);
});

test("an agent's credential lists no browsers and lets nobody in, and a page of another origin cannot try codes", async () => {
  const { credential } = await on.server.client.send(routes.register, {
    body: { host: "mcp", hostSession: "x", workspace: on.server.tree.path("home/code/shop") },
  });
  const agent = createClient({ address: on.server.address, token: credential, fetch: (request) => fetch(request), via: "test" });
  for (const route of [routes.listBrowsers, routes.addPairing])
    await expect(agent.send(route, {})).rejects.toMatchObject({ code: "forbidden" });
  const said = await fetch(`${on.server.address}/api/pair`, {
    method: "POST",
    headers: { origin: "http://evil.example", "content-type": "application/json" },
    body: JSON.stringify({ code: "0000-0000", name: "x" }),
  });
  expect(said.status).toBe(403);
});
