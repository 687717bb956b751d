// The other pages in a real browser: policy, audit, inbox, the session's pane, and a browser without its token.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createClient } from "../../src/wire/client.ts";
import { routes } from "../../src/wire/http.ts";
import { stage, whenArmed } from "./browser.ts";

const on = stage();
const place = (path: string): string => on.server.tree.path(`home/code/${path}`);

test("policy: a path is judged as it is typed, with its trace; a change shows what it would do, is checked, and is saved", async () => {
  await on.chat();
  const { page, faults } = await on.open("/policy");
  const tester = page.getByRole("region", { name: "Tester" });
  await page.getByLabel("Path to try").fill(place("shop/.env"));
  await tester.getByText("secret-file").waitFor();
  await tester.getByText("matches the secret pattern").waitFor();
  await page.getByLabel("Path to try").fill("src/cart.ts");
  await tester.getByText("in-workspace").waitFor();
  await page.getByRole("button", { name: "Write one" }).click();
  const file = page.getByLabel("Text of your policy file");
  await file.fill('{ "read": { "**/cart.ts": "deny" } }');
  await tester.getByText("Would change from allow (in-workspace) to deny (policy-deny)").waitFor();
  await file.fill('{ "reed": {} }');
  await page.getByRole("alert").first().waitFor();
  expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  await file.fill('{\n  "read": { "**/cart.ts": "deny" }\n}\n');
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved. It holds from the next access on.").waitFor();
  await tester.getByText("policy-deny").first().waitFor();
  const { layers } = await on.server.client.send(routes.policy, { query: {} });
  const operator = layers.find(({ author }) => author === "operator");
  expect(readFileSync(operator?.file ?? "", "utf8")).toContain("**/cart.ts");
  await page.getByRole("region", { name: "Layers" }).getByText("**/cart.ts").waitFor();

  // The file was changed by somebody else meanwhile: nothing is overwritten.
  await file.fill('{ "read": "ask" }');
  await on.server.client.send(routes.savePolicy, { body: { text: '{ "write": "ask" }', before: operator?.text ?? null } });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("region", { name: "Your policy file" }).getByRole("alert").waitFor();
  expect(readFileSync(operator?.file ?? "", "utf8")).toBe('{ "write": "ask" }');
  await on.server.client.send(routes.savePolicy, { body: { text: "{}", before: '{ "write": "ask" }' } });
  expect(faults).toEqual([]);
});

test("audit: what happened is there, can be filtered, is drawn, and can be taken along", async () => {
  const chat = await on.chat();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read README.md and ${place("api/.env")}` } });
  await expect.poll(async () => (await on.server.client.send(routes.chat, { id: chat.id })).status).toBe("idle");
  const { page, faults } = await on.open("/audit");
  const rows = page.getByRole("list", { name: "Timeline" }).getByRole("listitem");
  await rows.first().waitFor();
  await page.locator(".plot canvas").waitFor();
  const all = await rows.count();
  await page.getByLabel("Verdict").selectOption("deny");
  await expect.poll(() => rows.count()).toBeLessThan(all);
  for (const text of await rows.allInnerTexts()) expect(text).toContain("deny");
  expect(await page.content()).not.toContain("very-secret");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
  const lines = readFileSync((await download.path()) ?? "", "utf8")
    .trim()
    .split("\n");
  expect(lines.map((line) => typeof JSON.parse(line))).toContain("object");
  expect(faults).toEqual([]);
});

test("inbox: asks of agents from elsewhere stand together with ours by directory, name who asks, and are answered in place", async () => {
  const { credential, session } = await on.server.client.send(routes.register, {
    body: { host: "claude-code", hostSession: "one", workspace: place("docs"), label: "writer" },
  });
  const agent = createClient({ address: on.server.address, token: credential, fetch: (request) => fetch(request), via: "hook" });
  const asked = await agent.send(routes.agentAsk, {
    body: { call: "call-1", tool: "Read", operation: "read", path: place("api/README.md"), reason: "to compare" },
  });
  expect(asked.state).toBe("waiting");
  const chat = await on.chat();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read ${place("api/package.json")}` } });
  const { page, faults } = await on.open("/inbox");
  const group = page.getByRole("region", { name: place("api") });
  await expect.poll(() => group.locator("[data-ask]").count()).toBe(2);
  const card = group.locator("[data-ask]", { hasText: "claude-code" });
  expect(await card.innerText()).toContain("writer");
  await whenArmed(page);
  await card.getByRole("button", { name: "Allow reading for this session" }).click();
  await card.getByText("Allowed reading for this session").waitFor();
  expect((await on.server.client.send(routes.session, { id: session.id })).allowed_read_paths).toEqual([place("api")]);
  // The other session was not answered by it.
  expect((await on.server.client.send(routes.session, { id: chat.session })).allowed_read_paths).toEqual([]);
  expect(await group.locator('[data-ask][data-state="open"]').count()).toBe(1);
  await card.getByRole("button", { name: "Revoke" }).click();
  await card.getByText("no longer granted").waitFor();
  await on.server.client.send(routes.cancel, { id: chat.id });
  expect(faults).toEqual([]);
});

test("the session's pane: mounts are added, changed and taken out; grants show their reads and are revoked together", async () => {
  const chat = await on.chat();
  const { page, faults, say } = await on.open(`/chat/${chat.id}`);
  await say(`Read ${place("api/package.json")}`);
  await whenArmed(page);
  await page.getByRole("button", { name: "Allow reading for this session" }).click();
  await page.locator(".prose", { hasText: "2.1.0" }).last().waitFor();
  await page.getByRole("button", { name: "workspace + 1 repository" }).click();
  const pane = page.getByRole("complementary", { name: "Session" });
  await pane.getByText("given by person (web)").waitFor();
  await pane.getByText(/\d reads?, last/).click();
  await pane.getByText("package.json").last().waitFor();
  await pane.getByLabel("Directory to mount").fill(place("docs"));
  await pane.getByRole("button", { name: "Mount" }).click();
  await page.getByRole("button", { name: "workspace + 2 repositories" }).waitFor();
  await pane.getByLabel(`Mode of ${place("docs")}`).selectOption("extend");
  await expect
    .poll(async () => (await on.server.client.send(routes.session, { id: chat.session })).mounts)
    .toEqual([{ path: place("docs"), mode: "extend" }]);
  await pane.getByRole("button", { name: `Take ${place("docs")} out` }).click();
  await page.getByRole("button", { name: "workspace + 1 repository" }).waitFor();
  await pane.getByRole("button", { name: "Revoke all" }).click();
  await page.getByRole("button", { name: "workspace only" }).waitFor();
  await pane.getByText("Nothing is granted").waitFor();
  expect((await on.server.client.send(routes.session, { id: chat.session })).allowed_read_paths).toEqual([]);
  expect(faults).toEqual([]);
});

test("a browser without the token sees nothing, and one with a wrong token gets nothing", async () => {
  const { page } = await on.open("/inbox");
  await page.evaluate(() => localStorage.clear());
  await page.goto(`${on.server.address}/`);
  await page.getByRole("heading", { name: "This browser is not known here" }).waitFor();
  await page.goto(`${on.server.address}/#token=wrong-token`);
  await page.reload();
  await page.getByRole("heading", { name: "This browser is not known here" }).waitFor();
  expect(await page.locator("[data-ask]").count()).toBe(0);
});

test("an address of a chat that is not there says so", async () => {
  const { page, faults } = await on.open("/chat/no-such-chat-0123456789");
  await page.getByRole("heading", { name: "There is no such chat" }).waitFor();
  expect(faults).toEqual([]);
});

test("somebody who is elsewhere is told by a notification, if they allowed it, and it says nothing an agent wrote", async () => {
  const chat = await on.chat();
  const { page, context, faults } = await on.open("/inbox");
  await context.addInitScript(() => {
    const shown: string[] = [];
    class Told extends EventTarget {
      static readonly permission = "granted";
      constructor(title: string, options: { readonly body?: string }) {
        super();
        shown.push(`${title} ${options.body ?? ""}`);
      }
    }
    Object.assign(window, { Notification: Told, shown });
    document.hasFocus = () => false;
  });
  await page.reload();
  await page.getByText("connected").waitFor();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read ${place("api/package.json")}` } });
  await page.locator("[data-ask]").first().waitFor();
  const shown: unknown = await page.evaluate(() => Reflect.get(window, "shown"));
  expect(shown).toEqual(["An agent is waiting for you Open Hallpass to see what it asks for."]);
  await on.server.client.send(routes.cancel, { id: chat.id });
  expect(faults).toEqual([]);
});
